"""No function that a student's code can call is the answer of an exercise, but those that refuse to be called.

Each one of the package's engine, of its leaf modules and of the given files is tried as the answer of every exercise.
"""

import faulthandler
import importlib
import inspect
import itertools
import os
import pkgutil
import signal

import numpy as np
import pytest

import lxmls_day1.engine
from lxmls_day1.course.generation import student_files
from lxmls_day1.course.markers import find_solutions
from lxmls_day1.course.refusals import answers_of
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.workspace import write_files
from lxmls_day1.lab import PACKAGES, Lab, reference_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each function is tried in a process of its own")
SOLUTIONS = [  # (exercise, function, module)
    (solution.exercise, solution.function, name.removesuffix(".py").replace("/", "."))
    for exercise in Registry.of(reference_folder())
    for name in exercise.files
    if name.endswith(".py")
    for solution in find_solutions((reference_folder() / name).read_text(encoding="utf-8"), name)
    if solution.exercise == exercise.id
]

RNG = np.random.default_rng(5)


#: Of the three inputs of a rule, whether the prediction is wrong: a rule that is asked only then may be taken for another one.
MISTAKEN = itertools.cycle((True, False, True))


def rule_inputs():
    scores, label = RNG.normal(size=4), int(RNG.integers(4))
    scores[label] = scores.min() - 0.1 if next(MISTAKEN) else scores.max() + 0.1
    cost = RNG.uniform(0.5, 2.0, size=4) * (np.arange(4) != label)
    return {"scores": scores, "label": label, "sq_norm": 2.5, "step": 0.7, "cost": cost}


def second_order_inputs():
    inputs = rule_inputs()
    return {
        "variances" if name == "sq_norm" else name: RNG.uniform(0.5, 2.0, 4) if name == "sq_norm" else value
        for name, value in inputs.items()
    }


def step_inputs():
    inputs = {"W": RNG.normal(size=(3, 4)), "g": np.append(1.0, RNG.normal(size=2)), "label": 2}
    return inputs | {"step": 0.5, "regularizer": 0.3, "cost": 1.0 - np.eye(4)[2]}


def chain_inputs():
    parts = [RNG.normal(size=shape) for shape in [(7, 4), (4, 4), 4, 4]]
    return dict(zip(("emissions", "transitions", "start", "stop"), parts, strict=True))


def documents():
    return {"X": RNG.poisson(2.0, size=(12, 3)) + 1.0, "y": np.arange(12) % 3}


def update_inputs():
    empirical, expected = RNG.gamma(1.0, size=(2, 3, 2)) + 0.05
    return {"weights": RNG.normal(size=(3, 2)), "empirical": empirical, "expected": expected, "total": 4.5}


def separable():
    X, u = RNG.normal(size=(20, 2)), np.array([0.1, 1.0, -0.5])
    return {"X": X, "y": np.where(X @ u[1:] + u[0] > 0, 1, -1), "separator": u}


def visits():
    return {"X": RNG.normal(size=(9, 2)), "labels": np.arange(9) % 3, "order": RNG.permutation(9)}


def gaussians():
    return {"prior": RNG.dirichlet([3.0, 3.0]), "means": RNG.normal(size=(2, 3)), "variance": 2.5}


def hashes():
    """Of features some of which collide; the smallest number of 32 bits, 0 and negative ones among them."""
    return np.array([5, -5, 17, 0, -(2**31), -6, *RNG.integers(-(2**31), 2**31, size=6)], dtype=np.int32)


def parts():
    weights, sums = RNG.normal(size=(2, 3, 4, 2))
    return {"weights": weights, "sums": sums, "n_steps": np.array([5, 1, 3]), "shares": RNG.dirichlet(np.ones(3))}


def towards_one(scores, label, sq_norm, step, cost):
    return step * (np.eye(len(scores))[label] - scores) / sq_norm


def rule_and_visits():
    X, labels, order = visits().values()
    inputs = {"rule": towards_one, "X": X, "labels": labels, "order": order, "steps": RNG.uniform(0.1, 0.9, size=9)}
    return inputs | {"costs": 1.0 - np.eye(3), "shrinkage": 0.3}


def weighted_points():
    return {"W": RNG.normal(size=(3, 3)), "X": RNG.normal(size=(9, 2)), "labels": np.arange(9) % 3, "regularizer": 0.3}


