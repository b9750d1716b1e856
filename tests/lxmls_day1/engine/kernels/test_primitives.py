"""Learners without numba have the same weights; without numba, threads and processes, as in a browser, the tests pass."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import classifiers
from lxmls_day1.engine.kernels import primitives
from tests.python_runs import ROOT, run_python

BLOCK = "import sys; sys.modules['numba'] = sys.modules['llvmlite'] = None\n"  # Importing these raises ImportError.
ONLY_HERE = f"""{BLOCK}
import importlib.util, numpy
specification = importlib.util.spec_from_file_location("tested", {str(Path(__file__))!r})
tested = importlib.util.module_from_spec(specification)
specification.loader.exec_module(tested)
assert not tested.primitives.COMPILES
numpy.savez(sys.argv[1], **tested.trained())
"""
#: Simulates a browser: tests that start processes are skipped, and tested code gets the same error as in a browser.
TESTS = f"""{BLOCK}
import os, subprocess, threading, types, pytest
sys.modules["fcntl"], sys.modules["resource"] = types.ModuleType("fcntl"), types.ModuleType("resource")
del os.posix_spawn

def refused(error):
    def refuse(*arguments, **settings):
        frame = sys._getframe(1)
        while frame.f_code.co_filename in (subprocess.__file__, threading.__file__) or "/concurrent/" in frame.f_code.co_filename:
            frame = frame.f_back
        if frame.f_code.co_filename.startswith({str(ROOT / "tests")!r}):
            pytest.skip("it starts a process or a thread")
        raise error
    return refuse

