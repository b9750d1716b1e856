"""``lxmls-day1 train --corpus``: train on a corpus on disk, with lines of progress and checkpoints."""

import contextlib
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lxmls_day1.base.errors import InputError, pluralize
from lxmls_day1.commands.chosen_settings import set_default_regularizer
from lxmls_day1.commands.shared_options import combine_options

if TYPE_CHECKING:
    from lxmls_day1.engine.corpus.checkpoint import Checkpoint
    from lxmls_day1.lab import Lab

#: The names of the options as arguments of a command.
STREAMING_NAMES = ("corpus", "test_corpus", "checkpoint", "every", "resume", "scheduler", "mix_every")


streaming_options = combine_options(
    click.option("--corpus", type=click.Path(), help="Train on a corpus on disk, made by `lxmls-day1 cache`."),
    click.option("--test-corpus", type=click.Path(), help="A second corpus on disk, to test on."),
    click.option(
        "--checkpoint", type=click.Path(),
        help="Save the state of training in this file every --every documents, and at Ctrl-C or SIGTERM.",
    ),
    click.option("--every", type=click.IntRange(min=1), show_default="1000000", help="Documents between two checkpoints."),
    click.option("--resume", is_flag=True, help="Continue from the checkpoint, if there is one."),
    click.option("--scheduler", help="The address of a Dask cluster, such as tcp://head:8786, on which to train in --n-jobs parts."),
    click.option(
        "--mix-every", type=click.IntRange(min=1), show_default="after every round",
        help="After how many documents the parts of an online learner mix their weights.",
    ),
)  # fmt: skip


def check_options(options: Mapping[str, Any], **excluded: object) -> None:
    """Raise an error for options that cannot be combined.

    Raises
    ------
    click.UsageError
        If one of them is given without ``--corpus``, or ``--corpus`` together with an option of ``excluded``.
    """
    if options["corpus"] is None:
        for name in STREAMING_NAMES:
            if options[name]:
                raise click.UsageError(f"--{name.replace('_', '-')} needs --corpus.")
        return
    for name, value in excluded.items():
        if value:
            raise click.UsageError(f"--{name.replace('_', '-')} and --corpus cannot be combined.")
    for name in ("every", "resume"):
        if options[name] and options["checkpoint"] is None:
            raise click.UsageError(f"--{name} needs --checkpoint.")


def train_on_corpus(
    lab: "Lab", learner: Any, options: Mapping[str, Any], out: str, has_regularizer: bool = True
) -> None:
    """Train on a corpus on disk, measure on a test corpus if there is one, save the model, and report all that.

    Parameters
    ----------
    lab : Lab
    learner : classifier
    options : mapping
        The options in `streaming_options`.
    out : str
        The file of the model.
    has_regularizer : bool
        True if λ was given; otherwise it is 2/M for learners that have a penalty.
    """
    from lxmls_day1.commands.output import warnings_as_notes
    from lxmls_day1.engine.corpus.checkpoint import Checkpoint
    from lxmls_day1.engine.corpus_training import check_supports_streaming, evaluate_corpus, is_online, train_corpus
    from lxmls_day1.engine.models.model_file import save_model
    from lxmls_day1.engine.text.documents import escape_unprintable

    check_supports_streaming(learner)
    online = is_online(learner)
    if options["checkpoint"] is not None and not online:
        raise InputError(f"{learner.get_name()} cannot keep checkpoints; leave --checkpoint out.")
    corpus = lab.reader("streamed_corpus", "StreamedCorpus", folder=options["corpus"], test=options["test_corpus"])
    shards, test = corpus.shards, corpus.test_shards
    hash_bits, tokens = shards.manifest["hash_bits"], shards.manifest.get("tokenizer", {}).get("rules", "reviews")
    # Read before the training, because a damaged file of words would make it useless.
    words = shards.words() if hash_bits is None else None
    if not has_regularizer:
        set_default_regularizer(learner, shards.n_rows)
    checkpoint = None
    if options["checkpoint"] is not None:
        every = {} if options["every"] is None else {"every": options["every"]}
        checkpoint = Checkpoint(options["checkpoint"], **every, resume=options["resume"])
    where: dict[str, Any] = {name: options[name] for name in ("scheduler", "mix_every") if options[name] is not None}
    with warnings_as_notes(), _report_interruption(checkpoint):
        if online:
            where |= {"checkpoint": checkpoint, "report": _ProgressLines().show}
        params = train_corpus(learner, shards, **where)
    accuracies = {} if test is None else {"test": evaluate_corpus(learner, test, params)}
    notes = {"data_set": corpus.get_name(), "accuracies": accuracies, "tokens": tokens, "hash_bits": hash_bits}
    with warnings_as_notes():
        save_model(out, learner, params, feature_names=words, notes=notes)
    if checkpoint is not None:
        checkpoint.path.unlink(missing_ok=True)  # The training is complete.
    measured = []
    if online:
        share = learner.history[-1].errors / shards.n_rows
        measured.append(f"{100 * share:.2f} % errors before each step of the last round")
    if test is not None:
        measured.append(f"accuracy {accuracies['test']:.4f} on {escape_unprintable(test.folder.name)}")
    click.echo(
        f"{learner.get_name()}, trained on {escape_unprintable(shards.folder.name)} ({pluralize(shards.n_rows, 'document')})"
        f"{': ' * bool(measured)}{', '.join(measured)}."
    )
    size = f"{pluralize(len(shards.classes), 'class')}, {pluralize(shards.n_features, 'feature')}"
    click.echo(f"Saved as {escape_unprintable(out)}: {size}.")


class _ProgressLines:
    """Lines of progress below a header."""

    def __init__(self) -> None:
        self._begun = False

    def show(self, line: Any) -> None:
        if not self._begun:
            click.echo(f"{'documents':>12} {'errors':>8} {'since the last line':>20}", err=True)
            self._begun = True
        click.echo(f"{line.documents:>12} {100 * line.error:>7.2f}% {100 * line.recent_error:>19.2f}%", err=True)


@contextlib.contextmanager
def _report_interruption(checkpoint: "Checkpoint | None") -> Iterator[None]:
    """At Ctrl-C and SIGTERM, print how to resume, and exit with the status of the signal."""
    try:
        yield
    except KeyboardInterrupt as end:
        message = "Interrupted. Nothing is kept yet."
        if checkpoint is not None and Path(checkpoint.path).exists():
            message = f"Interrupted: the training is kept in {checkpoint.path}; --resume goes on with it."
        click.echo(message, err=True)
        raise SystemExit(128 + (end.args[0] if end.args else signal.SIGINT)) from None
