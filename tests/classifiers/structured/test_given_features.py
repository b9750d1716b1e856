"""Taggers that learn from a user's own features instead of templates."""

import warnings

import numpy as np
import pytest
from scipy.optimize import check_grad

from classifiers import LinearClassifier, StructuredMira, StructuredPerceptron, StructuredSVM
from classifiers.structured.crf import CRF, CRFObjective
from classifiers.structured.forward_backward import marginals
from classifiers.structured.tag_features import FeatureIndex, explicit_features
from classifiers.structured.viterbi import viterbi
from lxmls_day1.base.errors import InputError
from readers.pos_corpus import PosCorpus
from tests.command_runs import run
from tests.wording import wording

TEMPLATES = ["lower", "suffix2", "lower[-1]"]
CORPUS = PosCorpus("toy")


def features_of(sentence, form):
    """Return the templates' features of each word, as dictionaries or as lists of names."""
    lower = [word.lower() for word in sentence]
    found = []
    for word, before in zip(lower, ["", *lower], strict=False):
        named = {"lower": word, "lower[-1]": before} | ({"suffix2": word[-2:]} if len(word) > 2 else {})
        listed = [f"{name}={value}" for name, value in named.items()]
        forms = {"texts": named, "numbers": dict.fromkeys(listed, True) | {"absent": False}, "lists": listed}
        found.append(forms[form])
    return found


@pytest.mark.parametrize("form", ["texts", "numbers", "lists"])
@pytest.mark.parametrize(
    "learner", [StructuredPerceptron(nr_rounds=4, templates=TEMPLATES), CRF(0.01, templates=TEMPLATES)]
)
def test_tags_match_those_of_the_same_templates(learner, form):
    expected = learner.test(CORPUS.test_X, learner.train(CORPUS.train_X, CORPUS.train_y))
    n_features = len(learner.feature_names)
    train_X, test_X = ([features_of(sentence, form) for sentence in part] for part in (CORPUS.train_X, CORPUS.test_X))
    params = learner.train(train_X, CORPUS.train_y)
    assert learner.test(test_X, params) == expected
    assert len(learner.feature_names) == n_features
    learner.train(CORPUS.train_X, CORPUS.train_y)  # The model also accepts words again.


def test_rare_features_are_left_out():
    """The count is the number of words with the feature, for any value; the value 0 does not count, nor values that sum to 0."""
    sentences = [[{"a": "x", "b": 1}, {"a": "y", "b": -0.5, "c": 7.0}], [["b"], {"c": 0.0}]]
    index, words = FeatureIndex.learn(sentences, min_count=2)
    assert list(index.names) == ["b"]
    assert [array.tolist() for array in words] == [[0, 2, 4], [0, 1, 2, 3, 3], [0, 0, 0], [1.0, -0.5, 1.0]]
    others = [{"b": True, "d": "new"}, {}, {"a": {"b": 2}, "a:b": -2.0}]
    assert index.features(others) == [["b"], [], []]
    assert [array.tolist() for array in index.encode([others])] == [[0, 3], [0, 1, 1, 1], [0], []]


def test_numbers_stay_with_their_features_which_ascend_within_a_word():
    index, _ = FeatureIndex.learn([[{"a": 2.0, "b": 3.0, "c": 4.0}]])
    words = index.encode([[{"c": 0.25, "new": 9.0, "a": -1}], [["b", "b", "a"]]])
    assert [array.tolist() for array in words] == [[0, 1, 2], [0, 2, 4], [0, 2, 0, 1], [-1.0, 0.25, 1.0, 2.0]]
    assert [array.dtype for array in words] == [np.intp, np.intp, np.int32, np.float64]


def test_words_are_read_as_by_python_crfsuite():
    """The expected result is ItemSequence's for the example of its tests; a name that is listed twice weighs 2, as in its objective."""
    foo = {"bar": "baz", "spam": 0.5, "egg": ["x", "y"], "ham": {"x": -0.5, "y": -0.1}}
    assert explicit_features({"foo": foo, "set": {"x"}, "on": True, "off": False}) == {
        "foo:bar:baz": 1.0, "foo:spam": 0.5, "foo:egg:x": 1.0, "foo:egg:y": 1.0, "foo:ham:x": -0.5, "foo:ham:y": -0.1,
        "set:x": 1.0, "on": 1.0,
    }  # fmt: skip
    assert explicit_features(["a", "b", "a"]) == {"a": 2.0, "b": 1.0}
    numbers = [np.float32(0.5), np.int8(-3), np.bool_(True), 10**30]
    assert list(explicit_features(dict(zip("abcd", numbers, strict=True))).values()) == [0.5, -3.0, 1.0, 1e30]


