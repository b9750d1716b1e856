"""Named mistakes in every function that they can reach: all raise an `InputError` or give the correct result.

``test_fuzz.py`` looks for unforeseen mistakes.
"""

# ruff: noqa: B023 - the functions of a loop are called before its next iteration

import copy
import functools
import inspect
import itertools
import operator
import pathlib
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import classifiers
from classifiers.mistake_bounds import mistake_bound
from lxmls_day1.base.checks import MAX_CLASSES
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.text.feature_contributions import explain
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.plotting import add_boundary, detached_axes, plot_accuracies, plot_points
from lxmls_day1.sklearn.adapter import as_estimator
from readers import QuestionCorpus, SentimentCorpus, SimpleDataSet, TextCorpus
from readers.pos_corpus import PosCorpus, read_conllu
from readers.splitting import split_train_dev_test
from readers.vocabulary import vectorise
from tests.every_learner import CLASSIFIERS, UP_TO_A_TOLERANCE
from tests.wording import wording

EVERY = pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)
X = np.array([[1.0, 0, 2, 1], [0, 3, 1, 1], [2, 1, 0, 1], [1, 1, 1, 2]])
Y = np.array([0, 1, 0, 1])


def trained(make, X=X, y=Y):
    classifier = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # Warnings of solvers that were stopped early.
        return classifier, classifier.train(X, y)


def refuse(call, *names):
    """Assert that a call raises an `InputError`; the failure shows the names and what the call returned."""
    with pytest.raises(InputError):
        pytest.fail(f"{', '.join(map(str, names))}: {call()!r}")


def refuse_label(call):
    with pytest.raises(InputError, match=wording("package.never_same_label")):
        call()


# ---------------------------------------------------------------------------------------------------------------- inputs


HOOKS = {"scores_of_rows", "estimate"}  # The engine calls these methods with checked data.


def methods(classifier, **arguments):
    """Yield (name, call) of every public method that takes X or x, with those of the arguments X, x, y, params that it takes."""
    for name, method in inspect.getmembers(copy.deepcopy(classifier), inspect.ismethod):
        taken = {key: arguments[key] for key in inspect.signature(method).parameters if key in arguments}
        minimises_nothing = name == "objective" and classifier.objective(X, Y, arguments["params"]) is None
        if not name.startswith("_") and name not in HOOKS and {"X", "x"} & set(taken) and not minimises_nothing:
            yield name, functools.partial(method, **taken, **({"state": None} if name == "resume" else {}))


def outside(form, index):
    """Return the matrix X in a sparse form, with one index changed."""
    matrix = form(X)
    getattr(matrix, "col" if form is sp.coo_array else "indices")[0] = index
    return matrix


NO_INPUTS = {
    "complex": X * 1j,
    "complex, sparse": sp.csr_array(X * 1j),
    "complex numbers among others": [[1.0, 1j, 0, 0]] * 4,
    "texts": X.astype(str),
    "texts among numbers": [["a", 1, 0, 0]] * 4,
    "numbers that are texts, as objects": X.astype(str).astype(object),
    "dates": X.astype("datetime64[s]"),
    "durations": X.astype("timedelta64[s]"),
    "masked": np.ma.masked_equal(X, 3.0),
    "rows of which one is masked": list(np.ma.masked_equal(X, 3.0)),
    "NaN": np.where(X == 3, np.nan, X),
    "infinity": np.where(X == 3, np.inf, X),
    "not available": pd.DataFrame(X).astype("Int64").replace(3, pd.NA),
    "None": [[None, 1, 0, 0]] * 4,
    "larger than any float": [[10**400, 1, 0, 0]] * 4,
    "larger than a float64": np.where(X == 3, np.longdouble("1e4000"), X.astype(np.longdouble)),
    "1-d": X[:, 0],
    "1-d, sparse": sp.coo_array(X[:, 0]),
    "3-d": X[None],
    "no number": 3,
    "nothing": None,
    "a text": "abc",
    "rows of different lengths": [[1.0], [1.0, 2.0], [1.0], [1.0]],
    "a dict": {"a": 1},
    "a generator": (row for row in X),
    "records": np.zeros(4, dtype=[("a", float)]),
    "a column too far": outside(sp.csr_array, 4),
    "a column far away": outside(sp.csr_matrix, 2**31 - 1),
    "a negative column": outside(sp.csr_array, -1),
    "a row too far": outside(sp.csc_array, 4),
    "a column too far, by coordinates": outside(sp.coo_array, 4),
    "too few columns": X[:, :2],  # Half of the columns.
    "too few columns, sparse": sp.csr_array(X[:, :2]),
    "too many columns": np.hstack([X, X]),
}


