import numpy as np
import pytest
from matplotlib.figure import Figure

from lxmls_day1.engine.models.gaussians import bayes_error
from lxmls_day1.figures.overlap import plot_overlap


@pytest.mark.parametrize(("prior", "variance"), [([0.5, 0.5], 1.0), ([0.2, 0.8], 2.0)])
def test_the_shaded_area_is_the_bayes_error_and_the_posterior_is_one_half_at_the_boundary(prior, variance):
    above, below = Figure().subplots(2)
    plot_overlap(prior, 2 * np.sqrt(2), variance, above, below)
    curves = [line.get_xydata() for line in above.lines[:2]]
    lower = np.minimum(curves[0][:, 1], curves[1][:, 1])
    area = np.trapezoid(lower, curves[0][:, 0])
    exact = bayes_error(np.array(prior), np.array([[-1.0, -1.0], [1.0, 1.0]]), np.full((2, 2), variance))
    assert area == pytest.approx(exact, abs=2e-4)
    boundary = above.lines[2].get_xdata()[0]
    z, posterior = below.lines[0].get_data()
    assert np.interp(boundary, z, posterior) == pytest.approx(0.5, abs=1e-3)
