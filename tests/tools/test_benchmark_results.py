"""Goals and results of benchmarks: one file, which a run of the benchmarks updates, and the tables of the pages."""

import datetime
import shutil

import pytest

from tests.python_runs import ROOT, run_python
from tools.benchmarks import results

SOURCES = ROOT / "tools/benchmarks"
STUB = """
from results import accuracies, show, timing

def main(quick=False):
    seconds = {"ours": [0.001, 0.002, 0.001], "peer": [0.004, 0.004, 0.003]}
    case = {"case": "books", "ours": "f(λ)", "peer": "g(C)"}
    show("Stub", "stub", [case | timing(seconds, "ours", "peer") | accuracies(0.8125, 0.8)], save=not quick)
"""
OLD = """
[[result]]
benchmark = "stub"
case = "books"
measure = "CPU time"
ours = "f(λ)"
peer = "g(C)"
ratio = 1.5
goal_ratio = 2
headline = "Train f"
date = 2026-01-01
commit = "0123abcd"
machine = "an old one"

[[result]]
benchmark = "other"
case = "dvd"
measure = "peak memory"
ours = "f(λ)"
our_value = 5
unit = "MB"
"""
PAGE = "# A page\n\n<!-- results: headlines -->\n<!-- end of results -->\n\nThe end.\n"


@pytest.fixture
def checkout(tmp_path):
    """Return a checkout with what all benchmarks share, a stub of one benchmark, and pages."""
    folder = tmp_path / "tools/benchmarks"
    folder.mkdir(parents=True)
    for name in ("run.py", "results.py", "sections.toml"):
        shutil.copy(SOURCES / name, folder)
    (folder / "bench_stub.py").write_text(STUB, encoding="utf-8")
    (folder / "results.toml").write_text(OLD, encoding="utf-8")
    for page in results.PAGES:
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page).write_text(PAGE, encoding="utf-8")
    return tmp_path


def run(checkout, *arguments):
    return run_python("-X", "utf8", checkout / "tools/benchmarks/run.py", *arguments, encoding="utf-8").stdout


def test_a_run_saves_what_it_measured_and_writes_the_tables(checkout):
    printed = run(checkout)
    stub, other = results.read(checkout / "tools/benchmarks/results.toml")
    assert (stub["ratio"], stub["our_value"], stub["peer_value"], stub["our_quality"]) == (3, 1, 4, 0.8125)
    assert (stub["goal_ratio"], stub["headline"]) == (2, "Train f")
    assert stub["date"] >= datetime.date(2026, 1, 2)
    assert stub["machine"].endswith(" cores")
    assert stub["commit"]
    assert other["our_value"] == 5 and "date" not in other
    assert "| 3 × faster | 2 × faster | yes " in printed
    page = (checkout / results.PAGES[0]).read_text(encoding="utf-8")
    assert "| Train f | `f(λ)` | `g(C)` | 3 × faster | 0.8125 | 0.8 |" in page and page.endswith("\n\nThe end.\n")


def test_a_quick_run_saves_nothing(checkout):
    assert "3 × faster" in run(checkout, "--quick")
    assert (checkout / "tools/benchmarks/results.toml").read_text(encoding="utf-8") == OLD
    assert (checkout / results.PAGES[0]).read_text(encoding="utf-8") == PAGE


def test_the_tables_of_pages_match_the_file():
    entries = results.read()
    for page in results.PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        assert results.TABLE.search(text), page
        assert results.with_tables(text, entries) == text, (
            f"{page} is not what tools/benchmarks/results.toml says; python tools/benchmarks/results.py writes it"
        )
    assert sorted(results.SECTIONS) == sorted({entry["benchmark"] for entry in entries})
    assert results.results_page().count("\n| ") == len(entries) + 2 * len(results.SECTIONS)


def test_the_file_has_each_case_once_with_at_most_one_goal(tmp_path):
    entries = results.read()
    assert len({results.key(entry) for entry in entries}) == len(entries)
    for entry in entries:
        assert not {"goal_ratio", "goal_value"} <= set(entry), entry
        assert {"benchmark", "case", "measure", "ours"} <= set(entry), entry
        measured = {"ratio", "our_value"} & set(entry)
        assert bool(measured) == ({"date", "commit", "machine"} <= set(entry)), entry
        assert "ratio" not in entry or "peer" in entry, entry
    copy = tmp_path / "results.toml"
    results.write(entries, copy)
    assert copy.read_text(encoding="utf-8") == results.RESULTS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("ratio", "measure", "words"),
    [
        (3.2, "CPU time", "3.2 × faster"),
        (0.8, "wall-clock time", "1.25 × slower"),
        (1.0, "CPU time", "equally fast"),
        (1.6, "peak memory", "38 % less"),
        (0.5, "peak memory", "100 % more"),
    ],
)
def test_a_ratio_is_one_comparison(ratio, measure, words):
    assert results.comparison(ratio, measure) == words


def test_an_unknown_field_is_refused(tmp_path):
    with pytest.raises(ValueError, match="unknown fields: gaol"):
        results.write([{"benchmark": "plain", "gaol": 3}], tmp_path / "results.toml")
