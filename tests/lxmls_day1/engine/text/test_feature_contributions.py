import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from classifiers import NBSVM, BernoulliNaiveBayes, LinearClassifier, MultinomialNaiveBayes
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.text.feature_contributions import explain
from tests.wording import wording

NAMES = [f"w{j}" for j in range(5)]


def documents(n_features=5):
    return st.lists(st.integers(0, 3), min_size=n_features, max_size=n_features).map(lambda row: np.array([row], float))


@pytest.mark.slow
@given(x=documents(), seed=st.integers(0, 999), n_classes=st.integers(2, 4), quadratic=st.booleans())
def test_the_parts_sum_to_the_scores_and_to_the_margin(x, seed, n_classes, quadratic):
    params = np.random.default_rng(seed).normal(size=((11 if quadratic else 6), n_classes))
    classifier = LinearClassifier()
    classifier.quadratic = quadratic
    why = explain(classifier, params, sp.csr_array(x), NAMES)
    # The oracle: one word after the other, as in the equation.
    for word, count, contributions in zip(why.words, why.counts, why.contributions, strict=True):
        j = NAMES.index(word)
        assert count == x[0, j]
        for y in range(n_classes):
            expected = x[0, j] * params[1 + j, y] + (x[0, j] ** 2 * params[6 + j, y] if quadratic else 0.0)
            assert contributions[y] == pytest.approx(expected)
    assert sorted(why.words) == [NAMES[j] for j in range(5) if x[0, j]]
    assert why.predicted == classifier.test(x, params)[0]
    assert why.scores == pytest.approx(why.intercepts + why.contributions.sum(axis=0))
    assert why.scores[why.rival] == pytest.approx(np.sort(why.scores)[-2])
    intercepts = why.intercepts[why.predicted] - why.intercepts[why.rival]
    assert why.margin == pytest.approx(why.differences.sum() + intercepts)
    assert (np.diff(np.abs(why.differences)) <= 0).all()
    assert not why.by_intercepts


@pytest.mark.parametrize("make", [BernoulliNaiveBayes, NBSVM])
def test_a_word_that_counts_by_its_presence_counts_once_in_a_loaded_model_too(make, tmp_path):
    learner = make()
    params = learner.train([[2, 0, 1], [1, 0, 0], [0, 3, 1], [0, 1, 0]], ["p", "p", "n", "n"])
    learner.save(tmp_path / "model.npz", params)
    model = LinearClassifier.load(tmp_path / "model.npz")
    why = explain(model.classifier, model.params, [[4, 0, 3]], NAMES[:3])
    assert why.counts.tolist() == [1.0, 1.0]
    intercepts = why.intercepts[why.predicted] - why.intercepts[why.rival]
    assert why.margin == pytest.approx(why.differences.sum() + intercepts)


def test_words_for_and_against_in_the_order_of_their_weight():
    params = np.array([[0, 0], [1, 0], [0, 2], [3, 0], [0, 0.5], [7, 7]])
    why = explain(LinearClassifier(), params, [[1, 1, 1, 1, 1]], NAMES, class_names=["p", "n"])
    assert [why.words[i] for i in why.evidence_for()] == ["w2", "w0"]
    assert [why.words[i] for i in why.evidence_against()] == ["w1", "w3"]
    assert why.differences[why.words.index("w4")] == 0


class TestRuledOut:
    @pytest.fixture
    def model(self):
        """Return a model in which word 0 excludes "n" and word 1 excludes "p"."""
        nb = MultinomialNaiveBayes(smooth=False)
        return nb, nb.train([[2, 0, 1], [2, 0, 1], [0, 3, 1]], ["p", "p", "n"])

    def test_an_excluded_class_is_explained(self, model):
        why = explain(*model, [[1, 0, 1]], ["good", "bad", "book"])
        assert why.class_names == ["n", "p"] and why.class_names[why.predicted] == "p"
        assert why.words[0] == "good" and why.differences[0] == np.inf and why.margin == np.inf
        first = why.to_dict()["words"][0]
        assert first["rules_out"] == ["n"] and first["contributions"]["n"] is None and first["difference"] is None

    def test_exclusion_of_every_class_is_explained(self, model):
        why = explain(*model, [[1, 1, 1]], ["good", "bad", "book"])
        assert why.by_intercepts and why.class_names[why.predicted] == "p"
        assert why.margin == pytest.approx(np.log(2))
        assert set(why.differences[:2]) == {np.inf, -np.inf}
        json.dumps(why.to_dict(), allow_nan=False)


def test_a_second_order_learner_reports_the_deviation_of_each_word():
    linear = LinearClassifier()
    params = np.array([[0.5, 0.0, 9.0], [-3.0, 3.0, 0.0], [2.0, -1.0, 0.0], [0.0, 1.0, 0.0]]) - [0, 0, 20]
    variances = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 0.5], [0.16, 0.09, 1.0], [0.5, 0.5, 0.2]])
    why = explain(linear, params, [[0, 2, 1]], ["dull", "fine", "plot"], list("abc"), variances=variances)
    assert why.words == ["fine", "plot"]
    np.testing.assert_allclose(why.deviations, [2 * 0.5, 1.0])  # √(0.16 + 0.09) twice, √(0.5 + 0.5)
    assert [word["deviation"] for word in why.to_dict()["words"]] == pytest.approx([1.0, 1.0])
    assert "deviation" not in explain(linear, params, [[0, 2, 1]], ["dull", "fine", "plot"]).to_dict()["words"][0]
    with pytest.raises(InputError, match=wording("engine.variances_shape_parameters")):
        explain(linear, params, [[0, 2, 1]], ["dull", "fine", "plot"], variances=variances[1:])
