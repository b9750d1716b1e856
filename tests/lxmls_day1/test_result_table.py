import csv
import io
import json
import math
import os
import platform
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lxmls_day1
from lxmls_day1.result_table import FORMAT_VERSION, ResultTable, Row

ROWS = [
    Row("Perceptron", "books", 0.975, 0.8125, 0.0214),
    Row("SVM", "books", 0.9, 0.85, 12.5, 0.25),
]
TABLE = ResultTable(ROWS, ["Ten rounds."])

names = st.text(max_size=30)
shares = st.floats(0, 1)
rows = st.builds(
    Row, names, names, shares, shares, st.floats(0, 1e6), st.none() | st.floats(), st.none() | st.floats(0, 1e6)
)


class TestSequence:
    def test_is_a_sequence_of_its_rows(self):
        assert len(TABLE) == 2
        assert list(TABLE) == ROWS
        assert TABLE[-1] is ROWS[1]
        assert ROWS[0] in TABLE
        assert TABLE.index(ROWS[1]) == 1

    def test_a_slice_is_a_table_with_the_notes(self):
        assert TABLE[1:] == ResultTable(ROWS[1:], ["Ten rounds."])

    def test_concatenation_keeps_order_and_says_a_note_once(self):
        joined = TABLE + ResultTable(ROWS[:1], ["Ten rounds.", "Unsmoothed."])
        assert list(joined) == [*ROWS, ROWS[0]]
        assert joined.notes == ("Ten rounds.", "Unsmoothed.")

    def test_concatenation_with_something_else_is_a_type_error(self):
        with pytest.raises(TypeError):
            TABLE + ROWS

    def test_equal_tables_are_equal_and_hash_alike(self):
        assert ResultTable(ROWS, ["Ten rounds."]) == TABLE
        assert len({TABLE, ResultTable(ROWS, ["Ten rounds."]), ResultTable(ROWS)}) == 2
        assert TABLE != ROWS


class TestMemory:
    MEASURED = ResultTable([ROWS[0], ROWS[1]._replace(megabytes=12.34)])

    def test_it_has_a_column_only_where_it_was_measured(self):
        heading, _, without, with_memory = str(self.MEASURED).splitlines()
        assert heading.split()[-1] == "MB"
        assert with_memory.endswith("12.3")
        assert without.endswith("0.021")
        assert "MB" not in str(TABLE)

    def test_files_and_pages_have_it_too(self):
        assert [row["megabytes"] for row in json.loads(self.MEASURED.to_json())["rows"]] == [None, 12.34]
        assert "megabytes" not in json.loads(TABLE.to_json())["rows"][0]
        assert self.MEASURED.to_csv().splitlines()[0].endswith(",objective,megabytes")
        assert self.MEASURED.to_csv().splitlines()[2].endswith(",0.25,12.34")
        assert "<th>MB</th>" in self.MEASURED._repr_html_()
        assert "MB" not in TABLE._repr_html_()


class TestText:
    def test_columns_are_aligned(self):
        heading, rule, *lines, note = str(TABLE).splitlines()
        assert set(rule) == {"-"}
        for word in ("train", "test", "seconds"):
            end = heading.index(word) + len(word)
            assert all(line[end - 1].isdigit() and line[end : end + 1].strip() == "" for line in lines)
        assert lines[0].split() == ["Perceptron", "books", "0.9750", "0.8125", "0.021"]
        assert lines[1].split() == ["SVM", "books", "0.9000", "0.8500", "12.500", "0.2500"]
        assert note == "Note: Ten rounds."

    def test_an_empty_table_has_its_headings(self):
        assert str(ResultTable()).split()[:4] == ["classifier", "data", "set", "train"]

    @pytest.mark.slow
    @given(st.lists(rows, max_size=4))
    def test_every_row_is_one_line(self, some):
        assert len(str(ResultTable(some)).split("\n")) == 2 + len(some)

    def test_on_a_terminal_names_are_literal_and_fit_in_80_columns(self):
        from rich.console import Console

        long = Row("Multinomial naive Bayes, unsmoothed", "simple data set, 100 points", 0.5, 0.5, 100.0, 12345.678)
        console = Console(file=io.StringIO(), width=80)
        console.print(ResultTable([*ROWS, long, Row("[red]mine", "books", 1, 1, 1)], ["See [1]."]).to_rich())
        shown = console.file.getvalue()
        assert max(map(len, shown.splitlines())) <= 80
        for part in ("[red]mine", "0.9750", "0.8125", "12.500", "1.235e+04", "Note: See [1]."):
            assert part in shown


