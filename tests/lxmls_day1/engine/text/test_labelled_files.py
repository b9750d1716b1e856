import csv
import gzip
import io
import json
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.engine.text.labelled_files import name_of_data, read_labelled
from lxmls_day1.errors import CorpusError, InputError
from readers.text_reader import TextCorpus

EXAMPLES = [
    ("card_arrival", "Where is my card, please?"),
    ("card_arrival", 'It still says "pending".\nIt did so yesterday, too.'),
    ("exchange_rate", "What are your rates; how often do they change?"),
    ("exchange_rate", "Is 1€ one dollar | or more?"),
    ("top_up", "text"),
    ("top_up", "My déjà vu:\ttopping up failed again!"),
]
LABELS = [label for label, _ in EXAMPLES]
TEXTS = [text for _, text in EXAMPLES]


def as_csv(delimiter=",", names=("text", "category"), line_end="\n", examples=EXAMPLES):
    file = io.StringIO(newline="")
    rows = csv.writer(file, delimiter=delimiter, lineterminator=line_end)
    rows.writerows([names] if names else [])
    rows.writerows((text, label) for label, text in examples)
    return file.getvalue()


def as_json_lines():
    return "".join(json.dumps({"category": label, "text": text}) + "\n" for label, text in EXAMPLES)


@pytest.fixture
def write(tmp_path):
    def write(content, name="mine.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


class TestFormats:
    @pytest.mark.parametrize("packed", [False, True])
    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    @pytest.mark.parametrize(
        ("content", "name"),
        [
            (as_csv(), "train.csv"),
            (as_csv(line_end="\r\n"), "train.csv"),
            (as_csv(names=None), "train.csv"),
            (as_csv(";"), "train.csv"),
            (as_csv("\t"), "train.tsv"),
            (as_csv("\t", names=None), "TRAIN.TAB"),
            (as_csv("|"), "train.txt"),
            (as_csv(), "train"),
            (as_json_lines(), "train.jsonl"),
            (as_json_lines(), "train.ndjson"),
            (as_json_lines(), "train.txt"),
        ],
    )
    def test_the_same_examples_from_each(self, write, content, name, mark, packed):
        data = (mark + content).encode()
        file = read_labelled(write(gzip.compress(data) if packed else data, name + ".gz" * packed))
        texts = (
            [text.replace("\n", "\r\n") for text in TEXTS] if "\r\n" in content and "\r\nIt did" in content else TEXTS
        )
        assert (file.labels, file.texts, file.bags) == (LABELS, texts, [])

    @pytest.mark.parametrize("packed", [False, True])
    @pytest.mark.parametrize("ending", [".svmlight", ".libsvm", ".SVM"])
    def test_svmlight(self, write, ending, packed):
        data = "\ufeff+1 3:1 17:2.5  # a remark\r\n-1 qid:4 2:1\r\n".encode()
        file = read_labelled(write(gzip.compress(data) if packed else data, f"x{ending}" + ".gz" * packed))
        assert (file.labels, file.bags, file.texts, file.lines) == (
            ["1", "-1"],
            [{"3": 1.0, "17": 2.5}, {"2": 1.0}],
            [],
            [1, 2],
        )

    def test_a_gzip_file_of_any_name(self, write):
        assert read_labelled(write(gzip.compress(as_csv().encode()), "train.csv")).labels == LABELS

    def test_the_form_can_be_said(self, write):
        assert read_labelled(write(as_json_lines(), "x.csv"), form="jsonl").labels == LABELS
        assert read_labelled(write(as_csv(), "x.json"), form="columns").labels == LABELS
        assert read_labelled(write("1 1:1\n", "x.txt"), form="svmlight").labels == ["1"]

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("a/train.csv", "train"),
            ("train.jsonl.gz", "train"),
            ("my.mails.tsv", "my.mails"),
            ("x.gz", "x"),
            ("x", "x"),
        ],
    )
    def test_the_name_of_the_data(self, name, expected):
        assert name_of_data(name) == expected