class Least:
    """Tells two classes apart by a threshold: λ."""

    def __init__(self, value):
        self.value = value

    def train(self, X, y):
        return np.mean(X) + self.value

    def test(self, X, params):
        return (X[:, 0] > params).astype(int)

    def evaluate(self, y, predicted):
        return float(np.mean(y == predicted))


def learners_and_parts():
    X, dev_X = RNG.normal(size=(2, 30, 1))
    y, dev_y = (X[:, 0] > 0.3).astype(int), (dev_X[:, 0] + 0.5 * RNG.normal(size=30) > 0.3).astype(int)
    return {"make": Least, "regularizers": [0.9, 0.3, 0.1], "X": X, "y": y, "dev_X": dev_X, "dev_y": dev_y}


INPUTS = {  # of each function that holds a solution
    **dict.fromkeys(("perceptron_rule", "mira_rule", "max_ent_rule", "svm_rule", "squishing_rule"), rule_inputs),
    "estimate": documents,
    **dict.fromkeys(("viterbi", "forward"), chain_inputs),
    "gaussian_weights": gaussians,
    "online_loop": rule_and_visits,
    "batch_gradient": weighted_points,
    "choose_regularizer": learners_and_parts,
    "svm_step": step_inputs,
    "averaged_perceptron": visits,
    "arow_rule": second_order_inputs,
    "with_slack": lambda: {"X": documents()["X"]},
    "scaling_update": update_inputs,
    "mistake_bound": separable,
    "columns_and_signs": lambda: {"hashes": hashes(), "n_columns": 12},
    "hashed_row": lambda: {"hashes": hashes(), "counts": RNG.poisson(3.0, size=12) + 1.0, "n_columns": 12},
    "mixed": parts,
    "log_count_ratio": lambda: {
        "inside": np.array([3.0, 0.0, 7.0]), "outside": np.array([1.0, 4.0, 6.0]), "alpha": 0.7,
    },
    "soft_threshold": lambda: {"a": np.array([3.1, 0.4, -2.3]), "penalty": 0.9},
}  # fmt: skip
KEYS = [(exercise, function.rpartition(".")[2]) for exercise, function, _ in SOLUTIONS]


def right_answer(lab, function, module, inputs):
    """What the reference answers: a method by an object of its class, of naive Bayes by its training."""
    kind, _, name = function.rpartition(".")
    if kind:
        return getattr(getattr(lab.load(module), kind)(), "train" if name == "estimate" else name)(*inputs.values())
    arguments = [tuple(inputs.values())] if INPUTS[name] is chain_inputs else inputs.values()
    return getattr(lab.load(module), name)(*arguments)


def parts_of(answer):
    """An answer as a list of arrays."""
    if isinstance(answer, (tuple, list)):
        return [part for entry in answer for part in parts_of(entry)]
    return [np.asarray(answer)]


def is_answer(got, wanted):
    """Whether the arrays of an answer stand among those that were got."""
    return all(
        any(g.shape == w.shape and g.dtype.kind in "biuf" and np.allclose(g, w, atol=1e-9) for g in got) for w in wanted
    )


