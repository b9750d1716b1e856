"""The scenes of the review explorer agree with independently computed decisions; typed text is treated as data."""

import json
import math
import re

import numpy as np
import pytest

from lxmls_day1.demos import review_decisions as reading
from lxmls_day1.demos.review_explorer import LABELS, SMOOTHED, DemoReviews
from lxmls_day1.demos.review_text import MAX_WORDS_SHOWN
from lxmls_day1.demos.reviews import EXAMPLES, first_domain
from lxmls_day1.demos.scene import CLASSES, MUTED
from lxmls_day1.lab import Lab
from tests.wording import wording

UNSMOOTHED = "Naive Bayes (unsmoothed)"
HOSTILE = {
    "empty": "",
    "blank": " \n\t ",
    "emoji": "😀🔥💩 " * 20,
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)> \"'><b>great</b> &lt; </div></textarea>",
    "mathematics": r"$x_1$ $\frac{ \alpha $$ great_$ %s {0} boring_plot",
    "no form": "\x00\x1b[2J \u202egreat\u202c \ud800 boring",
    "one long word": "x" * 100_000,
    "100 kB": ("An excellent plot, but a boring ending. " * 2600)[:100_000],
}


class OnToyReviews(DemoReviews):
    def scene_of(self, **asked):
        return super().scene_of(**{"domain": "toy"} | asked)


@pytest.fixture(scope="module")
def demo(lab):
    """Return the demonstration on the toy reviews, whatever is on this machine."""
    return OnToyReviews(lab)


def bars(panel):
    """Return lengths, colours and names of the bars, from the first bar on."""
    marks = [mark for mark in panel.marks if mark["kind"] == "bars"]
    if not marks:
        return [], [], []
    names = dict(panel.y.ticks)
    rows, starts, ends = zip(*marks[0]["extents"], strict=True)
    assert set(starts) == {0} and list(rows) == sorted(rows, reverse=True)
    return list(ends), marks[0]["colour"], [names[row] for row in rows]


def test_all_classifiers_decide_and_the_text_is_shown_as_typed(demo, lab, models, corpus):
    scene = demo.scene_of()
    tokens = reading.count_typed_tokens(EXAMPLES["two sides"])
    decisions = {label: reading.decide(lab, corpus, models[label], tokens) for label in LABELS}
    lengths, colours, names = bars(scene.panels[0])
    assert lengths == [d.share for d in decisions.values()] and len(lengths) == 8
    sign = {"positive": "+", "negative": "−"}
    assert names == [f"{label} {sign[d.decided]}" for label, d in decisions.items()]
    assert colours == [CLASSES[d.decided == "negative"] for d in decisions.values()]
    assert [word for word, _, _ in scene.words] == EXAMPLES["two sides"].split() and not scene.notes
    weights = np.array([word.weight for word in reading.text_chunks(EXAMPLES["two sides"], decisions[SMOOTHED])])
    np.testing.assert_allclose([weight for _, weight, _ in scene.words], weights / np.abs(weights).max())


def test_the_bars_are_the_strongest_words_of_the_chosen_classifier(demo, lab, models, corpus):
    for label in ("Perceptron", "MIRA"):
        scene = demo.scene_of(learner=label)
        why = reading.decide(lab, corpus, models[label], reading.count_typed_tokens(EXAMPLES["two sides"])).explanation
        added = dict(zip(why.words, why.contributions[:, 0] - why.contributions[:, 1], strict=True))
        lengths, colours, names = bars(scene.panels[1])
        assert label in scene.panels[1].title and lengths == sorted(lengths, reverse=True)
        weights = np.array([added[name] for name in names])
        np.testing.assert_allclose(np.array(lengths) / lengths[0], weights / weights[0])
        assert 0 < np.abs(lengths).sum() <= 1  # Shares of all contributions, like the bars on the left.
        assert weights.max() == max(added.values()) and weights.min() == min(added.values())
        assert colours == [CLASSES[int(weight < 0)] for weight in weights]


def test_a_classifier_without_a_bar_says_why(demo):
    scene = demo.scene_of()
    (row,) = (row for row, name in scene.panels[0].y.ticks if name.startswith(UNSMOOTHED))
    texts = [mark for mark in scene.panels[0].marks if mark["kind"] == "text"]
    assert [(mark["text"], mark["at"][1]) for mark in texts] == 2 * [("ruled out", row)]
    positive, negative = re.search(wording("demos.no_bar", re.escape(UNSMOOTHED)), scene.says).groups()
    assert 0 in reading.word_counts(demo.models_by_domain["toy"].reviews.corpus, positive).counts[:1]
    assert 0 in reading.word_counts(demo.models_by_domain["toy"].reviews.corpus, negative).counts[1:]
    assert "no bar" not in demo.scene_of(text=EXAMPLES["glowing"]).says


def test_the_sentence_says_which_reviews_are_shown(demo):
    assert wording("demos.made_up_reviews") in demo.scene_of().says


