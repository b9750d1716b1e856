import bz2
import csv
import gzip
import io
import json
import lzma
import pickle
import re
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.base.errors import CorpusError, InputError
from lxmls_day1.engine.text import text_blocks
from lxmls_day1.engine.text.documents import read_bytes
from lxmls_day1.engine.text.labelled_files import LabelledStream, name_of_data, read_labelled
from lxmls_day1.engine.text.tables import column_records
from tests.wording import wording

fields = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\t",;|'), max_size=12)
EXAMPLES = [
    ("card_arrival", "Where is my card, please?"),
    ("card_arrival", 'It still says "pending".\nIt did so yesterday, too.'),
    ("exchange_rate", "What are your rates; how often do they change?"),
    ("exchange_rate", "Is 1€ one dollar | or more?"),
    ("top_up", "text"),
    ("top_up", "My déjà vu:\ttopping up failed again!"),
]
NAMES_OF_DATA = {"a/train.csv": "train", "train.jsonl.gz": "train", "my.mails.tsv": "my.mails", "x.gz": "x", "x": "x"}
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
        (file,) = read_labelled(write(gzip.compress(data, mtime=0) if packed else data, name + ".gz" * packed))
        line_end = "\r\n" if "\r\nIt did" in content else "\n"
        assert (file.labels, file.bags) == (LABELS, [])
        assert file.texts == [text.replace("\n", line_end) for text in TEXTS]

    @pytest.mark.parametrize("packed", [False, True])
    @pytest.mark.parametrize("ending", [".svmlight", ".libsvm", ".SVM"])
    def test_svmlight_files_are_read(self, write, ending, packed):
        data = "\ufeff+1 3:1 17:2.5  # a remark\r\n-1 qid:4 2:1\r\n".encode()
        (file,) = read_labelled(write(gzip.compress(data, mtime=0) if packed else data, f"x{ending}" + ".gz" * packed))
        assert (file.labels, file.texts, file.lines) == (["1", "-1"], [], [1, 2])
        assert file.bags == [{"3": 1.0, "17": 2.5}, {"2": 1.0}]

    def test_a_gzip_file_of_any_name(self, write):
        assert read_labelled(write(gzip.compress(as_csv().encode()), "train.csv"))[0].labels == LABELS

    @pytest.mark.parametrize(("name", "expected"), NAMES_OF_DATA.items())
    def test_the_name_of_the_data(self, name, expected):
        assert name_of_data(name) == expected


class TestColumns:
    def test_the_guessed_layout_is_reported(self, write):
        with_names = "a comma between columns, a header; label in 'category', text in 'text'"
        without = "a tab between columns, no header; label in column 1, text in column 0"
        for content, name, described in (
            (as_csv(), "mine.csv", f"mine.csv: {with_names}; 6 examples, 3 classes"),
            (as_csv("\t", names=None), "x.tsv", f"x.tsv: {without}; 6 examples, 3 classes"),
            (as_json_lines().encode("utf-16"), "x.jsonl", wording("engine.x_jsonl_json_lines")),
            ("1 1:1\n", "x.svm", "x.svm: svmlight features; 1 example, 1 class"),
        ):
            assert read_labelled(write(content, name))[0].described == described


JSON_START = '{"text": "a", "label": "x"}\n\n'
TRAIN = as_csv()
NO_NAMES = "ham,fine\nspam,win\n"
NOTHING = ": expected lines with a label and a text (or features), got none"
NO_ENCODING = "encoding must be one that Python knows, such as 'latin-1', got "
NO_LATIN = "expected text in latin-1, got the byte order mark of "

