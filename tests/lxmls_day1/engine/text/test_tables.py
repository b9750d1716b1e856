import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.engine.text.column_choice import choose_columns, labels_and_texts
from lxmls_day1.engine.text.tables import looks_like_header, parse_columns, parse_json_lines
from lxmls_day1.errors import CorpusError

fields = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\t",;|'), max_size=12)


def rows_of(text, **settings):
    return parse_columns(text, **settings)[0].rows


def examples_of(text, label=None, words=None, **settings):
    table, _ = parse_columns(text, "f.csv", **settings)
    return labels_and_texts(table, "f.csv", *choose_columns(table, "f.csv", label, words))


class TestColumns:
    @pytest.mark.slow
    @given(
        st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(fields, min_size=n, max_size=n), min_size=1)),
        st.sampled_from("\t,;|"),
        st.sampled_from(["\n", "\r\n"]),
    )
    def test_what_the_csv_module_writes_is_read(self, rows, delimiter, line_end):
        written = io.StringIO(newline="")
        csv.writer(written, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL).writerows(rows)
        found = rows_of(written.getvalue(), delimiter=delimiter, header=False)
        assert found == [[field.strip() for field in row] for row in rows]

    @pytest.mark.parametrize("delimiter", "\t,;|")
    def test_the_delimiter_is_found(self, delimiter):
        others = "\t,;|".replace(delimiter, "")
        text = f'b{delimiter}"one{others}"\na{delimiter}"x{delimiter}y"\nc{delimiter}plain\n'
        table, found = parse_columns(text)
        assert found == delimiter
        assert table.rows == [["b", f"one{others}".strip()], ["a", f"x{delimiter}y"], ["c", "plain"]]
        many = "\n".join(delimiter.join(row) for row in (["1", "a", "One two."], ["2", "b", f"Three{others[0]} four."]))
        assert parse_columns(many)[1] == delimiter

    def test_what_is_a_quote_is_no_delimiter(self):
        assert rows_of("|a b|;|c|\n|d|;|e;f|\n", quote="|") == [["a b", "c"], ["d", "e;f"]]

    def test_two_columns_are_preferred_to_many(self):
        assert rows_of("a;x, y, z\nb;u, v, w\n") == [["a", "x, y, z"], ["b", "u, v, w"]]

    def test_quotes_line_ends_and_blank_lines(self):
        text = '\r\nham,"two\r\nlines, ""quoted"""\r\n  \r\nspam, "after a space"\r\nham,\r\n\r\n'
        table, _ = parse_columns(text)
        assert table.rows == [["ham", 'two\r\nlines, "quoted"'], ["spam", "after a space"], ["ham", ""]]
        assert table.lines == [2, 5, 6]

    def test_quotes_that_mean_nothing(self):
        text = 'pos\t"Great", he said.\nneg\tNot "so.\n'
        with pytest.raises(
            CorpusError, match=r"line 1: .*; expected quotes around a whole field .* quote=None \(--no-q"
        ):
            parse_columns(text)
        assert rows_of(text, quote=None) == [["pos", '"Great", he said.'], ["neg", 'Not "so.']]

    def test_a_field_longer_than_the_csv_module_allows_by_itself(self):
        limit = csv.field_size_limit()
        assert rows_of(f"ham,{'x' * 200_000}\n") == [["ham", "x" * 200_000]]
        assert csv.field_size_limit() == limit

    @pytest.mark.parametrize(
        ("text", "settings", "says"),
        [
            ("", {}, "^f.csv: expected a label and a text a line, got an empty file"),
            ("\n \n", {}, "^f.csv: expected a label and a text a line, got an empty file"),
            ("", {"delimiter": ","}, "^f.csv: expected a label and a text a line, got none"),
            ("label,text\n", {"header": True}, "^f.csv: .* got no line but the header label, text"),
            ("label,text\n", {}, "^f.csv: .* got no line but the header label, text"),
            ("Just prose.\nMore.\n", {}, "^f.csv: none of a tab, a comma, a semicolon, a bar parts every line in two"),
            (
                "a,b\n\na,b,c\n",
                {},
                "^f.csv, line 3: got 3 fields; expected 2 as in line 1, parted by a comma: .* quotes",
            ),
            ("a,b\na,b,c\n", {"delimiter": ","}, "line 2: got 3 fields; expected 2 as in line 1, parted by a comma"),
            ("a,b,c\na,b\n", {}, "line 2: got 2 fields; expected 3 as in line 1"),
            ("a,b\n" * 100 + "a\n", {}, "^f.csv, line 101: got 1 field;"),
            ("a,b\n", {"delimiter": "~"}, "^f.csv, line 1: got 1 field; expected two or more, a label and a text"),
            ('a,"b\nc"\na,"b"c\n', {}, "^f.csv, line 3: .*expected quotes around a whole field"),
            ('a,b\na,"b\nc\nd\n', {}, "^f.csv, line 2: .*expected quotes around a whole field"),
            # With quotes in it, other characters would fail at the first of them: what divides the first line is meant.
            (
                'text,label\n"Oh, well",sad\n"A goal, yes",glad,x\n',
                {},
                "^f.csv, line 3: got 3 fields; expected 2 .* comma",
            ),
            ('text;label\n"Oh; well";sad\n"A";"goal";glad\n', {}, "^f.csv, line 3: got 3 fields; .* a semicolon"),
            ('text,label\n"Oh, well,sad\n"A goal, yes",glad\n', {}, "^f.csv, line 2: ',' expected after '\"'"),
            ('sad\tOh, well\nglad\t"A goal" yes\n', {}, "^f.csv, line 2: '\t' expected after '\"'"),
        ],
    )
    def test_malformed(self, text, settings, says):
        with pytest.raises(CorpusError, match=says):
            parse_columns(text, "f.csv", **settings)


