"""Unforeseen input: every public function receives arrays, sparse formats, data frames, lists and invalid objects.

For any input, there is an `InputError` or a correct result: of the right shape, finite, and the same for the same data in
another format. The short campaign tries the same few examples each time; `make fuzz` tries others for five minutes. Named
mistakes are in ``test_refusals.py``.
"""

# ruff: noqa: B023 - the functions of a loop are called before its next iteration

import os
import warnings
from functools import partial
from itertools import product
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, assume, example, given, seed, settings
from hypothesis import strategies as st

import classifiers
from classifiers.column_squishing import multiclass_update
from classifiers.mistake_bounds import mistake_bound
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.settings import known_settings
from lxmls_day1.engine.corpus.corpus_builder import make_corpus
from lxmls_day1.engine.corpus.shard_writing import write_shards
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.models.gaussians import bayes_error, discriminant_params, linear_discriminant_params
from lxmls_day1.engine.text.feature_contributions import explain
from lxmls_day1.engine.text.parsed_reviews import parse_review, parse_reviews
from lxmls_day1.figures.boundaries import decision_boundary, discriminant_scores
from lxmls_day1.figures.moments import plot_moments
from lxmls_day1.figures.plotting import add_boundary, detached_axes, plot_accuracies, plot_points
from lxmls_day1.sklearn.tuning import tune, with_development_part
from readers import SimpleDataSet, StreamedCorpus, TextCorpus
from readers.pos_corpus import parse_conllu
from readers.question_reader import parse_question
from readers.splitting import split_ends, split_train_dev_test
from readers.vocabulary import count_vocabulary, count_words, vectorise
from tests.every_learner import CLASSIFIERS, UP_TO_A_TOLERANCE

pytestmark = pytest.mark.slow

EXAMPLES = os.environ.get("LXMLS_DAY1_FUZZ")  # The number of examples per property; set by `make fuzz`.
campaign = partial(
    settings, derandomize=EXAMPLES is None, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)


def examples(few):
    """Return the settings of a property: few examples, or the number for the campaign."""
    return campaign(max_examples=int(EXAMPLES or few))


