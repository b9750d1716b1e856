"""The contents of a lattice's picture, read back from the axes."""

import io
from itertools import pairwise, product

import numpy as np
import pytest

from lxmls_day1.figures.lattice import figure_size, lattice, plot_lattice
from lxmls_day1.figures.plotting import detached_axes

WORDS, TAGS = ["the", "old", "man"], ["ADJ", "DET", "NOUN", "VERB"]


def random_scores(seed, n_words=3, n_tags=4):
    rng = np.random.default_rng(seed)
    return tuple(np.round(rng.normal(0, 3, size), 2) for size in [(n_words, n_tags), (n_tags, n_tags), n_tags, n_tags])


def path_score(scores, path):
    emissions, transitions, start, stop = scores
    inner = sum(transitions[a, b] for a, b in pairwise(path))
    return start[path[0]] + sum(emissions[t, k] for t, k in enumerate(path)) + inner + stop[path[-1]]


def texts(axis, gid):
    return [text for text in axis.texts if text.get_gid() == gid]


def shown_number(text):
    return float(text.replace("−", "-").replace("+", ""))


@pytest.mark.parametrize("best", list(product(range(4), repeat=3))[::5])
def test_path_scores_are_the_sums_of_the_shown_numbers(best):
    scores = random_scores(1)
    drawn = lattice(WORDS, TAGS, scores, best, true=[1, 0, 2], shown=TAGS)
    assert drawn.best_score == pytest.approx(path_score(scores, best))
    assert drawn.true_score == pytest.approx(path_score(scores, [1, 0, 2]))
    assert sum(edge.on_best for edge in drawn.edges) == sum(edge.on_true for edge in drawn.edges) == 4


def test_edges_and_nodes_are_those_of_the_tags_shown_in_the_order_given():
    scores = random_scores(2)
    drawn = lattice(WORDS, TAGS, scores, [1, 3, 2], shown=["VERB", "DET", "NOUN"])
    kept = [3, 1, 2]
    assert drawn.rows == ["VERB", "DET", "NOUN"] and drawn.best == [1, 0, 2] and drawn.true is None
    np.testing.assert_array_equal(drawn.nodes, scores[0][:, kept])
    assert len(drawn.edges) == 3 + 2 * 9 + 3
    for edge in drawn.edges:
        if edge.column == 0:
            assert edge.score == scores[2][kept[edge.after]]
        elif edge.column == 3:
            assert edge.score == scores[3][kept[edge.before]]
        else:
            assert edge.score == scores[1][kept[edge.before], kept[edge.after]]


def test_a_number_of_tags_fills_up_with_those_of_the_best_nodes():
    emissions = np.array([[0.0, 9.0, 5.0, 7.0]])
    scores = emissions, np.zeros((4, 4)), np.zeros(4), np.zeros(4)
    assert lattice(["a"], TAGS, scores, [0], shown=3).rows == ["ADJ", "DET", "VERB"]
    assert lattice(["a"], TAGS, scores, [0], true=[2], shown=1).rows == ["ADJ", "NOUN"]  # The paths are always shown.
    assert lattice(["a"], TAGS, scores, [0], shown=99).rows == TAGS


@pytest.mark.slow
def test_the_picture_shows_words_tags_scores_and_paths():
    scores = random_scores(3)
    drawn = lattice(WORDS, TAGS, scores, best=[1, 0, 2], true=[1, 2, 3], shown=TAGS)
    fig, axis = plot_lattice(drawn, title="A lattice", ax=detached_axes(figure_size(drawn))[1])
    assert [text.get_text() for text in texts(axis, "word")] == WORDS
    assert [label.get_text() for label in axis.get_yticklabels()] == TAGS
    assert axis.get_title(loc="left") == "A lattice"

    nodes = {text.get_position(): text.get_text() for text in texts(axis, "node")}
    assert nodes.pop((-1, 1.5)) == "start" and nodes.pop((3, 1.5)) == "stop"
    emissions = {(t, k): scores[0][t, k] for t in range(3) for k in range(4)}
    assert {place: shown_number(text) for place, text in nodes.items()} == pytest.approx(emissions, rel=0.01)
    edges = sorted(shown_number(text.get_text()) for text in texts(axis, "edge"))
    both = 2 * scores[1].ravel().tolist()  # The transitions are between three words.
    assert edges == pytest.approx(sorted([*scores[2], *scores[3], *both]), rel=0.01)

    for gid, path in {"best path": [1, 0, 2], "true path": [1, 2, 3]}.items():
        lines = [line for line in axis.lines if line.get_gid() == gid]
        assert [tuple(line.get_xdata()) for line in lines] == [(-1, 0), (0, 1), (1, 2), (2, 3)]
        heights = [1.5, *path, 1.5]
        assert [tuple(line.get_ydata()) for line in lines] == list(pairwise(heights))
    best, true = (f"{path_score(scores, path):.3g}".replace("-", "−") for path in ([1, 0, 2], [1, 2, 3]))
    legend = [text.get_text() for text in axis.get_legend().get_texts()]
    assert legend == [f"best path, score {best}", f"true path, score {true}"]
    fig.savefig(io.BytesIO())


@pytest.mark.slow
def test_confidences_are_above_the_nodes_of_the_tags_shown():
    marginals = np.array([[0.2, 0.7, 0.095, 0.005], [0.995, 0.003, 0.001, 0.001], [0.25] * 4])
    drawn = lattice(WORDS, TAGS, random_scores(3), [1, 0, 2], shown=["DET", "ADJ", "NOUN"], marginals=marginals)
    np.testing.assert_array_equal(drawn.confidence, marginals[:, [1, 0, 2]])
    _, axis = plot_lattice(drawn, ax=detached_axes()[1])
    shown = {(round(text.xy[0]), round(text.xy[1])): text.get_text() for text in texts(axis, "confidence")}
    rows = [["70 %", "20 %", "10 %"], ["<1 %", ">99 %", "<1 %"], ["25 %"] * 3]
    assert shown == {(t, k): text for t, row in enumerate(rows) for k, text in enumerate(row)}


def test_an_update_shows_what_it_changed():
    scores = random_scores(5)
    emissions, transitions = scores[0].copy(), scores[1].copy()
    emissions[1, 2] += 4.0
    emissions[1, 0] -= 4.0
    transitions[1, 2] += 1.0
    before = lattice(WORDS, TAGS, scores, [1, 0, 3], true=[1, 2, 3], shown=TAGS)
    after = lattice(WORDS, TAGS, (emissions, transitions, *scores[2:]), [1, 2, 3], true=[1, 2, 3], shown=TAGS)
    _, axis = plot_lattice(after, before=before, title="After the update", ax=detached_axes()[1])
    assert axis.get_title(loc="left") == "After the update"
    changes = {text.xy: text.get_text() for text in texts(axis, "change")}
    assert changes == {(1, 2): "+4", (1, 0): "−4"}
    assert sum("(+1)" in text.get_text() for text in texts(axis, "edge")) == 2  # The same weight at both steps.
    assert "the same" in axis.get_legend().get_texts()[1].get_text()