@pytest.mark.parametrize("inputs", NO_INPUTS.values(), ids=NO_INPUTS)
def test_invalid_inputs_are_refused(inputs):
    other_features = hasattr(inputs, "shape") and inputs.shape in [(4, 2), (4, 8)]
    for name, make in CLASSIFIERS.items():
        classifier, params = trained(make)
        for method, call in methods(classifier, X=inputs, x=inputs, y=Y, params=params):
            if other_features and "params" not in call.keywords:  # A matrix with other features is invalid, too.
                continue
            refuse(call, name, method)


def test_more_columns_than_any_memory_has_room_for():
    for make in CLASSIFIERS.values():
        for n_columns in (2**45, 2**62):
            with pytest.raises(InputError, match=wording("package.features_gb_more_hash", n_columns)):
                make().train(sp.csr_array((4, n_columns)), Y)


def test_more_classes_than_can_be_learnt():
    values = np.arange(MAX_CLASSES + 1) / 2  # As in a regression.
    for make in CLASSIFIERS.values():
        with pytest.raises(InputError, match=r"16385 different labels.* numpy.digitize|two classes"):
            make().train(values[:, None], values)


def entries(X, columns, parts):
    """Return a CSR matrix with a row's columns in this order, including zeros, and each number stored as a sum of parts."""
    data, ends = np.ravel(X[:, columns, None] * parts), np.arange(len(X) + 1) * len(columns) * len(parts)
    return sp.csr_array((data, np.tile(np.repeat(columns, len(parts)), len(X)), ends), shape=X.shape)


def in_parts(X):
    return entries(X, np.arange(X.shape[1]), [3, -2])


def back_to_front(X):
    return entries(X, np.arange(X.shape[1])[::-1], [1])


def claiming(matrix):
    """Return the matrix with flags that claim sorted indices and no duplicate entries."""
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def by_columns(rows, kind=sp.csc_array):
    """Return the transpose of a CSR matrix, unchanged otherwise."""
    return kind((rows.data, rows.indices, rows.indptr), shape=rows.shape[::-1])


FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
SAME_INPUTS = {
    "list": np.ndarray.tolist,
    "tuple of arrays": tuple,
    "dictionaries": lambda X: [dict(zip("abcde", row, strict=False)) for row in X.tolist()],
    "data frame": pd.DataFrame,
    "nullable data frame": lambda X: pd.DataFrame(X).astype("Int64"),
    "sparse data frame": lambda X: pd.DataFrame.sparse.from_spmatrix(sp.csr_array(X)),
    **{name: operator.methodcaller("astype", name) for name in ("int16", "float16", "float32", "longdouble", "object")},
    "decimals": lambda X: [[Decimal(number) for number in row] for row in X.tolist()],
    "Fortran's order": np.asfortranarray,
    "strides": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "read only": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
    "np.matrix": lambda X: X.view(np.matrix),
    "masked nowhere": np.ma.masked_array,
    **{f"{name}_array": getattr(sp, f"{name}_array") for name in FORMATS},
    **{f"{name}_matrix": getattr(sp, f"{name}_matrix") for name in FORMATS},
    "csr of float32": lambda X: sp.csr_array(X.astype(np.float32)),
    "csr of integers": lambda X: sp.csr_array(X.astype(np.uint8)),
    "entries in two parts": in_parts,
    "entries in two parts, claimed to be one": lambda X: claiming(in_parts(X)),
    "entries in two parts, claimed to be one, csr_matrix": lambda X: claiming(sp.csr_matrix(in_parts(X))),
    "entries in two parts, claimed to be one, csc": lambda X: claiming(by_columns(in_parts(X.T))),
    "entries in two parts, claimed to be one, coo": lambda X: claiming(in_parts(X).tocoo()),
    "out of order": back_to_front,
    "out of order, claimed to be in order": lambda X: claiming(back_to_front(X)),
    "out of order, claimed to be in order, csc": lambda X: claiming(by_columns(back_to_front(X.T))),
}


