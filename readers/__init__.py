"""Data sets for the classifiers; each has ``train_X, train_y, dev_X, dev_y, test_X, test_y``.

* ``simple_data_set`` -- points in the plane (or in more dimensions) drawn from one Gaussian per class, with the exact
  optimal boundary;
* ``sentiment_reader`` -- product reviews as bags of words, positive or negative, from the real corpora or the toy
  corpus;
* ``domain_pair`` -- reviews of two domains over one vocabulary, for domain adaptation;
* ``question_reader`` -- questions labelled by the type of their answer (TREC, or a toy set), six or fifty classes;
* ``text_reader`` -- your own labelled text: CSV, TSV, JSON lines or svmlight;
* ``pos_corpus`` -- sentences with a tag for each word (CoNLL-U), or a few toy sentences;
* ``streamed_corpus`` -- a corpus on disk that need not fit into memory, made by `lxmls-day1 cache`;
* ``vocabulary`` -- converts token counts to sparse rows; the features come from the training part only;
* ``splitting`` -- splits any data set into training, development and test part.

The data sets can also be imported from here: ``from readers import SentimentCorpus``. Each file is imported only when it is
needed.
"""

from lxmls_day1.lab_api import offered_names

_FILE_OF_CLASS = {
    "DomainPair": "domain_pair",
    "PosCorpus": "pos_corpus",
    "QuestionCorpus": "question_reader",
    "SentimentCorpus": "sentiment_reader",
    "SimpleDataSet": "simple_data_set",
    "StreamedCorpus": "streamed_corpus",
    "TextCorpus": "text_reader",
}

__getattr__, __dir__ = offered_names(__name__, __file__, _FILE_OF_CLASS)