def outcome(call):
    """Return the result of a call, or None if it raises an `InputError`; other errors propagate, also warnings of overflow."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Warnings of a solver that was stopped early, or of words that exclude all classes.
        warnings.simplefilter("ignore", UserWarning)
        try:
            return call()
        except InputError as error:
            assert len(str(error)) > 20, "a message says what was wanted, and what was got"
            return None


def for_each_learner(few, **drawn):
    """Decorate a property of every learner. Each learner has its own seed, so another learner in the table changes no example."""

    def decorate(check):
        @pytest.mark.parametrize("name", sorted(CLASSIFIERS))
        def test(name, tmp_path):
            def one(**values):
                check(name, tmp_path, **values)

            number = max(few, int(EXAMPLES or 0) // len(CLASSIFIERS))
            run = campaign(max_examples=number)(given(**drawn)(one))
            (run if EXAMPLES else seed(crc32(f"{check.__name__} {name}".encode()))(run))()

        return test

    return decorate


# ------------------------------------------------------------------------------------------------------------ strategies

nice = st.integers(-12, 12).map(lambda number: number / 4)
counts = st.integers(0, 5).map(float)
wild = st.sampled_from([0.0, 1.0, -1.0, 1e-320, 1e-160, 1e30, 1e155, -1e200, 1e308, -1.7e308, np.nan, np.inf, -np.inf])


@st.composite
def matrices(draw, numbers, least=0, most=7, widest=4):
    shape = draw(st.integers(least, most)), draw(st.integers(0, widest))
    entries = draw(st.lists(numbers, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    return np.array(entries, dtype=np.float64).reshape(shape)


def with_duplicates(X):
    """Return a CSR matrix in which each entry is stored twice, as halves."""
    rows = sp.csr_array(X)
    return sp.csr_array((np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr), shape=X.shape)


FORMS = {
    "list": lambda X: X.tolist() if X.size else X,
    "rows": lambda X: list(X) if X.size else X,
    "Fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "object": lambda X: X.astype(object),
    "longdouble": lambda X: X.astype(np.longdouble),
    "matrix": np.asmatrix,
    "mask of nothing": np.ma.masked_array,
    "data frame": pd.DataFrame,
    "csr": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc": sp.csc_array,
    "coo": sp.coo_matrix,
    "lil": sp.lil_array,
    "dok": sp.dok_array,
    "bsr": sp.bsr_array,
    "duplicates": with_duplicates,
}


def in_form(form, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # The deprecation warning of np.matrix.
        return FORMS[form](X)


LABELS = {
    "numbers": lambda codes: codes - 1,
    "list": lambda codes: codes.tolist(),
    "texts": lambda codes: [f"label {code}" for code in codes],
    "bytes": lambda codes: [b"label %d" % code for code in codes],
    "floats": lambda codes: codes / 3 - 0.5,
    "column": lambda codes: codes[:, None],
    "series": lambda codes: pd.Series([f"label {code}" for code in codes], dtype=object),
    "objects": lambda codes: np.array([f"label {code}" for code in codes], dtype=object),
    "bytes of unsigned": lambda codes: codes.astype(np.uint8),
    "large": lambda codes: [2**70 + int(code) for code in codes],
}
X, y = np.array([[1.0, 0, 2], [0, 3, 1], [2, 1, 0], [1, 1, 1]]), [0, 1, 0, 1]
FOR_COUNTS = {"scaling", "multinomial", "unsmoothed", "naive Bayes"}

RUBBISH = [
    *(None, "abc", "", b"x", 3, -1, 0.5, np.nan, np.inf, 1j, True),
    *([], {}, (), set(), object(), int, len, range(3), ...),
    *(np.array(3.0), np.array("a"), np.zeros((0, 0)), np.zeros(3), np.zeros((2, 2, 2)), np.ones((2, 2)) * 1j),
    *(np.array([["1", "2"], ["3", "4"]]), np.array([[None, 1], [1, 2]], dtype=object)),
    *(np.array(["2020-01-01"], dtype="datetime64[D]"), np.ma.masked_equal(np.eye(2), 0)),
    *(np.full((4, 2), np.nan), np.full((4, 2), 1.7e308)),
    *([[1, "a"], [2, 3]], [[1.0], [1.0, 2.0]], ["a", 1], [None, 1], [[10**400]]),
    *(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), pd.Series([1, None, 3]), pd.NaT),
    *(sp.coo_array(np.ones(3)), sp.csr_array(np.eye(3)), sp.csr_array(np.ones((2, 2)) * 1j), 10**400),
    iter([1, 2]),
]
rubbish = st.one_of(
    st.sampled_from(RUBBISH),
    st.text(max_size=5),
    st.lists(st.one_of(st.integers(), st.text(max_size=2), st.none(), st.floats()), max_size=4),
    st.dictionaries(st.text(max_size=2), st.one_of(st.integers(), st.text(max_size=2)), max_size=2),
    matrices(wild),
)


# -------------------------------------------------------------------------------------------------------------- training


def may_refuse(name, X, codes):
    """Return True if the classifier may refuse valid data, according to its documentation."""
    n_classes = len(set(codes))
    if len(codes) == 0 or n_classes < 2 or (name == "binary" and n_classes != 2):
        return True
    if name in FOR_COUNTS and (X < 0).any():
        return True
    words = [X[codes == code].sum() for code in set(codes)]
    if name == "scaling" and X.sum() == 0:
        return True
    return name in ("unsmoothed", "multinomial", "naive Bayes") and (
        X.shape[1] == 0 or (name == "unsmoothed" and 0 in words)
    )


@given(
    data=st.one_of(matrices(nice), matrices(counts)),
    codes=st.lists(st.integers(0, 2), min_size=7, max_size=7),
    form=st.sampled_from(sorted(FORMS)),
    label_form=st.sampled_from(sorted(LABELS)),
)
@examples(few=8)
def test_sound_data_in_any_form_give_the_same(data, codes, form, label_form):
    codes = np.array(codes[: len(data)])
    classes = np.unique(codes)
    inputs, labels = in_form(form, data), LABELS[label_form](codes)
    for name, make in CLASSIFIERS.items():
        plain, classifier = make(), make()
        expected = outcome(lambda: plain.train(data, codes))
        params = outcome(lambda: classifier.train(inputs, labels))
        assert (expected is None) == (params is None), name
        if params is None:
            assert may_refuse(name, data, codes), name
            continue
        assert params.shape == (data.shape[1] * (1 + classifier.quadratic) + 1, len(classes)), name
        assert np.isfinite(params).all() or (classifier.rules_out and not np.isnan(params).any()), name
        tolerance = UP_TO_A_TOLERANCE.get(name, 1e-9)
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
        np.testing.assert_allclose(params / scale, expected / scale, rtol=0, atol=tolerance, err_msg=name)

        guesses = outcome(lambda: classifier.test(inputs, expected))
        expected_guesses = outcome(lambda: plain.test(data, expected))
        names_of_classes = np.asarray(labels).ravel()
        of_code = {code: names_of_classes[np.flatnonzero(codes == code)[0]] for code in classes}
        assert guesses.tolist() == [of_code[code] for code in expected_guesses], name
        scores = plain.get_scores(plain.add_intercept_term(data), expected)
        assert expected_guesses.tolist() == classes[scores.argmax(axis=1)].tolist(), name
        right = sum(guess == truth for guess, truth in zip(expected_guesses, codes, strict=True))
        assert classifier.evaluate(labels, guesses) == right / len(codes), name
        if hasattr(classifier, "get_probabilities"):
            np.testing.assert_allclose(classifier.get_probabilities(inputs, expected).sum(axis=1), 1.0)
        if hasattr(classifier, "get_moments"):
            classifier.get_moments(inputs, labels, expected)


@given(
    data=st.one_of(matrices(st.one_of(nice, wild)), matrices(st.one_of(counts, wild))),
    codes=st.lists(st.integers(0, 2), min_size=7, max_size=7),
    form=st.sampled_from(sorted(FORMS)),
)
@example(data=np.array([[1e-320], [1e30]]), codes=[0, 1] + [0] * 5, form="list")
@example(data=np.array([[1e155], [0.0]]), codes=[0, 1] + [0] * 5, form="csr")
@example(data=np.array([[1e308], [-1.7e308]]), codes=[0, 1] + [0] * 5, form="list")
@examples(few=12)
def test_wild_numbers_train_to_finite_weights_or_are_refused(data, codes, form):
    codes = np.array(codes[: len(data)])
    inputs = in_form(form, data)
    for name, make in CLASSIFIERS.items():
        classifier = make()
        params = outcome(lambda: classifier.train(inputs, codes))
        if params is None:
            continue
        assert np.isfinite(data).all(), name
        assert np.isfinite(params).all() or (classifier.rules_out and not np.isnan(params).any()), name
        guesses = outcome(lambda: classifier.test(inputs, params))
        assert guesses is None or (len(guesses) == len(data) and set(guesses) <= set(codes)), name
        outcome(lambda: classifier.objective(inputs, codes, params))


@for_each_learner(6, inputs=rubbish, labels=rubbish)
def test_training_on_rubbish_is_refused_or_correct(name, folder, inputs, labels):
    for some_X, some_y in ((inputs, y), (X, labels), (inputs, labels)):
        classifier = CLASSIFIERS[name]()
        params = outcome(lambda: classifier.train(some_X, some_y))
        if params is not None:
            assert params.shape[1] == len(classifier.classes)
            assert np.isfinite(params).all() or classifier.rules_out


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
def test_settings_of_any_type(name):
    """Every setting takes every value of `RUBBISH`, as an argument and as an attribute; all cases are tried, not a sample."""
    kind = type(CLASSIFIERS[name]())
    values = [value for value in RUBBISH if not hasattr(value, "__next__")]
    for setting, value in product(known_settings(kind), values):
        classifier = CLASSIFIERS[name]()
        setattr(classifier, setting, value)
        for call in (lambda: classifier.train(X, y), lambda: kind(**{setting: value}).train(X, y)):
            params = outcome(call)
            assert params is None or np.isfinite(params).all() or classifier.rules_out, setting


@for_each_learner(6, one=rubbish, other=rubbish)
def test_predicting_from_rubbish(name, folder, one, other):
    classifier = CLASSIFIERS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        params = classifier.train(X, y)
    for inputs, W in ((one, params), (X, one), (one, other)):
        labels = outcome(lambda: classifier.test(inputs, W))
        assert labels is None or set(labels) <= {0, 1}
        outcome(lambda: classifier.get_scores(inputs, W))
        outcome(lambda: classifier.get_label(inputs, W))
        outcome(lambda: classifier.objective(inputs, y, W))
        outcome(lambda: classifier.objective(inputs, other, W))
        outcome(lambda: explain(classifier, W, inputs, list("abc")))
        outcome(lambda: explain(classifier, W, X[:1], one))
        outcome(lambda: classifier.add_intercept_term(inputs))
        outcome(lambda: classifier.save(folder / "fuzz.npz", W))
        outcome(lambda: classifier.save(folder / "fuzz.npz", W, one, other))
        if hasattr(classifier, "get_probabilities"):
            outcome(lambda: classifier.get_probabilities(inputs, W))
        if hasattr(classifier, "get_moments"):
            outcome(lambda: classifier.get_moments(inputs, other, W))
    accuracy = outcome(lambda: classifiers.LinearClassifier().evaluate(one, other))
    assert accuracy is None or 0 <= accuracy <= 1
    outcome(lambda: classifier.evaluate(one, y))
    outcome(lambda: classifier.evaluate(y, one))


# -------------------------------------------------------------------------------------------------------------- formulae

GOOD = {
    discriminant_params: ([0.5, 0.5], [[0.0], [1.0]], [[1.0], [2.0]]),
    linear_discriminant_params: ([0.5, 0.5], [[0.0], [1.0]], 1.0),
    discriminant_scores: ([[0.0]], [[0.0, 1.0], [1.0, 2.0]], False),
    bayes_error: ([0.5, 0.5], [[0.0], [1.0]], [[1.0], [2.0]]),
    multiclass_update: ([[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0], 0, 1.0, None, None),
    mistake_bound: ([[-3.0], [4.0]], [-1, 1], [0, 1]),
    decision_boundary: ([[-0.5, 0.5], [1, -1], [0, 0]], (-1, 1), (-2, 2)),
    split_ends: (10, (0.5, 0, 0.5)),
    split_train_dev_test: (np.eye(10), np.arange(10), (0.5, 0, 0.5)),
    vectorise: ([{"a": 1}], {"a": 0}),
    count_vocabulary: ([{"a": 1}], 1),
    SimpleDataSet: (10, [[-1, -1], 1], [[1, 1], 1], 0.5, (0.5, 0, 0.5), 1),
    count_words: ("a b",),
}


FUNCTIONS = sorted(GOOD, key=lambda function: function.__name__)


@given(function=st.sampled_from(FUNCTIONS), place=st.integers(0, 5), value=rubbish, also=rubbish)
@examples(few=300)
def test_formulae_on_rubbish(function, place, value, also):
    arguments = list(GOOD[function])
    arguments[place % len(arguments)] = value
    result = outcome(lambda: function(*arguments))
    if isinstance(result, (np.ndarray, float)):
        assert np.isfinite(result).all()
    arguments[(place + 1) % len(arguments)] = also
    outcome(lambda: function(*arguments))


@given(place=st.integers(0, 8), value=rubbish, also=rubbish)
@examples(few=25)
def test_pictures_of_rubbish(place, value, also):
    sd, axis = SimpleDataSet(10), detached_axes()[1]
    good = sd.get_bayes_optimal()
    calls = [
        lambda: plot_points(value, also, ax=axis),
        lambda: plot_points([[0.0, 1.0]], value, ax=axis),
        lambda: plot_points([[0.0, 1.0]], [0], value, also, ax=axis),
        lambda: plot_points([[0.0, 1.0]], [0], ax=3 if value is None else value),
        lambda: sd.plot_data(value, ax=axis),
        lambda: sd.add_line(axis.figure, axis, value, "name", "green"),
        lambda: add_boundary(axis, good, "name", value),
        lambda: plot_accuracies(value, ax=axis),
        lambda: plot_moments(value, also, ax=axis),
    ]
    outcome(calls[place % len(calls)])
    outcome(calls[(place + 5) % len(calls)])


# ---------------------------------------------------------------------------------------------------------------- tuning


class SplitData:
    """A data set whose test part must not be used."""

    def __init__(self, train_X, train_y, dev_X, dev_y):
        self.train_X, self.train_y, self.dev_X, self.dev_y = train_X, train_y, dev_X, dev_y

    def __getattr__(self, name):
        if name.startswith("test"):
            raise AssertionError("tuning looks at the test part")
        raise AttributeError(name)


@for_each_learner(2, one=rubbish, other=rubbish, place=st.integers(0, 20))
def test_tuning_with_rubbish(name, folder, one, other, place):
    assume(not any(hasattr(value, "__next__") for value in (one, other)))
    make, sound = CLASSIFIERS[name], SplitData(X, y, X, y)
    settings_of = list(known_settings(type(make())))
    setting = settings_of[place % len(settings_of)] if settings_of else "seed"
    for grid in (one, {setting: one}, {setting: [one]}, {setting: [one, other]}, {"seed": [1], setting: one}):
        found = outcome(lambda: tune(make(), sound, grid))
        assert found is None or (0.0 <= found.best.accuracy <= 1.0 and found.n_examples == 4)
    good_grid = {"regularizer": [1.0]} if "regularizer" in settings_of else None
    outcome(lambda: tune(one, sound, good_grid))
    outcome(lambda: tune(make(), one, good_grid))
    for part in ("train_X", "train_y", "dev_X", "dev_y"):
        parts = SplitData(X, y, X, y)
        setattr(parts, part, one)
        found = outcome(lambda: tune(make(), parts, good_grid))
        assert found is None or 0.0 <= found.best.accuracy <= 1.0
        setattr(parts, "dev_y" if part != "dev_y" else "train_y", other)
        outcome(lambda: tune(make(), parts, good_grid))
        outcome(lambda: with_development_part(parts))
    for share in (one, 0.5):
        parts = SplitData(X, y, [], [])
        found = outcome(lambda: with_development_part(parts, share, other))
        assert found is None or len(found.train_y) + len(found.dev_y) == 4
    outcome(lambda: with_development_part(one))
    outcome(lambda: with_development_part(SplitData(one, other, [], [])))


# --------------------------------------------------------------------------------------------------------------- readers

lines = st.lists(st.text(st.sampled_from("abz019+-.:,;|{}[]\t \"'#_/\\é\x00\x85\u2028"), max_size=12), max_size=5).map(
    "\n".join
)


@given(text=st.one_of(lines, st.text(max_size=40), rubbish), value=rubbish)
@examples(few=80)
def test_files_of_rubbish(text, value):
    if isinstance(text, str):
        for parse in (parse_question, parse_review, lambda line: parse_reviews([line])):
            outcome(lambda: parse(text))
        outcome(lambda: parse_conllu(text.encode(errors="surrogatepass")))


contents = st.one_of(lines.map(lambda text: text.encode(errors="surrogatepass")), st.binary(max_size=40))


@given(content=contents, value=rubbish)
@examples(few=40)
def test_a_corpus_of_rubbish(content, value, tmp_path_factory):
    path = Path(tmp_path_factory.getbasetemp(), "fuzz.csv")
    path.write_bytes(content)
    corpus = outcome(lambda: TextCorpus(path, split=(1, 0, 0)))
    if corpus is not None:
        assert corpus.X.shape == (len(corpus.y), len(corpus.feature_names))
        assert np.isfinite(corpus.X.data).all()
    for form in ("jsonl", "svmlight"):
        outcome(lambda: TextCorpus(path, form=form, split=(1, 0, 0)))
    outcome(lambda: classifiers.LinearClassifier.load(path))
    path.write_text("a,x y\nb,y z\n" * 5)
    for setting in known_settings(TextCorpus):
        if setting in ("path", "test_path", "progress") or (setting == "count" and callable(value)):
            continue  # Errors of a user's function are not the package's.
        corpus = outcome(lambda: TextCorpus(path, **{setting: value}))
        assert corpus is None or np.isfinite(corpus.X.data).all()
    outcome(lambda: TextCorpus(path, count=lambda text: value))
    if not isinstance(value, (str, int)):  # these name files
        outcome(lambda: TextCorpus(value))


@given(content=contents, value=rubbish)
@examples(few=40)
def test_a_corpus_on_disk_of_rubbish(content, value, tmp_path_factory):
    path = Path(tmp_path_factory.getbasetemp(), "fuzz-disk.csv")
    out = Path(tmp_path_factory.getbasetemp(), "fuzz.bags")
    path.write_bytes(content)
    whole = outcome(lambda: TextCorpus(path, split=(1, 0, 0), seed=None))
    made = outcome(lambda: make_corpus([path], out, overwrite=True))
    assert (whole is None) == (made is None)
    if whole is not None:
        assert made.words() == whole.feature_names and made.classes == whole.label_names
        assert np.array_equal(made.open(0).X.toarray(), whole.X.toarray())
    path.write_text("a,x y\nb,y z\n" * 5)
    settings = ["form", "delimiter", "header", "label_column", "text_column", "quote", "encoding", "min_count"]
    for setting in (*settings, "hash_bits", "keep_words", "classes", "like", "rows_a_shard", "jobs"):
        if setting == "jobs" and isinstance(value, int) and value > 4:
            continue  # The value is a number of threads.
        made = outcome(lambda: make_corpus([path], out, **{"overwrite": True, setting: value}))
        assert made is None or made.n_rows == 10 - (setting == "header" and value is True)
    if not isinstance(value, (str, int)):  # these name files
        outcome(lambda: make_corpus([path], value))
        outcome(lambda: Shards(value))
        outcome(lambda: StreamedCorpus(value))
        outcome(lambda: make_corpus(value, out, overwrite=True))
    outcome(lambda: write_shards(out, value, [0], ["a"]))
    shards = outcome(lambda: make_corpus([path], out, overwrite=True))
    (shards.folder / "manifest.json").write_bytes(content)
    outcome(lambda: Shards(out))


TAGGERS = [classifiers.StructuredPerceptron, classifiers.StructuredMira, classifiers.StructuredSVM, classifiers.CRF]


@given(kind=st.sampled_from(TAGGERS), one=rubbish, other=rubbish)
@examples(few=60)
def test_sentences_of_rubbish(kind, one, other):
    sentences, tags = [["a", "b"], ["b"]], [["x", "y"], ["y"]]
    learner = kind(nr_rounds=1)
    params = learner.train(sentences, tags)
    within = [([one], [["x"]]), ([["a"]], [one]), ([[one, one]], [["x", "y"]])]
    for X, y in ((one, tags), (sentences, one), (one, other), *within):
        outcome(lambda: kind(nr_rounds=1).train(X, y))
        outcome(lambda: learner.test(X, params))
        outcome(lambda: learner.test(sentences, X))
        outcome(lambda: learner.objective(X, y, params))
        outcome(lambda: learner.evaluate(y, tags))
    for setting in ("templates", "min_count", "transitions", "nr_rounds", "averaged", "seed", "order", "cost"):
        assume(not hasattr(one, "__next__"))
        outcome(lambda: kind(**{"nr_rounds": 1, setting: one}).train(sentences, tags))
