"""The program that runs in the boxes of grading: the kernels that it compiles before the first box."""

import contextlib
import subprocess
import sys
import warnings

import pytest

from lxmls_day1.box.levels import strongest_level, try_box
from lxmls_day1.box.sandbox import ForkServer
from lxmls_day1.engine.kernels.primitives import COMPILES
from lxmls_day1.engine.loops.penalties import LargePenaltyWarning
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.lab_program import LabProgram

TRAIN_AFTER_WARM_UP = """
import numpy as np
import scipy.sparse

from lxmls_day1.classifiers import AROW, MaxEntOnline, Mira, MultinomialNaiveBayes, Perceptron, SVM
from lxmls_day1.engine.kernels import class_sums, sparse_rows
from lxmls_day1.grading.running.lab_program import warm_up_kernels


def signatures():
    kernels = vars(sparse_rows) | vars(class_sums)
    return {(name, types) for name, value in kernels.items() for types in getattr(value, "overloads", ())}


def plain(rule):  # Grading strips the decorator that compiles a rule.
    def python_rule(*arguments):
        return rule(*arguments)

    python_rule.second_order = getattr(rule, "second_order", False)
    return python_rule


warm_up_kernels()
before = signatures()
X = np.random.default_rng(1).normal(size=(30, 3))
two = (X[:, 0] > 0).astype(int)
for kind in (Perceptron, Mira, MaxEntOnline, SVM, AROW):
    for examples in (X, scipy.sparse.csr_array(X), X.astype(np.float32), X.tolist()):
        for labels in (two, two + (X[:, 1] > 0)):
            learner = kind(nr_rounds=2)
            learner.rule = plain(learner.rule)
            learner.train(examples, labels)
counts = np.ones((4, 2))
for documents in (counts, scipy.sparse.csr_array(counts), counts.astype(int), scipy.sparse.csr_array(counts.astype(int)), counts.tolist()):
    for labels in ([0, 1, 0, 1], [0, 1, 2, 1]):
        MultinomialNaiveBayes().train(documents, labels)
print(len(before), *(name for name, _ in signatures() - before))
"""


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="needs numba")
def test_no_training_in_a_box_compiles_a_kernel():
    done = subprocess.run([sys.executable, "-c", TRAIN_AFTER_WARM_UP], capture_output=True, text=True, check=True)
    n_before, *more = done.stdout.split()
    assert int(n_before) > 0 and not more


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="boxes are forked on Linux")
def test_a_variable_that_a_library_sets_is_not_taken_for_one_of_the_grader(monkeypatch):
    monkeypatch.setenv("KMP_DUPLICATE_LIB_OK", "True")  # threadpoolctl sets it, here and where boxes are forked
    program = lab_program()
    level = strongest_level(program)
    with contextlib.closing(ForkServer(program, level.name, user=level.user)) as server:
        assert try_box(server) is None


def test_a_box_shows_warnings_of_the_student_but_not_of_the_penalties_that_checks_choose():
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        LabProgram().warm_up()
        warnings.warn("a penalty", LargePenaltyWarning, stacklevel=1)
        warnings.warn("the student's own", UserWarning, stacklevel=1)
    assert [str(one.message) for one in shown] == ["the student's own"]
