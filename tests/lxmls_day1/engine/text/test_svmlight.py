import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.engine.kernels import svmlight_lines
from lxmls_day1.engine.text.svmlight import parse_svmlight

DIGITS = "0123456789.+-e"


@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.floats(-1e3, 1e3).map("{:.17g}".format),
            st.tuples(st.integers(0, 2**64), st.integers(-25, 25)).map("{0[0]}e{0[1]}".format),
            st.integers(2**52, 2**53).map("{}.5".format),  # Halfway between two neighbouring numbers.
            st.from_regex(r"[+-]?[0-9]{1,22}\.[0-9]{0,22}(e[+-]?[0-9]{1,2})?", fullmatch=True, alphabet=DIGITS),
        ),
        max_size=5,
    )
)
def test_numbers_match_python_to_the_last_digit(numbers):
    text = "1 " + " ".join(f"{j}:{number}" for j, number in enumerate(numbers))
    ((row,), expected) = (parse_svmlight(text, "f.svm")[1], map(float, numbers))
    assert row == {str(j): value for j, value in enumerate(expected) if value}


def test_lines_are_read_alike_without_compilation(monkeypatch):
    text = "1 1:.5 \t7:1e3\r\n\n  # é\n-2. qid:3 2:0 3:00.1#x\n0\u00a01:2\n"
    text += "3 1:123456789012345678901234567890 2:1e-999\n" * 3
    compiled = parse_svmlight(text, "f.svm", 5)
    monkeypatch.setattr(svmlight_lines, "parse_lines", svmlight_lines._parse_nothing)
    labels, rows, lines = parse_svmlight(text, "f.svm", 5)
    assert (labels, list(rows), lines) == (compiled[0], list(compiled[1]), compiled[2])
    assert (labels[:3], lines) == (["1", "-2", "0"], [5, 8, 9, 10, 11, 12])
    assert list(rows)[:3] == [{"1": 0.5, "7": 1000.0}, {"3": 0.1}, {"1": 2.0}]


def test_rows_are_selected_and_joined_like_lists():
    _, rows, _ = parse_svmlight("1 1:1\n1\n1 2:2 999999999999999999:3\n", "f.svm")
    expected = [{"1": 1.0}, {}, {"2": 2.0, "999999999999999999": 3.0}]
    assert list(rows) == expected and rows[-1] == expected[-1]
    assert list(rows[1:] + rows[:1]) == [*expected[1:], expected[0]]
    assert list(rows[np.array([2, 0])]) == [expected[2], expected[0]]
    X, names, totals = (rows + rows).matrix(3)
    assert names == ["1", "2", "999999999999999999"] and totals.tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(X.toarray(), [[1, 0, 0], [0, 0, 0], [0, 2, 3]] * 2)
    X, names, totals = rows.matrix(1)
    assert (X.toarray().tolist(), names, totals.tolist()) == ([[1.0], [0.0], [0.0]], ["1"], [1.0])


def test_numbers_and_comments_of_svmlight_are_parsed():
    text = "+1 0:1 2:-.5e1 10:0 999999999999:2.\r\n# all a remark\n\n1.0\n-0.5 007:1 # 9:9\n"
    labels, bags, lines = parse_svmlight(text, "f.svm")
    assert labels == ["1", "1", "-0.5"]
    assert lines == [1, 4, 5]
    assert list(bags) == [{"0": 1.0, "2": -5.0, "999999999999": 2.0}, {}, {"7": 1.0}]
