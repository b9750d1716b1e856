"""Options that several commands share."""

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., None]], Callable[..., None]]
REVIEWS = ("books", "dvd", "electronics", "kitchen", "toy")
QUESTIONS = ("trec6",)
SENTENCES = {"ewt": "UD_English-EWT", "toy-sentences": "toy"}


class ExerciseList(click.ParamType):  # type: ignore[type-arg]  # older versions of click cannot be subscripted here
    """Ids separated by commas, such as ``1.2,1.5``; or ``core`` or ``afternoon`` for the exercises of that part."""

    name = "TEXT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str] | None:
        """Split the value into ids."""
        return [id.strip() for id in value.split(",") if id.strip()]


class ClassifierName(click.ParamType):  # type: ignore[type-arg]  # as above
    """The name of a classifier of the lab; the command looks it up."""

    name = "NAME"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Explain the name of a classifier."""
        return "Name a file in classifiers/, as in `--classifier mira`; `lxmls-day1 run` trains all of them."


lab_option = click.option(
    "--lab", "lab_folder", type=click.Path(), help="The lab folder. Default: the lab that you are in."
)
solved_exercises_option = click.option(
    "--exercises",
    type=ExerciseList(),
    help="The exercises to be solved, such as 1.2,1.5,1.7, or core or afternoon; the others come solved.",
)
data_dir_option = click.option(
    "--data-dir", type=click.Path(), help="The folder that holds the data, such as sentiment/dvd/*.review."
)
classifier_option = click.option(
    "--classifier", type=ClassifierName(), required=True, help="Its file in classifiers/, such as mira, or its class."
)
domain_option = click.option(
    "--domain",
    type=click.Choice((*REVIEWS, *QUESTIONS, *SENTENCES)),
    show_default="books",
    help="Which data: reviews, the TREC questions, or (for the structured learners) tagged sentences.",
)


def combine_options(*options: Decorator) -> Decorator:
    """Combine several options into one decorator; the help lists them in this order."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
