import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classifiers.mira import Mira
from lxmls_day1.base.errors import InputError
from readers.question_reader import COARSE_CLASSES, Question, QuestionCorpus, parse_question, parse_questions
from readers.vocabulary import count_words, vectorise
from tests.wording import wording

words = st.text(st.characters(exclude_characters=" \r\n", exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=6)


@pytest.fixture
def folder(tmp_path):
    """Return a corpus in the published format: Latin-1, with a byte that is invalid UTF-8, and a byte that some take for a line end."""
    train = "HUM:ind Who was Pel\xe9 ?\nNUM:date When ?\nHUM:gr What team won \x85 ?\nNUM:count How many ?\n"
    (tmp_path / "train_5500.label").write_bytes(train.encode("latin-1"))
    (tmp_path / "TREC_10.label").write_bytes(b"LOC:city Where was Who ?\r\n")
    return tmp_path


fine_classes = st.from_regex(r"[a-z]{1,8}", fullmatch=True)


@given(st.sampled_from(sorted(COARSE_CLASSES)), fine_classes, st.lists(words, min_size=1))
def test_any_line_of_the_format_is_read(coarse, fine, tokens):
    text = " ".join(tokens)
    for end in ("", "\n", "\r\n"):
        assert parse_question(f"{coarse}:{fine} {text}{end}") == Question(coarse, fine, text)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "the line is blank; expected a class and a question, as in COARSE:fine text"),
        ("   ", "the line is blank"),
        ("HUM Who wrote it ?", "no colon in 'HUM'; expected a class such as HUM:ind"),
        (" HUM:ind Who wrote it ?", "no colon in ''"),
        ("hum:ind Who wrote it ?", "the coarse class is 'hum'; expected one of ABBR, DESC, ENTY, HUM, LOC, NUM"),
        ("WHO:ind Who wrote it ?", "the coarse class is 'WHO'"),
        (":ind Who wrote it ?", "the coarse class is ''"),
        ("HUM: Who wrote it ?", "the fine class is ''; expected lower-case letters"),
        ("HUM:ind:x Who wrote it ?", "the fine class is 'ind:x'"),
        ("HUM:ind\tWho wrote it ?", r"the fine class is 'ind\\tWho'"),
        ("HUM:ind", "there is no question after HUM:ind"),
        ("HUM:ind   ", "there is no question after HUM:ind"),
    ],
)
def test_malformed_lines_are_refused(line, says):
    with pytest.raises(InputError, match=says):
        parse_question(line)
    with pytest.raises(InputError, match=f"^q.label, line 2: .*{says}"):
        parse_questions(["NUM:date When ?", line], "q.label")


def test_a_malformed_file_is_named_with_its_line(folder):
    path = folder / "TREC_10.label"
    path.write_bytes(path.read_bytes() + b"\nHUM:ind Who ?\n")
    with pytest.raises(InputError, match=wording("readers.line_line_blank", re.escape(str(path)))):
        QuestionCorpus(data_dir=folder)
    path.write_bytes(b"")
    with pytest.raises(InputError, match=wording("readers.expected_question_per_line", re.escape(str(path)))):
        QuestionCorpus(data_dir=folder)


def test_a_corpus_in_full(folder):
    corpus = QuestionCorpus(data_dir=folder)
    assert corpus.questions[0] == Question("HUM", "ind", "Who was Pelé ?")
    assert corpus.questions[2].text == "What team won \x85 ?"  # One line is one question.
    assert corpus.label_names == ("HUM", "LOC", "NUM") and corpus.y.tolist() == [0, 2, 0, 2, 1]
    assert corpus.train_X.shape[0] == 4 and corpus.dev_X.shape[0] == 0 and corpus.test_X.shape[0] == 1
    assert corpus.feature_names[:7] == ["who", "was", "pelé", "?", "who_was", "was_pelé", "pelé_?"]
    row = {corpus.feature_names[j]: n for j, n in zip(corpus.test_X.indices, corpus.test_X.data, strict=True)}
    assert row == {"who": 1, "was": 1, "?": 1}  # The word "where" and its pairs do not occur in training.
    fine = QuestionCorpus(level="fine", data_dir=folder)
    assert fine.label_names == ("HUM:gr", "HUM:ind", "LOC:city", "NUM:count", "NUM:date")
    assert [fine.label_names[k] for k in fine.y] == ["HUM:ind", "NUM:date", "HUM:gr", "NUM:count", "LOC:city"]


@pytest.mark.parametrize("level", ["coarse", "fine"])
def test_the_toy_corpus_has_every_class_in_both_parts_and_can_be_learnt(level):
    corpus = QuestionCorpus("toy", level=level)
    assert corpus.get_name() == f"Toy questions ({level})"
    assert {q.coarse for q in corpus.questions} == set(COARSE_CLASSES)
    assert set(corpus.train_y) == set(corpus.test_y) == set(range(len(corpus.label_names)))
    texts = [question.text for question in corpus.questions]
    assert len(set(texts)) == len(texts) == corpus.nr_examples == 72
    np.testing.assert_array_equal(corpus.X.toarray(), vectorise(map(count_words, texts), corpus.feat_dict).toarray())
    mira = Mira()
    params = mira.train(corpus.train_X, corpus.train_y)
    majority = Counter(corpus.test_y.tolist()).most_common(1)[0][1] / len(corpus.test_y)
    assert mira.evaluate(corpus.test_y, mira.test(corpus.test_X, params)) > 2 * majority


def test_the_real_corpus_is_as_published(real_data):
    corpus = QuestionCorpus(data_dir=real_data)
    assert corpus.get_name() == "TREC questions (coarse)"
    assert (len(corpus.train_y), len(corpus.test_y)) == (5452, 500)
    assert corpus.label_names == ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")
    assert np.bincount(corpus.train_y).tolist() == [86, 1162, 1250, 1223, 835, 896]
    assert np.bincount(corpus.test_y).tolist() == [9, 138, 94, 65, 81, 113]
    questions = [question.text for question in corpus.questions]
    repeats = Counter(questions[:5452])
    assert sum(count - 1 for count in repeats.values()) == 71
    assert sum(text in repeats for text in questions[5452:]) == 10
    assert sum("\xf0" in text for text in questions) == 1
    fine = QuestionCorpus(level="fine", data_dir=real_data)
    assert len(fine.label_names) == 50 and len(set(fine.test_y.tolist())) == 42
    assert set(fine.test_y.tolist()) <= set(fine.train_y.tolist())
