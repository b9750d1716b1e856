import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

from lxmls_day1.engine.text.svmlight import parse_svmlight
from lxmls_day1.errors import CorpusError


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_what_scikit_learn_writes_is_read(seed, zero_based, with_queries):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6, 5)).round(3) * (rng.random((6, 5)) < 0.5)
    y = rng.integers(-2, 3, 6)
    content = io.BytesIO()
    queries = np.arange(6) if with_queries else None
    dump_svmlight_file(X, y, content, zero_based=zero_based, query_id=queries, comment="Made for a test.")
    labels, bags, lines = parse_svmlight(content.getvalue().decode())
    assert labels == [str(label) for label in y] and lines == sorted(set(lines))
    for bag, row in zip(bags, X, strict=True):
        assert bag == {str(j + (not zero_based)): value for j, value in enumerate(row) if value}


def test_numbers_are_read_as_they_are_meant():
    labels, bags, lines = parse_svmlight(
        "+1 0:1 2:-.5e1 10:0 999999999999:2.\r\n# all a remark\n\n1.0\n-0.5 007:1 # 9:9\n"
    )
    assert labels == ["1", "1", "-0.5"]
    assert lines == [1, 4, 5]
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
