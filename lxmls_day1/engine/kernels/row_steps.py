"""What a round of online learning is made of: the weights with their running average, and a rule applied to rows.

`Weights` holds W in a form in which the cost of a step grows with the length of its example, not with J:

* *shrinking*: W = c V with a scalar c, and only c shrinks;
* *averaging*: the mean of the T matrices that stand after each step comes from one running sum. Step t adds g(x) dᵀ to the
  matrices t, t + 1, …, T, that is to all T but the first t − 1; so keep U += (t − 1) g(x) dᵀ, and then W̄ = W − U/T. With
  shrinking, t − 1 becomes the sum of the scales so far.

* *variances*: of a second-order rule, a Σ_jk beside each weight, 1 at the start. Neither the shrinking nor the average touches it.

`machine_code_of` turns a rule into machine code, for rows (`RowSteps`) and for sentences alike. Where it cannot be compiled, a
warning says why, and the Python function runs in the same loop.
"""

import contextlib
import copy
import math
import mmap
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lxmls_day1.base import sparse as sp
from lxmls_day1.base.checks import as_numbers
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.kernels.primitives import COMPILES
from lxmls_day1.engine.kernels.sparse_rows import (
    Examples,
    Plan,
    as_online_examples,
    compact,
    compile_rule,
    confident_scores_of_row,
    is_second_order,
    scores_of_row,
    take_steps,
    update_by_row,
)
from lxmls_day1.engine.kernels.threads import thread_pool

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]
# (scores (K,), label, sq_norm, step, cost (K,)) -> d (K,); second order: (scores, label, variances (K,), step, cost) -> d, b (K,)
Rule = Callable[..., Any]

_AT_ONCE = 2**14  # numbers that stay near the processor while they are worked on
_LINE = 64  # bytes of a cache line
_LARGE_PAGE = 2**21  # bytes
_SMALLEST_SCALE = 1e-5  # of W = c V: beyond, c goes into V, since digits would be lost


