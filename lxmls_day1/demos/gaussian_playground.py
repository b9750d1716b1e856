"""The Gaussian playground: drag a point, and see whose boundary follows it.

The screen shows a sample of two or three Gaussian classes and the boundary of each selected classifier. A table shows the accuracies
on these points and on new ones, and how far the points that a reader has added turn each boundary. The highest possible accuracy is
1 − Bayes error. The reader's points are kept when another sample is drawn.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from lxmls_day1.demos import gaussian_points as gauss
from lxmls_day1.demos.controls import Choice, Control, Points, Slider, Suggestion, Ticks, inclusive_range
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import FailureCollector, Learner
from lxmls_day1.demos.scene import Mark, Panel, Scene, Table, learner_line, plane_axes, points_of_class, sample_of
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.plotting import with_gaps

LIMITS = (-5.0, 5.0)  # for both axes; fixed, so that the boundaries move and the axes do not
_PER_CLASS = "NB, variance per class"  # the second setting of naive Bayes
LEARNERS = (
    Learner("gaussian_naive_bayes", "GaussianNaiveBayes", {}, "Naive Bayes"),
    Learner("gaussian_naive_bayes", "GaussianNaiveBayes", {"variance": "per_class"}, _PER_CLASS),
    Learner("perceptron", "Perceptron", {}, "Perceptron"),
    Learner("mira", "Mira", {}, "MIRA"),
    Learner("max_ent_batch", "MaxEntBatch", {}, "Max. entropy"),
    Learner("max_ent_online", "MaxEntOnline", {}, "Max. entropy, online"),
    Learner("svm", "SVM", {}, "SVM"),
)
_LABELS = (gauss.OPTIMAL, *(learner.label for learner in LEARNERS))
#: The boundaries that are visible when the page opens.
OPENING = ("Naive Bayes", "Perceptron", "SVM")
_SUBSCRIPTS = "₀₁₂"


def _class_controls(k: int) -> Iterator[Control]:
    """Yield three sliders for the mean and the variance of class k."""
    only_of_three = ("nr_classes", 3) if k == 2 else None
    for axis, value in enumerate(gauss.MEANS[k]):
        label, tip = f"mean μ{_SUBSCRIPTS[k]} x{'₁₂'[axis]}", f"where the middle of class {k} lies"
        values = inclusive_range(-4, 4, 0.1)
        yield Slider(f"mean{k}{axis + 1}", label, tip, int(value), only_of_three, more=True, values=values, of_class=k)
    label, tip = f"variance σ²{_SUBSCRIPTS[k]}", f"the variance of class {k}"
    yield Slider(f"variance{k}", label, tip, 2, only_of_three, more=True, values=inclusive_range(0.1, 6, 0.1), of_class=k)  # fmt: skip


class DemoGaussianPlayground(Demonstration):
    """A demonstration with a plane of points and boundaries, and a table of accuracies."""

    name = "gaussian_playground"
    title = "Gaussian playground"
    order = 10
    summary = "Drag one point and see which classifiers follow it, and how close they come to the best possible line."
    observations = (
        "Every classifier has learnt from all these points. Ringed ones are yours: drag one among the other class, and "
        "watch which lines follow. Naive Bayes looks at the classes as a whole, the perceptron only at its mistakes."
    )
    suggestions = (
        Suggestion("Put the stray far out on its own side: naive Bayes turns nevertheless, the SVM does not move at all.",
                   {"added": [[-4.5, 2, 0]]}),
        Suggestion("Let three points stray: the perceptron turns by 68°, the other two by about 20°.",
                   {"added": [[4, 1, 0], [3, 2.5, 0], [-4, -1, 1]]}),
        Suggestion("Draw 200 points: one stray hardly turns a line, and all of them come close to the best possible one.",
                   {"nr_points": 200, "shown": [gauss.OPTIMAL, *OPENING]}),
    )  # fmt: skip
    controls = (
        Points("added", "your points", "click to add a point, drag it, click it again to delete it", [[4, 1, 0]],
               panel="plane", class_from="label", reach=5.0),
        Choice("label", "add class", "the class of a point that a click adds; class 2 counts if there are three", 0,
               options=(("0", 0), ("1", 1), ("2", 2))),
        Ticks("shown", "boundaries", "whose boundary is shown", list(OPENING), options=_LABELS),
        Slider("nr_points", "points", "how many points are drawn", 12, values=(12, 20, 50, 100, 200, 500)),
        Slider("seed", "seed", "another sample of the same classes", 4, values=inclusive_range(1, 50, 1)),
        Slider("balance", "balance", "the share of class 0 among all points", 0.5, more=True,
               values=inclusive_range(0.05, 0.95, 0.05)),
        Choice("nr_classes", "classes", "two classes or three", 2, more=True, options=(("2", 2), ("3", 3))),
        *_class_controls(0),
        *_class_controls(1),
        *_class_controls(2),
    )  # fmt: skip
    grid: Mapping[str, Any] = {"nr_points": (12, 200), "variance1": (2, 4), "balance": (0.5, 0.8), "seed": (1, 4)}

    def scene(self, settings: Mapping[str, Any]) -> Scene:
        """Draw the sample, and train the selected classifiers with and without the reader's points."""
        spec = sample_spec(settings)
        added = [point for point in settings["added"] if point[2] < len(spec.means)]
        sample = gauss.draw_sample(self.lab, spec, added)
        without_added = sample._replace(X=sample.data.train_X, y=sample.data.train_y)
        attempts, results, boundaries = FailureCollector(), dict[str, gauss.Result](), {}
        turned, earlier = dict[str, float](), {}  # the boundaries without the reader's points
        if gauss.OPTIMAL in settings["shown"]:
            results[gauss.OPTIMAL] = best = gauss.best_possible(sample)
            boundaries[gauss.OPTIMAL] = decision_boundary(best.params, LIMITS, LIMITS)
        for learner in LEARNERS:
            if learner.label in settings["shown"]:
                with attempts(learner.label):
                    result = gauss.train_one(self.lab, learner, sample)
                    boundaries[learner.label] = decision_boundary(result.params, LIMITS, LIMITS)
                    results[learner.label] = result
                    if added:
                        alone = gauss.train_one(self.lab, learner, without_added)
                        turned[learner.label] = result.turned_from(alone)
                        if not math.isnan(turned[learner.label]):
                            earlier[learner.label] = decision_boundary(alone.params, LIMITS, LIMITS)
        drawn, error = sample.data, float(sample.data.get_bayes_error())
        marks: list[Mark] = [
            *(points_of_class(drawn.train_X[drawn.train_y == k], k, label=f"class {k}") for k in range(len(spec.means))),
            *(learner_line(with_gaps(lines), label, *_variant(label), width=0.6) | {"dash": ()} for label, lines in earlier.items()),
            *(learner_line(with_gaps(lines), label, *_variant(label), width=1.4, label=label) for label, lines in boundaries.items()),
        ]  # fmt: skip
        rows = [
            [sample_of(label, *_variant(label)), label, f"{seen:.2f}", f"{new:.2f}", _degrees(turned.get(label))]
            for label, _, (seen, new) in results.values()
        ]
        return Scene(
            [Panel("plane", "", *plane_axes(LIMITS, LIMITS), marks, equal=True)],
            f"{_who_turned(turned, len(added))}On new points no classifier is right more often than {1 - error:.3f}.",
            table=Table(("", "right on", "these points", "new points", "turned"), rows),
            notes=attempts.sentences(),
            facts={"sample": sample, "bayes_error": error, "boundaries": boundaries, "results": results, "turned": turned},
        )  # fmt: skip


def sample_spec(settings: Mapping[str, Any]) -> gauss.SampleSpec:
    """Return the distribution and the size of the sample."""
    classes = range(settings["nr_classes"])
    return gauss.SampleSpec(
        tuple((float(settings[f"mean{k}1"]), float(settings[f"mean{k}2"])) for k in classes),
        tuple(float(settings[f"variance{k}"]) for k in classes),
        **{name: settings[name] for name in ("balance", "nr_points", "seed")},
    )


def _variant(label: str) -> tuple[int, int]:
    return (1, 2) if label == _PER_CLASS else (0, 1)


def _degrees(angle: float | None) -> str:
    return "–" if angle is None or math.isnan(angle) else f"{angle:.0f}°"


def _who_turned(turned: Mapping[str, float], nr_added: int) -> str:
    """Return a sentence about the lines that the reader's points turn, the most turned line first."""
    order = sorted(((angle, label) for label, angle in turned.items() if not math.isnan(angle)), reverse=True)
    if not order:
        return ""
    subject, them = ("Your point turns", "it") if nr_added == 1 else (f"Your {nr_added} points turn", "them")
    return f"{subject} the lines (thin: without {them}): {', '.join(f'{label} by {angle:.0f}°' for angle, label in order)}. "
