import csv
import io
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lxmls_day1
from lxmls_day1.engine.models.result_table import FORMAT_VERSION, ResultTable, Row

ROWS = [Row("Perceptron", "books", 0.975, 0.8125, 0.0214), Row("SVM", "books", 0.9, 0.85, 12.5, 0.25)]
TABLE = ResultTable(ROWS, ["Ten rounds."])
MEASURED = ResultTable([ROWS[0], ROWS[1]._replace(megabytes=12.34)])

names = st.text(max_size=30)
shares = st.floats(0, 1)
rows = st.builds(
    Row, names, names, shares, shares, st.floats(0, 1e6), st.none() | st.floats(), st.none() | st.floats(0, 1e6)
)


def test_concatenation_keeps_order_and_each_note_once():
    joined = TABLE + ResultTable(ROWS[:1], ["Ten rounds.", "Unsmoothed."])
    assert list(joined) == [*ROWS, ROWS[0]] and len(joined) == 3
    assert joined.notes == ("Ten rounds.", "Unsmoothed.")


def test_memory_has_a_column_only_if_it_was_measured():
    heading, _, without, with_memory = str(MEASURED).splitlines()
    assert heading.split()[-1] == "MB" and with_memory.endswith("12.3") and without.endswith("0.021")
    assert "MB" not in str(TABLE) and "<th>MB</th>" in MEASURED._repr_html_()
    assert [row["megabytes"] for row in json.loads(MEASURED.to_json())["rows"]] == [None, 12.34]
    assert "megabytes" not in json.loads(TABLE.to_json())["rows"][0]
    assert MEASURED.to_csv().splitlines()[2].endswith(",0.25,12.34")


def test_columns_are_aligned():
    heading, rule, *lines, note = str(TABLE).splitlines()
    assert set(rule) == {"-"}
    for word in ("train", "test", "seconds"):
        end = heading.index(word) + len(word)
        assert all(line[end - 1].isdigit() and line[end : end + 1].strip() == "" for line in lines)
    assert lines[1].split() == ["SVM", "books", "0.9000", "0.8500", "12.500", "0.2500"]
    assert note == "Note: Ten rounds."


@pytest.mark.slow
@given(st.lists(rows, max_size=4))
def test_names_of_any_kind_stay_in_their_lines(some):
    assert len(str(ResultTable(some)).split("\n")) == 2 + len(some)


def test_names_are_escaped_in_a_notebook():
    table = ResultTable([Row("<script>alert(1)</script>", 'a "b" & c', 1.0, 0.5, 0.25)], ["<b>bold</b>"])
    assert "<script>" not in table._repr_html_() and "<b>" not in table._repr_html_()


@given(st.lists(rows, max_size=4), st.lists(names, max_size=2))
def test_files_give_back_the_rows(some, notes):
    table = ResultTable(some, notes)
    read = json.loads(table.to_json())
    assert read["format_version"] == FORMAT_VERSION and read["lxmls_day1_version"] == lxmls_day1.__version__
    assert read["notes"] == list(table.notes)
    heading, *lines = csv.reader(io.StringIO(table.to_csv(), newline=""))
    for row, back, line in zip(some, read["rows"], lines, strict=True):
        assert line == ["" if value is None else str(value) for value in row[: len(heading)]]
        for name, value in back.items():
            wanted = getattr(row, name)
            assert value == (None if isinstance(wanted, float) and not math.isfinite(wanted) else wanted)


def test_numbers_of_numpy_are_written_as_numbers():
    table = ResultTable([Row("MIRA", "books", np.float64(0.5), np.float32(0.25), np.float64(1.5), np.float64(2.0))])
    assert json.loads(table.to_json())["rows"][0]["test_accuracy"] == 0.25
    assert table.to_csv().splitlines()[1] == "MIRA,books,0.5,0.25,1.5,2.0"
