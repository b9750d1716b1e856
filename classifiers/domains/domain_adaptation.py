"""Domain adaptation: train a linear classifier on one domain for use on another.

There are two methods, each for any linear classifier. Both train it on derived features of the same texts. The derived features are
linear in x, so the result is again a matrix of parameters (J + 1, K) for x itself, which ``test``, ``save`` and ``explain`` accept.

*Feature augmentation* needs labels of both domains. Each feature gets three weights, a common weight and one for each domain:

    source: x → (x, x, 0)        target: x → (x, 0, x)        so on the target the weights are w_common + w_target

*Structural correspondence learning* needs labels of the source only, and texts of both domains. *Pivots* are features that are
frequent in both domains and informative about the label in the source. For each pivot ℓ a predictor is trained that predicts it from
the other features of a text of either domain; features with similar weights in these predictors correspond to each other. The main
directions of the weights become new features:

    W = [w_1 … w_m] (J, m),    W = U D Vᵀ,    θ = the first h columns of U, transposed (h, J),    x → (x, s θ x)

Here the predictors are fitted by regularized least squares, which has a closed form. The rows of Z are the texts without their pivots:

    w_ℓ = argmin Σ_m (w · z_m − p_ℓ(x_m))² + λ ‖w‖²,    W = Zᵀ (Z Zᵀ + λ I)⁻¹ P,    p_ℓ ± 1, less its mean

The sources use the modified Huber loss instead of the squared loss.

Sources: H. Daumé III, Frustratingly easy domain adaptation, ACL 2007; J. Blitzer, R. McDonald, F. Pereira, Domain adaptation with
structural correspondence learning, EMNLP 2006; J. Blitzer, M. Dredze, F. Pereira, Biographies, Bollywood, boom-boxes and blenders:
domain adaptation for sentiment classification, ACL 2007 (the choice of pivots by mutual information).
"""

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from classifiers.bernoulli_naive_bayes import presence
from classifiers.linear_classifier import LinearClassifier
from lxmls_day1.lab_api import InputError, as_numbers, check_number

# ------------------------------------------------------------------------------------------------- feature augmentation


def augment(X: Any, domain: int, nr_domains: int = 2) -> sp.csr_array:
    """Return the features twice: once as common features, and once as features of their domain.

    Parameters
    ----------
    X : array or sparse matrix (M, J)
    domain : int
        The number of the domain that X belongs to, from 0.
    nr_domains : int
        D, the number of domains.

    Returns
    -------
    csr_array (M, (1 + D) J)
        The common features, then the features of each domain, which are 0 except for the domain of X.

    Raises
    ------
    InputError
        If X is not a matrix of finite numbers, or the domain is out of range.

    Examples
    --------
    >>> augment([[5.0, 7.0]], domain=1).toarray()
    array([[5., 7., 0., 0., 5., 7.]])
    """
    X = sp.csr_array(_rows(X))
    nr_domains = check_number("nr_domains", nr_domains, at_least=1, whole=True)
    check_number("domain", domain, at_least=0, at_most=nr_domains - 1, whole=True)
    nothing = sp.csr_array(X.shape)
    return sp.csr_array(sp.hstack([X, *(X if d == domain else nothing for d in range(int(nr_domains)))], format="csr"))


def train_augmented(
    classifier: Any, source_X: Any, source_y: ArrayLike, target_X: Any, target_y: ArrayLike
) -> np.ndarray:
    """Train on both domains with augmented features, and return parameters for the target domain.

    Parameters
    ----------
    classifier : linear classifier
        A copy of it is trained. The classifier itself gets the ``classes``, so that it can ``test``.
    source_X, source_y : (M, J) and M labels
    target_X, target_y : (N, J) and N labels

    Returns
    -------
    params : array (J + 1, K)
        The common weights plus the weights of the target, for texts of the target.

    Raises
    ------
    InputError
        If the domains do not have the same features, their labels are of different types, the numbers of rows and labels differ, or the
        classifier is not linear in the features.

    Examples
    --------
    A feature that means the opposite in the target domain, which a single linear classifier could not learn:

    >>> from classifiers.perceptron import Perceptron
    >>> perceptron = Perceptron()
    >>> params = train_augmented(perceptron, [[1.0], [-1.0]] * 2, [1, 0] * 2, [[1.0], [-1.0]], [0, 1])
    >>> perceptron.test([[2.0], [-2.0]], params)
    array([0, 1])
    """
    source_X, target_X = _rows(source_X), _rows(target_X)
    if source_X.shape[1] != target_X.shape[1]:
        raise InputError(
            f"both domains must have the same features, but the source has {source_X.shape[1]} and the target "
            f"{target_X.shape[1]}; DomainPair reads two domains over one vocabulary"
        )
    n_features = source_X.shape[1]
    X = sp.csr_array(sp.vstack([augment(source_X, 0), augment(target_X, 1)]))
    y = [label for labels in (source_y, target_y) for label in np.asarray(labels).ravel().tolist()]
    learnt = _train_copy(classifier, X, y)
    intercepts, common, _, of_target = np.split(learnt, [1, 1 + n_features, 1 + 2 * n_features])
    return np.vstack([intercepts, common + of_target])


