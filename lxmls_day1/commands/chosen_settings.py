"""The settings that `train` chooses where none are given: λ = 2/M, or what does best on the development part."""

from collections.abc import Mapping
from typing import Any

import click

from lxmls_day1.commands.output import not_written_yet, warnings_as_notes
from lxmls_day1.errors import InputError, counted


def take_usual_regularizer(learner: Any, n_examples: int) -> None:
    """Set the λ of a learner that minimises loss plus penalty to 2/M, and say so."""
    from lxmls_day1.engine.penalties import is_penalized, usual_regularizer

    if is_penalized(learner):
        learner.regularizer = usual_regularizer(n_examples)
        click.echo(
            f"regularizer (λ) = {learner.regularizer:.6g}: 2/M for {n_examples} training examples, because none was given."
        )


def tune_in_place(learner: Any, dataset: Any, given: Mapping[str, Any]) -> None:
    """Give a learner the settings that do best on a development part, and say which."""
    from lxmls_day1.tuning import tune, usual_grid, with_development_part

    grid = usual_grid(learner)
    if both := grid.keys() & given.keys():
        raise InputError(f"--tune chooses {', '.join(both)}, which --set sets as well; leave one of the two out.")
    try:
        with warnings_as_notes():
            found = tune(learner, with_development_part(dataset), grid, progress=True)
    except NotImplementedError as error:
        raise InputError(not_written_yet(type(learner).__name__, error)) from error
    for name, value in found.best.settings.items():
        setattr(learner, name, value)
        tried = ", ".join(f"{other:g}" for other in grid[name])
        click.echo(
            f"{name} = {value:g}: of {tried} the best on the development part, with an accuracy of {found.best.accuracy:.4f} "
            f"over {counted(found.n_examples, 'example')}."
        )
