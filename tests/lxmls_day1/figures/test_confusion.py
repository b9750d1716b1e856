import io

import numpy as np
import pytest

from lxmls_day1.errors import InputError
from lxmls_day1.figures.confusion import confusion_counts, plot_confusion
from lxmls_day1.figures.plotting import detached_axes

TRUTH = [["DET", "NOUN", "VERB"], ["NOUN", "NOUN"], ["X"]]
PREDICTED = [["DET", "VERB", "VERB"], ["NOUN", "DET"], ["NOUN"]]


def test_confusions_are_counted_word_by_word():
    tags, counts = confusion_counts(TRUTH, PREDICTED)
    assert tags == ["DET", "NOUN", "VERB", "X"]
    for k, true in enumerate(tags):
        for j, guess in enumerate(tags):
            pairs = [p for t, q in zip(TRUTH, PREDICTED, strict=True) for p in zip(t, q, strict=True)]
            assert counts[k, j] == pairs.count((true, guess))


@pytest.mark.slow
def test_the_confusion_matrix_shows_shares_and_counts():
    tags, counts = confusion_counts(TRUTH, PREDICTED)
    fig, axis = plot_confusion(tags, counts, title="Taggers", ax=detached_axes()[1])
    shown = axis.images[0].get_array()
    np.testing.assert_allclose(shown, counts / counts.sum(axis=1, keepdims=True))
    assert {text.get_position(): text.get_text() for text in axis.texts} == {
        (j, k): str(counts[k, j]) for k, j in np.argwhere(counts)
    }
    assert (
        [label.get_text() for label in axis.get_yticklabels()]
        == tags
        == [label.get_text() for label in axis.get_xticklabels()]
    )
    assert (axis.get_xlabel(), axis.get_ylabel(), axis.get_title()) == ("predicted", "true", "Taggers")
    fig.savefig(io.BytesIO())


@pytest.mark.parametrize(("tags", "counts"), [([], np.zeros((0, 0))), (["A"], [[1, 2], [3, 4]])])
def test_a_confusion_matrix_that_is_none(tags, counts):
    with pytest.raises(InputError, match="confusion matrix"):
        plot_confusion(tags, counts)
