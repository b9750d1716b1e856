"""The decrease of an objective: the optimisers of the course, measured after every pass over the data.

Three objectives, each F(W) = (1/M) Σ loss + (λ/2) ‖W‖²:

* the *log loss* of maximum entropy: L-BFGS, gradient descent and iterative scaling against stochastic gradient descent;
* the *hinge loss* of the SVM: dual coordinate ascent, which also provides a lower bound D(α) ≤ F* ≤ P(W), against
  stochastic subgradient descent;
* the *perceptron's loss*, the lead of the predicted class over the true class: the perceptron's own steps. The loss is 0 at
  W = 0, because all scores are equal there, so it rises at first. It falls to 0 again if a line separates the classes.

The cost of a method is measured in two units. *Seconds* are what matters in the end, but they depend on the machine. *Passes*
do not. A pass uses every example once: for a gradient of the whole objective, for a round of single steps, or for a sweep over
the dual variables. (A line search may need several passes for an iteration.) (Late sweeps skip examples whose
variables no longer change, but count as full passes.) Other work on the machine can only add to the seconds. Therefore a
short run is repeated several times, and each step counts with its shortest time.

The optimisers are those of ``classifiers/``. This module runs, counts and times them.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lxmls_day1.demos.lab_learners import SkippedLearner, skipped_learner, train_quietly

_OPTIMUM_TOLERANCE = 1e-10  # relative error of the optimum that no plot shows
_MAX_PASSES_TO_OPTIMUM = 2000
_GRADIENT_TOLERANCE = 1e-9  # relative norm of the gradient at which a curve ends
_MAX_EPOCHS = 60
_MAX_RUNS, _MIN_MEASURED_SECONDS = 5, 0.2  # limits on repeated measurements of a curve


class Settings(NamedTuple):
    """The settings of the curves.

    Attributes
    ----------
    loss : "log", "hinge" or "perceptron"
    regularizer, initial_step, alpha : float
        λ, η_0 and α: the step of the t-th example is η_0 t^(−α).
    nr_passes : int
        The maximum number of passes for every method.
    """

    loss: str = "log"
    regularizer: float = 0.0
    initial_step: float = 1.0
    alpha: float = 1.0
    nr_passes: int = 100


class Curve(NamedTuple):
    """An objective that decreases during training (the dual increases).

    Attributes
    ----------
    name : str
    role : str
        ``"batch"``, ``"stochastic"``, ``"primal"`` or ``"dual"``.
    passes, seconds, objective : arrays (n,)
        The objective after these numbers of passes and seconds of training. The first entry is the start, W = 0.
    weights : array (n, ≤ 3), or empty if unknown
        The intercept and the weights of the first two features: those of the second class minus those of the first.
    """

    name: str
    role: str
    passes: np.ndarray
    seconds: np.ndarray
    objective: np.ndarray
    weights: np.ndarray = np.empty(0)

    @property
    def is_traced(self) -> bool:
        """True if all weights are known and finite."""
        return bool(len(self.weights)) and bool(np.isfinite(self.weights).all())


class Data(NamedTuple):
    """The training data."""

    X: Any
    y: np.ndarray


def curves(
    lab: Any, data: Data, settings: Settings, known: dict[Any, Any], *, timed: bool = True
) -> Iterator[Curve | float | SkippedLearner]:
    """Run every method, one after the other.

    Parameters
    ----------
    lab : lxmls_day1.lab.Lab
    data : Data
    settings : Settings
    known : dict
        The results of earlier calls for these data. A method whose own settings are the same does not run again.
    timed : bool
        False if the seconds do not matter. Each method then runs only once.

    Yields
    ------
    Curve, float or SkippedLearner
        The number is the optimum: the minimum of the objective, or the best known approximation. It comes before the curves.
        A method that is still to be written, or that does not support these settings, yields a `SkippedLearner` with a sentence.
    """
    methods: dict[str, Callable[[], list[Any]]]
    if settings.loss == "perceptron":  # its steps have length 1
        methods = {"The perceptron": lambda: perceptron_curves(lab, data, settings)}
    elif settings.loss == "hinge":
        methods = {"The dual solver": lambda: dual_curves(lab, data, settings)}
    else:
        methods = {
            "The optimum": lambda: [max_ent_optimum(lab, data, settings.regularizer)],
            "L-BFGS": lambda: [descent_curve(lab, data, settings, "lbfgs")],
            "Gradient descent": lambda: [descent_curve(lab, data, settings, "gradient_descent")],
            "Iterative scaling": lambda: [scaling_curve(lab, data, settings)],
        }
    if settings.loss != "perceptron":
        methods["SGD"] = lambda: [stochastic_curve(lab, data, settings)]
    for name, method in methods.items():
        runs = _MAX_RUNS if timed and name != "The optimum" else 1
        key = name, settings if name == "SGD" else settings._replace(initial_step=0.0, alpha=0.0)
        if known.get(key, (0,))[0] < runs:
            try:
                known[key] = runs, time_repeatedly(method, runs)
            except Exception as error:
                known[key] = runs, [skipped_learner(name, error)]
        yield from known[key][1]


def time_repeatedly(run: Callable[[], list[Any]], max_runs: int) -> list[Any]:
    """Return the result of `run`. If it is fast, repeat it to measure the seconds of its curves more accurately.

    Parameters
    ----------
    run : function () -> list of Curve, float or SkippedLearner
        Takes the same steps at every call.
    max_runs : int

    Returns
    -------
    list
        The result of the first run, with the shortest time for each step of a curve.
    """
    started = time.perf_counter()
    runs = [run()]
    while len(runs) < max_runs and time.perf_counter() - started < _MIN_MEASURED_SECONDS:
        runs.append(run())
    return [
        items[0]._replace(seconds=min_step_times(items)) if isinstance(items[0], Curve) else items[0]
        for items in zip(*runs, strict=True)
    ]


def min_step_times(curves: Sequence[Curve]) -> np.ndarray:
    """Return the seconds of several runs of the same steps, with the shortest time for each step, summed.

    Examples
    --------
    >>> runs = [np.array([0.0, 1.0, 5.0]), np.array([0.0, 3.0, 4.0])]
    >>> min_step_times([Curve("", "", np.arange(3), seconds, np.ones(3)) for seconds in runs])
    array([0., 1., 2.])
    """
    return np.cumsum(np.min([np.diff(curve.seconds, prepend=0.0) for curve in curves], axis=0))


def descent_curve(lab: Any, data: Data, settings: Settings, solver: str) -> Curve:
    """Run L-BFGS or gradient descent on the log loss; every evaluation of F and its gradient is a pass.

    Parameters
    ----------
    lab, data, settings
    solver : "lbfgs" or "gradient_descent"

    Returns
    -------
    Curve
    """
    function = _log_loss(lab, data, settings.regularizer)
    start = np.zeros(function.problem.size)
    rows: list[tuple[int, float, float]] = []
    way: list[np.ndarray] = []
    first_norm: float | None = None
    with _one_blas_thread():
        started = time.perf_counter()
        further = [function.problem.diagonal()] if solver == "lbfgs" else []
        for point in lab.function(solver, solver, function, start, *further):
            rows.append((function.nr_calls, time.perf_counter() - started, point.value) if rows else (0, 0.0, point.value))  # fmt: skip
            way.append(point.x[:3].copy())  # for two classes, x is the difference of their weights
            norm = float(np.linalg.norm(point.gradient))
            first_norm = first_norm or norm
            if function.nr_calls >= settings.nr_passes or norm <= _GRADIENT_TOLERANCE * first_norm:
                break
    return _curve("L-BFGS" if solver == "lbfgs" else "Gradient descent", "batch", rows, way)


def scaling_curve(lab: Any, data: Data, settings: Settings) -> Curve | SkippedLearner:
    """Run generalized iterative scaling, which requires λ = 0.

    It requires non-negative features, so points are shifted if necessary. The intercepts compensate for the shift, so the
    objective is the same function.
    """
    if settings.regularizer > 0:
        return SkippedLearner("Iterative scaling", "Iterative scaling knows no regularization: set λ to 0 to see it.")
    X = data.X
    if not sp.issparse(X):
        X = X - np.minimum(X.min(axis=0), 0.0)
    labels = np.unique(data.y, return_inverse=True)[1]
    rows, way = [], []
    with _one_blas_thread():
        started = time.perf_counter()
        for number, point in enumerate(lab.function("iterative_scaling", "scale_max_ent", X, labels, int(labels.max()) + 1)):  # fmt: skip
            rows.append((number, time.perf_counter() - started if number else 0.0, point.objective))
            way.append(_lead(point.weights))
            if number >= settings.nr_passes:
                break
    return _curve("Iterative scaling", "batch", rows, way)


def stochastic_curve(lab: Any, data: Data, settings: Settings) -> Curve:
    """Run stochastic gradient descent on the log loss, or stochastic subgradient descent on the hinge loss."""
    module, class_name = ("max_ent_online", "MaxEntOnline") if settings.loss == "log" else ("svm", "SVM")
    learner = lab.classifier(
        module,
        class_name,
        regularizer=settings.regularizer,
        nr_rounds=settings.nr_passes,
        initial_step=settings.initial_step,
        alpha=settings.alpha,
        averaged=False,
        track_objective=True,
    )
    way: list[np.ndarray] = []
    learner.train(data.X, data.y, lambda _, W, params: way.append(_lead(W)))
    rows = [(0, 0.0, _start(settings.loss, data))]
    rows += [(round.number, round.seconds, round.objective) for round in learner.history]
    return _curve("SGD", "stochastic", rows, [0 * way[0], *way])


def dual_curves(lab: Any, data: Data, settings: Settings) -> list[float | Curve | SkippedLearner]:
    """Compute the SVM's primal and dual objective by dual coordinate ascent.

    Parameters
    ----------
    lab, data, settings

    Returns
    -------
    [optimum, primal Curve, dual Curve]
        The curves end at the maximum number of passes. The optimum is the best lower bound, at a relative gap of 10⁻⁶.
    """
    if settings.regularizer == 0:
        return [SkippedLearner("The dual solver", "The dual of the SVM needs a regularizer: set λ above 0 to see the gap.")]  # fmt: skip
    svm = lab.classifier("svm", "SVM", regularizer=settings.regularizer, solver="dual", tolerance=1e-6, max_epochs=_MAX_EPOCHS)  # fmt: skip
    train_quietly(svm, data.X, data.y)  # no warning about an early stop, because the plot shows the gap
    epochs = [epoch for epoch in svm.history if epoch.sweeps <= settings.nr_passes] or svm.history[:1]
    primal = [(0, 0.0, _start("hinge", data)), *((epoch.sweeps, epoch.seconds, epoch.objective) for epoch in epochs)]
    dual = [(0, 0.0, 0.0), *((epoch.sweeps, epoch.seconds, epoch.dual) for epoch in epochs)]
    return [
        max(epoch.dual for epoch in svm.history),
        _curve("Primal P(W)", "primal", primal),
        _curve("Dual D(α)", "dual", dual),
    ]


def perceptron_curves(lab: Any, data: Data, settings: Settings) -> list[float | Curve]:
    """Compute the perceptron's loss during its training, for the last weights and for their average. Its steps do not depend on λ.

    Parameters
    ----------
    lab, data, settings

    Returns
    -------
    [optimum, Curve of the last weights, Curve of the average]
        The optimum is at W = 0.
    """
    learner = lab.classifier("perceptron", "Perceptron", nr_rounds=settings.nr_passes)
    G, labels = learner.add_intercept_term(data.X), np.unique(data.y, return_inverse=True)[1]
    values: list[list[float]] = [[0.0], [0.0]]
    ways: list[list[np.ndarray]] = [[np.zeros(min(G.shape[1], 3))], [np.zeros(min(G.shape[1], 3))]]

    def look(_: Any, *both: np.ndarray) -> None:
        for so_far, way, params in zip(values, ways, both, strict=True):
            losses = lab.function("losses", "perceptron_loss", learner.get_scores(G, params), labels)
            way.append(_lead(params))
            so_far.append(float(losses.mean() + settings.regularizer / 2 * (params**2).sum()))

    learner.train(data.X, data.y, look)
    found: list[float | Curve] = [0.0]
    for name, so_far, way in zip(("Perceptron, last weights", "Perceptron, averaged"), values, ways, strict=True):
        costs = [(0, 0.0), *((round.number, round.seconds) for round in learner.history)]
        rows = [(*cost, value) for cost, value in zip(costs, so_far, strict=True)]
        found.append(_curve(name, "stochastic", rows, way))
    return found


def max_ent_optimum(lab: Any, data: Data, regularizer: float) -> float:
    """Compute the minimum of the log loss with this λ by L-BFGS. With λ = 0 and separable data it approaches 0."""
    function = _log_loss(lab, data, regularizer)
    convexity, least = function.problem.convexity, math.inf
    start = np.zeros(function.problem.size)
    with _one_blas_thread():
        for point in lab.function("lbfgs", "lbfgs", function, start, function.problem.diagonal()):
            least = min(least, float(point.value))
            sq_norm = float(point.gradient @ point.gradient)
            certain = convexity > 0 and sq_norm <= 2 * convexity * _OPTIMUM_TOLERANCE * least
            if certain or least < _OPTIMUM_TOLERANCE or function.nr_calls >= _MAX_PASSES_TO_OPTIMUM:
                break
    return least


class _CountedFunction:
    """A function of the whole data that counts its calls."""

    def __init__(self, problem: Any):
        self.problem = problem
        self.nr_calls = 0

    def __call__(self, x: np.ndarray) -> Any:
        self.nr_calls += 1
        return self.problem(x)


def _log_loss(lab: Any, data: Data, regularizer: float) -> _CountedFunction:
    """Return the objective of `MaxEntBatch` as its solvers use it: the function that its ``train`` minimises."""
    labels = np.unique(data.y, return_inverse=True)[1].astype(np.int64)
    problem = lab.load("classifiers.max_ent_batch").MaxEntObjective
    return _CountedFunction(problem(data.X, labels, int(labels.max()) + 1, float(regularizer), True))


def _start(loss: str, data: Data) -> float:
    """Return the objective at W = 0: log K, or for the hinge loss the cost 1 of every example."""
    return math.log(len(np.unique(data.y))) if loss == "log" else 1.0


def _lead(W: np.ndarray) -> np.ndarray:
    """Return the intercept and the first two weights: those of the second class minus those of the first."""
    return np.asarray(W[:3, 1] - W[:3, 0])


def _curve(name: str, role: str, rows: Sequence[tuple[float, float, float]], way: Sequence[np.ndarray] = ()) -> Curve:
    passes, seconds, objective = np.array(rows, dtype=float).T
    return Curve(name, role, passes, seconds, objective, np.array(way))


def _one_blas_thread() -> Any:
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1, user_api="blas")
