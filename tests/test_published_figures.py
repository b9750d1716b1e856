"""Our figures match the table and are near published ones; the page is generated from the table."""

import warnings

import pytest

from tools import published_figures

FIGURES = published_figures.figures()
ROUNDING = 0.05  # The tolerance of our figures, unless an entry has its own.


def entries_of(measure):
    return [entry for entry in FIGURES if entry["measure"] == measure]


def check(measure, numbers):
    for entry in entries_of(measure):
        ours = numbers[entry["part"]]
        assert ours == pytest.approx(entry["ours"], abs=entry.get("rounding", ROUNDING) + 1e-12), entry["figure"]
        tolerance = published_figures.tolerance_of(entry)
        if tolerance is not None:
            assert ours == pytest.approx(entry["published"], abs=tolerance + 1e-9), entry["figure"]


@pytest.mark.parametrize("measure", published_figures.ANYWHERE)
def test_figures_without_a_corpus(measure):
    check(measure, published_figures.ANYWHERE[measure]())


@pytest.mark.slow
@pytest.mark.one_in(len(published_figures.ON_REAL_DATA))
@pytest.mark.parametrize("measure", published_figures.ON_REAL_DATA)
def test_figures_on_real_data(measure, real_data):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*rule out every class", category=UserWarning)
        check(measure, published_figures.ON_REAL_DATA[measure]())


def test_the_page_matches_the_table():
    assert published_figures.PAGE.read_text(encoding="utf-8") == published_figures.page(), (
        "docs/figures.md is not what tools/published_figures.toml says; python tools/published_figures.py writes it"
    )


def test_every_figure_is_measured_and_every_published_one_has_a_source():
    assert {entry["measure"] for entry in FIGURES} == {*published_figures.ANYWHERE, *published_figures.ON_REAL_DATA}
    names = [entry["figure"] for entry in FIGURES]
    assert len(set(names)) == len(names)
    for entry in FIGURES:
        assert {"figure", "settings", "measure", "part", "ours"} <= set(entry)
        published = {"source", "read", "published"}
        compared = {"tolerance", "documents", "may_differ"}
        assert published <= set(entry) or not (published | compared) & set(entry), entry["figure"]
        # A tolerance above rounding needs a reason, as does a missing tolerance; no tolerance is wider than our figure needs.
        tolerance = published_figures.tolerance_of(entry)
        narrow = "published" not in entry or (tolerance is not None and tolerance <= 1e-6)
        assert narrow or entry["remark"], entry["figure"]
        if "documents" in entry:
            needed = abs(entry["published"] - entry["ours"]) * entry["documents"] / 100
            assert entry["may_differ"] == pytest.approx(needed, abs=1e-6), entry["figure"]
