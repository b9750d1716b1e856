"""``lxmls-day1 run``: compare every classifier on the simple data set and on reviews, in one table and two figures."""

from typing import TYPE_CHECKING, Any

import click

from lxmls_day1.base.errors import CorpusUnavailable
from lxmls_day1.commands.output import ReportProgress, png_bytes, progress_bar, writable_folder
from lxmls_day1.commands.shared_options import REVIEWS, data_dir_option, lab_option
from lxmls_day1.commands.user_files import open_user_file, user_file_options, user_file_settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lxmls_day1.engine.models.result_table import ResultTable
    from lxmls_day1.lab import Lab

#: The simple data set of the comparison. With variance 2 and few points to learn from the boundaries differ; with many test points the
#: accuracies show it.
POINTS: dict[str, Any] = {"nr_examples": 1000, "g1": [[-1, -1], 2], "g2": [[1, 1], 2], "split": [0.05, 0, 0.95]}


@click.command(name="run", short_help="Train every classifier and compare them.")
@click.option("--domain", type=click.Choice(REVIEWS), show_default="books", help="Which reviews.")
@click.option("--all", "every", is_flag=True, help="Run every kind of linear learner, and measure the memory of each.")
@user_file_options
@data_dir_option
@click.option("--out", type=click.Path(), default="out", show_default=True, help="Where figures and results go.")
@lab_option
def command(
    domain: str | None, data_dir: str | None, out: str, lab_folder: str | None, every: bool, **file_options: Any
) -> None:
    """Train every classifier of the lab and compare them.

    They learn the simple data set (two Gaussians in the plane, 50 points to train on and 950 to test) and a corpus of
    reviews, positive or negative. If the reviews are neither on this machine nor on the network, a small generated
    corpus takes their place, and the table says so. With --file they learn labelled text of your own instead of
    reviews; `lxmls-day1 train --help` says more about such files.

    \b
    At the end there is one table, and in the folder of --out:
      boundaries.png   the simple data set, boundaries, and their accuracies
      accuracies.png   the accuracies on the reviews, or on your text
      results.json     the table with its notes and the versions used
      results.csv      the table for a spreadsheet
    """
    own = user_file_settings(file_options, domain=domain, data_dir=data_dir)
    from lxmls_day1.base.atomic_files import write_files_atomically
    from lxmls_day1.engine.models.result_table import ResultTable
    from lxmls_day1.lab import Lab  # imported here and below, because ``--help`` must not wait for them

    folder = writable_folder(out)
    lab = Lab(lab_folder) if lab_folder else Lab.open()
    text, notes = open_user_file(lab, own) if own else (None, [])
    with progress_bar() as progress:
        if not own:
            text, notes = open_reviews(lab, domain or "books", data_dir)
        table, figures = compare(lab, text, progress, every)
        contents = {f"{name}.png": png_bytes(figure) for name, figure in figures.items()}
    table = ResultTable(table.rows, [*notes, *table.notes])
    contents |= {"results.json": table.to_json().encode(), "results.csv": table.to_csv().encode()}
    write_files_atomically({folder / name: content for name, content in contents.items()})
    click.echo(f"{table}\nFigures and results are in {folder}: {', '.join(contents)}")


def compare(
    lab: "Lab", text: object, progress: ReportProgress, every: bool = False
) -> tuple["ResultTable", dict[str, "Figure"]]:
    """Train all classifiers of the lab on points in the plane, then on ``text``; if ``every``, include all kinds and their memory.

    Returns
    -------
    table : ResultTable
    figures : dict
        ``boundaries`` of the simple data set, ``accuracies`` on the text; neither is registered with pyplot.
    """
    from lxmls_day1.figures.plotting import detached_axes

    comparison = lab.load("classifiers.run_all_classifiers")
    points = lab.reader("simple_data_set", "SimpleDataSet", **POINTS)
    tables, figures = [], {}
    for name, dataset in {"boundaries": points, "accuracies": text}.items():
        figures[name], axis = detached_axes(figsize=(14.0, 8.0))
        more = {"classifiers": comparison.all_classifiers(dataset), "memory": True} if every else {}
        table, _ = comparison.run_all_classifiers(dataset, progress=progress, ax=axis, **more)
        tables.append(table)
    return tables[0] + tables[1], figures


def open_reviews(lab: "Lab", domain: str, data_dir: str | None) -> tuple[Any, list[str]]:
    """Return the corpus of ``domain``, or the toy corpus with a sentence about it, which is also printed."""
    try:
        return lab.reader("sentiment_reader", "SentimentCorpus", domain=domain, data_dir=data_dir), []
    except CorpusUnavailable as error:
        if domain == "toy":
            raise
        reason = str(error).rstrip(".")
        click.echo(f"{reason[:1].upper()}{reason[1:]}; the toy corpus takes its place.", err=True)
    toy = lab.reader("sentiment_reader", "SentimentCorpus", domain="toy")
    return toy, [f"The reviews of {domain} could not be had; these are of the small generated toy corpus."]
