import csv
import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from classifiers.mira import Mira
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from classifiers.perceptron import Perceptron
from lxmls_day1.errors import CorpusError, InputError
from lxmls_day1.text.tokens import count_tokens
from readers.text_reader import TextCorpus, parse_columns, parse_svmlight
from readers.vocabulary import count_words

MAIL = "ham,See you at noon.\nspam,Win a prize now!\nham,Lunch at noon?\nspam,A prize for you!\n"


@pytest.fixture
def write(tmp_path):
    def write(content, name="mail.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


# -------------------------------------------------------------------------------------------------------- two columns

fields = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\t",;|'), max_size=12)


records = st.lists(st.tuples(fields.filter(str.strip), fields), min_size=1)


@given(records, st.sampled_from("\t,;|"), st.sampled_from(["\n", "\r\n"]))
def test_what_the_csv_module_writes_is_read(rows, delimiter, line_end):
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL).writerows(rows)
    labels, texts = parse_columns(written.getvalue(), delimiter=delimiter)
    assert labels == [label.strip() for label, _ in rows]
    assert texts == [text.strip() for _, text in rows]


@pytest.mark.parametrize("delimiter", "\t,;|")
def test_the_delimiter_is_found(delimiter):
    others = "\t,;|".replace(delimiter, "")
    text = f'b{delimiter}"one{others}"\na{delimiter}"x{delimiter}y"\nc{delimiter}plain\n'
    assert parse_columns(text) == (["b", "a", "c"], [f"one{others}".strip(), f"x{delimiter}y", "plain"])


def test_quotes_line_ends_and_blank_lines():
    text = '\r\nham,"two\r\nlines, ""quoted"""\r\n\r\nspam, "after a space"\r\nham,\r\n\r\n'
    assert parse_columns(text) == (["ham", "spam", "ham"], ['two\r\nlines, "quoted"', "after a space", ""])


def test_quotes_that_mean_nothing():
    text = 'pos\t"Great", he said.\nneg\tNot "so.\n'
    with pytest.raises(CorpusError, match=r"line 1: .*; expected quotes around a whole field .* quote=None"):
        parse_columns(text)
    assert parse_columns(text, quote=None)[1] == ['"Great", he said.', 'Not "so.']


def test_header_and_label_column():
    text = "text,label\nHello.,ham\nBuy!,spam\n"
    assert parse_columns(text, header=True, label_column=1) == (["ham", "spam"], ["Hello.", "Buy!"])


def test_a_field_longer_than_the_csv_module_allows_by_itself():
    limit = csv.field_size_limit()
    assert parse_columns(f"ham,{'x' * 200_000}\n")[1] == ["x" * 200_000]
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize(
    ("text", "settings", "says"),
    [
        ("", {}, "^f.csv: expected a label and a text a line, got an empty file"),
        ("\n\n", {}, "^f.csv: expected a label and a text a line, got an empty file"),
        ("", {"delimiter": ","}, "^f.csv: expected a label and a text a line, got none"),
        ("label,text\n", {"header": True}, "^f.csv: .* got no line but the header"),
        ("Just prose.\nMore.\n", {}, "^f.csv: none of a tab, a comma, a semicolon, a bar parts every line in two"),
        ("a,b\na,b,c\n", {}, "^f.csv: none of a tab"),
        ("a,b\n\na,b,c\n", {"delimiter": ","}, "line 3: got 3 fields; expected two, label and text, parted by a comma"),
        ("a,b\n" * 100 + "a\n", {}, "^f.csv, line 101: got 1 field;"),
        ("a~b\na~\n~b\n", {"delimiter": "~"}, "^f.csv, line 3: the label is empty"),
        ('a,"b\nc"\na,"b"c\n', {}, "^f.csv, line 3: .*expected quotes around a whole field"),
        ('a,b\na,"b\nc\nd\n', {}, "^f.csv, line 2: .*expected quotes around a whole field"),
    ],
)
def test_malformed_columns(text, settings, says):
    with pytest.raises(CorpusError, match=says):
        parse_columns(text, "f.csv", **settings)


# ----------------------------------------------------------------------------------------------------------- svmlight


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_what_scikit_learn_writes_is_read(seed, zero_based, with_queries):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6, 5)).round(3) * (rng.random((6, 5)) < 0.5)
    y = rng.integers(-2, 3, 6)
    content = io.BytesIO()
    queries = np.arange(6) if with_queries else None
    dump_svmlight_file(X, y, content, zero_based=zero_based, query_id=queries, comment="Made for a test.")
    labels, bags = parse_svmlight(content.getvalue().decode())
    assert labels == [str(label) for label in y]
    for bag, row in zip(bags, X, strict=True):
        assert bag == {str(j + (not zero_based)): value for j, value in enumerate(row) if value}


