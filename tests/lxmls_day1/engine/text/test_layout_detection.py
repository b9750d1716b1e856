import csv

import pytest

from lxmls_day1.engine.text.labelled_files import read_labelled
from lxmls_day1.engine.text.layout_detection import choose_columns, guess_delimiter, looks_like_header
from lxmls_day1.engine.text.tables import RecordTable


@pytest.fixture
def examples_of(write):
    def read(text):
        (file,) = read_labelled(write(text))
        return file.labels, file.texts

    return read


class TestDelimiter:
    @pytest.mark.parametrize("delimiter", "\t,;|")
    def test_the_delimiter_divides_every_line(self, delimiter):
        others = "\t,;|".replace(delimiter, "")
        lines = [f'b{delimiter}"one{others}"\n', f'a{delimiter}"x{delimiter}y"\n', f"c{delimiter}plain\n"]
        assert guess_delimiter(lines, "f.csv", '"') == delimiter
        in_three = [f"1{delimiter}a{delimiter}One two.\n", f"2{delimiter}b{delimiter}Three{others[0]} four.\n"]
        assert guess_delimiter(in_three, "f.csv", '"') == delimiter

    def test_two_columns_are_preferred_to_many(self):
        assert guess_delimiter(["a;x, y, z\n", "b;u, v, w\n"], "f.csv", '"') == ";"


class TestHeader:
    """A header is recognised as such: no class is called "label", and no example is lost."""

    DATA = "sport,They won in extra time.\ncooking,Add some more salt.\nsport,A goal at last!\ncooking,Stir it for an hour.\n"

    @pytest.mark.parametrize(
        "header",
        [
            "label,text",
            "Label,Text",
            "category,utterance",
            "intent,remark",
            "kind,Sentence",
            "topic,what was said",
            "the label,the text",
            "Product category,Customer review",
            "label.name,text.body",
            "review_label,what_was_said",
            "label,label",
            "text,text",
        ],
    )
    def test_a_header_of_usual_names_is_recognised(self, examples_of, header):
        assert examples_of(f"{header}\n{self.DATA}") == examples_of(self.DATA)

    @pytest.mark.parametrize("header", ["label,text", "mood,remark", "0,1"])
    @pytest.mark.parametrize("ends", [",", ",,,", ', ""'])
    def test_a_delimiter_at_the_end_of_each_line_makes_no_column(self, examples_of, header, ends):
        text = f"{header}\n{self.DATA}".replace("\n", f"{ends}\n")
        assert examples_of(text) == examples_of(self.DATA)
        assert examples_of(self.DATA.replace("\n", f"{ends}\n")) == examples_of(self.DATA)

    @pytest.mark.parametrize("beside", ["Unnamed: 0", "date:created", "What did you say, and why? " * 3, "1st"])
    def test_two_usual_names_suffice_whatever_the_others_are(self, examples_of, beside):
        rows = "".join(f"{n},{line}\n" for n, line in enumerate(self.DATA.splitlines()))
        assert examples_of(f'"{beside}",label,text\n{rows}') == examples_of(self.DATA)
        assert not looks_like_header([[beside, "label", "See you."], ["1", "label", "a text"], ["2", "price", "Hm."]])

    def test_a_header_of_unusual_names_is_recognised(self, examples_of):
        assert examples_of(f"mood,remark\n{self.DATA}") == examples_of(self.DATA)
        assert examples_of("mood,remark\n1,yes\n0,no\n") == (["1", "0"], ["yes", "no"])
        assert examples_of("0,1\n" + self.DATA) == examples_of(self.DATA)

    @pytest.mark.parametrize(
        "text",
        [
            DATA,
            DATA * 30,
            "10,a\n9,b\n-1,c\n",
            "ham,x\n",
            "ham,hello\nspam,win\n",
            "a,x x Y\nb,x y\n",
            "text,See you at noon.\nvoice,Call me back.\ntext,Where are you?\nvoice,Ring ring.\n",
            "review,good\nham,great\nspam,bad\n",
            "question,Where is it?\nanswer,It is here.\nquestion,What is it?\nanswer,A cat.\n",
            "label,Made by hand.\nshop,Come in.\nlabel,Wash at thirty degrees.\nshop,Closed on Mondays.\n",
            "question,what time is it\n" + "answer,It is here by now.\nquestion,What is it then?\n" * 2,
            "same,same\nsame,other\n",
            "same,same\n" + DATA,
            "music,they won\n" + DATA,
            "0,1\n1,2\n2,0\n",
            "0,a\n1,b\n",
        ],
    )
    def test_a_first_example_is_not_a_header(self, text):
        rows = list(csv.reader(text.splitlines()))
        assert not looks_like_header(rows) and len(rows) == text.count("\n")


class TestColumns:
    TABLE = RecordTable(
        ("id", "Text", "intent", "note"), [["1", "Hello there", "greet", "x"], ["2", "Bye now", "leave", "x"]], [2, 3]
    )

    def test_the_other_one_of_two_columns_is_the_text(self):
        table = RecordTable(None, [["a b", "c d"], ["a b", "e f"]], [1, 2])
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
    def test_two_unnamed_columns_are_distinguished_by_their_contents(self, rows, expected):
        assert choose_columns(RecordTable(None, rows, [1, 2]), "f.csv") == expected
