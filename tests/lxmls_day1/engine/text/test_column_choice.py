import pytest

from lxmls_day1.engine.text.column_choice import Table, choose_columns, labels_and_texts
from lxmls_day1.errors import CorpusError, InputError


class TestChoice:
    TABLE = Table(
        ("id", "Text", "intent", "note"), [["1", "Hello there", "greet", "x"], ["2", "Bye now", "leave", "x"]], [2, 3]
    )

    @pytest.mark.parametrize(
        ("label", "text", "expected"),
        [
            (None, None, (2, 1)),
            ("note", None, (3, 1)),
            (0, "Text", (0, 1)),
            ("INTENT", 3, (2, 3)),
            (None, "intent", None),
            (1, None, None),
            (None, "note", (2, 3)),
        ],
    )
    def test_by_name_and_by_number(self, label, text, expected):
        if expected is None:
            with pytest.raises(InputError, match="it is not plain which holds the"):
                choose_columns(self.TABLE, "f.csv", label, text)
        else:
            assert choose_columns(self.TABLE, "f.csv", label, text) == expected

    def test_of_two_columns_the_other_one(self):
        table = Table(None, [["a b", "c d"], ["a b", "e f"]], [1, 2])
        assert choose_columns(table, "f.csv", label_column=1) == (1, 0)
        assert choose_columns(table, "f.csv", text_column=0) == (1, 0)

    @pytest.mark.parametrize(
        ("rows", "expected"),
        [
            ([["They won.", "sport"], ["They lost.", "sport"]], (1, 0)),
            ([["sport", "They won."], ["sport", "They lost."]], (0, 1)),
            ([["They won.", "sport"], ["Add salt.", "cooking"]], (1, 0)),
            ([["a", "b"], ["c", "d"]], (0, 1)),
        ],
    )
    def test_of_two_columns_without_names_by_what_they_hold(self, rows, expected):
        assert choose_columns(Table(None, rows, [1, 2]), "f.csv") == expected

    @pytest.mark.parametrize(
        ("table", "label", "text", "says"),
        [
            (
                TABLE,
                "intnt",
                None,
                r"^f.csv has no column 'intnt' for label_column \(--label-column\); did you mean intent",
            ),
            (
                TABLE,
                4,
                None,
                r"^label_column is 4, but f.csv has 4 columns: give a number from 0 to 3 \(--label-column\)",
            ),
            (TABLE, None, -1, "^text_column is -1, but f.csv has 4 columns"),
            (TABLE, "id", "id", "must be different columns, but both are 'id' of f.csv"),
            (
                Table(None, [["a", "b", "c"]], [1]),
                None,
                None,
                r"3 columns \(0 such as 'a', 1 .*which holds the label; .*--label-",
            ),
            (
                Table(None, [["a", "b", "c"]], [1]),
                0,
                None,
                r"which holds the text; say so with text_column= \(--text-column\)",
            ),
            (
                Table(None, [["a", "b"]], [1]),
                "b",
                None,
                "'b', but f.csv has no header with names; give the number .* 0 to 1",
            ),
            (Table(("a", "a"), [["a", "b"]], [1]), "a", None, "several columns 'a'; give label_column .* the number"),
        ],
    )
    def test_a_wrong_column(self, table, label, text, says):
        with pytest.raises(InputError, match=says):
            choose_columns(table, "f.csv", label, text)

    def test_an_empty_label(self):
        table = Table(("label", "text"), [["a", "b"], ["", "c"]], [2, 5])
        with pytest.raises(
            CorpusError, match="^f.csv, line 5: the label, in 'label', is empty; expected a word or a number"
        ):
            labels_and_texts(table, "f.csv", 0, 1)