NO_VALUES = [None, np.nan, np.inf, -1e101, 10**400, 1j, np.complex128(2), b"x", np.zeros(2), object()]


@pytest.mark.parametrize("value", NO_VALUES)
def test_invalid_feature_values_are_refused(value):
    for word in ({"a": value}, {"b": 1, "c": {"d": "x", "a": value}}):
        with pytest.raises(InputError, match=wording("classifiers.number_most_e_true")):
            explicit_features(word)


@pytest.mark.parametrize("word", [{3: 1}, {3: "x"}, {None: {"a": 1}}, [3], ["a", 2.0], [["a"]]])
def test_invalid_feature_names_are_refused(word):
    with pytest.raises(InputError, match=wording("classifiers.name_feature_text_use")):
        explicit_features(word)


LEARNERS = {
    "perceptron": lambda **settings: StructuredPerceptron(nr_rounds=3, **settings),
    "MIRA": lambda **settings: StructuredMira(nr_rounds=3, regularizer=2.0, **settings),
    "3-best MIRA": lambda **settings: StructuredMira(nr_rounds=2, k=3, **settings),
    "readable MIRA": lambda **settings: StructuredMira(nr_rounds=2, decoder=viterbi, **settings),
    "SVM": lambda **settings: StructuredSVM(0.1, nr_rounds=3, **settings),
    "CRF online": lambda **settings: CRF(0.1, "online", nr_rounds=3, **settings),
    "CRF": lambda **settings: CRF(0.1, tolerance=1e-13, **settings),
}


def numbered(sentences, seed=0):
    """Return words with a text and two numbers of each sign; the second number is missing for some words."""
    rng = np.random.default_rng(seed)
    return [
        [{"word": word, "x": rng.normal()} | ({"y": rng.normal()} if rng.random() < 0.7 else {}) for word in words]
        for words in sentences
    ]


@pytest.mark.parametrize("transitions", [True, False])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_value_of_two_is_as_four_features_of_value_one(name, transitions):
    """Because x² = 4 · 1², scores, norms and penalties agree; the weight of one feature of value 2 is twice that of each of the four."""
    X, y = CORPUS.train_X[:8], CORPUS.train_y[:8]
    twos = [[{"w": word, "odd": 2.0 * (t % 2)} for t, word in enumerate(words)] for words in X]
    fours = [[{"w": word["w"]} | {f"odd{i}": word["odd"] > 0 for i in range(4)} for word in words] for words in twos]
    one, other = (LEARNERS[name](transitions=transitions) for _ in range(2))
    params, of_fours = one.train(twos, y), other.train(fours, y)
    row = 1 + list(one.feature_names).index("odd")
    rows = [1 + list(other.feature_names).index(f"odd{i}") for i in range(4)]
    close = {"rtol": 0, "atol": 1e-5 if name == "CRF" else 1e-10}
    np.testing.assert_allclose(of_fours[rows], np.tile(params[row] / 2, (4, 1)), **close)
    np.testing.assert_allclose(np.delete(of_fours, rows, axis=0), np.delete(params, row, axis=0), **close)
    assert one.test(twos, params) == other.test(fours, of_fours)
    for mine, theirs in zip(one.get_scores(twos, params), other.get_scores(fours, of_fours), strict=True):
        np.testing.assert_allclose(mine.emissions, theirs.emissions, **close)
    mine, theirs = one.objective(twos, y, params), other.objective(fours, y, of_fours)
    assert mine == theirs or mine == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("name", sorted(LEARNERS.keys() - {"readable MIRA"}))  # Its decoder cannot be saved.
def test_saved_taggers_read_numbers_as_they_did(name, tmp_path):
    learner = LEARNERS[name]()
    X, others = numbered(CORPUS.train_X[:8]), numbered(CORPUS.test_X, seed=1)
    params = learner.train(X, CORPUS.train_y[:8])
    learner.save(tmp_path / "model.npz", params)
    loaded = LinearClassifier.load(tmp_path / "model.npz")
    assert loaded.classifier.test(others, loaded.params) == learner.test(others, params)
    one_by_one = [learner.test([words], params)[0] for words in others]
    assert one_by_one == learner.test(others, params)