# --------------------------------------------------------------------------------- structural correspondence learning


def mutual_information(X: Any, y: ArrayLike) -> np.ndarray:
    """Return the mutual information, in nats, of the presence of each feature and the label.

    Parameters
    ----------
    X : array or sparse matrix (M, J)
        A feature is present if it is above 0.
    y : M labels

    Returns
    -------
    information : array (J,)
        I_j = Σ_{v ∈ {0, 1}} Σ_y p(f̂_j = v, y) log (p(f̂_j = v, y) / (p(f̂_j = v) p(y))).

    Raises
    ------
    InputError
        If X is not a matrix of finite numbers, or the number of labels differs from the number of rows.

    Examples
    --------
    A feature that equals the label has log 2, a feature that is always present has 0:

    >>> mutual_information([[1, 1], [0, 1]], ["+", "-"]).round(4).tolist()
    [0.6931, 0.0]
    """
    present = presence(X)
    data = LinearClassifier()
    _, labels, _ = data._training_data(present, y)
    shares = np.bincount(labels) / len(labels)  # (K,)
    there = np.stack([(labels == k) @ present for k in range(len(data.classes))]) / len(labels)  # (K, J), p(f̂ = 1, y)
    information = np.zeros(there.shape[1])
    for joint in (there, shares[:, None] - there):
        independent = shares[:, None] * joint.sum(axis=0)
        seen = joint > 1e-12  # pairs that never occur add nothing; 1e-12 is above the rounding error
        ratio = np.divide(joint, independent, out=np.ones_like(joint), where=seen)
        information += np.where(seen, joint * np.log(ratio), 0.0).sum(axis=0)
    return information


def choose_pivots(
    source_X: Any, source_y: ArrayLike, target_X: Any, nr_pivots: int = 300, min_documents: int = 10
) -> np.ndarray:
    """Return the features that are frequent in both domains and most informative about the label in the source.

    Parameters
    ----------
    source_X, source_y : (M, J) and M labels
    target_X : (N, J)
        Texts of the target; their labels are not needed.
    nr_pivots : int
        The maximum number of pivots.
    min_documents : int
        The minimum number of documents of each domain that contain a pivot.

    Returns
    -------
    pivots : int array (m,)
        Columns, in descending order of `mutual_information`.

    Raises
    ------
    InputError
        If no feature is frequent enough in both domains.

    Examples
    --------
    >>> X = [[1, 1, 1], [1, 0, 0], [0, 1, 1], [0, 0, 0]]  # the third feature is not in the target
    >>> choose_pivots(X, ["+", "+", "-", "-"], [[1, 1, 0]] * 2, nr_pivots=2, min_documents=2)
    array([0, 1])
    """
    nr_pivots = check_number("nr_pivots", nr_pivots, at_least=1, whole=True)
    check_number("min_documents", min_documents, at_least=1, whole=True)
    counts = [np.asarray(presence(X).sum(axis=0)).ravel() for X in (source_X, target_X)]
    frequent = np.flatnonzero((counts[0] >= min_documents) & (counts[1] >= min_documents))
    if len(frequent) == 0:
        raise InputError(
            f"no feature is in min_documents={min_documents} documents of each domain; lower it, or use domains that share words"
        )
    information = mutual_information(source_X, source_y)[frequent]
    return frequent[np.argsort(-information, kind="stable")[: int(nr_pivots)]]


