"""Decisions by word: words sum to the lead, smoothing follows its formula, and any text can be read."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.demos import review_decisions as reviews
from lxmls_day1.engine.text.tokens import count_tokens, split_words

TEXT = "An excellent plot, wonderful  prose -\nbut the ending was boring; not worth 20 dollars. Boring!"


def lead_of(model, corpus, counts):
    """Return the lead of the class positive, by its definition."""
    leads, place = model.params[:, 0] - model.params[:, 1], corpus.feat_dict
    return leads[0] + sum(count * leads[1 + place[token]] for token, count in counts.items() if token in place)


def test_each_decides_as_its_own_test_does_and_the_parts_sum_to_the_lead_as_the_words_do(lab, corpus, models):
    x = lab.function("readers.vocabulary", "vectorise", [reviews.count_typed_tokens(TEXT)], corpus.feat_dict)
    for label, model in models.items():
        decision = reviews.decide(lab, corpus, model, reviews.count_typed_tokens(TEXT))
        assert decision.decided == corpus.label_names[model.classifier.test(x, model.params)[0]]
        if label == "Naive Bayes (unsmoothed)":
            continue
        assert decision.lead == pytest.approx(lead_of(model, corpus, reviews.count_typed_tokens(TEXT)))
        assert decision.intercept + decision.pros + decision.cons == pytest.approx(decision.lead)
        words = reviews.text_chunks(TEXT, decision)
        assert sum(word.weight for word in words) == pytest.approx(decision.pros + decision.cons)
        assert "".join(word.gap + word.text for word in words) == TEXT
        assert -1 <= decision.share <= 1 and math.copysign(1, decision.share) == math.copysign(1, decision.lead)


def test_without_smoothing_a_word_that_one_class_never_shows_decides_alone(lab, corpus, models):
    model, only_in = models["Naive Bayes (unsmoothed)"], {}
    for word, seen in [(word, k) for k in (0, 1) for word in one_sided_words(corpus, k)[:100]]:
        assert reviews.word_counts(corpus, word).counts.argmax() == seen
        decision = reviews.decide(lab, corpus, model, {word: 1})
        assert decision.decided == corpus.label_names[seen]
        assert (decision.lead, decision.share) == ((math.inf, 1), (-math.inf, -1))[seen]
        if "_" not in word:
            only_in[seen] = word
    decision = reviews.decide(lab, corpus, model, reviews.count_typed_tokens(f"{only_in[0]} {only_in[1]}"))
    words = reviews.text_chunks(f"{only_in[0]} {only_in[1]}", decision)
    assert [sorted(word.rules_out) for word in words] == [[1], [0]]
    assert all(math.isfinite(word.weight) for word in words) and decision.explanation.by_intercepts


@given(st.text(max_size=80))
def test_pieces_between_gaps_have_the_words_of_the_whole(text):
    """`text_chunks` relies on this: white space always separates words."""
    assert [word for piece in text.split() for word in split_words(piece)] == split_words(text)


@given(text=st.text(alphabet=st.sampled_from("excellent boring plot,-.!()<>&$0123 \n\u202e😀"), max_size=120))
def test_any_text_is_taken_apart_without_remainder(lab, corpus, text):
    linear = lab.classifier("linear_classifier", "LinearClassifier")
    params = np.random.default_rng(1).normal(size=(corpus.nr_features + 1, 2))
    model = reviews.TrainedClassifier("any", linear, params, 0.0)
    decision = reviews.decide(lab, corpus, model, reviews.count_typed_tokens(text))
    total = sum(word.weight for word in reviews.text_chunks(text, decision))
    assert total == pytest.approx(decision.pros + decision.cons, abs=1e-9)


def test_long_texts_are_cut_before_they_are_read():
    text = "great " * reviews.MAX_CHARS
    assert reviews.count_typed_tokens(text) == count_tokens(text[: reviews.MAX_CHARS])


def test_smoothing_by_formula_is_that_of_the_learner(lab, corpus):
    for alpha in [0.01, 1.0, 7.0]:
        learner = lab.classifier("multinomial_naive_bayes", "MultinomialNaiveBayes", smooth_param=alpha)
        params = learner.train(corpus.train_X, corpus.train_y)
        for word in ["plot", one_sided_words(corpus, 0)[0], one_sided_words(corpus, 1)[0]]:
            found, j = reviews.word_counts(corpus, word), corpus.feat_dict[word]
            np.testing.assert_allclose(found.probabilities(alpha), learner.likelihood[j])
            assert found.lead(alpha) == pytest.approx(params[1 + j, 0] - params[1 + j, 1])
    assert abs(reviews.word_counts(corpus, reviews.one_sided_word(corpus)).lead(0.0)) == math.inf
    many = reviews.word_counts(corpus, "plot").probabilities([1.0, 1e12])
    np.testing.assert_allclose(many[1], 1 / corpus.nr_features, rtol=1e-6)


def one_sided_words(corpus, k):
    """Return the words that only class k shows in training, the most frequent first."""
    totals = [corpus.train_X[corpus.train_y == label].sum(axis=0).tolist() for label in (k, 1 - k)]
    found = [(count, word) for word, count, other in zip(corpus.feature_names, *totals, strict=True) if not other]
    return [word for _, word in sorted(found, key=lambda item: -item[0])]


def test_the_one_sided_word_is_the_most_frequent_that_only_positive_reviews_have(corpus):
    assert reviews.one_sided_word(corpus) == one_sided_words(corpus, 0)[0]
    few = SimpleNamespace(train_X=np.array([[2, 0], [1, 1]]), train_y=np.array([0, 1]), feature_names=["both", "bad"])
    assert reviews.one_sided_word(few) == ""


def test_a_typed_word_is_found_only_if_it_is_a_feature(corpus):
    assert reviews.token_of(corpus, " Boring! ") == "boring"
    assert reviews.token_of(corpus, "not worth") == ("not_worth" if "not_worth" in corpus.feat_dict else None)
    assert not reviews.token_of(corpus, "😀") and not reviews.token_of(corpus, "")
    assert reviews.word_counts(corpus, "xyzzy") is None


def test_the_most_telling_words_have_the_largest_weights(corpus, models):
    model = models["Max. entropy (batch)"]
    weights = model.params[1:, 0] - model.params[1:, 1]
    positive, negative = reviews.most_indicative_words(model, corpus, 5)
    assert [weight for _, weight in positive] == np.sort(weights)[::-1][:5].tolist()
    assert [weight for _, weight in negative] == np.sort(weights)[:5].tolist()
    for word, weight in positive + negative:
        assert weight == weights[corpus.feat_dict[word]]
