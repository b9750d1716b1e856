"""The compiled loop and the loop for plain Python rules, both compared with ``online_loop``, which stores every W in full."""

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers import (
    AROW,
    SVM,
    ColumnSquishing,
    ConfidenceWeighted,
    MaxEntOnline,
    Mira,
    PassiveAggressive,
    Perceptron,
)
from classifiers.online_classifier import OnlineClassifier, compiled
from classifiers.online_loop import online_loop
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus_training import resume
from lxmls_day1.engine.kernels import sparse_rows
from tests.made_data import random_problem
from tests.wording import wording

pytestmark = pytest.mark.bits

RULES = [Perceptron.rule, Mira.rule, SVM.rule, MaxEntOnline.rule, ColumnSquishing.rule]


def expected_weights(rule, X, labels, orders, steps, shrinkage=0.0, cost=None, averaged=False):
    """Return the expected result of training, by the plain loop."""
    costs = (1.0 - np.eye(labels.max() + 1)) if cost is None else cost.T
    order = np.concatenate(orders)
    if averaged == "rounds":
        ends = range(len(X), len(order) + 1, len(X))
        return np.mean([online_loop(rule, X, labels, order[:n], steps[:n], costs, shrinkage)[0] for n in ends], axis=0)
    W, mean = online_loop(rule, X, labels, order, steps, costs, shrinkage)
    return mean if averaged else W


class ConstantSteps(OnlineClassifier):
    """A learner with any rule, step and shrinkage, for cases of the loop that the real learners do not reach."""

    def __init__(self, rule, step, regularizer, **settings):
        super().__init__(track_objective=False, **settings)
        self.rule, self.step, self.regularizer, self.shrinks = rule, step, regularizer, regularizer != 0

    def steps(self, first, count):
        return np.full(count, self.step)


def uncompiled(rule):
    """Return the same rule without its mark, so that it runs as a plain Python function in the readable loop."""
    return lambda *arguments: rule(*arguments)


@pytest.mark.parametrize("n_features", [0, 1, 3, 8, 21])
@pytest.mark.parametrize("n_classes", [2, 3, 4, 7, 12])
@pytest.mark.parametrize("density", [1.0, 0.5])
@pytest.mark.parametrize("few", [0, sparse_rows._MIN_DENSE_NUMBERS], ids=["large", "small"])
def test_a_dense_matrix_has_the_weights_of_the_sparse_one(monkeypatch, few, density, n_classes, n_features):
    """Equal up to the compiler's order of sums: a step rounds sums of J + 1 terms, and there are T steps."""
    monkeypatch.setattr(sparse_rows, "_MIN_DENSE_NUMBERS", few)
    X, labels, *_ = random_problem(n_classes, n_features=n_features, density=density)
    for learner in (Perceptron(), Mira(averaged=False), SVM(regularizer=0.1), MaxEntOnline(regularizer=0.1)):
        expected = learner.train(sp.csr_array(X), labels)
        bound = learner.nr_rounds * len(X) * (n_features + 1) * np.finfo(float).eps * np.abs(expected).max()
        for form in (np.asarray, np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2]):
            np.testing.assert_allclose(learner.train(form(X), labels), expected, rtol=0, atol=bound)


@pytest.mark.one_in(15)
@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 9])
@pytest.mark.parametrize("runs_as", ["machine code", "python"])
@pytest.mark.parametrize("kind", ["counts", "counts in an array", "float32", "float64"])
def test_a_large_set_gives_the_bits_of_a_small_one_if_no_number_is_rounded(monkeypatch, n_classes, kind, runs_as):
    X, labels, *_ = random_problem(n_classes, n_examples=60, n_features=12)
    if kind == "counts in an array":
        X = np.floor(abs(X)) * (abs(X) > 1.3)  # mostly 0, so that training makes it sparse
    else:
        X = sp.csr_array({"counts": np.round(abs(3 * X)), "float32": X.astype(np.float32), "float64": 1e-40 * X}[kind])
    of_gradients = [
        kind(regularizer=0.1, track_objective=tracked) for kind in (SVM, MaxEntOnline) for tracked in (False, True)
    ]
    for learner in (Perceptron(averaged=False), Mira(), *of_gradients):
        if runs_as == "python":
            learner.rule = uncompiled(learner.rule)
        plain, objectives = learner.train(X, labels), [round.objective for round in learner.history]
        with monkeypatch.context() as patch:
            for limit in ("_MIN_COMPACT_NUMBERS", "_MIN_ROUNDED_NUMBERS"):
                patch.setattr(sparse_rows, limit, 0)
            np.testing.assert_array_equal(learner.train(X, labels), plain)
            assert [round.objective for round in learner.history] == objectives