class Weights:
    """The weight matrix of an online learner, held as W = c V, with the running sum of its average.

    Parameters
    ----------
    n_rows, n_classes : int
    averaged : bool
        Whether to keep the running sum.
    paired : bool
        Whether W is the pair (−w, w) of two classes, of which one column is kept.
    with_variances : bool
        Whether there is a variance for each weight.

    Attributes
    ----------
    V : array (n_rows, K); or (n_rows, 2, K) with variances, which lie beside the weights since a step reads both
        For K stands 1 while W is a pair (−c v, c v).
    U : array (n_rows, K), or of no rows without averaging
    state : array (2,)
        The scale c, and the sum S of the scales after each step since c was last folded into V. With these the sum of
        all W so far is S V − U.
    n_steps : int
        How many steps there were.

    Examples
    --------
    Two steps, of which the second halves the weights first; their mean is that of (2, 0) and (1, 4):

    >>> weights = Weights(1, 2, averaged=True)
    >>> weights.add(np.array([0]), np.array([2.0]), shrink=1.0), weights.add(np.array([1]), np.array([4.0]), shrink=0.5)
    (True, True)
    >>> weights.current(), weights.result()
    (array([[1., 4.]]), array([[1.5, 2. ]]))
    """

    def __init__(self, n_rows: int, n_classes: int, averaged: bool, paired: bool = False, with_variances: bool = False):
        self.paired = paired
        n_columns = 1 if paired else n_classes
        self.V = aligned_zeros(n_rows, 2, n_columns) if with_variances else aligned_zeros(n_rows, n_columns)
        self.U = aligned_zeros(n_rows if averaged else 0, n_columns)
        if with_variances:
            self.V[:, 1] = 1.0
        self.state = np.array([1.0, 0.0])
        self.n_steps = 0

    @property
    def means(self) -> Reals:
        """The weights in V (n_rows, K)."""
        return self.V[:, 0] if self.V.ndim == 3 else self.V

    @property
    def S(self) -> Reals | None:
        """The variances in V (n_rows, K); None where there are none."""
        return self.V[:, 1] if self.V.ndim == 3 else None

    def current(self) -> Reals:
        """W after the last step, a new array (n_rows, K)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._full(self.state[0] * self.means)

    def result(self, last: bool = False) -> Reals:
        """The mean of W over all steps where averaging is on, else W: (n_rows, K).

        A new array; or, if this is the ``last`` use of the weights, the memory of the weights: a third array of this size may be
        more than there is.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # the caller checks whether they are finite
            mean = np.multiply(
                self.means, self.state[1] if len(self.U) else self.state[0], out=self.means if last else None
            )
            if len(self.U):
                mean = np.subtract(mean, self.U, out=self.U if last else mean)
                mean /= self.n_steps
            return np.ascontiguousarray(self._full(mean))

    def variances(self) -> Reals | None:
        """Σ after the last step, a new array (n_rows, K); None without variances."""
        if self.S is None:
            return None
        return np.hstack([self.S, self.S]) if self.paired else self.S.copy()

    def copy(self) -> "Weights":
        """The same, in arrays of its own."""
        twin = copy.copy(self)
        twin.V, twin.U = _aligned_copy(self.V), _aligned_copy(self.U)
        twin.state = self.state.copy()
        return twin

    def take_over(self, other: "Weights") -> None:
        """Become another one, whose arrays are from now on those of this one."""
        self.V, self.U, self.state = other.V, other.U, other.state
        self.n_steps, self.paired = other.n_steps, other.paired

    def start_mean(self) -> None:
        """From here on `result` is the mean of W over the steps to come."""
        self.U = aligned_zeros(*self.means.shape)
        self.state[1], self.n_steps = 0.0, 0

    def unpair(self) -> None:
        """Go on with a column for each of the two classes."""
        single = self.V
        self.V, self.U = np.concatenate([single, single], axis=-1), self._full(self.U)
        self.means[:, 0] *= -1.0
        self.paired = False

    def part(self, before: "Weights | None" = None) -> "Weights":
        """Weights that begin where these stand, with no steps in their running sum, in arrays of their own.

        They are those of an earlier part ``before``, if there is one of this size: new memory would have to be cleared by the system.
        """
        part = copy.copy(self)
        if before is not None and before.V.shape == self.V.shape and before.U.shape == self.U.shape:
            part.V, part.U = before.V, before.U
            part.U[:] = 0.0
        else:
            part.V, part.U = aligned_zeros(*self.V.shape), aligned_zeros(*self.U.shape)
        part.state = np.array([1.0, 0.0])
        np.multiply(self.means, self.state[0], out=part.means)
        if self.S is not None:
            part.V[:, 1] = self.S
        return part

    def weigh(self, share: float) -> None:
        """Become a term of the mean of parts: V is the share of W, and U what the running sum of all gets from these steps.

        With variances the mean is that of Gaussians, which weighs by precision: S is the share of Σ⁻¹, and V that of Σ⁻¹ ∘ W.
        """
        for rows in self._blocks():
            V, U = self.means[rows], self.U[rows]
            if len(self.U):
                U -= self.state[1] * V
            V *= share * self.state[0]
            if self.S is not None:
                S = self.S[rows]
                V /= S
                np.divide(share, S, out=S)
        self.state[:] = 1.0, 0.0

    def joined(self, other: "Weights") -> "Weights":
        """Add another term to this one, and return it."""
        if self.paired != other.paired:
            (self if self.paired else other).unpair()
        self.V += other.V
        self.U += other.U
        return self

    def gather(self, mean: "Weights") -> None:
        """Become the mean of parts, a sum of terms that have been weighed; its running sums are added to this one."""
        if self.paired and not mean.paired:
            self.unpair()
        for rows in self._blocks() if len(self.U) else ():
            self.U[rows] -= self.state[1] * self.means[rows]
            self.U[rows] += mean.U[rows]
        self.V[:] = mean.V
        if self.S is not None:  # of the mean it is the precision, and V that times the weights
            np.divide(1.0, self.S, out=self.S)
            self.means[:] *= self.S
        self.state[:] = 1.0, 0.0

    def _blocks(self) -> Iterator[slice]:
        """The rows, a few at a time."""
        rows_at_once = max(1, _AT_ONCE // self.means.shape[1])
        return (slice(start, start + rows_at_once) for start in range(0, len(self.means), rows_at_once))

    def add(self, entries: Integers, change: Reals, shrink: float) -> bool:
        """One step: W ← shrink · W, then add ``change`` (n,) at different ``entries`` (n,) of the flattened W.

        Returns whether the change is one.
        """
        V, U, state = self.means.reshape(-1), self.U.reshape(-1), self.state  # views
        self.n_steps += 1
        state[0] *= shrink
        if not _SMALLEST_SCALE < abs(state[0]) < 1 / _SMALLEST_SCALE:
            U -= state[1] * V if len(U) else 0.0
            V *= state[0]
            state[:] = 1.0, 0.0
        V[entries] += change / state[0]
        if len(U):
            U[entries] += state[1] * change / state[0]
        state[1] += state[0]
        return bool(np.any(change))

    def _full(self, columns: Reals) -> Reals:
        return np.hstack([-columns, columns]) if self.paired else columns


def aligned_zeros(*shape: int) -> Reals:
    """An array of zeros that begins where a cache line (64 bytes) does, so that no more lines hold a row than must.

    A large one begins where a page of 2 MB does, and has only such pages where the system gives them: steps on features that lie far
    apart find the places of so few pages without asking the memory for them.
    """
    n_bytes = 8 * math.prod(shape)
    line = _LINE if n_bytes < _LARGE_PAGE else _LARGE_PAGE
    memory = _zero_bytes(n_bytes + line)
    start = -memory.ctypes.data % line
    return memory[start : start + n_bytes].view(np.float64).reshape(shape)


def _zero_bytes(n_bytes: int) -> NDArray[np.uint8]:
    """Zeros; many of them are new from the system, since memory that has been used before is in small pages."""
    if sys.platform != "linux" or n_bytes < _LARGE_PAGE:
        return np.zeros(n_bytes, dtype=np.uint8)
    try:
        memory = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"there is not enough memory for the weights, which need {n_bytes} bytes") from error
    with contextlib.suppress(OSError):  # a system without large pages
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype=np.uint8)