subprocess.Popen.__init__ = refused(OSError(138, "emscripten does not support processes."))
threading.Thread.start = refused(RuntimeError("can't start new thread"))
from lxmls_day1 import library_path
from lxmls_day1.engine.kernels import threads
assert not library_path.CAN_START_PROCESSES and not threads.threads_available()
sys.exit(pytest.main(sys.argv[1:]))
"""


class Counting(classifiers.MultinomialNaiveBayes):
    def train(self, X, y, sample_weight=None):
        return super().train(sp.csr_array(np.abs(X)), y, sample_weight)


def trained():
    """Return weights and other values computed by kernels, by name."""
    results = {}
    for n_classes in (2, 3, 5):
        rng = np.random.default_rng(n_classes)
        X = rng.normal(size=(40, 6)) * (rng.random((40, 6)) < 0.6)
        y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 40 - n_classes)])
        cost = rng.uniform(0.5, 2.0, (n_classes, n_classes)) * (1 - np.eye(n_classes))
        for name, learner in {
            "perceptron": classifiers.Perceptron(nr_rounds=4),
            "last": classifiers.Perceptron(nr_rounds=4, averaged=False),
            "rounds": classifiers.Perceptron(nr_rounds=4, averaged="rounds"),
            "mira": classifiers.Mira(nr_rounds=4, cost=cost),
            "svm": classifiers.SVM(nr_rounds=4, cost=cost, regularizer=0.3),
            "shrinking to 0": classifiers.SVM(nr_rounds=4, regularizer=1.0, averaged=True),
            "dual": classifiers.SVM(solver="dual", regularizer=0.1, cost=cost, tolerance=1e-12),
            "max_ent": classifiers.MaxEntOnline(nr_rounds=4, regularizer=0.3),
            "batch": classifiers.MaxEntBatch(0.3, tolerance=1e-12),
            "two threads": classifiers.Perceptron(nr_rounds=4, n_jobs=2),
            "batch, dual": classifiers.MaxEntBatch(0.3, tolerance=1e-12, solver="dual"),
            "naive Bayes": Counting(),
            "squishing": classifiers.ColumnSquishing(nr_rounds=4, cap=0.5),
            "arow": classifiers.AROW(nr_rounds=4, cost=cost),
            "cw": classifiers.ConfidenceWeighted(cap=0.5, nr_rounds=4, averaged=True),
            "arow, two threads": classifiers.AROW(nr_rounds=4, n_jobs=2),
        }.items():
            results[f"{name} {n_classes}"] = learner.train(X, y)
            results[f"{name} {n_classes}, weighted"] = learner.train(X, y, sample_weight=1 + np.arange(40) % 3)
    separable = np.arange(10.0)[:, None] - 4.5
    results["binary"] = classifiers.BinaryPerceptron().train(separable, separable[:, 0] > 0)

    words, rng = ["ab", "cb", "ad", "cd", "b"], np.random.default_rng(0)
    sentences = [rng.choice(words, length).tolist() for length in rng.integers(1, 6, 15)]
    tags = [rng.integers(0, 3, len(sentence)).tolist() for sentence in sentences]
    numbers = [[{"word": word, "number": rng.normal()} for word in sentence] for sentence in sentences]
    for transitions in (True, False):
        for tagger in (
            classifiers.StructuredPerceptron(nr_rounds=4, transitions=transitions),
            classifiers.StructuredMira(nr_rounds=4, transitions=transitions),
            classifiers.StructuredSVM(nr_rounds=4, transitions=transitions, regularizer=0.1),
            classifiers.CRF(0.1, "online", nr_rounds=4, transitions=transitions),
            classifiers.CRF(0.1, transitions=transitions, tolerance=1e-12),
        ):
            for X in (sentences, numbers):
                name = f"{tagger.get_name()} {transitions} {X is numbers}"
                results[name] = params = tagger.train(X, tags)
                results[f"{name}, tags"] = np.concatenate(tagger.test(X, params))
                results[f"{name}, objective"] = np.array(tagger.history[-1].objective or 0.0)
    return results


@pytest.mark.slow
@pytest.mark.skipif(not primitives.COMPILES, reason="numba cannot be imported")
def test_every_learner_gets_the_same_weights_without_numba(tmp_path):
    run_python("-c", ONLY_HERE, tmp_path / "plain.npz", PYTHONPATH=str(ROOT))
    compiled = trained()
    with np.load(tmp_path / "plain.npz") as plain:
        assert set(plain) == set(compiled)
        for name, expected in compiled.items():
            np.testing.assert_allclose(plain[name], expected, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.skipif(not primitives.COMPILES, reason="numba cannot be imported")
@pytest.mark.parametrize(
    "paths",
    [
        [
            *(f"tests/classifiers/test_{name}.py" for name in ("perceptron", "mira", "losses")),
            "tests/readers/test_vocabulary.py",
            *("classifiers/svm.py", "classifiers/solvers/svm_dual.py", "classifiers/solvers/max_ent_dual.py"),
        ],
        pytest.param(["tests/classifiers"], marks=[pytest.mark.slow, pytest.mark.campaign]),
        pytest.param(["tests/readers", "tests/lxmls_day1/engine/text"], marks=[pytest.mark.slow, pytest.mark.campaign]),
        pytest.param(["tests/exercises"], marks=[pytest.mark.slow, pytest.mark.campaign]),
        pytest.param(["classifiers", "readers", "lxmls_day1/figures"], marks=[pytest.mark.slow, pytest.mark.campaign]),
    ],
    ids=["a few", "classifiers", "readers", "exercises", "examples"],
)
@pytest.mark.slow
def test_the_tests_pass_as_in_a_browser(paths):
    options = ["-q", "-p", "no:cacheprovider", "-W", "ignore:tqdm", "-m", "not slow"]  # As in the page.
    run_python("-c", TESTS, *options, *paths, PYTHONPATH=str(ROOT))


@pytest.mark.slow
def test_numba_is_not_imported_if_its_variable_disables_it():
    code = "import sys; from classifiers.perceptron import Perceptron; Perceptron().train([[0.0], [1.0]], [0, 1])\nassert 'numba' not in sys.modules"
    run_python("-c", code, PYTHONPATH=str(ROOT), NUMBA_DISABLE_JIT="1")


def test_a_kernel_is_its_twin_if_nothing_is_compiled(monkeypatch):
    def twin(x):
        return x + 1

    def function(x):
        return x + 2

    monkeypatch.setattr(primitives, "COMPILES", False)
    assert primitives.kernel(twin)(function) is twin
    assert primitives.kernel(fastmath=True)(function) is function
