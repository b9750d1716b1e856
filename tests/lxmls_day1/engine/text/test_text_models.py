"""A loaded model labels text as its classifier labels the rows of a data set."""

import numpy as np
import pytest

import classifiers
import lxmls_day1.classifiers
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.kernels.hashing import buckets_and_signs
from lxmls_day1.engine.text.token_batches import tokens_of
from lxmls_day1.engine.text.tokens import count_tokens
from readers.question_reader import QuestionCorpus
from readers.vocabulary import count_words, vectorise

LEARNERS = [
    classifiers.Mira(),
    classifiers.AROW(),
    classifiers.BernoulliNaiveBayes(),
    classifiers.MultinomialNaiveBayes(smooth=False),
    classifiers.GaussianNaiveBayes("per_class"),
    classifiers.MaxEntBatch(0.01),
    classifiers.NBSVM(),
    classifiers.BinaryPerceptron(),
]
TEXTS = ["a good, good film", "very good", "a bad film", "bad, very bad", "so bad it is good", "a film"]
LABELS = ["+", "+", "-", "-", "-", "+"]
NEW = ["good and bad and good", "", "unheard-of", "very bad film", "so good it is", "a very bad film, so good"]


@pytest.fixture(params=LEARNERS, ids=lambda learner: type(learner).__name__)
def saved(request, tmp_path):
    """Return a loaded model, and the function from texts to its training rows."""
    bags = [count_tokens(text) for text in TEXTS]
    names = sorted({token for bag in bags for token in bag})
    columns = {name: column for column, name in enumerate(names)}
    learner = request.param
    learner.save(tmp_path / "model.npz", learner.train(vectorise(bags, columns), LABELS), names)
    return classifiers.LinearClassifier.load(tmp_path / "model.npz"), columns


def test_labels_and_scores_match_the_rows(saved):
    model, columns = saved
    X = vectorise([count_tokens(text) for text in NEW], columns)
    expected = model.classifier.test(X, model.params).tolist()
    assert model.predict(NEW) == expected
    assert [model.predict([text])[0] for text in NEW] == expected
    scores = model.classifier.get_scores(model.classifier.add_intercept_term(X), model.params)
    np.testing.assert_allclose(model.scores(NEW), scores, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.vstack([model.scores([text]) for text in NEW]), scores, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(model.rows([count_tokens(text) for text in NEW]).toarray(), X.toarray())


@pytest.mark.parametrize("package", [classifiers, lxmls_day1.classifiers])
def test_questions_are_tokenised_as_questions(package, tmp_path):
    corpus, learner = QuestionCorpus("toy"), package.Perceptron()
    params = learner.train(corpus.train_X, corpus.train_y)
    notes = {"tokens": "questions"}
    learner.save(tmp_path / "model.npz", params, corpus.feature_names, corpus.label_names, notes)
    texts = [question.text for question in corpus.questions]
    model = package.LinearClassifier.load(tmp_path / "model.npz")
    assert model.predict(texts) == [corpus.label_names[y] for y in learner.test(corpus.X, params)]
    assert model.tokens_of("Who was it ?") == count_words("Who was it ?") != count_tokens("Who was it ?")


def test_scores_use_hashed_features(tmp_path):
    """The score of a word is the weight of its bucket, with the word's sign."""
    W = np.random.default_rng(0).normal(size=(1 + 2**4, 2))
    classifiers.LinearClassifier().save(tmp_path / "model.npz", W, notes={"hash_bits": 4})
    model = classifiers.LinearClassifier.load(tmp_path / "model.npz")
    buckets, negative = buckets_and_signs(tokens_of(["dull", "book", "dull_book"]).hashes.view(np.int32), 4)
    expected = W[0] + (W[1 + buckets.astype(int)] * np.where(negative, -1.0, 1.0)[:, None]).sum(axis=0)
    np.testing.assert_allclose(model.scores(["Dull book."])[0], expected)


def test_a_tagger_tags_sentences(tmp_path):
    tagger = classifiers.StructuredPerceptron(nr_rounds=3)
    params = tagger.train([["dogs", "bark"], ["the", "cat"]], [["NOUN", "VERB"], ["DET", "NOUN"]])
    tagger.save(tmp_path / "model.npz", params, notes={"tokens": "sentences"})
    model = classifiers.LinearClassifier.load(tmp_path / "model.npz")
    assert model.predict(["dogs bark", ["the", "cat"]]) == [["NOUN", "VERB"], ["DET", "NOUN"]]


@pytest.mark.parametrize(
    ("texts", "names", "notes", "message"),
    [
        ("a text", ["a"], {}, r"a list of strings, but is 'a text'; for one text: predict\(\[text\]\)\[0\]"),
        ([3], ["a"], {}, "a text must be a string, but is 3"),
        (["a"], None, {}, "the model has no feature names"),
        (["a"], ["a"], {"tokens": "features"}, "ready-made features"),
        (["a"], ["a"], {"tokens": "letters"}, "tokens from 'letters'"),
    ],
)
def test_texts_that_cannot_be_labelled_are_refused(texts, names, notes, message, tmp_path):
    classifiers.LinearClassifier().save(tmp_path / "model.npz", np.ones((2, 2)), names, notes=notes)
    with pytest.raises(InputError, match=message):
        classifiers.LinearClassifier.load(tmp_path / "model.npz").predict(texts)