#: Name of the file, its content, and the message.
CONTENTS = [
    ("x.csv", "", NOTHING),
    ("x.jsonl", "", NOTHING),
    ("x.svm", "", NOTHING),
    ("x.csv", "\n \n", NOTHING),
    ("x.svm", "# nothing\n", NOTHING),
    ("x.csv", "label,text\n", ": expected a label and a text per line, got no line but the header label, text"),
    ("x.txt", "Just prose.\nMore.\n", ": none of a tab, a comma, a semicolon, a bar splits every line"),
    ("x.csv", "a,b\n\na,b,c\n", ", line 3: got 3 fields; expected 2 as in line 1, separated by a comma: a text"),
    ("x.csv", "a,b,c\na,b\n", ", line 2: got 2 fields; expected 3 as in line 1"),
    ("x.csv", 'a,"b\nc"\na,"b"c\n', ", line 3: ',' expected after '\"'; expected quotes around a whole field"),
    ("x.csv", "label,text\na,b\n,c\n", ", line 3: the label, in 'label', is empty; expected a word or a number"),
    ("x.jsonl", '{\n  "text": "a"\n}\n', ", line 1: this is not JSON ("),
    ("x.jsonl", '[{"text": "a"}]', ", line 1: got a list; expected one JSON object per line"),
]
#: The third line of a file, and the message.
JSON_LINES = [
    ("nonsense", "this is not JSON (Expecting value"),
    ("[" * 100_000, "this is not JSON ("),
    ('"text"', "got a text; expected one JSON object per line"),
    ("null", "got null; expected one JSON object per line"),
    ('{"text": "b"}', "the label, in 'label', is missing; expected a word or a number"),
    ('{"text": "b", "label": null}', "the label, in 'label', is null"),
    ('{"text": 1, "label": "x"}', "the text, in 'text', is a number; expected text in quotes"),
    ('{"label": "x", "text": "\\ud800"}', "got half a surrogate pair"),
]
SVMLIGHT_LINES = [
    ("spam 1:1", "the label is 'spam'; expected one number"),
    ("1 qid:x 1:1", "got 'qid:x'; expected a whole number after qid:"),
    ("1 1:1 qid:3", "got 'qid:3'; expected index:value"),
    ("1 1", "got '1'; expected index:value, a whole number and a finite one"),
    ("1 1:", "got '1:'"),
    ("1 1:1e999", "got '1:1e999'"),
    ("1 1:1_0", "got '1:1_0'"),
    (f"1 {'9' * 5000}:1", "got '9999"),
    ("1 3:1 2:1", "index 2 follows 3; expected ascending indices"),
    ("1 3:1 3:1", "index 3 follows 3"),
]
#: Settings, and the message.
UNFIT_COLUMNS = [
    ({"label_column": 2}, "label_column is 2, but {} has 2 columns: give a number from 0 to 1"),
    ({"label_column": 1, "text_column": 1}, "label_column and text_column must be different columns, but both"),
    ({"label_column": "a", "header": False}, "label_column is 'a', but {} has no header with names; give the"),
]
BAD_SETTINGS = [
    ({"label_column": "catgory"}, " has no column 'catgory' for label_column (--label-column); did you mean"),
    ({"form": "xml"}, "form must be 'columns' or 'jsonl' or 'svmlight', got 'xml'"),
    ({"label_column": True}, "label_column must be the name of a column or its number"),
    ({"header": "yes"}, "header must be True, False or None"),
    ({"delimiter": ", "}, "delimiter must be None or one character"),
    ({"quote": ",", "delimiter": ","}, "delimiter and quote must be different characters"),
    ({"encoding": "latin-11"}, f"{NO_ENCODING}'latin-11'; did you mean latin-1"),
    *[({"encoding": name}, NO_ENCODING) for name in ("klingon", "hex", "\0", "\ud800", "undefined", 8)],
]
#: The content of a file, the number of the line, and the message.
BAD_BYTES = [
    ("a,fine\nb,café\n".encode("latin-1"), 2, "the byte 0xE9; in cp1252 it would read 'b,café': if that is right"),
    ("a,fine\nb,5 €\n".encode("cp1252"), 2, "the byte 0x80; in cp1252 it would read 'b,5 €'"),
    ("a,fine\nb,caf\x81é\n".encode("latin-1"), 2, "the byte 0x81; save the file in utf-8, or name its"),
    ("ham,fine\n".encode("utf-16-le"), 1, "a zero byte, as in UTF-16, archives and spreadsheets"),
    (b"\xd0\n\x00\x00", 1, "the byte 0xD0"),
]

