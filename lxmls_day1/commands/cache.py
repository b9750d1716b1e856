"""``lxmls-day1 cache``: convert labelled text of any size to a corpus on disk."""

from pathlib import Path
from typing import Any

import click

from lxmls_day1.base.errors import pluralize
from lxmls_day1.base.waiting import shows_progress
from lxmls_day1.commands.user_files import layout_options

MEMORY_PER_TEXT_BYTE = 35  # memory for the tokens in a byte of text, if most pairs of words are new
MEMORY_NOTE_BYTES = 1 << 30  # bytes of memory above which a note is printed


@click.command(name="cache", short_help="Convert text that does not fit into memory to a corpus on disk.")
@click.argument("paths", metavar="FILE...", type=click.Path(allow_dash=True), nargs=-1)
@click.option("--out", type=click.Path(), help="The folder of the corpus, such as big.bags.")
@click.option(
    "--verify", type=click.Path(), metavar="CORPUS", help="Convert nothing; compare a corpus with its fingerprints."
)
@click.option("--hash", "hash_bits", type=int, metavar="BITS", help="Hash features into 2^BITS buckets, such as 20.")
@click.option(
    "--min-count",
    type=int,
    default=1,
    show_default=True,
    help="Without --hash: the number of documents that a token must occur in to become a feature.",
)
@click.option("--keep-words", is_flag=True, help="With --hash: keep the first 4 million words seen.")
@click.option("--classes", metavar="LABEL,LABEL,...", help="All labels that may occur; any other label is an error.")
@click.option(
    "--like",
    type=click.Path(),
    metavar="CORPUS",
    help="Use the features and classes of this corpus on disk, as is needed for a test part.",
)
@layout_options
@click.option(
    "--shard-rows",
    "rows_a_shard",
    type=int,
    help="Documents per shard. Default: about 40,000 documents of a hundred words.",
)
@click.option("--jobs", type=int, default=1, show_default=True, help="How many threads count words.")
@click.option("--overwrite", is_flag=True, help="Replace the corpus in the folder, if there is one.")
def command(
    paths: tuple[str, ...], out: str | None, verify: str | None, classes: str | None, no_quotes: bool, **options: Any
) -> None:
    """Convert labelled text to a corpus on disk, in one pass and in bounded memory.

    A FILE is CSV, TSV, JSON lines or svmlight, plain or gzipped; a pattern in quotes, such as 'part-*.csv.gz'; or
    - for standard input. The columns are guessed from the beginning of the first file, unless options name them; all
    further files must have the same columns. New labels may appear in any file, unless --classes lists all labels.

    The result is a folder of sparse matrices that are mapped into memory, and a manifest with the settings, the classes
    and a fingerprint of every file. With --hash the features are hashed (MurmurHash3, as scikit-learn's FeatureHasher
    does it), and nothing grows with the corpus. Without it, each token has a column, and a second pass over the
    matrices leaves out the tokens that occur in fewer documents than --min-count.

    An interrupted run leaves no manifest, so its folder is never mistaken for a corpus; give the same command to start
    again.

    \b
    Examples:
      lxmls-day1 cache reviews.csv --out reviews.bags
      lxmls-day1 cache 'part-*.jsonl.gz' --hash 20 --jobs 2 --out big.bags
      lxmls-day1 cache test.csv --like big.bags --out test.bags
      lxmls-day1 toy --documents 1e6 | lxmls-day1 cache - --hash 18 --out toy.bags
      lxmls-day1 cache --verify big.bags
    """
    from lxmls_day1.commands.output import warnings_as_notes
    from lxmls_day1.engine.corpus.corpus_builder import make_corpus
    from lxmls_day1.engine.corpus.shards import Shards
    from lxmls_day1.engine.text.documents import escape_unprintable

    if verify is not None:
        if paths or out:
            raise click.UsageError("--verify checks an existing corpus; give it without FILE and --out.")
        shards = Shards(verify)
        shards.verify(progress=shows_progress())
        click.echo(
            f"{escape_unprintable(verify)} is unchanged since it was written: {pluralize(len(shards), 'shard')}, "
            f"{pluralize(shards.n_rows, 'document')}."
        )
        return
    if not paths:
        raise click.UsageError("Name at least one FILE, or - for standard input.")
    if out is None:
        raise click.UsageError("Name the folder of the corpus with --out, such as --out big.bags.")

    settings = {name: value for name, value in options.items() if value is not None}
    if not {"hash_bits", "like"} & settings.keys() and settings.get("form") != "svmlight":
        _warn_about_memory(paths)
    if no_quotes:
        settings["quote"] = None
    if classes is not None:
        settings["classes"] = [label.strip() for label in classes.split(",") if label.strip()]
    try:
        with warnings_as_notes():
            corpus = make_corpus(paths, out, progress=shows_progress(), **settings)
    except KeyboardInterrupt:
        click.echo("\nInterrupted. Nothing is kept; the same command starts again.", err=True)
        raise
    for line in corpus.manifest["read_as"][:5]:
        click.echo(f"Read {escape_unprintable(line)}.", err=True)
    counts = {"document": corpus.n_rows, "feature": corpus.n_features}
    counts |= {"class": len(corpus.classes), "shard": len(corpus)}
    sizes = [pluralize(number, noun) for noun, number in counts.items()]
    n_bytes = sum(file["bytes"] for shard in corpus.manifest["shards"] for file in shard["files"].values())
    click.echo(f"Made {escape_unprintable(out)}: {', '.join(sizes)}, {n_bytes / 1e6:.1f} MB.")


def _warn_about_memory(paths: tuple[str, ...]) -> None:
    """Print a note if the tokens of these files may need much memory: without hashing, all of them are kept in memory."""
    from lxmls_day1.engine.text.labelled_files import expand_patterns
    from lxmls_day1.engine.text.text_blocks import STANDARD_INPUT

    files = expand_patterns(paths)
    most = MEMORY_PER_TEXT_BYTE * sum(Path(file).stat().st_size for file in files if file != STANDARD_INPUT)
    if STANDARD_INPUT in files or most > MEMORY_NOTE_BYTES:
        known = f", up to about {most / 1e9:.1f} GB for these files (more if they are packed)"
        amount = "" if STANDARD_INPUT in files else known
        click.echo(f"Note: without --hash all tokens are kept in memory{amount}; --hash 20 bounds it.", err=True)
