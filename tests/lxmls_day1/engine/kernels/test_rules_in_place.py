"""The in-place forms of the rules: bit for bit the pure rules, and used for nothing but these."""

import functools
import itertools
import types

import numpy as np
import pytest

from classifiers import SVM, MaxEntOnline, Perceptron, compiled
from lxmls_day1.engine.kernels import sparse_rows
from lxmls_day1.engine.kernels.primitives import COMPILES
from lxmls_day1.engine.kernels.sparse_rows import compile_row_rule, compile_rule

pytestmark = [pytest.mark.bits, pytest.mark.skipif(not COMPILES, reason="needs numba")]
RULES = (Perceptron.rule, SVM.rule, MaxEntOnline.rule)


def with_code(rule, *, constants=None, **globals_):
    """Return the rule with other constants or other values of its names."""
    code = rule.__code__ if constants is None else rule.__code__.replace(co_consts=constants)
    return compiled(types.FunctionType(code, {**rule.__globals__, **globals_}, rule.__name__))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_equals_pure_rule(rule, n_classes):
    rng, values = np.random.default_rng(n_classes), np.array([0.0, -0.0, 1.0, 2.5, 1e308, np.inf, -np.inf, np.nan])
    for n in range(500):
        scores = rng.normal(size=n_classes) if n % 2 else rng.choice(values[: 4 + n % 5], n_classes)  # many ties
        label, step, cost = rng.integers(n_classes), rng.choice([0.0, 0.5, 2.0]), rng.choice([0.0, 1.0, 3.0], n_classes)
        assert_same_bits(rule, scores, label, step, cost)


@pytest.mark.parametrize("rule", RULES)
def test_equals_pure_rule_for_all_pairs_of_odd_scores(rule):
    odd = [0.0, -0.0, 1.0, np.nextafter(1.0, 2.0), -1.0, 1e308, -1e308, np.inf, -np.inf, np.nan]
    costs = [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]
    for pair, label, cost in itertools.product(itertools.product(odd, repeat=2), (0, 1), costs):
        assert_same_bits(rule, np.array(pair), label, 0.5, np.array(cost))


def assert_same_bits(rule, scores, *others):
    forms = compile_row_rule(rule), compile_rule(rule)
    in_place, pure = ([part.tobytes() for part in one_step(form, scores, *others)] for form in forms)
    assert in_place == pure, (scores, *others)


def one_step(rule, scores, label, step, cost):
    """Take one step on an example without features from an intercept of ``scores``."""
    examples = sparse_rows.Examples(np.zeros(2, np.int64), np.empty(0, np.int32), np.empty(0), np.full(1, 2.0), 0)
    plan = sparse_rows.StepPlan(np.array([label]), np.zeros(1, np.int64), np.array([step]), 0.1, np.empty(0))
    V, U = scores[None].copy(), np.zeros((1, len(scores)))
    state, counts = np.array([1.0, 0.0]), np.zeros((2, 1), np.int64)
    sparse_rows.run_steps(
        rule, examples, plan, costs=np.tile(cost, (len(scores), 1)), V=V, U=U, state=state, updates=counts[0], errors=counts[1]
    )  # fmt: skip
    return V, U, state, counts


@pytest.mark.parametrize("rule", RULES)
def test_replaces_only_code_of_the_course(rule):
    from lxmls_day1.engine.kernels.rules_in_place import in_place_form  # imports numba

    @compiled
    @functools.wraps(rule)
    def decorated(scores, label, sq_norm, step, cost):
        return rule(scores, label, sq_norm, step, cost)

    compile_row_rule.cache_clear()  # Another test may have trained while solutions were blocked in this process.
    own_copy = with_code(rule)  # A workspace has its own copy of each file.
    assert in_place_form(own_copy) is in_place_form(rule) is compile_row_rule(rule) is not compile_rule(rule)
    negated = tuple(-value if isinstance(value, float) else value for value in rule.__code__.co_consts)
    constants = [(*rule.__code__.co_consts, 1), *([negated] if 0.0 in negated else [])]
    students = [decorated, *(with_code(rule, constants=values) for values in constants)]
    names = {"np": types.SimpleNamespace(**vars(np)), "len": lambda scores: 2}
    students += [with_code(rule, **{name: names[name]}) for name in names if name in rule.__code__.co_names]
    assert not any(in_place_form(student) for student in students)