def _aligned_copy(matrix: Reals) -> Reals:
    twin = aligned_zeros(*matrix.shape)
    twin[:] = matrix
    return twin


@dataclass(eq=False)
class OnlineState:
    """Where an online learner stands between two rounds: with this, training goes on as if it had never stopped.

    It can be kept, copied and pickled. `lxmls_day1.engine.corpus_training.resume` takes one, leaves it as it is, and returns the next.

    Parameters
    ----------
    classes : array (K,)
        The labels of the columns.
    averaged : "steps", "last round", "rounds" or False
        Which average is kept.
    weights : Weights
    rng : numpy.random.Generator
        What shuffles the examples of the rounds to come.
    sq_norms : array (M,), or None of a structured learner
        ‖g(x)‖² of each example that training began with: the step sizes of all rounds are planned by these. Of a corpus on disk
        they are those of a sample (see `StreamedSteps.sample_sq_norms`).
    feature_names : sequence of str, optional
        Of a structured learner: the features that it has numbered. Of others: those of feature vectors that are dictionaries.
    n_rounds : int
        How many rounds there were.
    n_steps : int
        How many steps there were: the t of the last one.
    mean_of_rounds : array of the shape of W, or 0.0
        The mean of the weights at the ends of the rounds, with ``averaged="rounds"``.
    n_examples : int, optional
        How many examples training began with, where `sq_norms` are those of a sample.
    """

    classes: NDArray[Any]
    averaged: str | bool
    weights: Weights
    rng: np.random.Generator
    sq_norms: Reals | None
    feature_names: Sequence[str] | None = None
    n_rounds: int = 0
    n_steps: int = 0
    mean_of_rounds: Reals | float = 0.0
    n_examples: int | None = None

    def copy(self) -> "OnlineState":
        """The same, for a training of its own."""
        return replace(self, weights=self.weights.copy(), rng=copy.deepcopy(self.rng))


# ------------------------------------------------------------------------------------------------------------- the rule


def check_rule(rule: Rule | None, n_classes: int, costs: Reals) -> None:
    """Try a rule once, in Python, so that a stub or a forgotten ``return`` is reported as what it is.

    Parameters
    ----------
    rule : function, or None where a learner has forgotten to name one
    n_classes : int
    costs : array (K, K)
        Row y is ρ(·, y).

    Raises
    ------
    InputError
        If there is no rule, or it does not return K numbers.
    """
    if rule is None:
        raise InputError("this learner has no rule; give its class one: rule = staticmethod(my_rule)")
    label, scores, cost = n_classes - 1, np.zeros(n_classes), costs[n_classes - 1].copy()
    if is_second_order(rule):
        _as_updates(rule, rule(scores, label, np.ones(n_classes), 1.0, cost), scores)
    else:
        _as_update(rule, rule(scores, label, 1.0, 1.0, cost), scores)


