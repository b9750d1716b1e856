"""Rules that make their answer in the loop's room give the numbers that they gave in memory of their own."""

import numpy as np
import pytest

from classifiers.column_squishing import squishing_rule
from classifiers.max_ent_online import max_ent_rule
from classifiers.mira import mira_rule
from classifiers.passive_aggressive import pa1_rule, pa2_rule
from classifiers.perceptron import perceptron_rule
from classifiers.svm import svm_rule
from lxmls_day1.engine.compiled import sparse_rows
from lxmls_day1.engine.compiled.primitives import COMPILES
from lxmls_day1.engine.compiled.rule_code import in_room

RULES = [perceptron_rule, mira_rule, svm_rule, max_ent_rule, pa1_rule, pa2_rule, squishing_rule]


def cases(n_cases, special):
    """Scores, label and costs of 2 to 40 classes: large and small, with ties, and, if ``special``, with numbers that are not finite."""
    rng = np.random.default_rng(0)
    for n in range(n_cases):
        n_classes = int(rng.integers(2, 41))
        scores = rng.normal(size=n_classes) * 10.0 ** rng.integers(-3, 4)
        if n % 4 == 0:
            scores = np.round(scores)
        if special and n % 8 == 1:
            scores[rng.integers(n_classes)] = rng.choice([np.inf, -np.inf, np.nan])
        label, cost = int(rng.integers(n_classes)), rng.choice([1.0, 2.5]) * rng.random(n_classes)
        cost[label] = 0.0
        cost.flags.writeable = False
        yield scores, label, 3.7, 0.3, cost


@np.errstate(all="ignore")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_twin_of_a_rule_gives_its_numbers_and_leaves_the_scores_alone(rule):
    twin = in_room(rule, lambda scores: room)
    assert (twin is not rule) == (rule is not squishing_rule)
    for scores, *others in cases(400, special=rule is not squishing_rule):
        room, given = np.full(len(scores), 7.0), scores.copy()
        answer = twin(scores, *others)
        assert answer is room or twin is rule
        np.testing.assert_array_equal(answer, rule(given, *others))
        np.testing.assert_array_equal(scores, given)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="there is no machine code")
@np.errstate(all="ignore")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_machine_code_of_a_rule_gives_the_bits_of_the_rule_compiled_as_it_is(rule):
    import numba

    from lxmls_day1.engine.compiled.intrinsics import RULE_SIGNATURE

    as_it_is, code = numba.njit(RULE_SIGNATURE, error_model="numpy")(rule), sparse_rows.compile_rule(rule)
    for scores, *others in cases(400, special=rule is not squishing_rule):
        with_room = np.concatenate([scores, scores])[: len(scores)]
        np.testing.assert_array_equal(code(with_room, *others), as_it_is(scores, *others))


def of_other_names(points, label, sq_norm, step, cost):
    """A rule whose scores have another name."""
    d = points - cost * 2.0
    return d * step


def of_its_docstring(scores, label, sq_norm, step, cost):
    """Nothing else."""


def by_parts(scores, label, sq_norm, step, cost):
    d, _ = np.zeros(len(scores)), 1.0
    return d


def of_a_condition(scores, label, sq_norm, step, cost):
    d = np.zeros(len(scores)) if label else cost
    return d


def of_the_costs(scores, label, sq_norm, step, cost):
    d = cost + scores
    return d


def enclosed():
    factor = 2.0

    def rule(scores, label, sq_norm, step, cost):
        d = np.zeros(len(scores))
        return d + factor

    return rule


def of_any_arguments(*arguments):
    d = np.zeros(len(arguments[0]))
    return d


def test_only_what_surely_is_a_new_array_of_k_numbers_is_made_in_the_room():
    rules = [of_its_docstring, by_parts, of_a_condition, of_the_costs, enclosed(), of_any_arguments]
    rules.append(lambda scores, label, sq_norm, step, cost: scores + cost)
    without_source = {"np": np}
    exec("def rule(scores, label, sq_norm, step, cost):\n    d = np.zeros(len(scores))\n    return d", without_source)
    for rule in [*rules, without_source["rule"]]:
        assert in_room(rule, None) is rule
    room, cost = np.empty(2), np.array([0.0, 1.0])
    twin = in_room(of_other_names, lambda points: room)
    np.testing.assert_array_equal(twin(np.array([3.0, 1.0]), 0, 1.0, 0.5, cost), [1.5, -0.5])
    np.testing.assert_array_equal(room, [3.0, -1.0])