#: Name of the file, its content, settings; the kind of the error, and the message after the file's path.
REFUSED = [
    # Contents of the file
    *((name, content, {}, CorpusError, says) for name, content, says in CONTENTS),
    ("x.csv", "a,b\n", {"delimiter": "~"}, CorpusError, ", line 1: got 1 field; expected two or more, a label"),
    *(("x.jsonl", JSON_START + line, {}, CorpusError, f", line 3: {says}") for line, says in JSON_LINES),
    *(("x.svm", f"-1 1:1\n\n{line}\n", {}, CorpusError, f", line 3: {says}") for line, says in SVMLIGHT_LINES),
    # The columns and other settings
    ("x.csv", "a,b,c\nd,e,f\n", {}, InputError, " has 3 columns (0 such as 'a', 1 such as 'b', 2 such as 'c')"),
    ("x.csv", "a,a\nb,c\n", {"label_column": "a"}, InputError, " has several columns 'a'; give label_column"),
    ("x.jsonl", as_json_lines(), {"header": False}, InputError, "header is for columns, but {} holds jsonl; got False"),
    ("x.svm", "1 1:1\n", {"label_column": 0}, InputError, "label_column is for texts, but {} holds svmlight; got 0"),
    *(("x.csv", NO_NAMES, settings, InputError, says) for settings, says in UNFIT_COLUMNS),
    *(("x.csv", TRAIN, settings, InputError, says) for settings, says in BAD_SETTINGS),
    # Bytes
    *(
        ("x.csv", content, {}, CorpusError, f", line {line}: expected text in utf-8, got {says}")
        for content, line, says in BAD_BYTES
    ),
    *[
        ("x.csv", TRAIN.encode(mark), {"encoding": "latin-1"}, CorpusError, f", line 1: {NO_LATIN}{mark}")
        for mark in ("utf-8-sig", "utf-16")
    ],
    ("x.csv", "ham,fine\n".encode("utf-16") + b"x", {"encoding": "utf-16"}, CorpusError, ", line 2: expected text in"),
    *[
        ("x.csv.gz", damage(gzip.compress(TRAIN.encode(), mtime=0)), {}, CorpusError, " is a damaged gzip file (")
        for damage in (lambda data: data[:-9], lambda data: data[:20] + b"xx" + data[22:], lambda data: data[:5])
    ],
]


class TestRefused:
    """Bad files are refused with the same words in memory and in pieces."""

    @pytest.mark.parametrize(("name", "content", "settings", "kind", "says"), REFUSED)
    def test_bad_files_are_refused_alike_in_memory_and_in_pieces(self, write, name, content, settings, kind, says):
        path = write(content, name)
        with pytest.raises(kind) as in_memory:
            read_labelled(path, **settings)
        with pytest.raises(kind) as in_pieces:
            list(LabelledStream([path], **settings))
        wanted = says.replace("{}", str(path))
        assert str(in_memory.value) == str(in_pieces.value)
        assert str(in_memory.value).startswith((f"{path}{wanted}", wanted))


class TestSeveralFiles:
    """Additional files have the columns of the first file, with or without their own header."""

    FEW = EXAMPLES[:3]

    @pytest.mark.parametrize("first", [TRAIN, as_csv(names=None), as_json_lines()])
    @pytest.mark.parametrize(
        "second", [as_csv(examples=FEW), as_csv(names=None, examples=FEW), as_csv(";", examples=FEW), as_json_lines()]
    )
    def test_the_same_columns(self, write, first, second):
        files = read_labelled(write(first, "train.txt"), write(gzip.compress(second.encode(), mtime=0), "test.txt"))
        assert [file.labels[:3] for file in files] == [LABELS[:3]] * 2
        assert [file.texts[:3] for file in files] == [TEXTS[:3]] * 2

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (
                "text,category\nHello.,top_up\nHm.,tpo_up\n",
                ", line 3: the label 'tpo_up' is not among those known, 'card_arrival', 'exchange_rate', 'top_up'; correct it, leave such lines out,",
            ),
            ("text,intent\nHello.,top_up\nHm.,top_up\n", " has no column 'category' for label_column (--label-column)"),
            ("", ": expected lines with a label and a text (or features), got none"),
        ],
    )
    def test_inconsistent_further_files_are_refused(self, write, content, says):
        second = write(content, "t.csv")
        with pytest.raises(InputError, match=f"^{re.escape(str(second) + says)}"):
            read_labelled(write(TRAIN), second)


