"""``lxmls-day1 tune``: choose hyper-parameters on the development part."""

import shlex
from typing import TYPE_CHECKING, Any

import click

from lxmls_day1.commands.output import not_written_yet, warnings_as_notes
from lxmls_day1.commands.own_files import own_file, own_file_options
from lxmls_day1.commands.shared_options import (
    classifier_option,
    data_dir_option,
    domain_option,
    lab_option,
    options_given,
)
from lxmls_day1.commands.train import Setting, make_classifier, open_text
from lxmls_day1.errors import InputError
from lxmls_day1.text_table import aligned

if TYPE_CHECKING:
    from lxmls_day1.tuning import Trial, Tuned


class Grid(Setting):
    """``NAME=VALUE,VALUE,…``: each value as `Setting` reads it."""

    name = "NAME=VALUES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        """Take name and values apart."""
        name, _, text = value.partition("=")
        read = super().convert
        return name.strip(), [read(f"{name}={part}", param, ctx)[1] for part in text.split(",")]


@click.command(name="tune", short_help="Choose hyper-parameters on the development part.")
@classifier_option
@domain_option
@own_file_options
@click.option(
    "--grid",
    type=Grid(),
    multiple=True,
    help="The values to try, as in regularizer=1,0.1; several times for combinations. Unless given: seven values "
    "of regularizer, or of smooth_param.",
)
@click.option("--set", "settings", type=Setting(), multiple=True, help="A hyper-parameter that stays as it is.")
@data_dir_option
@lab_option
def command(
    classifier: str,
    domain: str | None,
    grid: tuple[tuple[str, Any], ...],
    settings: tuple[tuple[str, Any], ...],
    data_dir: str | None,
    lab_folder: str | None,
    **file_options: Any,
) -> None:
    """Train with each combination of hyper-parameters, and choose the one with the best accuracy on the development part.

    The test part is not used. If the data have no development part, a fifth of the training part is held out for it.

    \b
    Examples:
      lxmls-day1 tune --classifier svm --domain books
      lxmls-day1 tune --classifier mira --grid regularizer=1,0.1 --set seed=3
      lxmls-day1 tune --classifier svm --set nr_rounds=5 --file train.csv
    """
    from lxmls_day1.lab import Lab
    from lxmls_day1.tuning import tune, with_development_part

    own = own_file(file_options, domain=domain, data_dir=data_dir)
    lab = Lab(lab_folder) if lab_folder else Lab.open()
    learner = make_classifier(lab, classifier, dict(settings))
    domain = domain or ("ewt" if hasattr(learner, "templates") else "books")
    corpus, tokens = open_text(lab, domain, own, data_dir, hasattr(learner, "templates"))
    if hasattr(learner, "templates") != (tokens == "sentences"):
        raise InputError(
            f"{learner.get_name()} does not learn from {corpus.get_name()}; name another --domain or --file."
        )
    parts = with_development_part(corpus)
    if parts is not corpus:
        click.echo(
            f"{corpus.get_name()} has no development part: {len(parts.dev_y)} training examples are held out for it."
        )
    try:
        with warnings_as_notes():
            found = tune(learner, parts, dict(grid) or None, progress=True)
    except NotImplementedError as error:
        raise InputError(not_written_yet(type(learner).__name__, error)) from error
    for line in table_lines(found):
        click.echo(line)
    chosen = [
        word for name, value in (*settings, *found.best.settings.items()) for word in ("--set", f"{name}={value}")
    ]
    same_data = options_given(click.get_current_context(), ("settings", "grid"))
    click.echo(f"Train with it: {shlex.join(['lxmls-day1', 'train', *same_data, *chosen])}")


def table_lines(found: "Tuned") -> list[str]:
    """The trials as a table: the best marked by ``*``, those within one standard error of it by ``.``."""
    names = list(found.best.settings)
    as_good = [id(trial) for trial in found.as_good()]

    def mark(trial: "Trial") -> str:
        return "*" if trial is found.best else "." if id(trial) in as_good else ""

    rows = [
        [
            *(str(trial.settings[name]) for name in names),
            f"{trial.accuracy:.4f}",
            f"{found.standard_error(trial):.4f}",
            f"{trial.training_accuracy:.4f}",
            mark(trial),
        ]
        for trial in found.trials
    ]
    table = aligned([*names, "development", "std. error", "training", ""], rows, texts=())
    return [table, "* is the best, . within one standard error of it."]
