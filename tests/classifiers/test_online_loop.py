"""The readable loop compared with closed forms; it is also the oracle of every learner that trains with the compiled loop."""

import pickle

import numpy as np
import pytest

from classifiers import SVM, ColumnSquishing, MaxEntOnline, Mira, PassiveAggressive2, Perceptron
from classifiers.online_loop import online_loop
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus_training import resume
from tests.made_data import all_but_seconds, random_problem
from tests.wording import wording

LEARNERS = {
    "perceptron": (Perceptron, {}),
    "mira": (Mira, {"regularizer": 0.7}),
    "svm": (SVM, {"regularizer": 0.2, "initial_step": 0.8, "alpha": 0.9}),
    "max_ent": (MaxEntOnline, {"regularizer": 0.1, "initial_step": 0.6, "alpha": 0.6}),
    "passive-aggressive": (PassiveAggressive2, {"cap": 0.3}),
    "squishing": (ColumnSquishing, {}),
    "squishing with a cap": (ColumnSquishing, {"cap": 0.3}),
}
TAKE_COSTS = ("mira", "svm", "passive-aggressive", "squishing", "squishing with a cap")


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_this_loop_with_its_rule(name, n_classes):
    """For every average, and whether all rounds run in one call or one by one."""
    X, labels, orders, cost = random_problem(n_classes)
    cost = cost if name in TAKE_COSTS else 1 - np.eye(n_classes)
    make, settings = LEARNERS[name]
    learner = make(nr_rounds=3, order=orders, cost=cost, **settings)
    order, steps = orders.ravel(), learner.steps(1, orders.size)
    shrinkage = learner.regularizer if learner.shrinks else 0.0
    rounds = len(X) * np.arange(1, 4)
    until = [online_loop(learner.rule, X, labels, order[:end], steps[:end], cost.T, shrinkage) for end in rounds]
    ends, means = zip(*until, strict=True)
    last_round = 3 * means[-1] - 2 * means[-2]
    by_average = {"steps": means[-1], "last round": last_round, "rounds": np.mean(ends, axis=0), False: ends[-1]}
    for averaged, expected in by_average.items():
        learner.averaged = averaged
        for callback in (None, lambda *_: None):
            np.testing.assert_allclose(learner.train(X, labels, callback), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("runs_as", ["machine code", "python"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("averaged", ["steps", False])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_weight_scales_the_step_that_the_rule_takes_and_not_the_shrinking(name, averaged, n_classes, runs_as):
    X, labels, orders, _ = random_problem(n_classes)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 4.0], len(X))
    weights[:n_classes] = 1.0
    make, settings = LEARNERS[name]
    learner = make(nr_rounds=3, order=orders, averaged=averaged, **settings)
    rule, visits = learner.rule, iter(orders.ravel())

    def scaled(scores, label, sq_norm, step, cost):
        return rule(scores, label, sq_norm, step * (weights / weights.mean())[next(visits)], cost)

    if runs_as == "python":
        learner.rule = lambda *arguments: rule(*arguments)
    shrinkage, costs = learner.regularizer if learner.shrinks else 0.0, 1 - np.eye(n_classes)
    with np.errstate(over="ignore"):  # Without a cap, column squishing uses the largest number as its cap.
        W, mean = online_loop(scaled, X, labels, orders.ravel(), learner.steps(1, orders.size), costs, shrinkage)
    params = learner.train(X, labels, sample_weight=3.0 * weights)
    np.testing.assert_allclose(params, mean if averaged else W, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["svm", "max_ent"])
def test_the_objective_of_weighted_examples_is_that_of_repeated_ones(name):
    X, labels, orders, _ = random_problem(3)
    times = np.random.default_rng(1).integers(1, 4, len(X), dtype=np.intp)
    make, settings = LEARNERS[name]
    learner = make(nr_rounds=3, order=orders, track_objective=True, **settings)
    params = learner.train(X, labels, sample_weight=times)
    expected = learner.objective(X.repeat(times, axis=0), labels.repeat(times), params)
    assert learner.history[-1].objective == pytest.approx(expected, rel=1e-12)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("order", ["given", "drawn"])
@pytest.mark.parametrize("runs_as", ["machine code", "python"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("averaged", ["steps", "last round", "rounds", False])
@pytest.mark.parametrize("name", LEARNERS)
def test_resumed_rounds_are_one_training_bit_for_bit(name, averaged, n_classes, runs_as, order):
    X, labels, orders, _ = random_problem(n_classes, n_rounds=10)
    make, settings = LEARNERS[name]

    def learner(first, last):
        own_order = orders[first:last] if order == "given" else None
        made = make(nr_rounds=last - first, order=own_order, averaged=averaged, **settings)
        if runs_as == "python":
            rule = made.rule
            made.rule = lambda *arguments: rule(*arguments)
        return made

    whole, second = learner(0, 10), learner(5, 10)
    expected = whole.train(X, labels)
    _, state = resume(learner(0, 5), None, X, labels)
    kept = pickle.dumps(state)
    for _ in range(2):  # The state is a value: training that resumes from it does not change it.
        params, after = resume(second, state, X, labels)
        np.testing.assert_array_equal(params, expected)
        assert pickle.dumps(state) == kept
        assert all_but_seconds(second.history) == all_but_seconds(whole.history[5:])
    np.testing.assert_array_equal(resume(second, pickle.loads(kept), X, labels)[0], expected)
    assert (state.n_rounds, after.n_rounds) == (5, 10)


def test_a_state_of_an_earlier_version_is_resumed():
    """It holds a generator and no seed."""
    X, labels, _, _ = random_problem(3)
    expected = Perceptron(nr_rounds=6).train(X, labels)
    _, state = resume(Perceptron(nr_rounds=3), None, X, labels)
    del vars(state)["seed"]
    np.testing.assert_array_equal(resume(Perceptron(nr_rounds=3), state, X, labels)[0], expected)


@pytest.mark.parametrize("order", [None, [0, 1]])
def test_what_is_no_seed_is_refused_even_if_an_order_is_given(order):
    with pytest.raises(InputError, match="^seed "):
        Perceptron(seed=-1, order=order).train(np.eye(2), [0, 1])


@pytest.mark.parametrize("n_features", [6, 8])
def test_a_state_of_other_features_is_refused(n_features):
    X, labels, _, _ = random_problem(3)
    _, state = resume(Mira(nr_rounds=1), None, X, labels)
    with pytest.raises(InputError, match=wording("classifiers.state_parameters_rows_data", n_features + 1)):
        resume(Mira(nr_rounds=1), state, np.ones((len(X), n_features)), labels)


def test_the_dual_solver_cannot_resume():
    X, labels, _, _ = random_problem(3)
    with pytest.raises(InputError, match=wording("classifiers.svm_cannot_continue_training")):
        resume(SVM(solver="dual"), None, X, labels)


def test_the_mean_is_that_of_the_weights_after_each_step():
    X, labels, orders, _ = random_problem(3)
    order, steps = orders.ravel(), 0.1 + np.random.default_rng(0).random(orders.size)
    until = [online_loop(SVM.rule, X, labels, order[:t], steps[:t], 1 - np.eye(3), 0.3)[0] for t in range(1, 20)]
    mean = online_loop(SVM.rule, X, labels, order[:19], steps[:19], 1 - np.eye(3), 0.3)[1]
    np.testing.assert_allclose(mean, np.mean(until, axis=0), rtol=0, atol=1e-13)


def test_the_steps_for_two_points():
    """The points (1) and (−1) have the classes 0 and 1. The first is right, because class 0 wins ties; the second is wrong."""
    W, mean = online_loop(Perceptron.rule, [[1.0], [-1.0]], [0, 1], [0, 1, 0], np.ones(3), 1 - np.eye(2))
    # After the second step the scores of (1) are 0 and 0: class 0 wins again, and the weights stay.
    assert W.tolist() == [[-1.0, 1.0], [1.0, -1.0]]
    np.testing.assert_allclose(mean, 2 / 3 * W, rtol=0, atol=1e-15)