def numbers_in(result):
    """Return the arrays of numbers in a method's result."""
    if sp.issparse(result):
        return [result.toarray()]
    if isinstance(result, (tuple, list)):
        return [numbers for part in result for numbers in numbers_in(part)]
    return [result] if isinstance(result, (np.ndarray, float)) else []


COUNTS = np.random.default_rng(0).integers(0, 4, (12, 4)).astype(np.float64)


@pytest.mark.parametrize("share", [3, pytest.param(1, marks=pytest.mark.campaign)], ids=["some", "all"])
@pytest.mark.parametrize("base", [COUNTS, COUNTS > 1], ids=["numbers", "bools"])
@EVERY
def test_the_same_inputs_in_another_form_give_the_same(make, base, share, request):
    """Every method's result with the same parameters, and the parameters that training finds; a third of the forms for each learner."""
    tolerance = 1e-3 if set(request.node.callspec.id.split("-")) & set(UP_TO_A_TOLERANCE) else 1e-9
    labels, plain = np.arange(12) % 2, base.astype(np.float64)
    with_ones = np.hstack([np.ones((12, 1)), plain])
    _, params = trained(make, plain, labels)
    forms = list(SAME_INPUTS.items())[request.node.callspec.indices["make"] % share :: share]
    forms = dict(forms) if base is COUNTS else {"bools": np.array, "csr_array": sp.csr_array}
    expected = {}
    for form, in_form in {"array": np.float64, **forms}.items():
        given = in_form(base)
        before = copy.deepcopy(given)
        classifier, _ = trained(make, given, labels)
        x = with_ones if form in ("dictionaries", "bools") else in_form(with_ones)
        for method, call in methods(classifier, X=given, x=x, y=labels, params=params):
            found = outcome(call)
            for one, other in zip(found, expected.setdefault(method, found), strict=True):
                np.testing.assert_allclose(one, other, tolerance, tolerance, err_msg=f"{form}, {method}")
        if sp.issparse(given):  # The caller's own array.
            for part in {"data", "indices", "indptr", "row", "col"} & set(dir(given)):
                np.testing.assert_array_equal(getattr(given, part), getattr(before, part), f"{form}, {part}")