@pytest.mark.parametrize("transitions", [True, False])
def test_the_gradient_of_the_objective_is_its_slope_and_the_optimum_has_none(transitions):
    X, y = numbered(CORPUS.train_X[:4]), CORPUS.train_y[:4]
    tagger = CRF(0.1, transitions=transitions, tolerance=1e-14, max_iterations=2000)
    F = CRFObjective(tagger.sentences_of(X, y), 0.1)
    x = np.random.default_rng(0).normal(size=F.shape).ravel()
    assert check_grad(lambda x: F(x)[0], lambda x: F(x)[1], x) < 1e-5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # A tolerance below rounding is never reached.
        params = tagger.train(X, y)
    value, gradient = F(params.ravel())
    assert np.linalg.norm(gradient) < 1e-6 and value == pytest.approx(tagger.objective(X, y, params), rel=1e-12)
    for scores, found in zip(tagger.get_scores(X, params), tagger.get_marginals(X, params), strict=True):
        np.testing.assert_allclose(found, marginals(scores), rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", ["perceptron", "MIRA", "SVM", "CRF online"])
def test_numbers_of_any_size_give_finite_weights_or_a_sentence(name):
    X, y = CORPUS.train_X[:4], CORPUS.train_y[:4]
    for size in (1e-200, 1e6, 1e98):
        learner, numbers = LEARNERS[name](), [[{"x": size * (1 + t)} for t in range(len(words))] for words in X]
        try:
            assert np.isfinite(learner.train(numbers, y)).all()
        except InputError as error:
            assert "scale the features down" in str(error)


def test_words_and_features_cannot_be_confused():
    tagger = StructuredPerceptron(nr_rounds=1)
    with pytest.raises(InputError, match=wording("classifiers.dictionary_list_features")):
        tagger.train([["a", {"b": 1}]], [["X", "Y"]])
    params = tagger.train([[{"a": 1}, {"b": 1}]], [["X", "Y"]])
    with pytest.raises(InputError, match=wording("classifiers.trained_sentences_dictionaries_lists")):
        tagger.test([["a", "b"]], params)
    params = tagger.train([["a", "b"]], [["X", "Y"]])
    with pytest.raises(InputError, match=wording("classifiers.trained_sentences_words_got")):
        tagger.test([[{"a": 1}]], params)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["conllu", "crfsuite", "numbers"])
def test_files_on_the_command_line(tmp_path, kind):
    def line(tag, word):
        row = ["_"] * 10
        row[1], row[3] = word, tag
        numbers = [f"length:{len(word) / 4}"] if kind == "numbers" else []
        return row if kind == "conllu" else [tag, f"lower={word.lower()}", f"end={word[-2:]}", *numbers]

    def text(X, y):
        blocks = []
        for words, tags in zip(X, y, strict=True):
            rows = [line(tag, word) for tag, word in zip(tags, words, strict=True)]
            if kind == "conllu":
                rows = [[str(t), *row[1:]] for t, row in enumerate(rows, start=1)]
            blocks.append("".join("\t".join(row) + "\n" for row in rows))
        return "\n".join(blocks)

    train, test, model = (tmp_path / name for name in ("train.tsv", "test.tsv", "crf.npz"))
    train.write_text(text(CORPUS.train_X, CORPUS.train_y), encoding="utf-8")
    test.write_text(text(CORPUS.test_X, CORPUS.test_y), encoding="utf-8")
    said = run("train", "--classifier", "crf", "--file", train, "--test-file", test, "--out", model).stdout
    accuracy = said.partition(" on the test part")[0].rpartition(" ")[2]
    for done in (run("predict", model, test), run("predict", model, "-", stdin=test.read_bytes())):
        assert f"accuracy {accuracy} (" in done.stderr
        assert sum(bool(line) for line in done.stdout.splitlines()) == sum(map(len, CORPUS.test_X))
    refused = run("train", "--classifier", "crf", "--file", train, "--text-column", "1", status=1)
    assert wording("classifiers.label_column_upos_xpos") in refused.output
    assert float(accuracy) > 0.5