def test_it_opens_on_real_reviews_where_they_are(real_data):
    assert first_domain() == "books"
    demo = DemoReviews(Lab.open())
    assert wording("demos.real_reviews") in demo.scene_of(domain="books").says


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", HOSTILE)
def test_bad_input_is_harmless(demo, kind):
    scene = demo.scene_of(text=HOSTILE[kind])
    assert scene.facts["characters"] == len(HOSTILE[kind]) and len(scene.facts["decisions"]) == 8 and not scene.notes
    assert len(json.dumps(scene.data(), allow_nan=False)) < 100_000
    assert all(word.isprintable() and len(word) <= 100 for word, _, _ in scene.words)
    assert len(scene.words) <= MAX_WORDS_SHOWN + 1 and all(-1 <= weight <= 1 for _, weight, _ in scene.words)
    # Texts without a known word have neither a verdict nor a bar.
    if kind in ("empty", "blank", "emoji", "one long word"):
        assert ("Nothing is typed" if kind in ("empty", "blank") else "None of this") in scene.says
        assert not any(d.has_words for d in scene.facts["decisions"].values())
        assert "no verdict" in [mark["text"] for mark in scene.panels[0].marks if mark["kind"] == "text"]
        lengths, colours, names = bars(scene.panels[0])
        assert set(lengths) == {0.0} and set(colours) == {MUTED} and all(name.endswith(" ?") for name in names)
        assert bars(scene.panels[1])[0] == []


@pytest.mark.parametrize("kind", ["blank", "html", "mathematics", "no form", "one long word"])
def test_a_bad_word_in_the_smoothing_view_is_a_sentence(demo, kind):
    scene = demo.scene_of(view="smoothing", word=HOSTILE[kind])
    assert scene.facts["word"] is None and "is no feature" in scene.says
    assert scene.says.isprintable() and len(scene.says) < 400 and [panel.marks for panel in scene.panels] == [[], []]


def test_smoothing_changes_what_an_unseen_word_adds(demo, corpus):
    added = []
    for alpha in (1, 0.1, 0.01, 0):
        scene = demo.scene_of(view="smoothing", alpha=alpha)
        facts = scene.facts
        assert 0 in facts["counts"] and facts["word"] in scene.panels[0].title and facts["word"] in scene.says
        added.append(facts["added"])
        points = [mark["at"] for mark in scene.panels[0].marks if mark["kind"] == "points"]
        totals = reading.word_counts(corpus, facts["word"]).totals
        p = (alpha + facts["counts"]) / (alpha * len(corpus.feature_names) + totals)
        np.testing.assert_allclose(points, [np.column_stack([[alpha] * 2, p])] if alpha else [])
    assert abs(added[0]) < abs(added[1]) < abs(added[2]) and math.isinf(added[3])
    mine, its = facts["decision"], demo.scene_of().facts["decisions"][UNSMOOTHED]  # α = 0 means no smoothing.
    assert (mine.decided, mine.has_words, mine.lead, mine.share) == (its.decided, its.has_words, its.lead, its.share)
    assert "impossible" in scene.says
    assert wording("demos.no_verdict_on_review") in demo.scene_of(view="smoothing", text="").says


def test_telling_words_have_a_bar_each(demo, lab, models, corpus):
    scene = demo.scene_of(view="telling", learner="SVM")
    positive, negative = reading.most_indicative_words(models["SVM"], corpus, 12)
    for panel, telling in zip(scene.panels, (negative, positive), strict=True):
        lengths, _, names = bars(panel)
        assert (names, lengths) == tuple(map(list, zip(*telling, strict=True))) and len(names) == 12
        assert panel.x.low <= min(lengths) and max(lengths) <= panel.x.high
    assert f"{models['SVM'].accuracy:.1%}" in scene.says
    scene = demo.scene_of(view="telling", learner=UNSMOOTHED)
    assert {weight for _, weight in scene.facts["telling"]["positive"]} == {math.inf}  # The word is still drawn.
    assert [mark["text"] for mark in scene.panels[1].marks if mark["kind"] == "text"] == ["∞"] * 12
    assert 0 < min(bars(scene.panels[1])[0]) < scene.panels[1].x.high < math.inf


def test_trained_models_are_reused_for_other_views_and_texts(demo, monkeypatch):
    demo.scene_of()
    monkeypatch.setattr(demo.lab, "classifier", None)
    facts = [demo.scene_of(text="great").facts, demo.scene_of(view="telling", learner="MIRA").facts]
    assert facts[0]["decisions"] and facts[1]["telling"]


@pytest.mark.usefixtures("imports_as_before")
def test_unwritten_learners_of_a_student_are_replaced(workspace):
    demo = OnToyReviews(workspace)
    scene = demo.scene_of(learner="SVM")
    assert list(scene.facts["decisions"]) == ["Gaussian naive Bayes", "Max. entropy (batch)"]
    assert "Gaussian naive Bayes" in scene.panels[1].title
    assert demo.scene_of(view="telling", learner="SVM").facts["accuracy"] > 0.5
    # These are computed from counts, without the learner.
    assert demo.scene_of(view="smoothing", alpha=0.1).facts["added"]
