import numpy as np
import pytest
from scipy.stats import norm

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.models.gaussians import bayes_error, discriminant_params, linear_discriminant_params
from lxmls_day1.figures.boundaries import discriminant_scores
from tests.made_data import log_joint
from tests.wording import wording


def random_mixture(n_classes, n_features, seed):
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.full(n_classes, 3.0))
    return prior, rng.normal(size=(n_classes, n_features)), rng.uniform(0.3, 3.0, size=(n_classes, n_features))


def quadratic_features(X):
    """Return [1, x, x²], in which Gaussian classes with different variances are linear."""
    return np.hstack([np.ones((len(X), 1)), X, X * X])


@pytest.mark.parametrize(("n_classes", "n_features"), [(2, 1), (2, 2), (3, 2), (4, 5)])
def test_scores_are_log_joint_densities(n_classes, n_features):
    mixture = random_mixture(n_classes, n_features, seed=n_classes)
    X = np.random.default_rng(9).normal(scale=3, size=(50, n_features))
    expected = log_joint(X, *mixture)
    params = discriminant_params(*mixture)
    assert params.shape == (2 * n_features + 1, n_classes)
    np.testing.assert_allclose(discriminant_scores(X, params, quadratic=True), expected, atol=1e-10)
    np.testing.assert_allclose(quadratic_features(X) @ params, expected, atol=1e-10)


def test_linear_params_follow_the_guides_formula():
    prior, means, variance = np.array([0.3, 0.7]), np.array([[1.0, -2.0], [0.5, 3.0]]), 2.0
    params = linear_discriminant_params(prior, means, variance)
    for y in range(2):
        assert params[0, y] == pytest.approx(np.log(prior[y]) - np.sum(means[y] ** 2) / (2 * variance))
        np.testing.assert_allclose(params[1:, y], means[y] / variance)


@pytest.mark.parametrize("n_features", [1, 2, 5])
@pytest.mark.parametrize("variance", [0.5, 1.0, 2.0])
def test_balanced_classes_of_one_variance_err_by_the_tail_at_half_the_distance(n_features, variance):
    means = np.stack([-np.ones(n_features), np.ones(n_features)])
    distance = np.linalg.norm(means[1] - means[0])
    error = bayes_error([0.5, 0.5], means, np.full((2, n_features), variance))
    assert error == pytest.approx(norm.cdf(-distance / (2 * np.sqrt(variance))), rel=1e-12)


def test_unbalanced_classes_of_one_variance_against_numerical_integration():
    prior, means, deviation = np.array([0.8, 0.2]), np.array([[0.0], [1.5]]), 1.2
    x = np.linspace(-15, 15, 300_001)
    densities = prior * norm.pdf(x[:, None], means[:, 0], deviation)
    expected = np.trapezoid(densities.min(axis=1), x)
    assert bayes_error(prior, means, np.full((2, 1), deviation**2)) == pytest.approx(expected, abs=1e-8)


def test_equal_classes_err_by_the_smaller_prior():
    assert bayes_error([0.3, 0.7], np.ones((2, 3)), np.ones((2, 3))) == pytest.approx(0.3)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_one_dimension_against_numerical_integration(n_classes):
    prior, means, variances = random_mixture(n_classes, 1, seed=10 + n_classes)
    x = np.linspace(-25, 25, 500_001)
    densities = prior * norm.pdf(x[:, None], means[:, 0], np.sqrt(variances[:, 0]))
    expected = 1 - np.trapezoid(densities.max(axis=1), x)
    assert bayes_error(prior, means, variances) == pytest.approx(expected, abs=1e-8)


def test_one_wide_class_behind_a_narrow_one_that_never_wins():
    """0.01·N(0, 1) is below 0.99·N(0, 1.21) everywhere, so the rare class is always missed."""
    for n_features in (1, 2):
        variances = np.outer([1.0, 1.21], np.ones(n_features))
        assert bayes_error([0.01, 0.99], np.zeros((2, n_features)), variances) == pytest.approx(0.01, abs=1e-9)


def test_concentric_spheres_in_the_plane_have_a_closed_form():
    """P(r > R) = exp(−R²/2σ²) for the radius of N(0, σ²I), and the densities cross at R² = 2 log(V/v)/(1/v − 1/V)."""
    v, V = 1.0, 4.0
    sq_radius = 2 * np.log(V / v) / (1 / v - 1 / V)
    expected = 0.5 * np.exp(-sq_radius / (2 * v)) + 0.5 * (1 - np.exp(-sq_radius / (2 * V)))
    assert bayes_error([0.5, 0.5], np.zeros((2, 2)), [[v, v], [V, V]]) == pytest.approx(expected, abs=1e-5)


def test_almost_equal_variances_come_close_to_equal_ones():
    means = np.stack([-np.ones(2), np.ones(2)]) / 2
    equal = bayes_error([0.4, 0.6], means, np.ones((2, 2)))
    for excess in (1e-12, 1e-4):
        almost = bayes_error([0.4, 0.6], means, np.outer([1.0, 1 + excess], np.ones(2)))
        assert almost == pytest.approx(equal, abs=1e-4 + excess)


def test_the_plane_against_a_fine_grid():
    prior, means, variances = random_mixture(3, 2, seed=4)
    axis = np.linspace(-11, 11, 441)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    mass = np.exp(log_joint(grid, prior, means, variances)).max(axis=1).sum() * (axis[1] - axis[0]) ** 2
    assert bayes_error(prior, means, variances) == pytest.approx(1 - mass, abs=1e-4)


def test_more_than_two_dimensions_without_a_closed_form_are_refused():
    with pytest.raises(InputError, match=wording("engine.for_one_and_for")):
        bayes_error(*random_mixture(3, 4, seed=8))


@pytest.mark.parametrize(
    ("prior", "means", "variances", "message"),
    [
        ([0.5, 0.5], [[0, 0]], [[1, 1]], "shapes"),
        ([0.5, 0.5], [[0], [1]], [[1, 1]], "shapes"),
        ([0.5, 0.6], [[0], [1]], [[1], [1]], "sum to 1"),
        ([0.0, 1.0], [[0], [1]], [[1], [1]], "positive"),
        ([0.5, 0.5], [[0], [np.nan]], [[1], [1]], "means"),
        ([0.5, 0.5], [[0], [1]], [[1], [0]], "variances must be positive"),
        ([0.5, 0.5], [[0], [1]], [[1], [np.inf]], "variances must be positive"),
    ],
)
@pytest.mark.parametrize("function", [discriminant_params, bayes_error])
def test_wrong_mixtures_are_refused(function, prior, means, variances, message):
    with pytest.raises(InputError, match=message):
        function(prior, means, variances)


def test_wrong_shapes_are_refused():
    with pytest.raises(InputError, match=wording("engine.quadratic_params_rows")):
        discriminant_scores(np.ones((2, 2)), np.ones((3, 2)), quadratic=True)
    with pytest.raises(InputError, match="matrices"):
        discriminant_scores(np.ones(2), np.ones((3, 2)), quadratic=False)
    with pytest.raises(InputError, match=wording("engine.number_per_feature")):
        linear_discriminant_params([0.5, 0.5], np.ones((2, 2)), np.ones(3))