def test_numbers_are_read_as_they_are_meant():
    labels, bags = parse_svmlight("+1 0:1 2:-.5e1 10:0 999999999999:2.\r\n# all a remark\n\n1.0\n-0.5 007:1 # 9:9\n")
    assert labels == ["1", "1", "-0.5"]
    assert bags == [{"0": 1.0, "2": -5.0, "999999999999": 2.0}, {}, {"7": 1.0}]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("spam 1:1", "the label is 'spam'; expected one number"),
        ("1,2 1:1", "the label is '1,2'"),
        ("nan 1:1", "the label is 'nan'"),
        ("1 qid:x 1:1", "got 'qid:x'; expected a whole number after qid:"),
        ("1 1:1 qid:3", "got 'qid:3'; expected index:value"),
        ("1 1", "got '1'; expected index:value, a whole number and a finite one"),
        ("1 1:", "got '1:'"),
        ("1 :1", "got ':1'"),
        ("1 1:1:1", "got '1:1:1'"),
        ("1 -1:1", "got '-1:1'"),
        ("1 a:1", "got 'a:1'"),
        ("1 1:inf", "got '1:inf'"),
        ("1 1:1e999", "got '1:1e999'"),
        ("1 1_0:1", "got '1_0:1'"),
        ("1 1:1_0", "got '1:1_0'"),
        ("1 ١:1", "got '١:1'"),
        (f"1 {'9' * 5000}:1", "got '9999"),
        ("1 3:1 2:1", "index 2 follows 3; expected ascending indices"),
        ("1 3:1 3:1", "index 3 follows 3"),
        ("1 3:1 03:1", "index 3 follows 3"),
    ],
)
def test_malformed_svmlight(line, says):
    with pytest.raises(CorpusError, match=f"^f.svm, line 3: {says}"):
        parse_svmlight(f"-1 1:1\n\n{line}\n", "f.svm")


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n"])
def test_an_empty_svmlight_file(text):
    with pytest.raises(CorpusError, match=r"^f.svm: expected a label and pairs index:value a line, got none"):
        parse_svmlight(text, "f.svm")


# --------------------------------------------------------------------------------------------------------- TextCorpus


def test_a_file_in_its_order(write):
    corpus = TextCorpus(write(MAIL), split=(0.5, 0.25, 0.25), seed=None)
    assert corpus.get_name() == "mail" and corpus.label_names == ("ham", "spam") and corpus.y.tolist() == [0, 1, 0, 1]
    assert (corpus.train_y.tolist(), corpus.dev_y.tolist(), corpus.test_y.tolist()) == ([0, 1], [0], [1])
    assert corpus.texts == ["See you at noon.", "Win a prize now!", "Lunch at noon?", "A prize for you!"]
    seen = set(count_tokens(corpus.texts[0])) | set(count_tokens(corpus.texts[1]))
    assert set(corpus.feature_names) == seen and "lunch" not in seen
    assert corpus.X.shape == (corpus.nr_examples, corpus.nr_features) == (4, len(seen))
    table = [[count_tokens(text).get(token, 0) for token in corpus.feature_names] for text in corpus.texts]
    assert corpus.X.toarray().tolist() == table


def test_examples_are_shuffled_by_a_seed_before_the_split(write):
    path = write("".join(f"{'ham' if i < 40 else 'spam'},word{i}\n" for i in range(50)))
    corpora = [TextCorpus(path, seed=seed) for seed in (1, 1, 2)]
    assert corpora[0].texts == corpora[1].texts != corpora[2].texts
    for corpus in corpora:
        assert sorted(corpus.texts) == sorted(f"word{i}" for i in range(50))
        assert set(corpus.train_y) == {0, 1}  # though the file is sorted by label
        for text, label in zip(corpus.texts, corpus.y, strict=True):
            assert corpus.label_names[label] == ("ham" if int(text[4:]) < 40 else "spam")


def test_a_test_file_of_its_own(write):
    corpus = TextCorpus(write(MAIL), write("spam,A noon prize\nother,x\n", "test.csv"))
    assert (corpus.train_X.shape[0], corpus.dev_X.shape[0], corpus.test_X.shape[0]) == (4, 0, 2)
    assert corpus.label_names == ("ham", "other", "spam") and corpus.test_y.tolist() == [2, 1]
    assert corpus.texts[4:] == ["A noon prize", "x"] and "noon_prize" not in corpus.feat_dict
    with_dev = TextCorpus(write(MAIL), write("spam,x\n", "test.csv"), split=(0.5, 0.5, 0))
    assert (len(with_dev.train_y), len(with_dev.dev_y), len(with_dev.test_y)) == (2, 2, 1)
    with pytest.raises(InputError, match="test_path, so its share of the first file has to be 0"):
        TextCorpus(write(MAIL), write("spam,x\n", "test.csv"), split=(0.8, 0, 0.2))


def test_counting_and_the_rare_word_cut_can_be_chosen(write):
    corpus = TextCorpus(write("a,x x Y\nb,x y\n"), split=(1, 0, 0), count=count_words, min_count=2)
    assert corpus.feat_counts == {"x": 3, "y": 2, "x_y": 2}


def test_labels_that_are_numbers_are_sorted_as_numbers(write):
    corpus = TextCorpus(write("10,a\n9,b\n-1,c\n"), split=(1, 0, 0), seed=None)
    assert corpus.label_names == ("-1", "9", "10") and corpus.y.tolist() == [2, 1, 0]
    assert TextCorpus(write("10,a\n9,b\nx,c\n"), split=(1, 0, 0)).label_names == ("10", "9", "x")