class TestColumns:
    def test_by_name_and_by_number(self, write):
        path = write("id,mood,remark\n7,glad,Oh yes.\n8,sad,Oh no.\n")
        for label, text in [("mood", "remark"), (1, 2), ("Mood", 2)]:
            file = read_labelled(path, label_column=label, text_column=text, header=True)
            assert (file.labels, file.texts) == (["glad", "sad"], ["Oh yes.", "Oh no."])
        assert read_labelled(path, label_column="id", text_column="mood").labels == ["7", "8"]  # a name wants a header

    def test_what_it_was_taken_for(self, write):
        said = read_labelled(write(as_csv())).described
        assert (
            said
            == "mine.csv: a comma between columns, a header; label in 'category', text in 'text'; 6 examples, 3 classes"
        )
        said = read_labelled(write(as_csv("\t", names=None), "x.tsv")).described
        assert (
            said
            == "x.tsv: a tab between columns, no header; label in column 1, text in column 0; 6 examples, 3 classes"
        )
        said = read_labelled(write(as_json_lines().encode("utf-16"), "x.jsonl")).described
        assert said == "x.jsonl: JSON lines; label in 'category', text in 'text', in utf-16; 6 examples, 3 classes"
        said = read_labelled(write("1 1:1\n", "x.svm")).described
        assert said == "x.svm: svmlight features; 1 example, 1 class"

    @pytest.mark.parametrize(
        ("name", "settings", "says"),
        [
            ("x.jsonl", {"header": False}, "header is for columns, but .*x.jsonl holds jsonl; got False"),
            ("x.jsonl", {"delimiter": ","}, "delimiter is for columns"),
            ("x.svm", {"label_column": 0}, "label_column is for texts, but .*x.svm holds svmlight; got 0"),
            ("x.svm", {"text_column": "text"}, "text_column is for texts"),
            (
                "x.csv",
                {"label_column": "category", "header": False},
                "label_column is 'category', but .* has no header with names",
            ),
            ("x.csv", {"label_column": "catgory"}, r"has no column 'catgory' .*; did you mean category\?"),
        ],
    )
    def test_settings_that_do_not_apply(self, write, name, settings, says):
        content = {"x.jsonl": as_json_lines(), "x.svm": "1 1:1\n", "x.csv": as_csv()}[name]
        with pytest.raises(InputError, match=says):
            read_labelled(write(content, name), **settings)


class TestTestFile:
    """The test part of a training file: its columns, with a header of its own or without."""

    @pytest.mark.parametrize("packed", [False, True])
    @pytest.mark.parametrize("train", [as_csv(), as_csv(names=None), as_json_lines()])
    @pytest.mark.parametrize(
        "test",
        [
            as_csv(examples=EXAMPLES[:3]),
            as_csv(names=None, examples=EXAMPLES[:3]),
            as_csv(";", examples=EXAMPLES[:3], line_end="\n"),
        ],
    )
    def test_the_same_columns(self, write, train, test, packed):
        first = read_labelled(write(train, "train.txt"))
        data = gzip.compress(test.encode()) if packed else test.encode()
        file = read_labelled(write(data, "test.csv"), like=first)
        assert (file.labels, file.texts) == (LABELS[:3], TEXTS[:3])

    def test_columns_in_another_order_go_by_their_names(self, write):
        first = read_labelled(write(as_csv()), label_column="category", text_column="text")
        file = read_labelled(write("category,text\ntop_up,Again.\n", "t.csv"), label_column="category", like=first)
        assert (file.labels, file.texts) == (["top_up"], ["Again."])

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (
                "text,category\nHello.,top_up\nHm.,tpo_up\n",
                "t.csv, line 3: the label 'tpo_up' does not occur in the training file",
            ),
            ("text,intent\nHello.,top_up\nHm.,top_up\n", "t.csv has no column 'category' for label_column"),
            (
                "1,Hello.,top_up\n",
                "t.csv, line 1: the label 'Hello.' does not occur .*'card_arrival', 'exchange_rate', 'top_up'",
            ),
            ("", "t.csv: expected a label and a text a line, got an empty file"),
        ],
    )
    def test_mistakes(self, write, content, says):
        first = read_labelled(write(as_csv()))
        with pytest.raises(InputError, match=says):
            read_labelled(write(content, "t.csv"), like=first)

    def test_texts_are_no_features(self, write):
        first = read_labelled(write(as_csv()))
        with pytest.raises(InputError, match="holds svmlight, and the training file columns"):
            read_labelled(write("1 1:1\n", "t.svm"), like=first)


