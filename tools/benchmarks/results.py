"""Save the results of benchmarks in ``results.toml``, and write the tables of the pages from that file.

``results.toml`` is the only place of goals and results. An entry is one case:

======================================  =====================================================================================
``benchmark``, ``case``, ``measure``    the benchmark that measures it; data and settings; the compared measure, such as CPU time
``ours``, ``peer``                      the two calls that are compared; no peer if only our value counts
``our_value``, ``peer_value``, ``unit`` their values
``ratio``                               the peer's value divided by ours: above 1 ours is faster, or smaller
``quality``                             the quality that both reach, with ``our_quality`` and ``peer_quality``
``standard_error``                      the standard error of ``our_value``
``relative_time``, ``memory``           of a learner: CPU time of a training divided by the perceptron's, and its memory in MB
``bound``                               for two threads: the ratio that two processes reach that share nothing
``goal_ratio`` or ``goal_value``        the smallest ratio, or the largest ``our_value``, that meets the goal
``headline``                            the task, for an entry of the page "How fast is it?"
``date``, ``commit``, ``machine``       when, at which commit and where the case was measured
``note``                                anything else that a reader must know
======================================  =====================================================================================

A benchmark calls :func:`show`, which prints a table and saves the measured values. People edit goals and headlines.
``python tools/benchmarks/results.py`` writes the tables of the pages again.
"""

import contextlib
import datetime
import json
import os
import platform
import re
import subprocess
import tomllib
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("results.toml")
KEY = ("benchmark", "case", "measure", "ours", "peer")
BY_HAND = ("goal_ratio", "goal_value", "headline")
FIELDS = (
    *KEY,
    *("our_value", "standard_error", "relative_time", "memory", "peer_value", "unit", "ratio", "bound"),
    *("quality", "our_quality", "peer_quality"),
    *BY_HAND,
    *("date", "commit", "machine", "note"),
)
HEAD = """# Goals and results of the benchmarks, one entry a case. tools/benchmarks/results.py describes the fields.
# `make bench` writes what it measured; edit only goals and headlines by hand. In entries from before 2026-11-28 date and
# commit are those of the commit that recorded the result.
"""
PAGES = ("docs/explanations/speed.md", "docs/explanations/step-sizes.md", "docs/reference/learner-results.md")
PAGE_HEAD = """# Benchmark results

This page shows the goal and the newest result of every case. `make docs` writes its tables from `tools/benchmarks/results.toml`, in which
`make bench` saves results; [Benchmarks](benchmarks.md) describes the method. *Result* and *goal* compare ours with the peer; without
a peer they are our value. If several values were measured, the note says so and the entry is the worst.
"""
#: Benchmark -> title and remark of its table on the page of all results.
SECTIONS = tomllib.loads(Path(__file__).with_name("sections.toml").read_text(encoding="utf-8"))

