"""The loop over sentences compared with a naive loop that lists every tag sequence and stores every W, and with the flat learners
on sentences of one word; and its errors.
"""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers import SVM, ColumnSquishing, MaxEntOnline, Mira, Perceptron, compiled
from classifiers.structured import StructuredClassifier, StructuredMira, StructuredPerceptron, StructuredSVM
from classifiers.structured.tag_features import FeatureIndex
from classifiers.structured.viterbi import viterbi
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus_training import resume
from tests.made_data import random_sentences
from tests.wording import wording

pytestmark = pytest.mark.bits

TEMPLATES = ["word", "suffix1", "word[-1]"]


def joint_features(g, path, shape, chain):
    """Return Φ(x, y) as a matrix of the shape of W, from the words as rows of g (T, J + 1)."""
    phi, n_flat, n_tags = np.zeros(shape), g.shape[1], shape[1]
    for t, tag in enumerate(path):
        phi[:n_flat, tag] += g[t]
        if chain:
            phi[n_flat + n_tags if t == 0 else n_flat + path[t - 1], tag] += 1
    if chain:
        phi[n_flat + n_tags + 1, path[-1]] += 1
    return phi


def with_numbers(X):
    """Return the words as own features: their letters, numbers of both signs, and a number that is sometimes missing."""
    return [
        [{"word": word, "length": len(word) / 3, "place": {"from 2": 0.7 * t - 1.4}, "b": word.count("b") > 0} for t, word in enumerate(words)]
        for words in X
    ]  # fmt: skip


def dense_words(X):
    """Return the features of each sentence's words as a matrix with the 1 of the bias, by the index's own names."""
    index, _ = FeatureIndex.learn(X, TEMPLATES)
    if isinstance(X[0][0], dict):

        def value(word, name):
            if name.startswith("word:"):
                return float(name == f"word:{word['word']}")
            return word["place"]["from 2"] if name == "place:from 2" else word[name]

        return [np.array([[1.0, *(value(word, name) for name in index.names)] for word in words]) for words in X]
    sentences = []
    for sentence in X:
        g = np.zeros((len(sentence), 1 + len(index)))
        g[:, 0] = 1.0
        for t, names in enumerate(index.features(sentence)):
            g[t, [1 + index.names.index(name) for name in names]] = 1.0
        sentences.append(g)
    return sentences


def naive(tau, X, y, orders, steps, shrinkage, cost, augmented, chain):
    """Return W after each step (T, rows, K), computed from the definitions: all sequences, all of Φ, all of W.

    ``online_loop`` cannot replace this: there a class has a column of weights, here tag sequences share the columns, and each
    sentence has other sequences.

    ``tau(gap, rho, squared_distance, step)`` is the step for a rival that scores ``gap`` more than the truth.
    """
    g, n_tags = dense_words(X), len(cost)
    W = np.zeros((g[0].shape[1] + (n_tags + 2) * chain, n_tags))
    all_W = []
    for t, m in enumerate(np.concatenate(orders)):
        sequences = list(product(range(n_tags), repeat=len(X[m])))
        phis = [joint_features(g[m], path, W.shape, chain) for path in sequences]
        scores = np.array([(W * phi).sum() for phi in phis])
        costs = np.array([sum(cost[p, q] for p, q in zip(path, y[m], strict=True)) for path in sequences])
        rival, truth = np.argmax(scores + costs * augmented), sequences.index(tuple(y[m]))
        difference = phis[truth] - phis[rival]
        W = (1 - steps[t] * shrinkage) * W
        if difference.any():
            gap = scores[rival] - scores[truth]
            W = W + tau(gap, costs[rival], (difference**2).sum(), steps[t]) * difference
        all_W.append(W)
    return np.array(all_W)


def tau_perceptron(gap, rho, squared_distance, step):
    return step


def tau_mira(gap, rho, squared_distance, step):
    return min(step, (gap + rho) / squared_distance)


def tau_max_ent(gap, rho, squared_distance, step):
    return step / (1 + np.exp(-gap))


LEARNERS = {
    "perceptron": (Perceptron.rule, tau_perceptron, False),
    "mira": (Mira.rule, tau_mira, False),
    "svm": (SVM.rule, tau_perceptron, True),
    "max_ent": (MaxEntOnline.rule, tau_max_ent, False),
}


class AnyRule(StructuredClassifier):
    """A learner with any rule, steps and shrinkage, for cases of the loop that the real learners do not reach."""

    def __init__(self, rule, all_steps, augmented=False, regularizer=0.0, **settings):
        super().__init__(templates=TEMPLATES, track_objective=False, **settings)
        self.rule, self.all_steps, self.augmented = rule, all_steps, augmented
        self.regularizer, self.shrinks = regularizer, regularizer != 0

    def steps(self, first, count):
        return self.all_steps[first - 1 : first - 1 + count]