class TestPieces:
    """The ends of pieces make no difference."""

    @pytest.mark.parametrize("piece", [4, 7, 64])
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("x.csv", TRAIN),
            ("x.csv", TRAIN.replace("\n", "\r\n").encode("utf-16")),
            ("x.csv", gzip.compress(as_csv(";", names=None).encode("utf-8-sig"))),
            ("x.csv", "\n" * 200 + TRAIN),
            ("x.csv", 'label,text\na,5" disk\n' + "".join(f'{k},"{n}\nmore"\n' for n, k in enumerate("abab"))),
            ("x.jsonl", as_json_lines()),
            ("x.svm", "# r\n+1 1:2 3:4\n\n-1 2:7\n" * 9),
        ],
    )
    def test_pieces_of_any_size_give_the_same_examples(self, write, monkeypatch, name, content, piece):
        path = write(content, name)
        settings = {} if name != "x.csv" or b"label" not in path.read_bytes() else {"header": True}
        (whole,) = read_labelled(path, **settings)
        monkeypatch.setattr(text_blocks, "PIECE_BYTES", piece)
        assert read_labelled(path, **settings) == [whole]

    @pytest.mark.slow
    @given(
        st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(fields, min_size=n, max_size=n), min_size=1)),
        st.sampled_from("\t,;|"),
        st.sampled_from(["\n", "\r\n"]),
    )
    def test_files_of_the_csv_module_are_read(self, rows, delimiter, line_end):
        written = io.StringIO(newline="")
        csv.writer(written, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL).writerows(rows)
        lines = io.StringIO(written.getvalue(), newline="")
        assert [row for _, row in column_records(lines, "f.csv", delimiter, '"')] == rows


class TestEncodings:
    @pytest.mark.parametrize(
        ("content", "name", "line"),
        [
            ("ham,fine\nspam,caf\ufffd\n", "x.csv", 2),
            ("mood\ttext\nspam\t\ufffdl\ufffd\nham\tfine\n", "x.tsv", 2),
            (JSON_START + '{"label": "b", "text": "\ufffd"}\n', "x.jsonl", 3),
        ],
    )
    def test_letters_that_another_program_lost_are_warned_of(self, write, content, name, line):
        path = write(content, name)
        says = rf"^{re.escape(str(path))}, line {line}: got U\+FFFD .* save the original in UTF-8 .* encoding='utf-8'"
        with pytest.warns(UserWarning, match=says):
            file = read_labelled(path)
        assert read_labelled(path, encoding="utf-8") == file  # A given encoding causes no warning.

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252"])
    def test_the_encoding_can_be_given(self, write, encoding):
        examples = [(label, text.replace("€", " euro")) for label, text in EXAMPLES]
        path = write(as_csv(examples=examples).encode(encoding))
        assert read_labelled(path, encoding=encoding)[0].texts == [text for _, text in examples]

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
    def test_a_byte_order_mark_names_the_encoding(self, write, encoding):
        assert read_labelled(write(as_csv().encode(encoding)))[0].texts == TEXTS


ROWS = "".join(f"{label},a {word} film {n}\n" for n in range(4) for label, word in (("pos", "lovely"), ("neg", "dull")))
TABLE = "label,text\n" + ROWS
REPORTED = "mine.csv: a {} between columns, {} header; label in {}, text in {}{}; 8 examples, 2 classes"
WITH_NAMES, WITHOUT = ("a", "'label'", "'text'"), ("no", "column 0", "column 1")

