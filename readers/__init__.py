"""Data sets that the classifiers learn from; each offers ``train_X, train_y, dev_X, dev_y, test_X, test_y``.

* ``simple_data_set`` -- points in the plane (or higher) drawn from one Gaussian per class, with the exact best
  boundary;
* ``sentiment_reader`` -- product reviews as bags of words, positive or negative, from the real corpora or the toy
  one;
* ``question_reader`` -- questions by what they ask for (TREC, or a toy set), six or fifty classes;
* ``text_reader`` -- any labelled text of your own: CSV, TSV or svmlight;
* ``pos_corpus`` -- sentences with a tag for each word (CoNLL-U), or a few toy ones;
* ``vocabulary`` -- token counts to sparse rows; the features come from the training part only;
* ``splitting`` -- the one function that parts any data set into training, development and test part.
"""