def random_cost(rng, n_tags):
    cost = rng.random((n_tags, n_tags)) + 0.2
    np.fill_diagonal(cost, 0.0)
    return cost


@pytest.mark.one_in(3)
@pytest.mark.parametrize("decoder", [None, viterbi], ids=["compiled", "readable"])
@pytest.mark.parametrize("chain", [True, False], ids=["chain", "no chain"])
@pytest.mark.parametrize("numbers", [False, True], ids=["words", "numbers"])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_loop_matches_the_naive_one(name, numbers, chain, decoder):
    """Compared are the weights after the last step and their mean over all steps. Irregular steps avoid ties that depend on rounding.

    The shrinking factors 1 − η λ include 0, negative factors, and factors that underflow.
    """
    rule, tau, augmented = LEARNERS[name]
    for seed, regularizer in [(0, 0.0), (1, 0.1), (2, 1.0)]:
        X, y, orders = random_sentences(seed)
        X, rng = with_numbers(X) if numbers else X, np.random.default_rng(seed + 100)
        steps, cost = 0.1 + rng.random(orders.size), random_cost(rng, 3)
        if regularizer == 1.0:
            steps[[7, 15]], steps[20] = 1.0, 3.7
        settings = {"nr_rounds": 3, "order": orders, "cost": cost, "transitions": chain, "decoder": decoder}
        expected = naive(tau, X, y, orders, steps, regularizer, cost, augmented, chain)
        ends = expected[len(X) - 1 :: len(X)]
        by_average = {"steps": expected.mean(axis=0), "rounds": ends.mean(axis=0), False: expected[-1]}
        for averaged, wanted in by_average.items():
            learner = AnyRule(rule, steps, augmented, regularizer, averaged=averaged, **settings)
            np.testing.assert_allclose(learner.train(X, y), wanted, atol=1e-9)


def test_a_rule_in_plain_python_gives_the_same_as_its_machine_code():
    X, y, _ = random_sentences(3)
    steps = 0.1 + np.random.default_rng(0).random(9 * 10)
    for rule in (Mira.rule, ColumnSquishing.rule):
        machine, python = (AnyRule(r, steps, seed=4) for r in (rule, lambda *given, rule=rule: rule(*given)))
        np.testing.assert_allclose(machine.train(X, y), python.train(X, y), atol=1e-10)
        assert [round.updates for round in machine.history] == [round.updates for round in python.history]


# -------------------------------------------------------------------------------------- the flat learners' special case


@pytest.mark.parametrize("n_tags", [2, 3, 5])
@pytest.mark.parametrize("averaged", ["steps", "last round", "rounds", False])
@pytest.mark.parametrize(
    ("structured", "flat", "settings"),
    [
        (StructuredPerceptron, Perceptron, {}),
        (StructuredMira, Mira, {"regularizer": 0.7}),
        (StructuredMira, Mira, {"regularizer": 30.0, "cost": True}),
        (StructuredSVM, SVM, {"regularizer": 0.37, "initial_step": 0.9, "alpha": 0.8, "delay": 1}),
        (StructuredSVM, SVM, {"regularizer": 0.2, "initial_step": 1.3, "alpha": 1.0, "delay": 1, "cost": True}),
    ],
)
def test_one_word_sentences_give_the_flat_learners_weights(structured, flat, settings, averaged, n_tags):
    rng = np.random.default_rng(n_tags)
    sentences = [["".join(rng.choice(list("abc"), rng.integers(1, 5)))] for _ in range(60)]
    y = np.concatenate([np.arange(n_tags), rng.integers(0, n_tags, 60 - n_tags)])
    order = np.array([rng.permutation(60) for _ in range(4)])
    settings = settings | {"nr_rounds": 4, "averaged": averaged, "order": order}
    if settings.pop("cost", False):
        settings["cost"] = random_cost(rng, n_tags)
    templates = ["word", "prefix1", "suffix1", "suffix2", "word[-1]"]

    tagger = structured(templates=templates, transitions=False, **settings)
    params = tagger.train(sentences, y[:, None].tolist())

    settings.pop("delay", None)
    classifier = flat(**settings)
    _, indptr, indices, _ = FeatureIndex(templates, tagger.feature_names).encode(sentences)
    X = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(60, len(tagger.feature_names)))
    wanted = classifier.train(X, y)
    np.testing.assert_allclose(params, wanted, rtol=0, atol=1e-13)
    assert tagger.nr_updates == classifier.nr_updates
    for mine, theirs in zip(tagger.history, classifier.history, strict=True):
        assert mine.objective == pytest.approx(theirs.objective) and mine.updates == theirs.updates
    np.testing.assert_array_equal(np.concatenate(tagger.test(sentences, params)), classifier.test(X, wanted))