class TestHeader:
    """A header is recognised by what it is: no class is called "label", and no example is lost."""

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
            "review_label,what_was_said",
            "label,label",
            "text,text",
        ],
    )
    def test_of_usual_names(self, header):
        assert examples_of(f"{header}\n{self.DATA}") == examples_of(self.DATA)

    @pytest.mark.parametrize("header", ["label,text", "mood,remark", "0,1"])
    @pytest.mark.parametrize("ends", [",", ",,,", ', ""'])
    def test_a_delimiter_at_the_end_of_each_line_makes_no_column(self, header, ends):
        text = f"{header}\n{self.DATA}".replace("\n", f"{ends}\n")
        assert examples_of(text) == examples_of(self.DATA)
        assert examples_of(self.DATA.replace("\n", f"{ends}\n")) == examples_of(self.DATA)

    def test_of_unusual_names(self):
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
    def test_that_is_none(self, text):
        rows = rows_of(text, header=False)
        assert not looks_like_header(rows) and len(rows) == text.count("\n")

    def test_a_text_may_be_what_its_column_is_called(self):
        table, _ = parse_columns("text,category\nHow do I text?,sms\ntext,sms\nWhere is it?,card\n")
        assert table.names == ("text", "category") and len(table.rows) == 3

    def test_options_decide(self):
        assert rows_of("label,text\na,b\n", header=False) == [["label", "text"], ["a", "b"]]
        assert rows_of("Hm!,Oh no.\na,b\n", header=True) == [["a", "b"]]
        assert parse_columns("Hm!,Oh no.\na,b\n", column_names=("Oh no.", "Hm!"))[0].names == ("Hm!", "Oh no.")

    def test_the_index_of_a_data_frame_has_no_name(self):
        text = ",text,label\n0,They won in extra time.,sport\n1,Add salt.,cooking\n"
        assert examples_of(text) == (["sport", "cooking"], ["They won in extra time.", "Add salt."])


class TestJsonLines:
    @pytest.mark.slow
    @given(st.lists(st.tuples(st.text(min_size=1).filter(str.strip), st.text()), min_size=1), st.booleans())
    def test_what_the_json_module_writes_is_read(self, examples, as_ascii):
        text = "".join(json.dumps({"label": a, "text": b}, ensure_ascii=as_ascii) + "\r\n" for a, b in examples)
        table = parse_json_lines(text)
        labels, texts = labels_and_texts(table, "f", *choose_columns(table, "f"))
        assert labels == [a.strip() for a, _ in examples] and texts == [b.strip() for _, b in examples]

    def test_order_of_keys_further_keys_and_labels_that_are_no_text(self):
        table = parse_json_lines(
            '{"text": "a", "label": 1}\n\n{"label": true, "text": "b", "more": []}\n{"label": 0.5, "text": ""}'
        )
        assert table.lines == [1, 3, 4] and choose_columns(table, "f") == (1, 0)
        assert labels_and_texts(table, "f", 1, 0) == (["1", "true", "0.5"], ["a", "b", ""])

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            ("nonsense", "this is no JSON .*; expected one JSON object a line, such as {"),
            ("[" * 100_000, "this is no JSON"),
            ("9" * 5000, "this is no JSON"),
            ("[1]", "got a list; expected one JSON object a line"),
            ('"text"', "got a text; expected one JSON object a line"),
            ("null", "got null; expected one JSON object a line"),
            ('{"text": "b"}', "the label, in 'label', is missing; expected a word or a number"),
            ('{"text": "b", "label": null}', "the label, in 'label', is null"),
            ('{"text": "b", "label": NaN}', "the label, in 'label', is a number"),
            ('{"text": "b", "label": ["x"]}', "the label, in 'label', is a list"),
            ('{"text": "b", "label": " "}', "the label, in 'label', is empty"),
            ('{"text": 1, "label": "x"}', "the text, in 'text', is a number; expected text in quotes"),
            ('{"label": "x"}', "the text, in 'text', is missing"),
            ('{"label": "x", "text": "\\ud800"}', "got half a surrogate pair"),
            ('{"label": "\\udfff", "text": ""}', "got half a surrogate pair"),
        ],
    )
    def test_malformed(self, line, says):
        with pytest.raises(CorpusError, match=f"^f.jsonl, line 3: {says}"):
            table = parse_json_lines('{"text": "a", "label": "x"}\n\n' + line, "f.jsonl")
            labels_and_texts(table, "f.jsonl", *choose_columns(table, "f.jsonl"))

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "^f: expected a JSON object a line, got an empty file"),
            ('{\n  "text": "a"\n}\n', "^f, line 1: this is no JSON .*over several lines"),
            ('[{"text": "a"}]', "^f, line 1: got a list; .*write each object of the list on a line"),
        ],
    )
    def test_other_json(self, text, says):
        with pytest.raises(CorpusError, match=says):
            parse_json_lines(text, "f")
