import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

from lxmls_day1.engine.text.svmlight import parse_svmlight


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_what_scikit_learn_writes_is_read(seed, zero_based, with_queries):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6, 5)).round(3) * (rng.random((6, 5)) < 0.5)
    y = rng.integers(-2, 3, 6)
    content = io.BytesIO()
    queries = np.arange(6) if with_queries else None
    dump_svmlight_file(X, y, content, zero_based=zero_based, query_id=queries, comment="Made for a test.")
    labels, bags, lines = parse_svmlight(content.getvalue().decode(), "f.svm")
    assert labels == [str(label) for label in y] and lines == sorted(set(lines))
    for bag, row in zip(bags, X, strict=True):
        assert bag == {str(j + (not zero_based)): value for j, value in enumerate(row) if value}


def test_numbers_are_read_as_they_are_meant():
    labels, bags, lines = parse_svmlight(
        "+1 0:1 2:-.5e1 10:0 999999999999:2.\r\n# all a remark\n\n1.0\n-0.5 007:1 # 9:9\n", "f.svm"
    )
    assert labels == ["1", "1", "-0.5"]
    assert lines == [1, 4, 5]
    assert bags == [{"0": 1.0, "2": -5.0, "999999999999": 2.0}, {}, {"7": 1.0}]