# ------------------------------------------------------------------------------------------- history, callbacks, scores

X_SAW = [("I", "saw", "it"), ("a", "saw", "cut", "it"), ("I", "cut", "a", "cut")]
Y_SAW = [("PRON", "VERB", "PRON"), ("DET", "NOUN", "VERB", "PRON"), ("PRON", "VERB", "DET", "NOUN")]


@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("numbers", [False, True], ids=["words", "numbers"])
def test_scores_match_the_paths(chain, numbers):
    X, y, _ = random_sentences(2)
    X = with_numbers(X) if numbers else X
    tagger = StructuredPerceptron(templates=TEMPLATES, transitions=chain)
    params = tagger.train(X, y)
    g, all_scores = dense_words(X), tagger.get_scores(X, params)
    n_flat = g[0].shape[1]
    for words, scores, tags in zip(g, all_scores, tagger.test(X, params), strict=True):
        np.testing.assert_allclose(scores.emissions, words @ params[:n_flat], atol=1e-12)
        rest = params[n_flat:] if chain else np.zeros((5, 3))
        np.testing.assert_array_equal(np.vstack([scores.transitions, scores.start, scores.stop]), rest)
        assert tagger.classes[viterbi(scores)].tolist() == tags
    assert tagger.get_label(X, params) == tagger.test(X, params)


def test_features_absent_from_training_have_no_effect():
    tagger = StructuredPerceptron(templates=["word", "suffix2"])
    params = tagger.train(X_SAW, Y_SAW)
    assert set(tagger.feature_names) == {
        "word=I", "word=saw", "word=it", "word=a", "word=cut", "suffix2=aw", "suffix2=ut",
    }  # fmt: skip
    (unknown,) = tagger.get_scores([["zzz"]], params)
    np.testing.assert_array_equal(unknown.emissions, params[:1])


# ------------------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("X", "y", "says"),
    [
        ("I saw it", Y_SAW, "list of sentences"),
        (["I saw it"], [["PRON"]], "list of sentences"),
        ([[]], [[]], "sentence 0 is"),
        ([["I", ""]], [["A", "B"]], "not empty"),
        ([["I", 3]], [["A", "B"]], "sentence 0 is"),
        ([], [], "has none"),
        (X_SAW, Y_SAW[:2], "3 sentences need as many sequences of tags, but there are 2"),
        ([["I", "saw"]], [["PRON"]], "sentence 0 has 2 words"),
        ([["I", "saw"]], ["AB"], "tags must be a list of sequences"),
        ([["I", "saw"]], [["A", "A"]], "at least two tags"),
        ([["I", "saw"]], [["A", None]], "None"),
    ],
)
def test_training_data_that_cannot_be_used(X, y, says):
    with pytest.raises(InputError, match=says):
        StructuredPerceptron().train(X, y)


@compiled
def one_sided_rule(scores, label, sq_norm, step, cost):
    d = np.zeros_like(scores)
    d[label] = step
    return d


@pytest.mark.parametrize("decoder", [None, viterbi])
def test_a_rule_must_raise_the_truth_by_as_much_as_it_lowers_the_rival(decoder):
    with pytest.raises(InputError, match=wording("classifiers.sided_rule_raise_true")):
        AnyRule(one_sided_rule, np.ones(30), decoder=decoder).train(X_SAW, Y_SAW)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("decoder", [None, viterbi], ids=["machine code", "python"])
@pytest.mark.parametrize("averaged", ["steps", "last round", "rounds", False])
@pytest.mark.parametrize("make", [StructuredPerceptron, StructuredMira, StructuredSVM])
def test_resumed_rounds_are_one_training_bit_for_bit(make, averaged, decoder):
    X, y, _ = random_sentences(3)
    expected = make(templates=TEMPLATES, decoder=decoder, nr_rounds=10, averaged=averaged).train(X, y)
    first, second = (make(templates=TEMPLATES, decoder=decoder, nr_rounds=5, averaged=averaged) for _ in range(2))
    _, state = resume(first, None, X, y)
    for _ in range(2):
        params, after = resume(second, state, X, y)
        np.testing.assert_array_equal(params, expected)
    assert (state.n_rounds, after.n_rounds) == (5, 10)
    assert second.test(X, params) == second.test([list(sentence) for sentence in X], params)
