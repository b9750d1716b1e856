"""What the four settings of ``averaged`` mean: by hand, and where they part."""

import numpy as np
import pytest

from classifiers.perceptron import Perceptron

pytestmark = pytest.mark.bits

# Two examples with one feature, x = 2 of class 1 and x = 1 of class 0, visited in this order, twice. The perceptron's
# weights are (−v, v) with v = (intercept, weight); it says 1 where v · (1, x) > 0. After each of the four steps:
#
#   x = 2, class 1   v · g =  0, a mistake   v = ( 1, 2)
#   x = 1, class 0   v · g =  3, a mistake   v = ( 0, 1)      the end of round 1
#   x = 2, class 1   v · g =  2, right       v = ( 0, 1)
#   x = 1, class 0   v · g =  1, a mistake   v = (−1, 0)      the end of round 2
X, LABELS = np.array([[2.0], [1.0]]), np.array([1, 0])
BY_HAND = {
    "steps": [0.0, 1.0],  # (1 + 0 + 0 − 1) / 4 and (2 + 1 + 1 + 0) / 4: the boundary is at x = 0
    "last round": [-0.5, 0.5],  # (0 − 1) / 2 and (1 + 0) / 2: the third and the fourth
    "rounds": [-0.5, 0.5],  # (0 − 1) / 2 and (1 + 0) / 2: at x = 1
    False: [-1.0, 0.0],  # the last v: there is none, all is class 0
}


@pytest.mark.slow
@pytest.mark.parametrize("averaged", BY_HAND)
def test_by_hand(averaged):
    v = np.array(BY_HAND[averaged])
    perceptron = Perceptron(nr_rounds=2, order=[0, 1], averaged=averaged)
    np.testing.assert_allclose(perceptron.train(X, LABELS), np.column_stack([-v, v]), atol=1e-12)
    assert perceptron.nr_updates == 3
