"""Exercise 1.14: columns and signs of hashed features, and the rows of documents whose features collide."""

import itertools

import numpy as np
import pytest

from lxmls_day1.lab_api import results

LEAST, MOST = -(2**31), 2**31 - 1
SINGLE = {"rtol": 1e-5, "atol": 1e-5}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"columns_and_signs": {"the columns": "(n,)", "the signs": "(n,)"}, "hashed_row": {"the row": "(B,)"}}
TOLD_AS = "columns, then signs; with counts the row"


def located(lab, hashes, n_columns):
    """Return unconverted columns and signs."""
    columns, signs = lab.function("hashed_features", "columns_and_signs", np.array(hashes, dtype=np.int32), n_columns)
    return columns, signs


def rows(lab, documents):
    """Return the unconverted rows of documents; each document is hashes, counts, B, and the places of its hashes: hash -> column and sign.

    During these calls `columns_and_signs` returns the given places, so that a wrong or unwritten version makes no row wrong.
    """
    calls = [(np.array(h, dtype=np.int32), np.array(counts, float), n_columns) for h, counts, n_columns, _ in documents]
    given = {"columns_and_signs": [(places, (n_columns,)) for _, _, n_columns, places in documents]}
    return lab.each("hashed_features", "hashed_row", calls, given=given)


SMALL_DOCUMENTS = [  # Sign, column and |h| // B of each feature; the counts.
    ([(1, 2, 0)], [1]),
    ([(-1, 2, 0)], [1]),
    ([(1, 1, 0)], [3]),
    ([(-1, 1, 0)], [2]),
    ([(1, 1, 0), (1, 2, 0)], [1, 1]),
    ([(1, 1, 0), (-1, 2, 0)], [2, 3]),
    ([(1, 1, 0), (1, 1, 0)], [1, 2]),
    ([(1, 2, 0), (-1, 2, 0)], [3, 1]),
    ([(1, 1, 0), (1, 1, 1)], [1, 2]),
    ([(1, 1, 0), (-1, 1, 1)], [3, 1]),
    ([(1, 1, 0), (1, 1, 1)], [2, 2]),
    ([(1, 0, 1), (-1, 3, 0), (1, 3, 1), (-1, 3, 1)], [1, 2, 1, 3]),
    ([(-1, 0, 2**29), (1, 2, 0)], [1, 1]),
    ([(-1, 2, 715827882)], [1]),  # −2³¹, with three columns.
    ([(-1, 2, 715827882), (1, 1, 0)], [1, 3]),
    ([(1, 2, 0)], [0.5]),
    ([(1, 1, 0), (-1, 1, 1)], [0.25, 2]),
    ([(1, 3, 0), (-1, 2, 0), (1, 2, 1)], [1.5, 0.5, 2.5]),
]


def document(terms, counts, n_columns):
    """Return hashes, counts, B and the places of the hashes."""
    hashes = [sign * (column + times * n_columns) for sign, column, times in terms]
    places = {h: (column, float(sign)) for h, (sign, column, _) in zip(hashes, terms, strict=True)}
    return hashes, counts, n_columns, places


def small_inputs():
    """Yield one hash before two and three, few columns before many, extreme values last; then documents, without and with collisions."""
    hashes = [[h] for h in (1, 0, -1, 3, -3, 5, -5, 6, -6)]
    hashes += [[7, -2], [-4, 4], [0, -8], [9, -7, 2], [-9, 5, -1], [12, -10, 0]]
    for h, n_columns in itertools.product(hashes, (4, 3, 2, 5, 1, 8)):
        yield {"hashes": h, "columns": n_columns}
    for h, n_columns in itertools.product(
        ([MOST], [LEAST], [1 - 2**31], [LEAST, MOST], [2**30, -(2**30)]), (4, 3, 5, 7, 16)
    ):
        yield {"hashes": h, "columns": n_columns}
    for hashes, counts, n_columns, _ in small_documents():
        yield {"hashes": hashes, "counts": counts, "columns": n_columns}


def small_documents():
    """Yield documents with four, five and three columns; with three columns, the last of four entries is left out."""
    for (terms, counts), n_columns in itertools.product(SMALL_DOCUMENTS, (4, 5, 3)):
        if n_columns > max(column for _, column, _ in terms) and n_columns * max(times for *_, times in terms) <= 2**31:
            yield document(terms, counts, n_columns)


def small_answers(lab, inputs):
    """Return columns and then signs; or the row."""
    places = [(np.array(i["hashes"], dtype=np.int32), i["columns"]) for i in inputs if "counts" not in i]
    known = {repr((hashes, B)): places for hashes, _, B, places in small_documents()}
    documents = [
        (i["hashes"], i["counts"], i["columns"], known[repr((i["hashes"], i["columns"]))])
        for i in inputs
        if "counts" in i
    ]
    of_places = iter(lab.each("hashed_features", "columns_and_signs", places) if places else [])
    of_rows = iter(rows(lab, documents) if documents else [])
    return [
        next(of_rows) if "counts" in i else _flat(*results(next(of_places), "the columns", "the signs")) for i in inputs
    ]