def _as_update(rule: Rule, d: Any, scores: Reals, what: str = "d, one number for each of the {} classes") -> Reals:
    """What a rule has answered to these scores, if it is K numbers; NaN to scores that are infinite themselves is no fault of its own."""
    try:
        update = np.ascontiguousarray(d, dtype=np.float64)
    except (TypeError, ValueError):
        update = None
    nan = update is not None and np.isnan(update).any() and np.isfinite(scores).all()
    if d is None or update is None or update.shape != scores.shape or nan:
        got = "None; is a return statement missing?" if d is None else f"{d!r}"
        name = getattr(rule, "__name__", "the rule")
        raise InputError(f"{name} must return {what.format(len(scores))}, but returned {got}")
    return update


def _as_updates(rule: Rule, answer: Any, scores: Reals) -> tuple[Reals, Reals]:
    """The d and b that a second-order rule has answered with."""
    what = "d and b, each one number for each of the {} classes"
    if not isinstance(answer, tuple) or len(answer) != 2:
        answer = (None if answer is None else [answer], None)
    d, b = (_as_update(rule, part, scores, what) for part in answer)
    return d, b


def machine_code_of(rule: Rule, stacklevel: int = 6) -> Any:
    """The rule as compiled loops call it; None if it is not marked for that, if nothing is compiled, or if it cannot be.

    A warning says why a marked rule cannot be compiled; `stacklevel` leads from here to the caller of ``train``. As Python the
    rule works: `check_rule` has tried it.
    """
    if not COMPILES or not getattr(rule, "compiled", False):
        return None
    try:
        return compile_rule(rule)
    except Exception as error:  # numba raises its own errors, and those of Python where it trips
        warnings.warn(
            f"{rule.__name__} could not be compiled and runs as plain Python: {_why_not_compiled(rule, error)}",
            stacklevel=stacklevel,
        )
        return None


def _why_not_compiled(rule: Rule, error: Exception) -> str:
    """What numba says in its own sentence, and in which file and line.

    Its message begins with the pass that failed and ends with another. Between them stand the sentence, sometimes the
    functions that numba tried in vain, each with its reason, and the places, the innermost first.
    """
    text = str(error).strip() or type(error).__name__
    file, line = rule.__code__.co_filename, str(rule.__code__.co_firstlineno)
    place = re.search(r'^File "(.+)", line (\d+)', text, re.MULTILINE) or re.search(r"Raised from (.+) \((\d+)\)", text)
    if place:
        file, line = place.groups()
    lines = [part.strip() for part in text.splitlines()]
    sentence = lines[1] if lines[0].startswith("Failed in nopython mode") and len(lines) > 1 else lines[0]
    sentence = re.sub(r"\.?\. Raised from .*| for '\$.*", "", sentence).rstrip(".")
    if sentence.startswith("No implementation of function"):
        call = next((part.removeprefix(">>>").strip() for part in lines if part.startswith(">>>")), "")
        reasons = re.findall(r"^ *\w*Error: (.+)$", text, re.MULTILINE)
        sentence = f"No implementation of {call}" + (f" ({reasons[-1].rstrip('.')})" if reasons else "")
    return f"{sentence} ({Path(file).name}, line {line})"


# ---------------------------------------------------------------------------------------------------------- steps on rows