class Texts(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, _attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_html_is_escaped():
    table = ResultTable([Row("<script>alert(1)</script>", 'a "b" & c', 1.0, 0.5, 0.25)], ["<b>bold</b>"])
    parsed = Texts(table._repr_html_())
    assert {"table", "td", "th", "p"} <= set(parsed.tags)
    assert not {"script", "b"} & set(parsed.tags)
    assert {"<script>alert(1)</script>", 'a "b" & c', "1.0000", "0.5000", "Note: <b>bold</b>"} <= set(parsed.texts)


@pytest.mark.slow
class TestFiles:
    @given(st.lists(rows, max_size=4), st.lists(names, max_size=3))
    def test_json_gives_back_rows_and_notes(self, some, notes):
        table = ResultTable(some, notes)

        def no_constant(name):
            raise AssertionError(f"{name} is not JSON")

        read = json.loads(table.to_json(), parse_constant=no_constant)
        finite = [
            row._replace(objective=None) if row.objective is not None and not math.isfinite(row.objective) else row
            for row in some
        ]
        assert ResultTable([Row(**row) for row in read["rows"]], read["notes"]) == ResultTable(finite, notes)

    def test_json_says_what_measured_it(self):
        read = json.loads(TABLE.to_json())
        assert read["format_version"] == FORMAT_VERSION
        assert read["lxmls_day1_version"] == lxmls_day1.__version__
        assert read["python_version"] == platform.python_version()
        assert read["numpy_version"] == np.__version__

    @given(st.lists(rows, max_size=4))
    def test_csv_gives_back_the_rows(self, some):
        heading, *lines = csv.reader(io.StringIO(ResultTable(some).to_csv(), newline=""))
        measured = any(row.megabytes is not None for row in some)
        assert tuple(heading) == (Row._fields if measured else Row._fields[:-1])
        for row, line in zip(some, lines, strict=True):
            assert line == ["" if value is None else str(value) for value in row[: len(heading)]]

    def test_numbers_of_numpy_are_written_as_numbers(self):
        table = ResultTable([Row("MIRA", "books", np.float64(0.5), np.float32(0.25), np.float64(1.5), np.float64(2.0))])
        assert json.loads(table.to_json())["rows"][0]["test_accuracy"] == 0.25
        assert table.to_csv().splitlines()[1] == "MIRA,books,0.5,0.25,1.5,2.0"

    def test_written_files_hold_these_texts_in_utf8(self, tmp_path):
        table = ResultTable([Row("Näive", "böoks", 1.0, 0.5, 0.1)], ["“So.”"])
        table.write_json(tmp_path / "results.json")
        table.write_csv(str(tmp_path / "results.csv"))
        assert (tmp_path / "results.json").read_bytes() == table.to_json().encode()
        assert (tmp_path / "results.csv").read_bytes() == table.to_csv().encode()
        assert "Näive" in table.to_json()

    @pytest.mark.parametrize("write", [ResultTable.write_json, ResultTable.write_csv])
    def test_a_failed_write_keeps_the_old_file(self, tmp_path, monkeypatch, write):
        path = tmp_path / "results"
        path.write_text("old")

        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write(TABLE, path)
        assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("results", "old")]


@pytest.mark.parametrize("width", [32, 40, 60, 67, 68, 80, 120])
def test_a_narrow_terminal_keeps_names_and_accuracies(width):
    from rich.console import Console

    rows = [
        Row("Multinomial naive Bayes, unsmoothed", "simple data set, 100 points", 0.98761, 0.9, 123.4, 0.5678),
        Row("SVM", "Amazon reviews: electronics", 0.87654, 0.8123, 12.3),
    ]
    console = Console(width=width, file=io.StringIO())
    console.print(ResultTable(rows, ["A note."]).to_rich(width))
    shown = console.file.getvalue()
    assert max(map(len, shown.splitlines())) <= width and "\u2026" not in shown
    joined = "".join(character for character in shown if character.isalnum())
    for number in ("0.9876", "0.9000", "0.8765", "0.8123", *(["123.400", "0.5678"] if width >= 68 else [])):
        assert number in shown
    for word in ("Multinomial", "naive", "unsmoothed", "simple", "SVM", "reviews"):
        assert word in joined
