"""Made-up data that tests of learners and of their engine share."""

import numpy as np


def random_problem(n_classes, n_examples=31, n_features=7, n_rounds=3, density=0.5):
    """Real-valued features, half of them zero, so that no two scores tie by construction; every class has an example.

    Returns
    -------
    X : (M, J)
    labels : (M,)
    orders : (n_rounds, M)
    costs : (K, K)
    """
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n_examples, n_features)) * (rng.random((n_examples, n_features)) < density)
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_examples - n_classes)])
    costs = rng.uniform(0.5, 2.0, (n_classes, n_classes)) * (1 - np.eye(n_classes))
    return X, labels, np.array([rng.permutation(n_examples) for _ in range(n_rounds)]), costs
