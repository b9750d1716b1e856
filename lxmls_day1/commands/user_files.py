"""``--file``: labelled text of the user, and the options of `train` and `run` that define how it is read."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.waiting import shows_progress
from lxmls_day1.commands.shared_options import combine_options

if TYPE_CHECKING:
    from lxmls_day1.lab import Lab

FORMATS = ("columns", "jsonl", "svmlight", "conllu", "crfsuite")
MIN_EXAMPLES_TO_JUDGE = 20  # with at least this number of examples, labels for more than half of them are suspicious
NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|"}


def read_column(given: str) -> int | str:
    """Return the number of a column, or its name."""
    try:
        return int(given)
    except ValueError:
        return given


def read_delimiter(given: str) -> str:
    """Return a character, which may be given by its name if it is hard to type."""
    character = NAMED_DELIMITERS.get(given.lower(), given)
    if len(character) != 1:
        raise click.BadParameter(f"{given!r} is neither one character nor one of {', '.join(NAMED_DELIMITERS)}")
    return character


#: The options for reading files of labelled text; a command gets them under the names of `TextCorpus`'s arguments.
layout_options = combine_options(
    click.option(
        "--text-column", metavar="NAME|NUMBER", type=read_column,
        help="The column of the texts: its name, or its number, counted from 0.",
    ),
    click.option("--label-column", metavar="NAME|NUMBER", type=read_column, help="The column of the labels."),
    click.option(
        "--header/--no-header", "header", default=None,
        help="Whether the first line names the columns. Default: guessed from the file.",
    ),
    click.option("--encoding", help="Encoding of the files. Default: UTF-8, or what a byte order mark says."),
    click.option(
        "--format", "form", type=click.Choice(FORMATS), help="Format of the files. Default: according to their names."
    ),
    click.option(
        "--delimiter", metavar="CHARACTER", type=read_delimiter, help="The character that separates the columns, such as ; or tab."
    ),
    click.option(
        "--skip-lines", type=click.IntRange(min=0), help="How many lines stand before the header or the examples of each file."
    ),
    click.option("--no-quotes", "no_quotes", is_flag=True, help="Treat quotation marks as ordinary characters."),
)  # fmt: skip
user_file_options = combine_options(
    click.option(
        "--file", "path", type=click.Path(),
        help="Labelled text of your own instead: CSV, TSV, JSON lines or svmlight, plain or packed (gz, bz2, xz, a zip of one file).",
    ),
    click.option("--test-file", "test_path", type=click.Path(), help="A second file, to test on."),
    layout_options,
)  # fmt: skip


def user_file_settings(options: Mapping[str, Any], **excluded: str | None) -> dict[str, Any]:
    """Return the options that were given, as arguments of `TextCorpus`; empty without ``--file``.

    Raises
    ------
    click.UsageError
        If one of them is given without ``--file``, or ``--file`` together with an option of ``excluded``.
    """
    settings = {name: value for name, value in options.items() if value is not None and name != "no_quotes"}
    if options.get("no_quotes"):
        settings["quote"] = None
    if settings and "path" not in settings:
        flags = {"test_path": "test-file", "form": "format", "quote": "no-quotes"}
        flag = next(iter(settings))
        raise click.UsageError(f"--{flags.get(flag, flag).replace('_', '-')} needs --file.")
    for option, value in excluded.items():
        if settings and value:
            raise click.UsageError(f"--{option.replace('_', '-')} and --file cannot be combined.")
    return settings


def open_user_file(lab: "Lab", settings: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Return the corpus of the user's files, and sentences on how they were read, which are also printed.

    Raises
    ------
    InputError
        For the reasons of `TextCorpus`; if there is only one label; or if the test part has a label that the training part lacks.
    """
    from lxmls_day1.base.checks import format_labels
    from lxmls_day1.engine.text.documents import escape_unprintable

    corpus = lab.reader("text_reader", "TextCorpus", **{**settings, "progress": shows_progress()})
    notes = [f"Read {escape_unprintable(corpus.read_as)}."]
    nr_labels, nr_examples = len(corpus.label_names), corpus.nr_examples
    if nr_examples >= MIN_EXAMPLES_TO_JUDGE and 2 * nr_labels > nr_examples:
        many = f"There are {nr_labels} labels for {nr_examples} examples"
        if not corpus.texts:  # In svmlight the label is always the first number.
            raise InputError(
                f"{escape_unprintable(str(settings['path']))}: {many[0].lower()}{many[1:]}, such as "
                f"{format_labels(corpus.label_names, max_labels=3)}; the first "
                "number of a line is its class here, so numbers to be estimated (regression) must be grouped into classes first"
            )
        notes.append(f"{many}; if they are not the labels, --label-column says what is.")
    for note in notes:
        click.echo(note, err=True)
    if nr_labels == 1:
        raise InputError(
            f"{escape_unprintable(str(settings['path']))}: every example has the label "
            f"{format_labels(corpus.label_names)}, but there must be two "
            "labels to tell apart; if this is not the label, --label-column says what is"
        )
    rare = sorted({*corpus.dev_y.tolist(), *corpus.test_y.tolist()} - set(corpus.train_y.tolist()))
    if rare:
        raise InputError(
            f"{escape_unprintable(str(settings['path']))}: when a part of it was put aside for testing, no example of "
            f"{format_labels([corpus.label_names[label] for label in rare])} was left to train with; leave out labels that are so "
            "rare, or test with another file: --test-file"
        )
    return corpus, notes