#: A file, settings, and the report: the delimiter, the header, and the lines that are not examples.
AROUND_THE_TABLE = {
    "sep": ("sep=;\n" + TABLE.replace(",", ";"), {}, "semicolon", WITH_NAMES, "; line 1 names the delimiter, 'sep=;'"),
    "sep in quotes, no header": ('"sep=|"\r\n' + ROWS.replace(",", "|"), {}, "bar", WITHOUT, "; line 1 names the delimiter, '\"sep=|\"'"),
    "sep of a tab": ("SEP=\\t\n" + TABLE.replace(",", "\t"), {}, "tab", WITH_NAMES, "; line 1 names the delimiter, 'SEP=\\\\t'"),
    "sep is overruled": ("sep=;\n" + TABLE, {"delimiter": ","}, "comma", WITH_NAMES, "; line 1 names the delimiter, 'sep=;'"),
    "title": ("My reviews\n\n" + TABLE, {}, "comma", WITH_NAMES, "; line 1 is a title, 'My reviews', and is skipped"),
    "title with the delimiters of a row": ("My reviews,\n" + TABLE, {}, "comma", WITH_NAMES, "; line 1 is a title, 'My reviews,', and is skipped"),
    "title with a comma": ("Reviews, 2024\n" + TABLE, {}, "comma", WITH_NAMES, "; line 1 is a title, 'Reviews, 2024', and is skipped"),
    "title without a header": ("My reviews,\n" + ROWS, {}, "comma", WITHOUT, "; line 1 is a title, 'My reviews,', and is skipped"),
    "two titles": ("Export\nPage 1\n" + TABLE, {}, "comma", WITH_NAMES,
        "; line 1 is a title, 'Export', and is skipped; line 2 is a title, 'Page 1', and is skipped"),
    "comment": ("# made by hand, with care\n" + TABLE, {}, "comma", WITH_NAMES, "; line 1 is a comment, '# made by hand, with care', and is skipped"),
    "comment without a blank": ("#made by hand\n" + ROWS, {}, "comma", WITHOUT, "; line 1 is a comment, '#made by hand', and is skipped"),
    "comment between": (TABLE.replace("neg", "# half\nneg", 1), {}, "comma", WITH_NAMES, "; skipped line 3, a comment"),
    "two files joined": (TABLE.replace("neg,a dull film 1", "Label, text\nneg,a dull film 1"), {}, "comma", WITH_NAMES, "; skipped line 5, equal to the header"),
    "three files joined": (re.sub("(neg,a dull film [12])", r"\1\nlabel,text", TABLE), {}, "comma", WITH_NAMES, "; skipped lines 6, 9, equal to the header"),
    "skipped lines": ("one\ntwo, three, four\n" + TABLE, {"skip_lines": 2}, "comma", WITH_NAMES, "; skipped the first 2 lines"),
    "an empty text is no title": (ROWS.replace("pos,a lovely film 0", "pos,"), {}, "comma", WITHOUT, ""),
    "a hashtag is no comment": (ROWS.replace("pos,a lovely film 0", "pos,#lovely"), {}, "comma", WITHOUT, ""),
}  # fmt: skip


@pytest.mark.parametrize("case", AROUND_THE_TABLE)
def test_lines_around_a_table_are_reported_and_become_no_class(write, case):
    content, settings, delimiter, (header, label, text), notes = AROUND_THE_TABLE[case]
    for line_end in ("\n", "\r\n"):
        (file,) = read_labelled(write(content.replace("\r", "").replace("\n", line_end)), **settings)
        assert file.labels == ["pos", "neg"] * 4
        assert file.described == REPORTED.format(delimiter, header, label, text, notes)
        lines = content.replace("\r", "").split("\n")
        assert file.labels == [lines[number - 1][:3] for number in file.lines]


@pytest.mark.parametrize("header", ["nation,surname", "1st_label,2nd_text", "Was it good?,What did the customer say?"])
def test_a_first_line_that_may_be_a_header_is_warned_of(write, recwarn, header):
    rows = "".join(f"{'it' if n % 2 else 'fr'},name{n}\n" for n in range(12))
    label = header.partition(",")[0]
    with pytest.warns(UserWarning, match=re.escape(wording("engine.may_be_header", label))):
        (file,) = read_labelled(write(f"{header}\n{rows}"))
    assert len(file.labels) == 13
    recwarn.clear()
    read_labelled(write(f"{header}\n{rows}"), header=True)
    read_labelled(write(f"{header}\n{rows}"), header=False)
    read_labelled(write(rows))
    read_labelled(write("es,Perez\n" + rows[:30]))  # The classes are many for so few examples.
    assert not recwarn.list


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        ("5 5.0 4", "'5' and '5.0'"),
        ("pos POS Pos", "'POS' and 'Pos' and 'pos'"),
        ("\u00e9 e\u0301 e", r"'e\u0301' and '\xe9'"),
        ("no \u200bno yes", r"'no' and '\u200bno'"),
        ("1 \uff11 2", "'1' and '１'"),
        ("a A b B c C d D", "'A' and 'a'; 'B' and 'b'; 'C' and 'c'; …"),
    ],
)
def test_classes_that_look_alike_are_named(write, labels, shown):
    with pytest.warns(UserWarning, match=re.escape(wording("engine.look_alike", shown))):
        (file,) = read_labelled(write("label,text\n" + "".join(f"{label},a film\n" for label in labels.split())))
    assert file.labels == labels.split()