TABLE = re.compile(r"(<!-- results: (\w+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


def read(path=None):
    """Return the entries of the file, in its order."""
    return tomllib.loads((path or RESULTS).read_text(encoding="utf-8"))["result"]


def write(entries, path=None):
    """Write the file atomically, the fields of each entry in the order of `FIELDS`."""
    path = path or RESULTS
    blocks = []
    for entry in entries:
        if unknown := set(entry) - set(FIELDS):
            raise ValueError(f"unknown fields: {', '.join(sorted(unknown))}")
        lines = [f"{field} = {_toml(entry[field])}" for field in FIELDS if entry.get(field) is not None]
        blocks.append("\n".join(["[[result]]", *lines]) + "\n")
    new = path.with_suffix(".new")
    new.write_text("\n".join([HEAD, *blocks]), encoding="utf-8")
    os.replace(new, path)


def _toml(value):
    if isinstance(value, datetime.date):
        return value.isoformat()
    # A JSON string is a TOML string, and so is a JSON number.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else f"{value:.6g}"


def key(entry):
    """Return what identifies the case of an entry."""
    return tuple(entry.get(field) for field in KEY)


def merged(old, measured):
    """Return the old entries, with those that were measured again replaced in their places and new cases at the end.

    An entry keeps its goal and its headline, because no benchmark measures them.
    """
    entries = {key(entry): entry for entry in old}
    for entry in measured:
        by_hand = {field: value for field, value in entries.get(key(entry), {}).items() if field in BY_HAND}
        entries[key(entry)] = entry | by_hand
    return list(entries.values())


def timing(seconds, ours, peer, clock="CPU time"):
    """Return the fields that a comparison in turn measures: both medians in milliseconds, and the median ratio.

    Parameters
    ----------
    seconds : dict name -> list of the times in seconds
    ours, peer : names in ``seconds``
    clock : "CPU time" or "wall-clock time"
    """
    return {
        "measure": clock,
        "our_value": _rounded(1e3 * median(seconds[ours])),
        "peer_value": _rounded(1e3 * median(seconds[peer])),
        "unit": "ms",
        "ratio": _rounded(median(b / a for a, b in zip(seconds[ours], seconds[peer], strict=True))),
    }


def _rounded(number):
    return float(f"{number:.3g}")


def accuracies(ours, peer):
    """Return the fields of the accuracies that both reach."""
    return {"quality": "accuracy", "our_quality": round(float(ours), 4), "peer_quality": round(float(peer), 4)}


def show(title, benchmark, measured, save):
    """Print a table of measured cases with their goals, and save the results.

    Parameters
    ----------
    title : str
    benchmark : str
        The name of the benchmark, such as ``"plain"``.
    measured : iterable of dict
        Entries without ``benchmark``, date, commit and machine; numbers of NumPy are saved as numbers of Python.
    save : bool
        False for ``--quick``, whose smaller data are other cases.
    """
    origin = {"date": datetime.date.today(), "commit": commit(), "machine": machine()}
    new = [
        {"benchmark": benchmark}
        | {field: getattr(value, "item", lambda value=value: value)() for field, value in entry.items()}
        | origin
        for entry in measured
    ]
    old = read() if RESULTS.exists() else []
    everything = merged(old, new)
    shown = {key(entry) for entry in new}
    columns = {name: value for name, value in COLUMNS.items() if name not in ("date", "commit", "machine")}
    lines = table([entry for entry in everything if key(entry) in shown], columns, aligned=True)
    print(f"\n{title}\n\n{lines}", flush=True)
    if save:
        write(everything)


def commit():
    """Return the short hash of the commit, with ``+`` if the code differs from it."""
    run = ["git", "-C", str(ROOT)]
    # Tables and results of this run do not make the code another one.
    changed = [*run, "status", "--porcelain", "--", "readers", "classifiers", "lxmls_day1", "tools/benchmarks/*.py"]
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        head = subprocess.run([*run, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True)
        dirty = subprocess.run(changed, capture_output=True, text=True, check=True).stdout.strip()
        return head.stdout.strip() + "+" * bool(dirty)
    return "not recorded"


def machine():
    """Return the name of the processor as Linux knows it, and the number of its cores."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    known = {name.strip(): value.strip() for name, _, value in reversed([line.partition(":") for line in lines])}
    name = known.get("model name") or known.get("CPU part") or platform.processor() or platform.machine()
    kind = f" (family {known['cpu family']}, model {known['model']})" if {"cpu family", "model"} <= set(known) else ""
    return f"{name}{kind}, {os.cpu_count()} cores"


def meets_goal(entry):
    """Return True or False, or None if the entry has no goal or no result."""
    if "goal_ratio" in entry and "ratio" in entry:
        return entry["ratio"] >= entry["goal_ratio"]
    if "goal_value" in entry and "our_value" in entry:
        return entry["our_value"] <= entry["goal_value"]
    return None


def comparison(ratio, measure):
    """Return a ratio in words.

    >>> comparison(3.96, "CPU time"), comparison(0.8, "CPU time"), comparison(1.6, "peak memory")
    ('3.96 × faster', '1.25 × slower', '38 % less')
    """
    if "memory" in measure:
        share = round(100 * (1 / ratio - 1))
        return f"{abs(share)} % {'more' if share > 0 else 'less'}"
    if f"{ratio:.3g}" == "1":
        return "equally fast"
    return f"{ratio:.3g} × faster" if ratio > 1 else f"{1 / ratio:.3g} × slower"


def _number(value, unit=""):
    if value is None:
        return ""
    text = f"{value:.0e}" if 0 < abs(value) < 1e-3 else f"{value:,.6g}"
    return f"{text} {unit}".strip()


def _call(name):
    return f"`{name}`" if "(" in name else name


def _result(entry):
    if "ratio" in entry:
        return comparison(entry["ratio"], entry["measure"])
    return _number(entry["our_value"], entry.get("unit", "")) if "our_value" in entry else "not measured"


def _goal(entry):
    if "goal_ratio" in entry:
        return comparison(entry["goal_ratio"], entry["measure"])
    return f"≤ {_number(entry['goal_value'], entry.get('unit', ''))}" if "goal_value" in entry else ""


COLUMNS = {
    "case": lambda entry: entry["case"],
    "measure": lambda entry: entry["measure"],
    "ours": lambda entry: _call(entry["ours"]),
    "peer": lambda entry: _call(entry.get("peer", "")),
    "our value": lambda entry: _number(entry.get("our_value"), entry.get("unit", "")) if "ratio" in entry else "",
    "standard error": lambda entry: _number(entry.get("standard_error")),
    "time / perceptron's": lambda entry: _number(entry.get("relative_time")),
    "MB": lambda entry: _number(entry.get("memory")),
    "peer's value": lambda entry: _number(entry.get("peer_value"), entry.get("unit", "")),
    "result": _result,
    "goal": _goal,
    "reached": lambda entry: {True: "yes", False: "**no**", None: ""}[meets_goal(entry)],
    "two processes": lambda entry: comparison(entry["bound"], entry["measure"]) if "bound" in entry else "",
    "quality": lambda entry: entry.get("quality", ""),
    "our quality": lambda entry: _number(entry.get("our_quality")),
    "peer's quality": lambda entry: _number(entry.get("peer_quality")),
    "date": lambda entry: str(entry.get("date", "")),
    "commit": lambda entry: entry.get("commit", ""),
    "machine": lambda entry: entry.get("machine", ""),
    "note": lambda entry: entry.get("note", ""),
}
HEADLINES = {
    "task": lambda entry: entry["headline"],
    "ours": lambda entry: _call(entry["ours"]),
    "peer": lambda entry: _call(entry["peer"]),
    "speed": _result,
    "our accuracy": lambda entry: _number(entry.get("our_quality")),
    "peer's accuracy": lambda entry: _number(entry.get("peer_quality")),
    "machine": lambda entry: re.sub(r" \(.*?\)", "", entry["machine"]),
    "date": lambda entry: str(entry["date"]),
}


def table(entries, columns=None, aligned=False):
    """Return the entries as a table of Markdown, without the columns that are empty in every row."""
    columns = columns or COLUMNS
    cells = {name: [value(entry).replace("|", "\\|") for entry in entries] for name, value in columns.items()}
    kept = [[name, "---", *column] for name, column in cells.items() if any(column)]
    if aligned:
        kept = [[cell.ljust(max(map(len, column))) for cell in column] for column in kept]
    return "".join(f"| {' | '.join(row)} |\n" for row in zip(*kept, strict=True))


def step_sizes(entries):
    """Return the table of the page on step sizes: both measures of a data set in one row."""
    rows = [
        ["data", "points of accuracy lost at most", "standard error", "objective / objective at W = 0, at most"],
        ["---"] * 4,
    ]
    for case in dict.fromkeys(entry["case"] for entry in entries):
        lost, zero = {}, {}
        for entry in entries:
            if entry["case"] == case and entry.get("unit") == "points":
                lost = entry
            elif entry["case"] == case:
                zero = entry
        shown = (lost.get("our_value", "none"), lost.get("our_quality", ""), zero.get("our_value", ""))
        rows.append([case, *(f"{value:.2f}" if isinstance(value, (int, float)) else str(value) for value in shown)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _accuracy(entry):
    return f"{entry['our_value']:.1f} ± {entry['standard_error']:.1f}"


def _relative_time(entry):
    return _number(entry["relative_time"])


def _memory(entry):
    return f"{entry['memory']:.1f}"


REVIEWS, QUESTIONS = ("books", "dvd", "electronics"), ("TREC, K = 6", "TREC, K = 50", "dense, 10,000 x 20, K = 5")
#: Name of a table of learners -> (heading, case, text of the cell) of each of its columns.
LEARNER_TABLES = {
    "learners_reviews": [
        *((case, case, _accuracy) for case in REVIEWS),
        ("time / perceptron's", "books", _relative_time),
        ("MB", "books", _memory),
    ],
    "learners_accuracy": [(case, case, _accuracy) for case in QUESTIONS],
    "learners_time": [(case, case, _relative_time) for case in QUESTIONS],
    "learners_memory": [(case, case, _memory) for case in QUESTIONS],
}


def learners(entries, columns):
    """Return a table with a row for each learner, blank if a learner was not measured."""
    found = {(entry["case"], entry["ours"]): entry for entry in entries if entry["benchmark"] == "learners"}
    rows = [["learner", *(heading for heading, _, _ in columns)], ["---"] * (1 + len(columns))]
    for name in dict.fromkeys(name for _, name in found):
        rows.append([name, *(text(found[case, name]) if (case, name) in found else "" for _, case, text in columns)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def with_tables(text, entries):
    """Return the text of a page with each table between its two comments written from the entries."""

    def written(match):
        if match[2] == "headlines":
            lines = table([entry for entry in entries if "headline" in entry], HEADLINES)
        elif match[2] in LEARNER_TABLES:
            lines = learners(entries, LEARNER_TABLES[match[2]])
        else:
            chosen = [entry for entry in entries if entry["benchmark"] == match[2]]
            lines = step_sizes(chosen) if match[2] == "step_sizes" else table(chosen)
        return f"{match[1]}\n{lines}\n{match[3]}"

    return TABLE.sub(written, text)


def results_page():
    """Return the page of all results, which is written when the book is built."""
    entries = read()
    parts = [PAGE_HEAD]
    for benchmark, section in SECTIONS.items():
        lines = table([entry for entry in entries if entry["benchmark"] == benchmark])
        parts.append("\n\n".join(filter(None, (f"## {section['title']}", section.get("remark"), lines))))
    return "\n".join(parts)


def write_tables():
    """Write the tables of the committed pages."""
    entries = read()
    for page in (ROOT / name for name in PAGES):
        old = page.read_text(encoding="utf-8")
        if (new := with_tables(old, entries)) != old:
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    write_tables()