@pytest.mark.parametrize("zero_based", [True, False])
def test_svmlight_agrees_with_scikit_learn(write, zero_based):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 30)).round(3) * (rng.random((20, 30)) < 0.2), rng.integers(0, 12, 20)
    content = io.BytesIO()
    dump_svmlight_file(X, y, content, zero_based=zero_based)
    path = write(content.getvalue(), "data.svmlight")
    corpus = TextCorpus(path, split=(0.7, 0, 0.3), seed=None)
    theirs, labels = load_svmlight_file(str(path), zero_based=zero_based, n_features=30)
    in_training = np.flatnonzero(np.abs(X[:14]).sum(axis=0))
    assert [int(name) - (not zero_based) for name in corpus.feature_names] == in_training.tolist()
    np.testing.assert_array_equal(corpus.X.toarray(), theirs.toarray()[:, in_training])
    assert [int(corpus.label_names[k]) for k in corpus.y] == labels.tolist()
    assert corpus.texts == [] and list(map(int, corpus.label_names)) == sorted(set(y.tolist()))


def test_the_form_can_be_said(write):
    path = write("1 1:1\n2 2:1\n", "data.txt")
    assert TextCorpus(path, form="svmlight", split=(1, 0, 0)).nr_features == 2
    with pytest.raises(CorpusError, match="form='svmlight'"):
        TextCorpus(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(write, encoding):
    corpus = TextCorpus(write("été,déjà vu\n".encode(encoding)), encoding=encoding, split=(1, 0, 0))
    assert corpus.label_names == ("été",) and corpus.texts == ["déjà vu"]
    assert TextCorpus(write("été,x\n".encode("utf-8-sig")), split=(1, 0, 0)).label_names == ("été",)


def test_a_file_in_another_encoding(write):
    path = write("ham,fine\nspam,caf\xe9\n".encode("latin-1"))
    says = rf"^{re.escape(str(path))}, line 2: expected text in utf-8, got the byte 0xE9; .*encoding="
    with pytest.raises(CorpusError, match=says):
        TextCorpus(path)
    with pytest.raises(InputError, match="encoding must be one that Python knows"):
        TextCorpus(path, encoding="klingon")


def test_errors_name_file_and_line(write):
    path = write("ham,fine\nspam\n")
    with pytest.raises(CorpusError, match=rf"^{re.escape(str(path))}, line 2: got 1 field;"):
        TextCorpus(path, delimiter=",")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"form": "xml"}, "form must be 'columns' or 'svmlight', got 'xml'"),
        ({"label_column": 2}, "label_column must be 0 or 1"),
        ({"label_column": True}, "label_column must be 0 or 1"),
        ({"delimiter": ", "}, "delimiter must be one character"),
        ({"delimiter": " "}, "delimiter must be one character"),
        ({"quote": ""}, "quote must be one character"),
        ({"quote": ",", "delimiter": ","}, "must be different characters"),
        ({"min_count": 0}, "min_count must be a whole number from 1 on"),
        ({"min_count": 2, "form": "svmlight"}, "min_count is for text"),
        ({"min_count": 50}, "no token of the training part occurs min_count=50 times"),
        ({"split": (0.5, 0.5)}, "split wants three shares"),
        ({"split": (0.9, 0, 0.2)}, "may sum to 1 at most"),
        ({"seed": -1}, "seed must be a whole number at least 0"),
    ],
)
def test_arguments_that_make_no_sense(write, arguments, says):
    with pytest.raises(InputError, match=says):
        TextCorpus(write(MAIL), **arguments)


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(InputError, match=r"nowhere.csv cannot be read: "):
        TextCorpus(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="cannot be read: "):
        TextCorpus(tmp_path)


def test_three_hundred_classes(write):
    """Each class has a word of its own among words of all: separable, so that every learner must get all right."""
    rng = np.random.default_rng(0)
    n_classes, n_documents = 300, 5
    lines = [
        f"class{k:03},own{k} own{k} " + " ".join(f"w{j}" for j in rng.integers(0, 200, 5))
        for k in range(n_classes)
        for _ in range(n_documents)
    ]
    corpus = TextCorpus(write("\n".join(lines)), count=count_words)
    assert corpus.label_names == tuple(f"class{k:03}" for k in range(n_classes))
    assert len(corpus.test_y) == n_classes * n_documents // 5
    settings = {"nr_rounds": 20, "averaged": False}
    for classifier in (Perceptron(**settings), Mira(**settings), MultinomialNaiveBayes(smooth_param=0.01)):
        params = classifier.train(corpus.train_X, corpus.train_y)
        assert params.shape == (corpus.nr_features + 1, n_classes)
        assert classifier.evaluate(corpus.train_y, classifier.test(corpus.train_X, params)) == 1.0
        assert classifier.evaluate(corpus.test_y, classifier.test(corpus.test_X, params)) > 0.95
