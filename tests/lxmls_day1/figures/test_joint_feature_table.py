import numpy as np

from lxmls_day1.figures.joint_feature_table import plot_joint_features
from lxmls_day1.figures.plotting import detached_axes

G = np.array([1.0, 1.0, 0.0, 1.0])
W = np.array([[0.5, 0.0, -0.5], [2.0, -1.0, -1.0], [-1.0, 2.0, -1.0], [1.5, -0.5, 0.0]])


def test_each_row_holds_g_in_the_block_of_its_class_and_its_score():
    _fig, axis = plot_joint_features(G, W, ["a", "b", "c"], detached_axes()[1])
    texts = {text.get_position(): text.get_text() for text in axis.texts}
    for row in range(1, 4):
        found = [float(texts[across + 0.5, row]) for across in range(12)]
        assert found == np.kron(np.eye(3)[row - 1], G).tolist()
    assert [float(texts[across + 0.5, 0]) for across in range(12)] == W.T.ravel().tolist()
    scores = [text.get_text() for text in axis.texts if text.get_text().startswith("w ·")]
    assert scores == [f"w · f = {score:g}" for score in G @ W]