class RowSteps:
    """A rule applied to the rows of a matrix.

    Parameters
    ----------
    rule : function (scores, label, sq_norm, step, cost) -> d, or (scores, label, variances, step, cost) -> (d, b)
        See :class:`classifiers.online_classifier.OnlineClassifier`. The second shape is that of a second-order rule.
    X : array or csr_array (M, J), or Examples of one
    labels : int64 array (M,)
        Columns 0 … K − 1 of the true classes.
    costs : array (K, K)
        Row y is ρ(·, y).
    shrinkage : float
        λ: the weights shrink by the factor 1 − step · λ before each update.
    averaged : bool
        Whether `weights` keep the running sum of their average.
    factors : float array (M,), optional
        What the step of each example is multiplied by when the rule is asked. The weights shrink by the step itself.
    weights : Weights, optional
        What to go on with, and to change, instead of zeros.
    n_jobs : int ≥ 1
        How many threads share a round (see :meth:`take`).

    Attributes
    ----------
    weights : Weights
    errors : int64 array (R,)
        How many examples of each round had another class with the highest score before their step, in the last call of `take`.

    Raises
    ------
    InputError
        If squares of the numbers of X are not finite, or the rule does not return K numbers.

    Examples
    --------
    >>> def rule(scores, label, sq_norm, step, cost):
    ...     return step * (np.arange(len(scores)) == label)
    >>> steps = RowSteps(rule, np.array([[2.0], [3.0]]), np.array([0, 1]), 1 - np.eye(2), shrinkage=0.0, averaged=False)
    >>> steps.take(np.array([[0, 1]]), np.array([1.0, 0.5]))
    array([2])
    >>> steps.weights.current()
    array([[1. , 0.5],
           [2. , 1.5]])
    """

    def __init__(
        self,
        rule: Rule,
        X: "Reals | sp.csr_array | Examples",
        labels: Integers,
        costs: Reals,
        shrinkage: float,
        averaged: bool,
        factors: Reals | None = None,
        weights: Weights | None = None,
        *,
        n_jobs: int = 1,
    ):
        self.go_to(X, labels)
        n_classes = len(costs)
        check_rule(rule, n_classes, costs)
        self._rule, self._machine_code = rule, machine_code_of(rule)
        self._costs, self._shrinkage, self._factors, self._n_jobs = costs, shrinkage, factors, n_jobs
        paired = self._machine_code is not None and n_classes == 2
        if weights is None:
            weights = Weights(self._examples.n_features + 1, n_classes, averaged, paired, is_second_order(rule))
        elif is_second_order(rule) != (weights.S is not None):
            has, wants = ("has", "none") if weights.S is not None else ("has no", "some")
            raise InputError(
                f"this state {has} variances, but the learner's rule asks for {wants}; go on with a learner of the same order, or "
                "begin with state=None"
            )
        elif weights.paired and not paired:
            weights.unpair()
        self.weights = weights
        self.errors = np.zeros(0, dtype=np.int64)

    def go_to(self, X: "Reals | sp.csr_array | Examples", labels: Integers) -> None:
        """Go on with other rows of the same features: what is not in memory comes in parts.

        Parameters
        ----------
        X : array or csr_array (M, J), or Examples of one
        labels : int64 array (M,)
        """
        if isinstance(X, Examples):
            examples = X
        else:
            examples = as_online_examples(X)
            finite = np.isfinite(examples.sq_norms)
            if not finite.all():
                raise InputError(
                    f"the numbers in row {finite.argmin()} of X are so large that their squares overflow; leave such "
                    "examples out, or scale the features down"
                )
        self._examples, self._labels = compact(examples), labels

    @property
    def sq_norms(self) -> Reals:
        """‖g(x)‖² of each example (M,)."""
        sq_norms: Reals = self._examples.sq_norms
        return sq_norms

    def take(self, orders: Integers, steps: Reals) -> Integers:
        """Go through the rows, for R rounds.

        With T threads each takes, in every round, its T-th part of the order, and every T-th size of step, from the weights at the
        round's start. Then all go on from the mean of their weights, and the running sums of their steps are added up: iterative
        parameter mixing (R. McDonald, K. Hall, G. Mann, Distributed training strategies for the structured perceptron, 2010).

        Parameters
        ----------
        orders : int64 array (R, M)
            The examples of each round in the order of their visits.
        steps : float array (R·M,)
            The size of each step.

        Returns
        -------
        updates : int64 array (R,)
            How many steps of each round changed the weights beyond shrinking them.

        Raises
        ------
        InputError
            If the rule returns something else than K numbers, or there are not as many sizes as steps.
        """
        steps = np.ascontiguousarray(as_numbers(steps, "the sizes of steps must be numbers"))
        if steps.shape != (orders.size,) or not np.isfinite(steps).all():  # compiled loops read as many as they need
            raise InputError(
                f"there must be {orders.size} sizes of steps, all finite, but their shape is {steps.shape}"
            )
        updates, self.errors = np.zeros((2, len(orders)), dtype=np.int64)
        n_parts = min(self._n_jobs, orders.shape[1])
        if n_parts == 1:
            self._take_part(self.weights, orders.ravel(), steps, updates, self.errors)
        else:
            self._take_parts(n_parts, orders, steps.reshape(orders.shape), updates)
        self.weights.n_steps += orders.size
        return updates

    def _take_parts(self, n_parts: int, orders: Integers, steps: Reals, updates: Integers) -> None:
        from lxmls_day1.engine.kernels.tree_reduce import joined  # it answers exercise 1.15: grading runs without it

        n_threads = 1 if self._machine_code is None else n_parts  # Python's own steps wait for one another anyhow
        terms: dict[int, Weights] = {}
        with thread_pool(n_threads) as pool:
            for r, (order, sizes) in enumerate(zip(orders, steps, strict=True)):
                shares = np.array_split(order, n_parts)
                counts, errors = np.zeros((2, n_parts, 1), dtype=np.int64)
                tasks = [
                    pool.submit(
                        self._take_share,
                        len(order),
                        share,
                        sizes[p::n_parts].copy(),
                        counts[p],
                        errors[p],
                        terms.get(p),
                    )
                    for p, share in enumerate(shares)
                ]
                terms = {p: task.result() for p, task in enumerate(tasks)}
                self.weights.gather(joined(terms.values(), Weights.joined))
                updates[r], self.errors[r] = counts.sum(), errors.sum()

    def _take_share(
        self, n_rows: int, order: Integers, steps: Reals, updates: Integers, errors: Integers, before: Weights | None
    ) -> Weights:
        """Steps on a part of a round over so many rows, and its term of the mean, in the arrays of its last one ``before``."""
        part = self.weights.part(before)
        self._take_part(part, order, steps, updates, errors)
        part.weigh(len(order) / n_rows)
        return part

    def _take_part(self, weights: Weights, order: Integers, steps: Reals, updates: Integers, errors: Integers) -> None:
        """Steps on some weights, by one thread."""
        take = self._take_in_python if self._machine_code is None else self._take_compiled
        take(weights, order, steps, updates, errors)

    def _take_compiled(
        self, weights: Weights, order: Integers, steps: Reals, updates: Integers, errors: Integers
    ) -> None:
        factors = np.empty(0) if self._factors is None else self._factors
        plan, done = Plan(self._labels, order, steps, float(self._shrinkage), factors), 0
        while done < len(order):
            done = take_steps(
                self._machine_code, self._examples, plan, costs=self._costs, V=weights.V, U=weights.U,
                state=weights.state, updates=updates, errors=errors, first_step=done,
            )  # fmt: skip
            if done < len(order):  # the changes of the two classes do not cancel
                weights.unpair()

    def _take_in_python(
        self, weights: Weights, order: Integers, steps: Reals, updates: Integers, errors: Integers
    ) -> None:
        V, U, state, rule = weights.V, weights.U, weights.state, self._rule
        labels, sq_norms = self._labels.tolist(), self._examples.sq_norms.tolist()
        factors = [1.0] * len(labels) if self._factors is None else self._factors.tolist()
        cost_of = list(self._costs)
        for cost in cost_of:
            cost.flags.writeable = False  # a rule that adds to its costs in place would change them for good
        steps_per_round = len(order) // len(updates)
        for n, (m, step) in enumerate(zip(order.tolist(), steps.tolist(), strict=True)):
            label, size, shrink = labels[m], step * factors[m], 1.0 - step * self._shrinkage
            if weights.S is not None:
                scores, variances = confident_scores_of_row(self._examples, m, V, state)  # (K,) both
                predicted = scores.argmax()
                d, b = _as_updates(rule, rule(scores, label, variances, size, cost_of[label]), scores)
                changed = update_by_row(self._examples, m, d, shrink, V, U, state, b)
            else:
                scores = scores_of_row(self._examples, m, V, state)  # (K,): s = g(x)ᵀ W
                predicted = scores.argmax()
                d = _as_update(rule, rule(scores, label, sq_norms[m], size, cost_of[label]), scores)
                changed = update_by_row(self._examples, m, d, shrink, V, U, state)
            errors[n // steps_per_round] += predicted != label
            updates[n // steps_per_round] += bool(changed)