class TestEncodings:
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252"])
    def test_can_be_said(self, write, encoding):
        examples = [(label, text.replace("€", " euro")) for label, text in EXAMPLES]
        path = write(as_csv(examples=examples).encode(encoding))
        assert read_labelled(path, encoding=encoding).texts == [text for _, text in examples]

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
    def test_a_byte_order_mark_says_it(self, write, encoding):
        assert read_labelled(write(as_csv().encode(encoding))).texts == TEXTS

    @pytest.mark.parametrize(
        ("word", "encoding", "got", "hint"),
        [
            (
                "café",
                "latin-1",
                "0xE9",
                "in cp1252 it would read 'spam,café': .* give encoding='cp1252' (--encoding cp1252)",
            ),
            ("5 €", "cp1252", "0x80", "in cp1252 it would read 'spam,5 €'"),
            ("caf\x81é", "latin-1", "0x81", "save the file in utf-8, or name its encoding with encoding= (--encoding)"),
        ],
    )
    def test_another_one_is_told_with_how_it_would_read(self, write, word, encoding, got, hint):
        path = write(f"ham,fine\nspam,{word}\n".encode(encoding))
        says = f"{path}, line 2: expected text in utf-8, got the byte {got}; "
        with pytest.raises(
            CorpusError, match=f"^{re.escape(says)}{re.escape(hint).replace('.*', '.*')}".replace(r"\.\*", ".*")
        ):
            read_labelled(path)

    @pytest.mark.parametrize(
        ("encoding", "says"),
        [
            ("klingon", "encoding must be one that Python knows, such as 'latin-1', got 'klingon'"),
            ("latin-11", "got 'latin-11'; did you mean latin-1"),
            ("hex", "encoding must be one that Python knows"),
            ("\0", "encoding must be one that Python knows"),
            ("\ud800", "encoding must be one that Python knows"),
            ("undefined", "encoding must be one that Python knows"),
            (8, "encoding must be one that Python knows"),
        ],
    )
    def test_that_are_none(self, write, encoding, says):
        with pytest.raises(InputError, match=says):
            read_labelled(write(as_csv()), encoding=encoding)

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
    def test_that_contradict_the_byte_order_mark(self, write, encoding):
        with pytest.raises(
            CorpusError, match=f"line 1: expected text in latin-1, got the byte order mark of {encoding}"
        ):
            read_labelled(write(as_csv().encode(encoding)), encoding="latin-1")

    @pytest.mark.parametrize(
        ("content", "name", "line"),
        [
            ("ham,fine\nspam,caf\ufffd\n", "x.csv", 2),
            ("mood\ttext\nspam\t\ufffdl\ufffd\nham\tfine\n", "x.tsv", 2),
            (
                '{"label": "a", "text": "fine"}\n{"label": "b", "text": "fine"}\n{"label": "b", "text": "\ufffd"}\n',
                "x.jsonl",
                3,
            ),
        ],
    )
    def test_letters_that_another_program_lost_are_warned_of(self, write, content, name, line):
        path = write(content, name)
        says = rf"^{re.escape(str(path))}, line {line}: got U\+FFFD .* save the original in UTF-8 .* encoding='utf-8'"
        with pytest.warns(UserWarning, match=says):
            file = read_labelled(path)
        assert read_labelled(path, encoding="utf-8") == file  # where it is said, nobody is warned

    def test_a_warning_of_lost_letters_shows_the_line_of_the_caller(self, write):
        path = write("ham,fine\nspam,caf\ufffd\n" * 5)
        with pytest.warns(UserWarning, match=r"U\+FFFD") as caught:
            TextCorpus(path)
        assert [warning.filename for warning in caught] == [__file__]

    def test_a_spreadsheet_and_text_in_two_bytes(self, write):
        with pytest.raises(CorpusError, match="mine.csv, line 2: expected text in utf-8, got a zero byte"):
            read_labelled(write(b"PK\x03\x04\n\x00\x00"))
        with pytest.raises(
            CorpusError, match="line 1: expected text in utf-8, got a zero byte, as UTF-16, .*encoding="
        ):
            read_labelled(write("ham,fine\n".encode("utf-16-le")))
        with pytest.raises(CorpusError, match="expected text in utf-16, got"):
            read_labelled(write("ham,fine\n".encode("utf-16") + b"x"), encoding="utf-16")