def _flat(columns, signs):
    return columns if isinstance(columns, str) else [*np.ravel(columns), *np.ravel(signs)]


def small_properties(given, answer):
    """Yield the violated properties of columns and signs, or of a row."""
    if "counts" in given:
        if np.abs(answer).sum() > sum(given["counts"]) + 1e-4:
            yield "more_than_there_is", "The absolute entries of the row sum to more than all counts of the document."
        return
    columns, signs = np.split(np.asarray(answer, dtype=float), 2)
    if columns.min() < 0 or columns.max() >= given["columns"]:
        yield "no_columns", "Some columns are outside 0 … B − 1."
    elif not set(signs.tolist()) <= {-1.0, 1.0}:
        yield "no_signs", "Some signs are neither −1 nor +1."


def small_parts(given, answer):
    """Yield columns and signs, or the row."""
    if "counts" in given:
        yield "`hashed_row`", answer
    else:
        columns, signs = np.split(answer, 2)
        yield "the columns", columns
        yield "the signs", signs


def test_columns(lab, expect):
    """The columns of positive and negative hashes"""
    columns, _ = located(lab, [5, -5, 8, 0, -1, 1023, -1024, 198527388, -538277408], 16)
    expect("the columns of nine hashes, B = 16", columns)


def test_signs(lab, expect):
    """Their signs"""
    _, signs = located(lab, [5, -5, 8, 0, -1, 1023, -1024, 198527388, -538277408], 16)
    expect("the signs of nine hashes, one of which is 0", signs)


def test_ends(lab, expect):
    """The largest and the smallest number of 32 bits"""
    columns, signs = located(lab, [MOST, LEAST, LEAST + 1], 1000)
    expect("the columns of 2³¹ − 1, −2³¹ and 1 − 2³¹, B = 1000", columns)
    expect("their signs", signs)


def test_row(lab, expect):
    """A document without collisions"""
    (found,) = rows(lab, [document([(1, 1, 1), (-1, 3, 1), (-1, 4, 1)], [2, 1, 4], 6)])
    expect("the row of three features, B = 6", found, **SINGLE)


def test_collisions(lab, expect):
    """Features that share a column"""
    terms = [(1, 3, 0), (-1, 3, 0), (1, 3, 1), (1, 3, 2), (-1, 3, 3), (1, 4, 0), (-1, 4, 0)]
    (found,) = rows(lab, [document(terms, [1, 2, 4, 8, 16, 32, 64], 5)])
    expect("the row of seven features in two of five columns", found, **SINGLE)


@pytest.mark.hidden
def random_hashes(rng, n):
    """Return hashes of all sizes, including the smallest and 0."""
    return np.concatenate([rng.integers(LEAST, MOST, size=n, endpoint=True), [LEAST, 0, -1, 7]])[rng.permutation(n + 4)]


@pytest.mark.hidden
def random_document(rng, n_features, n_columns, counts):
    """Return features, some with equal hashes, and some that collide with the opposite sign, so that both terms remain visible."""
    hashes = random_hashes(rng, n_features)
    hashes[:4] = hashes[4:8]
    hashes[8:12] = -np.maximum(hashes[12:16], 1 - 2**31)
    columns, signs = np.abs(hashes.astype(np.int64)) % n_columns, np.where(hashes < 0, -1.0, 1.0)
    places = zip(columns.tolist(), signs.tolist(), strict=True)
    return hashes, counts, n_columns, dict(zip(hashes.tolist(), places, strict=True))


@pytest.mark.hidden
@pytest.mark.parametrize("kind", ["powers of two", "other numbers"])
def test_random_hashes(lab, expect, rng, kind):
    """Random hashes, B a power of two or not"""
    for number in range(3):
        n_columns = int(2 ** rng.integers(2, 20)) if kind == "powers of two" else int(2 * rng.integers(10, 400) + 1)
        columns, signs = located(lab, random_hashes(rng, 40), n_columns)
        expect(f"the columns in trial {number + 1}", columns)
        expect(f"the signs in trial {number + 1}", signs)


@pytest.mark.hidden
@pytest.mark.parametrize(("n_columns", "n_features"), [(7, 60), (64, 20)])
def test_random_documents(lab, expect, rng, n_columns, n_features):
    """Random documents with many collisions, and with few"""
    counts = rng.integers(1, 9, size=(8, n_features + 4))
    documents = [random_document(rng, n_features, n_columns, row) for row in counts]
    expect("the row of each", rows(lab, documents), **SINGLE)


@pytest.mark.hidden
@pytest.mark.parametrize("n_columns", [211, 301, 512])
def test_sparse_documents(lab, expect, rng, n_columns):
    """Random documents, with more columns than features"""
    documents = [random_document(rng, 18, n_columns, rng.uniform(0.5, 3.0, size=22)) for _ in range(6)]
    expect("the row of each, with fractional counts", rows(lab, documents), **SINGLE)