def test_a_class_of_missing_labels_is_named(write):
    with pytest.warns(UserWarning, match=wording("engine.missing_label")):
        read_labelled(write("label,text\n" + "NaN,a film\n12345678901234567,x\n12345678901234568,y\n" * 2))


ALONE = "is the label of this example alone"
THREE_HEADERS = "sentiment,review\ntopic,body\nsentiment,text\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (ROWS + "label,text\n" + ROWS, f"line 9: 'label' {ALONE}, and looks like the name of a column"),
        (ROWS + "# part 2,of 2\n" + ROWS, f"line 9: '# part 2' {ALONE}, and looks like a comment"),
        (ROWS + "sentiment,review\n", f"line 9: 'sentiment' {ALONE}"),
        (ROWS + THREE_HEADERS, "line 9: 'sentiment' is the label of 2 examples like this one, and looks"),
        (TABLE + "// half, done\n", f"line 10: '// half' {ALONE}, and looks like a comment"),
        (TABLE.replace("t\n", "t\n-----,-----\n", 1), f"line 2: '-----' {ALONE}, and looks like a line drawn"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*'topic' is the label")
def test_a_class_of_examples_that_look_like_a_column_is_warned_of(write, content, says):
    with pytest.warns(UserWarning, match=re.escape(says)):
        read_labelled(write(content))


def zipped(*names, content=TABLE):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), content)  # The header has no time.
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (bz2.compress(TABLE.encode()), "mine.csv.bz2"),
        (bz2.compress(ROWS.encode()) + bz2.compress(ROWS.encode()), "mine"),
        (lzma.compress(TABLE.encode()), "mine.csv.xz"),
        (lzma.compress(TABLE.replace(",", "\t").encode("utf-16")), "mine.tsv.xz"),
        (zipped("mine.csv"), "mine.csv.zip"),
        (zipped("__MACOSX/._mine.csv", "folder/", "folder/mine.tsv", content=TABLE.replace(",", "\t")), "other.zip"),
        (zipped("mine.jsonl", content=as_json_lines()), "mine.zip"),
    ],
    ids=lambda value: value if isinstance(value, str) else "packed",
)
@pytest.mark.parametrize("piece", [4, 1 << 20])
def test_packed_files_of_one_file_are_read(write, monkeypatch, data, name, piece):
    monkeypatch.setattr(text_blocks, "PIECE_BYTES", piece)
    (file,) = read_labelled(write(data, name))
    assert file.labels[:2] in (["pos", "neg"], LABELS[:2]) and file.name in ("mine", "other")