def test_only_word_counts_get_smaller_types_before_a_set_is_as_large_as_main_memory_is_slow(monkeypatch):
    monkeypatch.setattr(sparse_rows, "_MIN_COMPACT_NUMBERS", 0)
    counts = np.array([[0.0, 2.0], [255.0, 0.0]])
    for X, kind in ((counts, np.uint8), (counts + 0.5, np.float64), (256 * counts, np.float64)):
        made = sparse_rows.compact(sparse_rows.as_examples(sp.csr_array(X)))
        assert made.data.dtype == kind
        assert made.indices.dtype == (np.uint16 if kind == np.uint8 else np.int32)


# ------------------------------------------------------------------------------------------- iterative parameter mixing


def mixed_training(rule, X, labels, orders, steps, shrinkage, n_parts):
    """Return W and the mean of the matrices after all steps of all parts, by plain NumPy."""
    G, costs = np.hstack([np.ones((len(X), 1)), X]), 1.0 - np.eye(labels.max() + 1)
    W, total, n_updates = np.zeros((G.shape[1], len(costs))), 0.0, []
    for order, sizes in zip(orders, steps.reshape(orders.shape), strict=True):
        ends, n_updates = [], [*n_updates, 0]
        for p, part in enumerate(np.array_split(order, n_parts)):
            of_part = W
            for m, step in zip(part, sizes[p::n_parts], strict=True):
                d = rule(G[m] @ of_part, labels[m], G[m] @ G[m], step, costs[labels[m]])
                of_part = (1 - step * shrinkage) * of_part + np.outer(G[m], d)
                total = total + of_part
                n_updates[-1] += d.any()
            ends.append(len(part) / len(order) * of_part)
        W = sum(ends)
    return W, total / orders.size, n_updates


@pytest.mark.one_in(9)
@pytest.mark.parametrize("n_jobs", [2, 3, 50])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("rule", [Perceptron.rule, SVM.rule, MaxEntOnline.rule], ids=lambda rule: rule.__name__)
def test_threads_mix_their_weights_after_each_round(rule, n_classes, n_jobs):
    X, labels, orders, _ = random_problem(n_classes)
    shrinkage = 0.0 if rule is Perceptron.rule else 0.3
    steps = np.full(orders.size, 0.5)
    W, mean, n_updates = mixed_training(rule, X, labels, orders, steps, shrinkage, min(n_jobs, len(X)))
    for averaged, expected in ((False, W), ("steps", mean)):
        for runs in (rule, uncompiled(rule)):
            learner = ConstantSteps(runs, 0.5, shrinkage, nr_rounds=3, order=orders, averaged=averaged, n_jobs=n_jobs)
            np.testing.assert_allclose(learner.train(X, labels), expected, rtol=0, atol=1e-10)
            assert [record.updates for record in learner.history] == n_updates
            again = learner.train(X, labels)
            np.testing.assert_array_equal(again, learner.train(X, labels))


@pytest.mark.parametrize("averaged", ["steps", "last round", "rounds", False])
def test_threads_resume_from_a_state_bit_for_bit(averaged):
    X, labels, *_ = random_problem(2)
    first, whole = (SVM(nr_rounds=n, averaged=averaged, n_jobs=2) for n in (2, 4))
    _, state = resume(first, None, X, labels)
    np.testing.assert_array_equal(resume(first, state, X, labels)[0], whole.train(X, labels))


