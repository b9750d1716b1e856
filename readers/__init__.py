"""Data sets that the classifiers learn from; each offers ``train_X, train_y, dev_X, dev_y, test_X, test_y``.

* ``simple_data_set`` -- points in the plane (or higher) drawn from one Gaussian per class, with the exact best
  boundary;
* ``sentiment_reader`` -- product reviews as bags of words, positive or negative, from the real corpora or the toy
  one;
* ``domain_pair`` -- reviews of two domains over one vocabulary, to learn from the one for the other;
* ``question_reader`` -- questions by what they ask for (TREC, or a toy set), six or fifty classes;
* ``text_reader`` -- any labelled text of your own: CSV, TSV, JSON lines or svmlight;
* ``pos_corpus`` -- sentences with a tag for each word (CoNLL-U), or a few toy ones;
* ``streamed_corpus`` -- a corpus on disk that need not fit into memory, made by `lxmls-day1 cache`;
* ``vocabulary`` -- token counts to sparse rows; the features come from the training part only;
* ``splitting`` -- the one function that parts any data set into training, development and test part.

The data sets can be imported from here, too: ``from readers import SentimentCorpus``. Each file is imported when it is
needed.
"""

from importlib import import_module

import lxmls_day1  # noqa: F401  # which finds the files that are not in this folder

_FILE_OF = {
    "DomainPair": "domain_pair",
    "PosCorpus": "pos_corpus",
    "QuestionCorpus": "question_reader",
    "SentimentCorpus": "sentiment_reader",
    "SimpleDataSet": "simple_data_set",
    "StreamedCorpus": "streamed_corpus",
    "TextCorpus": "text_reader",
}

__all__ = list(_FILE_OF)


def __getattr__(name: str) -> object:
    """A data set of one of the files, which is imported now."""
    if name not in _FILE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FILE_OF[name]}"), name)


def __dir__() -> list[str]:
    """The names in this table, and what is there already: for completion."""
    return sorted({*globals(), *__all__})
