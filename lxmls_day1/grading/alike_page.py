"""The page on which a human compares alike submissions: the texts of each cluster side by side, with the lines that they share marked."""

from collections.abc import Mapping, Sequence
from typing import Any

from lxmls_day1.grading.gradebook import Gradebook, SubmissionGrade
from lxmls_day1.grading.page_frame import name_of, render
from lxmls_day1.grading.similarity import Cluster, side_by_side

MOST_TEXTS = 8  # of one cluster


def alike_html(
    gradebook: Gradebook,
    found: Sequence[Cluster],
) -> str:
    """What alike submissions have written, side by side.

    Parameters
    ----------
    gradebook : Gradebook
        With `SubmissionGrade.written`.
    found : sequence of Cluster
        As `summary_html` lists them.

    Returns
    -------
    str
        A document that needs no other file. Clusters have the anchors ``c1``, ``c2``, …

    Examples
    --------
    >>> rows = [SubmissionGrade(name, name, "", "", (), written={"1.5": "d = 1"}) for name in ("ada", "bob")]
    >>> text = alike_html(Gradebook(tuple(rows), 1, "process", ""), [Cluster("1.5", ("ada", "bob"), 1.0, True)])
    >>> "<mark>d = 1</mark>" in text
    True
    """
    row_of = {row.student: row for row in gradebook.rows}
    return render(
        "alike.html.j2",
        title="Similar submissions, side by side",
        wide=True,
        clusters=[_told(f"c{number}", one, row_of) for number, one in enumerate(found, start=1)],
        row_of=row_of,
    )


def _told(anchor: str, cluster: Cluster, row_of: Mapping[str, SubmissionGrade]) -> dict[str, Any]:
    who_wrote: dict[str, list[str]] = {}
    names = {member: name_of(row_of[member]) for member in cluster.members}
    for member in cluster.members:
        who_wrote.setdefault(row_of[member].written.get(cluster.exercise, ""), []).append(names[member])
    shown = list(who_wrote)[:MOST_TEXTS]
    texts_shown = side_by_side(shown)
    if len(shown) == 1:  # all of it is shared
        texts_shown = [[(line, bool(line.strip())) for line, _ in texts_shown[0]]]
    return {
        "anchor": anchor,
        "cluster": cluster,
        "who": list(names.values()),
        "columns": [{"who": who_wrote[text], "lines": its} for text, its in zip(shown, texts_shown, strict=True)],
        "n_more": len(who_wrote) - len(shown),
    }