@pytest.mark.parametrize(
    "make", [Perceptron, Mira, SVM, MaxEntOnline, PassiveAggressive, ColumnSquishing, AROW, ConfidenceWeighted]
)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("number", [1e155, -1.7e308])
def test_a_row_whose_squares_overflow_is_named(make, form, number):
    """Some files use the largest float64 for missing values; no step from such a row is meaningful."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    X[7, 1] = number
    with pytest.raises(InputError, match=wording("classifiers.row_x_large")):
        make().train(form(X), y)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("n_classes", [*range(2, 17), 20])
@pytest.mark.parametrize("density", [1.0, 0.3])
def test_compiled_readable_and_plain_loop_agree(rule, n_classes, density):
    X, labels, orders, _ = random_problem(n_classes, density=density)
    step, shrinkage = 0.37, 0.21
    for averaged in (False, "steps", "rounds"):
        steps = np.full(orders.size, step)
        expected = expected_weights(rule, X, labels, orders, steps, shrinkage, averaged=averaged)
        settings = {"nr_rounds": 3, "order": orders, "averaged": averaged}
        for form in (np.asarray, sp.csr_array):
            fast = ConstantSteps(rule, step, shrinkage, **settings).train(form(X), labels)
            readable = ConstantSteps(uncompiled(rule), step, shrinkage, **settings).train(form(X), labels)
            np.testing.assert_allclose(fast, readable, rtol=0, atol=1e-10)
            np.testing.assert_allclose(fast, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("shrinkage", [0.1, 1.0, 2.5])
def test_the_scale_is_folded_in_without_losing_the_average(shrinkage):
    """100 rounds with the factor 0.9 pass the folding threshold of 1e-5 some hundred times; other factors are 0, or negative."""
    X, labels, *_ = random_problem(4)
    orders = np.tile(np.arange(len(X)), (100 if shrinkage < 1 else 2, 1))
    expected = expected_weights(MaxEntOnline.rule, X, labels, orders, np.ones(orders.size), shrinkage, averaged="steps")
    learner = ConstantSteps(MaxEntOnline.rule, 1.0, shrinkage, nr_rounds=len(orders), order=orders)
    rtol = 1e-9 if shrinkage > 2 else 0  # There the weights grow from step to step.
    np.testing.assert_allclose(learner.train(X, labels), expected, rtol=rtol, atol=1e-9)


def test_history_callback_and_objective_are_correct():
    X, labels, orders, _ = random_problem(3)
    seen = []
    svm = SVM(regularizer=0.2, nr_rounds=3, initial_step=1.0, order=orders, averaged="steps", track_objective=True)
    params = svm.train(X, labels, callback=lambda *arguments: seen.append(arguments))
    steps = np.arange(1, orders.size + 1) ** -1.0
    g = np.hstack([np.ones((len(X), 1)), X])
    for number, (record, weights, averages) in enumerate(seen, start=1):
        until = number * len(X)
        W, mean = online_loop(SVM.rule, X, labels, orders.ravel()[:until], steps[:until], 1 - np.eye(3), 0.2)
        np.testing.assert_allclose(weights, W, atol=1e-10)
        np.testing.assert_allclose(averages, mean, atol=1e-10)
        scores = g @ averages
        margins = scores + 1 - np.eye(3)[labels] - scores[np.arange(len(X)), labels][:, None]
        assert record.objective == pytest.approx(margins.max(axis=1).mean() + 0.1 * (averages**2).sum())
    assert [record for record, _, _ in seen] == svm.history
    assert [record.number for record in svm.history] == [1, 2, 3]
    assert svm.objective(X, labels, params) == pytest.approx(svm.history[-1].objective)
    np.testing.assert_array_equal(params, seen[-1][2])


def test_seeds_determine_the_order():
    X, labels, *_ = random_problem(3)
    np.testing.assert_array_equal(Perceptron(seed=3).train(X, labels), Perceptron(seed=3).train(X, labels))
    assert not np.array_equal(Perceptron(seed=3).train(X, labels), Perceptron(seed=4).train(X, labels))
    once = np.random.default_rng(0).permutation(len(X))
    one_order, an_order_a_round = Perceptron(nr_rounds=2, order=once), Perceptron(nr_rounds=2, order=[once, once])
    np.testing.assert_array_equal(one_order.train(X, labels), an_order_a_round.train(X, labels))


def test_training_leaves_data_and_global_randomness_alone():
    X, labels, *_ = random_problem(3)
    X_before, labels_before = X.copy(), labels.copy()
    np.random.seed(0)
    before = np.random.get_state()[1].copy()
    for form in (np.asarray, sp.csr_array):
        Mira(nr_rounds=2).train(form(X), labels)
    np.testing.assert_array_equal(np.random.get_state()[1], before)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(labels, labels_before)


class TestStudentsRules:
    @staticmethod
    def train(rule, X=((0.0,), (1.0,)), labels=(0, 1), **settings):
        return ConstantSteps(rule, 1.0, 0.0, **settings).train(X, labels)

    def test_a_stub_is_reported_as_such(self):
        @compiled
        def rule(scores, label, sq_norm, step, cost):
            raise NotImplementedError("Exercise 1.5: the step of MIRA")

        with pytest.raises(NotImplementedError, match="Exercise 1.5"):
            self.train(rule)

    @pytest.mark.parametrize(
        ("returned", "says"),
        [
            (None, "is a return statement missing"),
            (1.0, "2 classes, but returned 1.0"),
            ([1, 2, 3], "2 classes"),
            ("no", "'no'"),
        ],
    )
    def test_a_rule_that_returns_something_else(self, returned, says):
        with pytest.raises(InputError, match=says):
            self.train(lambda scores, label, sq_norm, step, cost: returned)

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_a_compiled_rule_that_sometimes_returns_fewer_numbers(self, n_classes):
        """The first answer, for equal scores, has the right length, so the loop must check every answer."""

        @compiled
        def rule(scores, label, sq_norm, step, cost):
            d = scores * 0.0
            d[label] += 1.0
            d[(label + 1) % len(scores)] -= 1.0
            return d[scores >= 0.0].copy()

        X, labels, orders, _ = random_problem(n_classes)
        with pytest.raises(InputError, match=wording("classifiers.one_number_for_each", n_classes)):
            self.train(rule, X, labels, nr_rounds=3, order=orders)

    def test_a_rule_that_adds_to_its_costs_in_place_is_stopped(self):
        def rule(scores, label, sq_norm, step, cost):
            cost += scores
            return np.zeros_like(scores)

        with pytest.raises(ValueError, match="read-only"):
            self.train(rule)


def nan_at_once(scores, label, sq_norm, step, cost):
    return np.array([np.nan, 0.0])


def nan_later(scores, label, sq_norm, step, cost):
    d = np.zeros(len(scores))
    d[label] = 1.0 if scores[label] <= 0 else np.sqrt(-scores[label])
    return d


def growing(scores, label, sq_norm, step, cost):
    d = np.zeros(len(scores))
    d[label] = 1e200 * (1.0 + scores[label])
    return d


NAN_AND_0 = r"array\(\[nan,  0\.\]\)"


@pytest.mark.parametrize("compile_it", [True, False])
@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (nan_at_once, rf"nan_at_once must return d, one number for each of the 2 classes, but returned {NAN_AND_0}"),
        (nan_later, f"nan_later must return d, .* but returned {NAN_AND_0}"),
        (growing, "the weights had overflowed by round 5"),
    ],
)
def test_a_rule_that_returns_nan_is_reported_by_its_name(rule, says, compile_it):
    learner = ConstantSteps(compiled(rule) if compile_it else rule, 1.0, 0.0, nr_rounds=5)
    with np.errstate(all="ignore"), pytest.raises(InputError, match=says) as raised:
        learner.train([[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1])
    assert type(raised.value) is InputError


def test_a_rule_that_returns_a_long_list_is_reported_in_a_short_text():
    learner = ConstantSteps(lambda *_: [0.5] * 5000, 1.0, 0.0)
    with pytest.raises(InputError, match=r" \[0\.5, 0\.5, [^\]]{,30}\.\.\.\]$"):
        learner.train([[2.0], [1.0]], [0, 1])