class TestFiles:
    def test_a_gzip_file_that_is_none(self, write):
        with pytest.raises(CorpusError, match="x.csv.gz is no gzip file, though its name ends in .gz"):
            read_labelled(write(as_csv(), "x.csv.gz"))

    @pytest.mark.parametrize(
        "damage", [lambda data: data[:-9], lambda data: data[:20] + b"xx" + data[22:], lambda data: data[:5]]
    )
    def test_a_damaged_one(self, write, damage):
        with pytest.raises(CorpusError, match=r"x.csv.gz is a damaged gzip file \("):
            read_labelled(write(damage(gzip.compress(as_csv().encode())), "x.csv.gz"))

    @pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.jsonl", "x.svm"])
    @pytest.mark.parametrize("packed", [False, True])
    def test_an_empty_one(self, write, name, packed):
        with pytest.raises(CorpusError, match=f"{name}: expected .*, got "):
            read_labelled(write(gzip.compress(b"") if packed else b"", name))

    @pytest.mark.parametrize("path", ["nowhere.csv", ".", "a\0b", "a\ud800", None, 3, [1]])
    def test_what_cannot_be_read(self, tmp_path, path):
        path = os.path.join(tmp_path, path) if isinstance(path, str) else path
        with pytest.raises(InputError, match=r"cannot be read: |path must be the path of a file or folder"):
            read_labelled(path)


PIECES = st.sampled_from(
    [
        "label",
        "text",
        ",",
        "\t",
        ";",
        "\n",
        "\r\n",
        '"',
        "{",
        "}",
        ":",
        '"text"',
        "[",
        "1",
        " ",
        "1:1",
        "#",
        "\ufeff",
        "é",
    ]
)


@pytest.mark.slow
@given(
    st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=25).map(lambda pieces: "".join(pieces).encode())),
    st.sampled_from(["x.csv", "x.tsv", "x.jsonl", "x.svm", "x", "x.csv.gz"]),
    st.booleans(),
    st.fixed_dictionaries(
        {},
        optional={
            "form": st.sampled_from(["columns", "jsonl", "svmlight"]),
            "header": st.booleans(),
            "label_column": st.sampled_from([0, 1, 7, "label", "", 0.5]),
            "text_column": st.sampled_from([0, 1, -1, "text", True]),
            "encoding": st.sampled_from(
                ["latin-1", "utf-16", "idna", "punycode", "utf-7", "unicode_escape", "cp037", "no"]
            ),
            "quote": st.sampled_from([None, "'", ",", "\t"]),
            "delimiter": st.sampled_from([",", "\t", "1", "\0", "é"]),
        },
    ),
)
def test_any_bytes_give_examples_or_an_input_error(tmp_path_factory, content, name, packed, settings):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(gzip.compress(content) if packed else content)
    try:
        file = read_labelled(path, **settings)
    except InputError:
        return
    assert len(file.labels) == len(file.lines) == len(file.texts or file.bags) > 0
    assert all(file.labels) and sorted(file.lines) == file.lines
