"""A real domain, or the toy corpus with a sentence that says that it replaces the reviews."""

from lxmls_day1.demos.reviews import domains, first_domain, open_reviews
from lxmls_day1.lab import Lab


def test_the_toy_corpus_is_offered_last():
    assert domains()[-1] == "toy" and "books" in domains() and len(set(domains())) == len(domains())


def test_without_real_reviews_the_toy_corpus_is_first(monkeypatch, tmp_path):
    monkeypatch.delenv("LXMLS_DAY1_DATA", raising=False)
    monkeypatch.setenv("LXMLS_DAY1_CACHE", str(tmp_path))
    assert first_domain() == "toy"


def test_missing_reviews_are_reported_in_a_sentence(monkeypatch):
    monkeypatch.delenv("LXMLS_DAY1_DATA", raising=False)
    found = open_reviews(Lab.open(), "kitchen")
    assert found.corpus.domain == "toy" and "kitchen" in found.sentence and "toy corpus" in found.sentence


def test_the_real_reviews_need_no_sentence(real_data):
    found = open_reviews(Lab.open(), "books")
    assert found.corpus.domain == "books" and not found.sentence
