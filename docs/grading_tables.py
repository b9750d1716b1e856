"""Write the tables of the pages on grading that follow from the code."""

from dataclasses import fields

from lxmls_day1.box.limits import Limits

LIMITS_PLACE = "<!-- the table of limits -->"  # in docs/reference/limits.md


def with_limits(page: str) -> str:
    """Return the page on limits with the table of `Limits` in its place.

    Parameters
    ----------
    page : str
        The Markdown text of ``docs/reference/limits.md``.

    Raises
    ------
    ValueError
        If the page does not have exactly one place for the table.
    """
    if page.count(LIMITS_PLACE) != 1:
        raise ValueError(f"docs/reference/limits.md must have one line {LIMITS_PLACE}")
    rows = [f"| `{limit.name}` | {limit.default:g} | {limit.metadata['meaning']} |" for limit in fields(Limits)]
    return page.replace(LIMITS_PLACE, "\n".join(["| limit | default | meaning |", "|---|---|---|", *rows]))
