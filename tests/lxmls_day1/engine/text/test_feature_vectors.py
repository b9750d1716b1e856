import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction import DictVectorizer

import classifiers
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.text.feature_vectors import as_rows, names_of
from tests.wording import wording

EXAMPLES = [
    {"amazing": 2, "tag": "noun"},
    {"dull": 1.5, "tag": "verb", "amazing": 0},
    {"amazing": np.float32(1), "capital": True},
    {"dull": np.int64(3), "capital": np.True_},
    {},
    {"tag": "noun", "capital": False},
]
LABELS = ["good", "bad", "good", "bad", "good", "bad"]
CLASSIFIERS = [
    classifiers.AROW, classifiers.BernoulliNaiveBayes, classifiers.GaussianNaiveBayes, classifiers.MaxEntBatch, classifiers.MaxEntOnline, classifiers.Mira, classifiers.MultinomialNaiveBayes, classifiers.NBSVM, classifiers.NaiveBayes, classifiers.Perceptron,
    classifiers.SVM, lambda: classifiers.SVM(solver="dual"), lambda: classifiers.BinaryPerceptron(max_rounds=20), lambda: classifiers.NaiveBayes("multinomial"),
]  # fmt: skip


def test_the_matrix_matches_scikit_learn():
    theirs = DictVectorizer()
    theirs_takes = [{name: bool(v) if isinstance(v, np.bool_) else v for name, v in x.items()} for x in EXAMPLES]
    X = theirs.fit_transform(theirs_takes).toarray()
    names = names_of(EXAMPLES)
    assert sorted(names) == theirs.feature_names_
    np.testing.assert_array_equal(as_rows(EXAMPLES, names).toarray()[:, np.argsort(names)], X)
    others = [{"amazing": 7, "unheard of": 1, "tag": "adverb"}, {"tag": "verb"}]
    np.testing.assert_array_equal(as_rows(others, theirs.feature_names_).toarray(), theirs.transform(others).toarray())


@pytest.mark.parametrize("form", [tuple, lambda X: np.array(X, dtype=object)])
def test_dictionaries_come_in_any_sequence(form):
    of_form, of_list = (classifiers.Mira().train(examples, LABELS) for examples in (form(EXAMPLES), EXAMPLES))
    np.testing.assert_array_equal(of_form, of_list)


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_a_data_frame_must_have_the_columns_of_training_in_their_order(make, tmp_path):
    X = as_rows(EXAMPLES, names_of(EXAMPLES)).toarray()
    frame = pd.DataFrame(X, columns=names_of(EXAMPLES))
    of_frame, of_matrix = make(), make()
    params = of_frame.train(frame, LABELS)
    # A data frame stores its numbers by columns, so products may be summed in another order.
    np.testing.assert_allclose(params, of_matrix.train(X, LABELS), rtol=1e-12)
    expected = of_matrix.test(X, params)
    for same in (frame, X, EXAMPLES, pd.DataFrame(X)):
        np.testing.assert_array_equal(of_frame.test(same, params), expected)
    renamed = frame.rename(columns={"dull": "boring"})
    reordered = frame[frame.columns[::-1]]
    for other, said in ((reordered, "engine.trained_amazing_tag_noun"), (renamed, "engine.x_lacks_dull")):
        for look in (of_frame.test, lambda X, params: of_frame.add_intercept_term(X)):
            with pytest.raises(InputError, match=wording(said)):
                look(other, params)
        of_matrix.test(other, params)  # The model was trained on an array, which has no names.
    of_frame.save(tmp_path / "model.npz", params)
    assert classifiers.LinearClassifier.load(tmp_path / "model.npz").feature_names == names_of(EXAMPLES)


def test_a_saved_model_keeps_the_names(tmp_path):
    mira = classifiers.Mira()
    params = mira.train(EXAMPLES, LABELS)
    mira.save(tmp_path / "m.npz", params)
    loaded = classifiers.LinearClassifier.load(tmp_path / "m.npz")
    assert list(loaded.feature_names) == names_of(EXAMPLES)
    assert loaded.classifier.test(EXAMPLES, loaded.params).tolist() == mira.test(EXAMPLES, params).tolist()