def outcome(call):
    """Return the arrays of numbers that a call returns, or the fact that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            return numbers_in(call())
        except InputError:
            return [np.array(np.inf)]


# ---------------------------------------------------------------------------------------------------------------- labels

NO_LABELS = {
    "a text and a number": ["a", 1, "a", 1],
    "a text and a number in columns": [["a"], [1], ["a"], [1]],
    "a text and NaN": ["a", np.nan, "a", "b"],
    "a text and bytes": ["a", b"b", "a", b"b"],
    "a text and a bool": ("a", True, "a", True),
    "objects of two kinds": np.array(["a", 1, "a", 1], dtype=object),
    "a series of two kinds": pd.Series(["a", 1, "a", 1]),
    "NaN": [0, np.nan, 0, 1],
    "None": [0, None, 0, 1],
    "not available": pd.Series([0, pd.NA, 0, 1], dtype="Int64"),
    "no time": np.array(["2020-01-01", "NaT", "2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
    "masked": np.ma.masked_equal([0, 1, 2, 1], 2),
    "too few": [0, 1, 0],
    "too many": [0, 1, 0, 1, 1],
    "none": [],
    "one kind": [1, 1, 1, 1],
    "a matrix": np.eye(4),
    "a text": "abab",
    "nothing": None,
    "a number": 3,
    "rows of different lengths": [[0], [1, 2], [0], [1]],
    "complex numbers": [1j, 2, 1j, 2],
    "complex numbers without an imaginary part": np.array([1, 2, 1, 2], dtype=complex),
    "complex numbers among objects": np.array([np.complex64(1j), 2, 1, 2], dtype=object),
    "lists in an array": np.array([[0], [1, 2], [0], None], dtype=object),
    "sparse": sp.csr_array(Y[:, None]),
    "a dict": {0: 1},
}


@pytest.mark.parametrize("labels", NO_LABELS.values(), ids=NO_LABELS)
def test_invalid_labels_are_refused(labels):
    for name, make in CLASSIFIERS.items():
        classifier, params = trained(make)
        if not isinstance(labels, list) or labels != [1, 1, 1, 1]:
            refuse(lambda: classifier.evaluate(labels, Y), name, "evaluate")
            for method, call in methods(classifier, X=X, y=labels, params=params):
                if "y" in call.keywords:
                    refuse(call, name, method)
    refuse(lambda: mistake_bound(X, labels, [[0, 0]] * 5))
    with pytest.raises(ValueError, match=r"."):  # The message of scikit-learn, if it has one.
        as_estimator(classifiers.Perceptron()).fit(X, labels)


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "b", "a"],
        np.array([b"b", b"a", b"b", b"a"]),
        [True, False, True, False],
        pd.Series(["b", "a", "b", "a"]),
        pd.Categorical(["b", "a", "b", "a"]),
        np.array(["b", "a", "b", "a"], dtype=np.dtypes.StringDType()),
        np.array([[2], [1], [2], [1]], dtype=np.uint8),
        [-0.5, -1.5, -0.5, -1.5],
        [2**70, 3, 2**70, 3],
        np.array(["2021", "2020", "2021", "2020"], dtype="datetime64[Y]"),
        [np.str_("b"), "a", "b", "a"],
    ],
    ids=str,
)
def test_labels_of_any_one_kind(labels):
    for make in CLASSIFIERS.values():
        classifier, params = trained(make, y=labels)
        _, expected = trained(make, y=1 - Y)
        np.testing.assert_array_equal(params, expected)
        given = np.asarray(labels).ravel()
        guesses = classifier.test(X, params)
        assert set(guesses.tolist()) <= set(given.tolist())
        assert classifier.evaluate(labels, guesses) == np.mean([a == b for a, b in zip(given, guesses, strict=True)])


def test_a_number_and_a_text_are_never_the_same_label():
    for truth, predicted in [(["0", "1"], [0, 1]), ([0, 1], ["0", "1"]), (np.array(["0"], dtype=object), [0])]:
        refuse_label(lambda: classifiers.LinearClassifier().evaluate(truth, predicted))
    days = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")
    kinds = [[0, 1], ["a", "b"], [b"a", b"b"], days, days - days[0], [pathlib.Path("a"), pathlib.Path("b")]]
    for one, other in itertools.permutations(kinds, 2):
        refuse_label(lambda: classifiers.LinearClassifier().evaluate(one, other))
        classifier, weights = trained(classifiers.MaxEntOnline, X[:2], one)
        refuse_label(lambda: classifier.objective(X[:2], other, weights))
    perceptron, params = trained(classifiers.Perceptron)
    refuse_label(lambda: perceptron.evaluate(["0", "1", "0", "1"], perceptron.test(X, params).astype(str)))
    with pytest.raises(InputError, match=wording("package.was_not_in_training")):
        perceptron.evaluate([0, 2], [0, 1])


def test_an_objective_needs_a_label_per_example():
    for make in (CLASSIFIERS["batch"], CLASSIFIERS["SVM"], CLASSIFIERS["dual"], CLASSIFIERS["online"]):
        classifier, params = trained(make)
        assert classifier.objective(X.tolist(), Y.tolist(), params.tolist()) == classifier.objective(X, Y, params)
        for inputs, labels, weights in [
            (X, Y[:3], params),
            (X[:3], Y, params),
            (X[:0], [], params),
            (X, [0, 1, 0, 5], params),
            (X, Y, params[:, :1]),
            (X, Y, "abc"),
        ]:
            refuse(lambda: classifier.objective(inputs, labels, weights))
        for untrained in ([0, 1, 0, -1], [0, 0.5, 0, 1], ["a", "b", "a", "b"], [0, np.inf, 0, 0], [0, 1, 2, 2**40]):
            refuse(lambda: make().objective(X, untrained, params))


# ------------------------------------------------------------------------------------------------------------ parameters

NO_PARAMS = {
    "a text": "abc",
    "nothing": None,
    "complex": np.ones((5, 2)) * 1j,
    "texts": [["1", "2"]] * 5,
    "masked": np.ma.masked_equal(np.eye(5)[:, :2], 1),
    "NaN": [[np.nan, 0.0]] * 5,
    "infinity": [[np.inf, 0.0]] * 5,
    "a weight of infinity": [[0.0, 0.0]] * 4 + [[np.inf, 0.0]],
    "a vector": np.ones(5),
    "a number": 5,
    "sparse": sp.csr_array(np.ones((5, 2))),
    # The parameters of a quadratic model of one feature, and of a linear model of two features.
    "too few rows": np.ones((3, 2)),
    "too many rows": np.ones((17, 2)),
    "too many columns": np.ones((5, 3)),
}


@pytest.mark.parametrize("params", NO_PARAMS.values(), ids=NO_PARAMS)
def test_invalid_parameters_are_refused(params, tmp_path):
    for name, make in CLASSIFIERS.items():
        classifier, _ = trained(make)
        refuse(lambda: classifier.test(X, params), name)
        refuse(lambda: classifier.get_label(classifier.add_intercept_term(X), params), name)
        refuse(lambda: explain(classifier, params, X[:1], list("abcd")), name)
        refuse(lambda: classifier.save(tmp_path / "model.npz", params, list("abcd")), name)


# -------------------------------------------------------------------------------------------------------- other features


@pytest.mark.slow
@EVERY
def test_the_model_reports_how_many_features_it_uses(make, tmp_path):
    """2 J + 1 rows are never read as a quadratic model: after training, loading, deep copying, or in scikit-learn."""
    classifier, params = trained(make)
    n_features = (len(params) - 1) // 2 if classifier.quadratic else len(params) - 1
    assert n_features == 4
    classifier.save(tmp_path / "model.npz", params)
    loaded = classifiers.LinearClassifier.load(tmp_path / "model.npz")
    expected = classifier.test(X, params)
    np.testing.assert_array_equal(loaded.classifier.test(X, loaded.params), expected)
    estimator = as_estimator(make())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        estimator.fit(X, Y)
    for width in (0, 1, 2, 3, 5, 8, 9):
        others = np.resize(X, (4, width))
        for inputs in (others, sp.csr_array(others), others.tolist()):
            for model in (classifier, loaded.classifier, copy.copy(classifier)):
                weights = loaded.params if model is loaded.classifier else params
                refuse(lambda: model.test(inputs, weights))
                refuse(lambda: model.get_label(model.add_intercept_term(others), weights))
                if hasattr(model, "get_probabilities"):
                    refuse(lambda: model.get_probabilities(inputs, weights))
        for method in {"predict", "decision_function", "predict_proba"} & set(dir(estimator)):
            with pytest.raises(ValueError, match=r"features|0 feature"):
                getattr(estimator, method)(others)


def test_changing_a_setting_after_training_does_not_reinterpret_parameters():
    linear, params = trained(lambda: classifiers.GaussianNaiveBayes(variance="pooled"))
    linear.variance = "per_class"
    with pytest.raises(InputError, match=wording("package.but_parameters_belong_to")):
        linear.test(X[:, :2], params)
    np.testing.assert_array_equal(linear.test(X, params), trained(CLASSIFIERS["pooled"])[0].test(X, params))


# -------------------------------------------------------------------------------------------------------------- settings


def test_settings_may_be_numpy_numbers():
    for make, setting, value in [
        (classifiers.Mira, "regularizer", np.float32(0.5)),
        (classifiers.Mira, "regularizer", np.longdouble(0.5)),
        (classifiers.SVM, "initial_step", np.longdouble(0.5)),
        (classifiers.ColumnSquishing, "cap", np.float16(0.5)),
        (classifiers.Perceptron, "nr_rounds", np.int8(3)),
        (classifiers.Perceptron, "nr_rounds", 3.0),
        (classifiers.Perceptron, "track_objective", np.False_),
    ]:
        plain = value.item() if hasattr(value, "item") else int(value)
        expected = make(**{setting: float(plain) if isinstance(value, np.longdouble) else plain}).train(X, Y)
        np.testing.assert_allclose(make(**{setting: value}).train(X, Y), expected, rtol=1e-12)


def test_seeds_of_several_types_are_accepted():
    for good in (0, np.int64(3), 2**70, np.random.default_rng(1), [1, 2]):
        classifiers.Perceptron(seed=good).train(X, Y)
    of_numpy, of_python = (classifiers.Perceptron(seed=seed).train(X, Y) for seed in (np.uint8(3), 3))
    np.testing.assert_array_equal(of_numpy, of_python)


# -------------------------------------------------------------------------------------------------- numbers too large


def test_a_small_variance_around_a_large_mean_is_not_lost_in_a_sparse_matrix():
    rng = np.random.default_rng(0)
    points, labels = 1e8 + rng.normal(size=(60, 3)), np.arange(60) % 2
    points[labels == 1] *= 1 + 1e-8
    for variance in ("pooled", "per_class"):
        dense, sparse = classifiers.GaussianNaiveBayes(variance), classifiers.GaussianNaiveBayes(variance)
        dense.train(points, labels)
        sparse.train(sp.csr_array(points), labels)
        np.testing.assert_allclose(sparse.variances, dense.variances, rtol=1e-6)
        assert (dense.variances > 0.3).all()


def test_a_constant_feature_has_no_variance_however_it_is_rounded():
    points, labels = np.full((7, 2), 0.1), [0, 0, 0, 0, 1, 1, 1]
    for variance in ("pooled", "per_class"):
        for form in (np.array, sp.csr_array):
            classifier = classifiers.GaussianNaiveBayes(variance)
            params = classifier.train(form(points), labels)
            np.testing.assert_array_equal(classifier.test(form(points), params), np.zeros(7))  # The prior decides.


# --------------------------------------------------------------------------------------------------------------- readers


class NoPath:
    def __repr__(self):  # Without the address, because all processes of a run must collect tests of the same names.
        return "NoPath()"


NO_PATHS = [None, 3, 1.5, [], {}, NoPath(), b"\x00", "\x00", "\ud800", 300 * "a", "", ".", "/no/such/file"]


@pytest.mark.parametrize("path", NO_PATHS, ids=repr)
def test_invalid_paths_are_refused(path, tmp_path):
    good = tmp_path / "mine.csv"
    good.write_text("a,x y\nb,y z\n" * 5)
    calls = [lambda: TextCorpus(path), lambda: read_conllu(path), lambda: PosCorpus.from_files(path, path)]
    if path is not None:
        calls += [
            lambda: TextCorpus(good, test_path=path),
            lambda: SentimentCorpus("books", data_dir=path),
            lambda: QuestionCorpus("trec6", data_dir=path),
            lambda: PosCorpus(data_dir=path),
        ]
    for number, call in enumerate(calls):
        refuse(call, "call", number)


NO_BAGS = {
    "nothing": lambda text: None,
    "words": str.split,
    "a number": len,
    "a text": lambda text: text,
    "texts as numbers": lambda text: dict.fromkeys(text.split(), "1"),
    "nothing as a number": lambda text: dict.fromkeys(text.split()),
    "NaN": lambda text: dict.fromkeys(text.split(), np.nan),
    "infinity": lambda text: dict.fromkeys(text.split(), np.inf),
    "complex numbers": lambda text: dict.fromkeys(text.split(), 1j),
    "a number too large": lambda text: dict.fromkeys(text.split(), 10**400),
    "numbers as tokens": lambda text: {len(word): 1 for word in text.split()},
    "lists as numbers": lambda text: {word: [1] for word in text.split()},
}


@pytest.mark.parametrize("count", [*NO_BAGS.values(), 3, "count"], ids=[*NO_BAGS, "3", "a name"])
def test_counting_that_returns_nonsense(count, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,x y\nb,yy z\n" * 5)
    with pytest.raises(InputError, match="count"):
        TextCorpus(path, count=count)
    if callable(count) and count is not NO_BAGS["numbers as tokens"]:
        refuse(lambda: vectorise([count("x y")], {"x": 0, "y": 1}))


def test_arguments_of_readers_that_make_no_sense(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,x y\nb,y z\n" * 5)
    odd = [3.5, "a", [], {}, np.nan, object()]
    for setting in ("split", "seed", "form", "delimiter", "header", "label_column", "quote", "encoding", "min_count"):
        for value in odd:
            if setting in ("delimiter", "label_column") and value == "a":
                continue  # A character that divides the content; the name of the first column, if there is a header.
            refuse(lambda: TextCorpus(path, **{setting: value}), setting, value)
    for kind, wrong in [
        (SentimentCorpus, ("domain", "train_per", "dev_per", "test_per", "min_count", "rare_words_from", "cache")),
        (QuestionCorpus, ("name", "level", "dev_per", "min_count")),
        (PosCorpus, ("name", "tags")),
    ]:
        for setting, value in itertools.product(wrong, [*odd, None]):
            refuse(lambda: kind(**{wrong[0]: "toy", setting: value}), setting, value)


def test_splitting_invalid_data_is_refused():
    for X_, y in [(None, Y), ("abc", "abc"), (X, None), (X, 3), (X, Y[:2]), (3, Y)]:
        refuse(lambda: split_train_dev_test(X_, y))
    parts = split_train_dev_test(X.tolist(), Y.tolist(), (0.5, 0, 0.5))
    np.testing.assert_array_equal(parts[0], X[:2])
    np.testing.assert_array_equal(parts[5], Y[2:])


# --------------------------------------------------------------------------------------------------------------- figures


def test_pictures_of_nonsense_are_refused():
    sd = SimpleDataSet()
    fig, axis = sd.plot_data(ax=detached_axes()[1])
    good = sd.get_bayes_optimal()
    no_numbers = ["osx", 3, [], {}, good * 1j, good.astype(str), good * np.nan]
    for params in (*no_numbers, good[:2], sp.csr_array(good), np.ma.masked_less(good, 0)):
        refuse(lambda: sd.plot_data(params, ax=detached_axes()[1]))
        refuse(lambda: sd.add_line(fig, axis, params, "name", "green"))
        refuse(lambda: add_boundary(axis, params, "name"))
        refuse(lambda: decision_boundary(params, (-1, 1), (-1, 1)))
    for call in [
        lambda: sd.plot_data(ax="osx"),
        lambda: sd.plot_data(ax=3),
        lambda: sd.add_line(fig, None, good, "name", "green"),
        lambda: sd.add_line(fig, fig, good, "name", "green"),
        lambda: sd.add_line(fig, axis, good, "name", "no colour"),
        lambda: sd.add_line(fig, axis, good, "name", []),
        lambda: plot_points("osx", [0]),
        lambda: plot_points([["a", "b"]], [0]),
        lambda: plot_points(X[:, :2] * 1j, Y),
        lambda: plot_points(np.ma.masked_equal(X[:, :2], 0), Y),
        lambda: plot_points(X[:, :2], None),
        lambda: plot_points(X[:, :2], Y, ax="osx"),
        lambda: plot_accuracies("osx"),
        lambda: plot_accuracies(None),
        lambda: plot_accuracies([("a", "b", 0.5, 0.5)], ax="osx"),
        lambda: decision_boundary(good, "ab", (0, 1)),
    ]:
        refuse(call)


def test_sparse_points_are_drawn_as_dense_ones():
    forms = [form(X[:, :2]) for form in (np.array, sp.csr_array, pd.DataFrame)]
    pictures = [plot_points(points, Y, ax=detached_axes()[1])[1] for points in forms]
    for axis in pictures[1:]:
        for line, other in zip(axis.lines, pictures[0].lines, strict=True):
            np.testing.assert_array_equal(line.get_xydata(), other.get_xydata())


# -------------------------------------------------------------------------------------------------- explanations, files


def test_explanations_and_files_of_nonsense_are_refused():
    classifier = classifiers.LinearClassifier()
    refuse(lambda: explain(classifier, np.ones((2, 2)), "a", ["a"]))
    refuse(lambda: explain(classifier, np.ones((2, 2)), [[1.0]], 3))
    for place in (3, None):
        refuse(lambda: classifiers.LinearClassifier.load(place))
        refuse(lambda: classifier.save(place, np.ones((2, 2))))


# -------------------------------------------------------------------------------------------------------- scikit-learn


@pytest.mark.parametrize("inputs", [value for name, value in NO_INPUTS.items() if "columns" not in name])
def test_the_estimator_refuses_what_the_classifier_does(inputs):
    with pytest.raises(ValueError, match=r"."):
        as_estimator(classifiers.Perceptron()).fit(inputs, Y)
    with pytest.raises(ValueError, match=r"."):
        as_estimator(classifiers.Perceptron()).fit(X, Y).predict(inputs)


def test_pathlib_and_text_are_paths(tmp_path):
    for path in (tmp_path / "model.npz", str(tmp_path / "other.npz"), pathlib.PurePath(tmp_path / "third.npz")):
        classifiers.LinearClassifier().save(path, np.eye(2))
        np.testing.assert_array_equal(classifiers.LinearClassifier.load(path).params, np.eye(2))
