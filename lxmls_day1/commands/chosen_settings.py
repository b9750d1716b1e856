"""The settings that `train` chooses: λ = 2/M by default, or the values that are best on the development part."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from lxmls_day1.base.errors import InputError, pluralize
from lxmls_day1.base.text_table import format_table
from lxmls_day1.base.waiting import shows_progress
from lxmls_day1.commands.output import unsolved_message, warnings_as_notes

if TYPE_CHECKING:
    from lxmls_day1.sklearn.tuning import Trial, TuningResult


def set_default_regularizer(learner: Any, n_examples: int) -> None:
    """Set the λ of a learner that minimises loss plus penalty to 2/M, and report it."""
    from lxmls_day1.engine.loops.penalties import default_regularizer, is_penalized

    if is_penalized(learner):
        learner.regularizer = default_regularizer(n_examples)
        click.echo(
            f"regularizer (λ) = {learner.regularizer:.6g}: 2/M for {n_examples} training examples, because none was given."
        )


def tune_in_place(
    learner: Any, dataset: Any, user_settings: Mapping[str, Any], grid: Mapping[str, Sequence[Any]] | None = None
) -> None:
    """Set the settings of a learner to those that are best on a development part, and show all trials.

    Parameters
    ----------
    learner : classifier
    dataset : data set
        If it has no development part, a fifth of its training part is held out.
    user_settings : mapping from name to value
        The settings of the user, which stay as they are.
    grid : mapping from name to values, optional
        The values to try. Default: the usual values of λ, or of the smoothing.
    """
    from lxmls_day1.sklearn.tuning import default_grid, tune, with_development_part

    option, grid = ("--grid", grid) if grid else ("--tune", default_grid(learner))
    if both := sorted(grid.keys() & user_settings.keys()):
        raise InputError(f"{option} chooses {', '.join(both)}, which --set sets as well; leave one of the two out.")
    parts = with_development_part(dataset)
    if parts is not dataset:
        held_out = pluralize(len(parts.dev_y), "training example")
        click.echo(f"{dataset.get_name()} has no development part, so {held_out} are held out for the choice.")
    try:
        with warnings_as_notes():
            found = tune(learner, parts, grid, progress=shows_progress())
    except NotImplementedError as error:
        raise InputError(unsolved_message(type(learner).__name__, error)) from error
    click.echo(table_of_trials(found))
    for name, value in found.best.settings.items():
        setattr(learner, name, value)
        click.echo(f"{name} = {value}: the best on {pluralize(found.n_examples, 'development example')}.")


def table_of_trials(found: "TuningResult") -> str:
    """Return a table of all trials; ``*`` marks the best, and ``.`` those within one standard error of it."""
    names = list(found.best.settings)
    as_good = [id(trial) for trial in found.within_one_standard_error()]

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
    table = format_table([*names, "development", "std. error", "training", ""], rows, text_columns=())
    return f"{table}\n* is the best, . within one standard error of it."
