"""``lxmls-day1 toy``: generate any number of made-up reviews."""

from contextlib import suppress

import click


def read_count(text: str) -> int:
    """Return a whole number, also in the form 1e7."""
    with suppress(ValueError, OverflowError):
        number = float(text)
        if number == int(number) and 0 <= number <= 1e15:
            return int(number)
    raise click.BadParameter(f"{text!r} is not a whole number of at least 0, such as 1000 or 1e7")


@click.command(name="toy", short_help="Generate any number of made-up reviews.")
@click.option(
    "--documents", metavar="NUMBER", type=read_count, required=True, help="How many documents, such as 1000 or 1e7."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed gives other documents.")
@click.option("--classes", type=int, default=2, show_default=True, help="How many labels there are.")
@click.option("--words", type=int, default=80, show_default=True, help="The median length of a document.")
def command(documents: int, seed: int, classes: int, words: int) -> None:
    """Write made-up reviews to standard output: a header, then label and text, separated by a tab.

    Word frequencies follow Zipf's law, and some words indicate the label. Documents are generated one at a time, so
    memory stays small, and the first ones are the same whatever the total number.

    \b
    Examples:
      lxmls-day1 toy --documents 1e6 | lxmls-day1 cache - --hash 18 --out toy.bags
      lxmls-day1 toy --documents 1000 --classes 20 --seed 7 > twenty.tsv
    """
    from lxmls_day1.engine.text.toy_stream import toy_documents

    click.echo("label\ttext")
    for block in toy_documents(documents, seed, classes, words):
        click.echo("".join(f"{label}\t{text}\n" for label, text in block), nl=False)