NPY = io.BytesIO()
np.save(NPY, np.eye(2))
PICKLE = pickle.dumps([1])


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (zipped("[Content_Types].xml", "xl/workbook.xml"), " is an Excel workbook; save it as CSV in UTF-8"),
        (zipped("word/document.xml"), " is a Word document; save"),
        (zipped("mimetype", "content.xml"), " is an OpenDocument file"),
        (zipped("a.csv", "b.csv"), " is a zip archive of 2 files (a.csv, b.csv); unpack it, and name a file"),
        (zipped("X.npy", "y.npy"), " is an .npz file of NumPy; load it in Python"),
        (zipped(), " is an empty zip archive"),
        (zipped("a.zip", content=zipped("a.csv")), ", unpacked, is a zip file again; unpack it"),
        (gzip.compress(gzip.compress(TABLE.encode(), mtime=0), mtime=0), ", unpacked, is a gzip file again; unpack it"),
        (lzma.compress(TABLE.encode(), format=lzma.FORMAT_ALONE), " is an .lzma file"),
        (b"Obj\1\4\x16avro.schema", " is an Avro file"),
        (zipped("a.csv")[:60], " is a damaged zip file ("),
        (zipped("a.parquet", content="PAR1...PAR1"), ", unpacked, is a Parquet file"),
        (NPY.getvalue(), " is a NumPy file"),
        (PICKLE, " is a pickle of Python, which cannot be read as text; load it in Python where you trust it"),
        (b"PAR1\x15\x04...PAR1", " is a Parquet file, which cannot be read as text; write it as JSON Lines"),
        (b"7z\xbc\xaf\x27\x1c\0\4", " is a 7z archive, which cannot be read as text; unpack it"),
        (b"%PDF-1.7\n%\xe2\xe3", " is a PDF file"),
        (b"Rar!\x1a\x07\x01\0", " is a RAR archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(8), " is an old Office file"),
        (b"\x28\xb5\x2f\xfd\x24", " is a Zstandard file"),
        (b"SQLite format 3\0", " is an SQLite database"),
        (b"a.csv" + bytes(252) + b"ustar\x0000", " is a tar archive"),
        (gzip.compress(PICKLE, mtime=0), ", unpacked, is a pickle of Python"),
        (bz2.compress(TABLE.encode())[:-9], " is a damaged bzip2 file ("),
        (lzma.compress(TABLE.encode())[:-9], " is a damaged xz file ("),
        (b"BZh91AY&SYxxxxxxxxxxxxx", " is a damaged bzip2 file ("),
        (b"\xfd7zXZ\0xxxxxxxxxxxxxxxx", " is a damaged xz file ("),
    ],
)
def test_binary_files_are_named_by_their_first_bytes(write, data, says):
    for name in ("x.csv", "x.svm", "x"):
        path = write(data, name)
        for read in (lambda path=path: read_labelled(path), lambda path=path: read_bytes(str(path))):
            with pytest.raises(InputError, match=f"^{re.escape(f'{path}{says}')}"):
                read()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("__label__pos a lovely, long film\n__label__neg a dull film\n", " is a file of fastText; write it as TSV"),
        ("__label__a __label__b both of them\n", " is a file of fastText"),
        ("1 |words good:2 film\n-1 |words bad film\n", " is a file of Vowpal Wabbit; write its features as svmlight"),
        ("1 1.0 'tag1| price:.23 sqft:.25\n", " is a file of Vowpal Wabbit"),
        ("1:0.5 2:1 | a b\n", " is a file of Vowpal Wabbit"),
        ("0:1:0.5 | a b\n", " is a file of Vowpal Wabbit"),
        ("-1 | price:.23 sqft:.25 age:.05 2006\n", " is a file of Vowpal Wabbit"),
    ],
)
@pytest.mark.parametrize("name", ["x.txt", "x.csv", "x.svm"])
def test_files_of_other_programs_are_named(write, content, says, name):
    path = write(content, name)
    with pytest.raises(InputError, match=f"^{re.escape(f'{path}{says}')}(?s:.*)--format"):
        read_labelled(path)


def test_tables_like_those_of_other_programs_are_tables(write):
    for content in (
        "__label__pos,a lovely film\n__label__neg,a dull film\n" * 2,
        "1|good film\n2|bad film\n" * 2,
        "1 | good film\n2 | bad film\n" * 2,
        "12:30 | good film\n12:45:10 | bad film\n" * 2,
    ):
        assert len(set(read_labelled(write(content))[0].labels)) == 2


def test_blanks_before_values_and_another_first_number(write):
    (file,) = read_labelled(write("1  1: .50 3:\t-2e1\n-1 qid:3 1: .50 # 2: x\n1 2:1\n", "x.svm"))
    assert list(file.bags) == [{"1": 0.5, "3": -20.0}, {"1": 0.5}, {"2": 1.0}]
    from_0, from_1 = write("1 0:1 2:1\n2 1:1\n", "from0.svm"), write("1 1:1 3:1\n2 2:1\n", "from1.svm")
    for first, second in ((from_0, from_1), (from_1, from_0)):
        with pytest.warns(UserWarning, match=wording("engine.file_counts_features_other")):
            read_labelled(first, second)
    # A warning would be an error here. Some features may be missing.
    read_labelled(from_0, write("1 1:1\n", "sparse.svm"))


def test_skipped_lines_of_every_format(write):
    for name, content in (("x.jsonl", as_json_lines()), ("x.svm", "1 1:1\n2 1:1\n"), ("x.csv", TRAIN)):
        (plain,) = read_labelled(write(content, name))
        (skipped,) = read_labelled(write("a,b\n\n" + content, name), skip_lines=2)
        assert skipped.labels == plain.labels and skipped.lines == [line + 2 for line in plain.lines]
    with pytest.raises(CorpusError, match="got none"):
        read_labelled(write(TRAIN), skip_lines=100)