def correspondences(X: Any, pivots: ArrayLike, nr_dimensions: int = 50, regularizer: float = 300.0) -> np.ndarray:
    """Return the main directions θ of the weights that predict the pivots from all other features.

    Parameters
    ----------
    X : array or sparse matrix (M, J)
        Texts of both domains. Time grows with M³, memory with M².
    pivots : int array (m,)
        Columns, as `choose_pivots` returns.
    nr_dimensions : int
        h; fewer if the weights have fewer directions.
    regularizer : float > 0
        λ of the least squares.

    Returns
    -------
    theta : array (h, J)
        Its rows are orthonormal; the columns of pivots are 0.

    Raises
    ------
    InputError
        If a pivot is not a column of X, or a number is out of its range.

    Examples
    --------
    "sharp" occurs with the pivot "excellent" in one domain, "gripping" in the other, so both have the same sign in θ. To verify:
    Zᵀ Z = diag(1, 1, 2) and Zᵀ P = (1, 1, −2), so w = (1/2, 1/2, −2/3), and θ is w at length 1:

    >>> names = ["excellent", "sharp", "gripping", "blunt"]
    >>> X = [[1, 1, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0], [0, 0, 0, 1]]
    >>> theta = correspondences(X, pivots=[0], nr_dimensions=1, regularizer=1.0)
    >>> (theta * np.sign(theta[0, 1])).round(2).tolist()
    [[0.0, 0.51, 0.51, -0.69]]
    """
    X = sp.csr_array(_rows(X))
    columns = as_numbers(pivots, "pivots must be columns of X").ravel().astype(np.intp)
    if len(columns) == 0 or columns.min() < 0 or columns.max() >= X.shape[1]:
        raise InputError(f"pivots must be some of the columns 0 … {X.shape[1] - 1}, got {pivots!r}")
    nr_dimensions = int(check_number("nr_dimensions", nr_dimensions, at_least=1, whole=True))
    check_number("regularizer (λ)", regularizer, above=0)
    present = sp.csr_array(presence(X))
    P = 2.0 * present[:, columns].toarray() - 1  # (M, m)
    others = np.ones(X.shape[1])
    others[columns] = 0.0
    Z = sp.csr_array(present @ sp.diags_array(others))
    inner = (Z @ Z.T).toarray() + regularizer * np.eye(Z.shape[0])  # (M, M)
    W = Z.T @ np.linalg.solve(inner, P - P.mean(axis=0))  # (J, m)
    sizes, V = np.linalg.eigh(W.T @ W)  # V and D² of W = U D Vᵀ, the smallest first
    largest = np.flatnonzero(sizes > 1e-10 * max(sizes[-1], 1e-300))[::-1][:nr_dimensions]
    return (W @ V[:, largest] / np.sqrt(sizes[largest])).T


def train_with_correspondences(
    classifier: Any, X: Any, y: ArrayLike, theta: ArrayLike, weight: float = 1.0
) -> np.ndarray:
    """Train on x and s θ x together, and return parameters for x.

    Parameters
    ----------
    classifier : linear classifier
        A copy of it is trained. The classifier itself gets the ``classes``, so that it can ``test``.
    X, y : (M, J) and M labels
        Training data of the source domain.
    theta : array (h, J)
        The result of `correspondences`.
    weight : float > 0
        The sum of the squares of s θ x, as a multiple of the sum of the squares of x; it determines s.

    Returns
    -------
    params : array (J + 1, K)
        The parameters for x: w + s θᵀ v, for weights w of x and v of s θ x.

    Raises
    ------
    InputError
        If θ does not fit X, or the classifier is not linear in x or uses only the presence of features.

    Examples
    --------
    "gripping" is not in the training data, but it corresponds to "sharp", which is positive:

    >>> from classifiers.perceptron import Perceptron
    >>> perceptron, theta = Perceptron(), [[0.0, 0.51, 0.51, -0.69]]
    >>> params = train_with_correspondences(perceptron, [[0, 1, 0, 0], [0, 0, 0, 1]], ["+", "-"], theta)
    >>> perceptron.test([[0, 0, 1, 0]], params)
    array(['+'], dtype='<U1')
    """
    X = sp.csr_array(_rows(X))
    theta = as_numbers(theta, "theta must be numbers")
    check_number("weight", weight, above=0)
    if theta.ndim != 2 or theta.shape[1] != X.shape[1]:
        raise InputError(
            f"theta must have a column for each of the {X.shape[1]} features, but has the shape {theta.shape}"
        )
    if getattr(classifier, "binary", False):
        raise InputError(
            f"{classifier.get_name()} asks which features are there; correspondences are numbers of any size: take an SVM, for instance"
        )
    projected = X @ theta.T  # (M, h)
    size = np.sqrt((projected**2).sum())
    scale = np.sqrt(weight * (X.data**2).sum()) / size if size > 0 else 0.0
    learnt = _train_copy(classifier, sp.csr_array(sp.hstack([X, scale * projected], format="csr")), y)
    params, of_projected = np.split(learnt, [1 + X.shape[1]])
    params[1:] += scale * theta.T @ of_projected
    return params


def _rows(X):
    """Return X as a matrix of finite numbers."""
    return LinearClassifier()._rows(X)


def _train_copy(classifier, X, y):
    """Return the parameters of a trained copy of the classifier, (features of X + 1, K).

    The classifier itself gets only the classes, because other attributes set by training refer to the derived features.
    """
    learner = copy.deepcopy(classifier)
    params = learner.train(X, y)
    if learner.quadratic:
        raise InputError(f"{classifier.get_name()} is quadratic here; domain adaptation is for linear classifiers")
    classifier.classes, classifier.trained = learner.classes, True
    return params