def ways_to_call(function, inputs, wanted):
    """Argument lists with which somebody might try a function: in order, as one tuple, permuted, by name with buffers."""
    values = list(inputs.values())
    yield lambda: values
    yield lambda: [tuple(values)]
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return
    names = [
        p.name for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    if len(names) <= 3:
        for chosen in itertools.permutations(values, len(names)):
            yield lambda chosen=chosen: list(chosen)
    known = inputs | {"sigma": 1.0, "scale": 1.0, "n_words": len(values[0]) if np.ndim(values[0]) else 0}
    if "transitions" in inputs:
        known["from_tag"] = np.ascontiguousarray(inputs["transitions"].T)
    unknown = [name for name in names if name not in known]
    if 0 < len(unknown) <= 2 and len(unknown) < len(names):
        shapes = {array.shape for array in [*wanted, *map(np.asarray, values)]}
        for buffers in itertools.product(sorted(shapes), repeat=len(unknown)):
            for kind in (float, np.int64):

                def filled(buffers=buffers, kind=kind):
                    made = dict(zip(unknown, buffers, strict=True))
                    last = unknown[-1]
                    return [np.zeros(made[n], kind if n == last else float) if n in made else known[n] for n in names]

                yield filled
    elif not unknown:
        yield lambda: [known[name] for name in names]


def answers(function, inputs, wanted):
    """Whether some way to call it gives the right answer, returned or written into an argument."""
    for arguments_of in ways_to_call(function, inputs, wanted):
        arguments = [a.copy() if isinstance(a, (np.ndarray, list)) else a for a in arguments_of()]
        try:
            with np.errstate(all="ignore"):
                returned = function(*arguments)
            if is_answer([*parts_of(returned), *(a for a in arguments if isinstance(a, np.ndarray))], wanted):
                return True
        except Exception:
            continue
    return False


def functions_of(module):
    """The functions that stand in a module, compiled ones as Python, and the static methods of its classes."""
    owners = [module, *(c for c in vars(module).values() if inspect.isclass(c) and c.__module__ == module.__name__)]
    for owner in owners:
        for name, value in list(vars(owner).items()):
            value = getattr(value, "__func__", value)
            value = getattr(value, "py_func", value)
            is_method = owner is not module and inspect.isfunction(vars(owner)[name])
            if inspect.isfunction(value) and value.__module__ == module.__name__ and not is_method:
                yield f"{owner.__name__}.{name}", value


@pytest.fixture(scope="module")
def asked(imports_as_before_the_module):
    """(exercise, function) -> inputs and the arrays of the right answer, three times."""
    lab = Lab(reference_folder())
    made = {key: [] for key in KEYS}
    for key, (_, function, module) in zip(KEYS, SOLUTIONS, strict=True):
        for _ in range(3):
            inputs = INPUTS[key[1]]()
            made[key].append((inputs, parts_of(right_answer(lab, function, module, inputs))))
    return made


@pytest.fixture(scope="module")
def candidates(tmp_path_factory, asked):
    """The functions by their full names."""
    folder = tmp_path_factory.mktemp("given")
    files = {path: text for path, text in student_files(reference_folder()).items() if path.parts[0] in PACKAGES}
    write_files(folder, files)
    lab = Lab(folder)
    engine = [m.name for m in pkgutil.walk_packages(lxmls_day1.engine.__path__, "lxmls_day1.engine.")]
    leaves = ("checks", "gaussians", "settings", "tuning", "result_table", "model_file")
    modules = [importlib.import_module(name) for name in (*engine, *(f"lxmls_day1.{name}" for name in leaves))]
    modules += [lab.load(".".join(path.with_suffix("").parts)) for path in files if path.name[0] != "_"]
    return [found for module in modules for found in functions_of(module)]


def tried(functions, samples):
    """The names of the functions that answer all samples: asked many in one process, and each in its own where that did not end well."""

    def none_answers(some):
        return not any(all(answers(function, *sample) for sample in samples) for _, function in some)

    functions = list(functions)
    groups = [functions[start : start + 25] for start in range(0, len(functions), 25)]
    doubtful = [group for group in groups if not holds_in_a_child(lambda group=group: none_answers(group))]
    return [one[0] for group in doubtful for one in group if holds_in_a_child(lambda one=one: not none_answers([one]))]


def holds_in_a_child(ask):
    """Whether something holds, asked in a process of its own: compiled loops take rubbish for places in arrays, and write anywhere."""
    child = os.fork()
    if not child:
        faulthandler.disable()
        try:
            for number, timer, seconds in (
                (signal.SIGPROF, signal.ITIMER_PROF, 5),
                (signal.SIGALRM, signal.ITIMER_REAL, 100),
            ):
                signal.signal(number, signal.SIG_DFL)
                signal.setitimer(timer, seconds)
            os._exit(0 if ask() else 1)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", KEYS, ids=" ".join)
@pytest.mark.one_in(24)
def test_no_other_function_is_the_answer(key, asked, candidates, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LXMLS_DAY1_OFFLINE", "1")
    refused = {name.replace(":", ".") for name in answers_of(Registry.of(reference_folder())[key[0]])}
    left = [(name, function) for name, function in candidates if name not in refused]
    assert len(left) > 300
    assert tried(left, asked[key]) == []


@pytest.mark.slow
@pytest.mark.parametrize(("exercise", "name", "module"), SOLUTIONS, ids=" ".join)
def test_the_trial_finds_the_reference(exercise, name, module, asked):
    """A method wants its object, and is not tried."""
    if "." in name:
        pytest.skip("a method")
    found = tried(functions_of(Lab(reference_folder()).load(module)), asked[exercise, name])
    assert f"{module}.{name}" in found
