"""Each setting of each learner is refused just beyond its limits, and accepted just within them."""

import math

import numpy as np
import pytest

import classifiers
from lxmls_day1.base.errors import InputError

POSITIVE = ([0, -1.0, math.nan, math.inf, "1", True], [1e-9, 3])
NOT_NEGATIVE = ([-1e-9, math.nan, "1"], [0, 2.5])
COUNT = ([0, 1.5, "2", True, None], [1, 2.0])
FLAG = (["no", 1, None], [True, False])
OPTIONAL = (POSITIVE[0], [None, 0.5])

SETTINGS = {
    classifiers.Perceptron: {
        "nr_rounds": COUNT,
        "averaged": (["last", None, 1], ["steps", "last round", "rounds", True, False]),
        "track_objective": FLAG,
        "progress": FLAG,
        "n_jobs": COUNT,
    },
    classifiers.Mira: {"regularizer": POSITIVE},
    classifiers.PassiveAggressive: {"cap": POSITIVE},
    classifiers.PassiveAggressive2: {"cap": POSITIVE},
    classifiers.ColumnSquishing: {"cap": OPTIONAL},
    classifiers.AROW: {"regularizer": POSITIVE, "averaged": (["x"], [False])},
    classifiers.ConfidenceWeighted: {"confidence": ([0.5, 1, "0.9"], [0.51, 0.99]), "cap": OPTIONAL},
    classifiers.MaxEntOnline: {
        "regularizer": NOT_NEGATIVE,
        "initial_step": OPTIONAL,
        "alpha": ([0.5, 1.01, "1"], [0.51, 1, None]),
        "nr_rounds": COUNT,
    },
    classifiers.SVM: {
        "solver": (["primal", None, 1], ["subgradient", "dual"]),
        "tolerance": POSITIVE,
        "max_epochs": COUNT,
    },
    classifiers.MaxEntBatch: {
        "regularizer": NOT_NEGATIVE,
        "tolerance": POSITIVE,
        "max_iterations": COUNT,
        "regularize_intercept": FLAG,
        "solver": (["newton", None], ["auto", "lbfgs", "dual", "conjugate_gradient", "gradient_descent"]),
        "n_jobs": COUNT,
        "penalty": (["l0", None], ["l2", "l1"]),
    },
    classifiers.GaussianNaiveBayes: {"variance": ([0, -1, "shared", None, True], [0.5, "pooled", "per_class"])},
    classifiers.MultinomialNaiveBayes: {
        "smooth": FLAG,
        "smooth_param": POSITIVE,
        "length": (["any", None], ["same", "poisson"]),
    },
    classifiers.BernoulliNaiveBayes: {"smooth_param": POSITIVE},
    classifiers.NBSVM: {
        "regularizer": OPTIONAL,
        "beta": ([-0.1, 1.1, "1"], [0, 1]),
        "smooth_param": POSITIVE,
        "tolerance": POSITIVE,
        "max_epochs": COUNT,
    },
    classifiers.BinaryPerceptron: {"max_rounds": COUNT},
    classifiers.StructuredPerceptron: {
        "min_count": COUNT,
        "transitions": FLAG,
        "decoder": ([1, "viterbi"], [None, max]),
    },
    classifiers.StructuredMira: {"k": ([0, 1001, 1.5], [1, 1000]), "regularizer": POSITIVE},
    classifiers.CRF: {
        "solver": (["dual", None], ["lbfgs", "online"]),
        "tolerance": POSITIVE,
        "max_iterations": COUNT,
        "delay": ([0.5, "1"], [None, 1]),
    },
}
CASES = [(learner, name, *values) for learner, of_each in SETTINGS.items() for name, values in of_each.items()]


@pytest.mark.parametrize(
    ("learner", "name", "refused", "taken"), CASES, ids=lambda value: getattr(value, "__name__", None)
)
def test_limits_of_settings_are_enforced(learner, name, refused, taken):
    for value in taken:
        learner(**{name: value}).check_settings()
    for value in refused:
        with pytest.raises(InputError, match=rf"^{name}\b.* must be"):
            learner(**{name: value}).check_settings()


#: Setting -> values that training refuses because they must fit the data.
REFUSED_IN_TRAINING = {
    "seed": ["3", "a", -1, 1.5, [-1], math.nan],
    "cost": ["a", "ab", 1, np.ones((2, 2)), np.ones(2), -np.eye(2)[::-1], [["0", "1"], ["1", "0"]], [[0], [1, 0]]],
    "order": ["a", [0, 1], [0, 1, 2, 9], [0.0, 1.0, 2.0, 3.0], [-1, 0, 1, 2], [[0], [1, 2]]],
}


@pytest.mark.parametrize("setting", REFUSED_IN_TRAINING)
def test_settings_that_do_not_fit_the_data_are_refused(setting):
    labels, tags = [0, 1, 0, 1], [["x"], ["y"], ["y"], ["x", "y"]]
    for value in REFUSED_IN_TRAINING[setting]:
        for kind in (
            classifiers.Perceptron,
            classifiers.Mira,
            classifiers.SVM,
            classifiers.MaxEntOnline,
            classifiers.ColumnSquishing,
            classifiers.AROW,
            classifiers.ConfidenceWeighted,
        ):
            with pytest.raises(InputError):
                kind(**{setting: value}).train([[1.0], [0.0], [2.0], [1.0]], labels)
        for kind in (classifiers.StructuredPerceptron, classifiers.StructuredMira, classifiers.CRF):
            with pytest.raises(InputError):
                kind(**{setting: value}).train([["a"], ["b"], ["b"], ["c", "a"]], tags)


@pytest.mark.parametrize(
    ("learner", "says"),
    [
        (classifiers.MaxEntBatch(penalty="l1", solver="dual"), "has corners"),
        (classifiers.MaxEntBatch(solver="dual", regularizer=0.0), "every weight regularized"),
        (classifiers.MaxEntBatch(solver="dual", regularize_intercept=False), "every weight regularized"),
        (classifiers.MaxEntBatch(solver="gis", regularizer=1.0), "has no regularization"),
        (classifiers.SVM(solver="dual", regularizer=0.0), "regularizer .*dual solver"),
        (classifiers.SVM(solver="dual", order=[0, 1]), "order is for the subgradient solver"),
        (classifiers.StructuredPerceptron(templates=[]), "at least one template"),
        (classifiers.StructuredPerceptron(templates=["lowr"]), "names attributes"),
        (classifiers.StructuredPerceptron(templates="lower"), "templates must be"),
        (classifiers.StructuredPerceptron(templates=["word", "word"]), "listed twice"),
        (classifiers.StructuredPerceptron(transitions="trigrams"), "no trigrams"),
    ],
)
def test_incompatible_settings_are_refused(learner, says):
    with pytest.raises(InputError, match=says):
        learner.check_settings()
