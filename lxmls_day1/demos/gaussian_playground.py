"""The Gaussian playground: move the classes, add points, and see the boundary of every classifier.

The screen shows a sample of two or three Gaussian classes, the boundary of each selected classifier, and the Bayes-optimal
boundary. A table shows the accuracies on training and test part. The highest possible accuracy is 1 − Bayes error.
Points that a reader adds count as training points, and are kept when another sample is drawn.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from lxmls_day1.demos.controls import Choice, Control, Points, Slider, Suggestion, Ticks, inclusive_range
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.gaussian_points import MEANS, OPTIMAL, Result, SampleSpec, best_possible, draw_sample, train_one
from lxmls_day1.demos.lab_learners import FailureCollector, Learner
from lxmls_day1.demos.scene import Axis, Mark, Panel, Scene, Table, learner_line, points_of_class, sample_of
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.plotting import with_gaps

LIMITS = (-6.0, 6.0)  # for both axes; fixed, so that the boundaries move and the axes do not
_PER_CLASS = "NB, σ² per class"  # the second setting of naive Bayes
LEARNERS = (
    Learner("gaussian_naive_bayes", "GaussianNaiveBayes", {}, "Naive Bayes"),
    Learner("gaussian_naive_bayes", "GaussianNaiveBayes", {"variance": "per_class"}, _PER_CLASS),
    Learner("perceptron", "Perceptron", {}, "Perceptron"),
    Learner("mira", "Mira", {}, "MIRA"),
    Learner("max_ent_batch", "MaxEntBatch", {}, "Max. entropy"),
    Learner("max_ent_online", "MaxEntOnline", {}, "Max. entropy, online"),
    Learner("svm", "SVM", {}, "SVM"),
)
_LABELS = (OPTIMAL, *(learner.label for learner in LEARNERS))
_SUBSCRIPTS = "₀₁₂"


def _class_controls(k: int) -> Iterator[Control]:
    """Yield three sliders for the mean and the variance of class k."""
    only_of_three = ("nr_classes", 3) if k == 2 else None
    for axis, value in enumerate(MEANS[k]):
        label, tip = f"μ{_SUBSCRIPTS[k]} x{'₁₂'[axis]}", f"where the middle of class {k} lies"
        values = inclusive_range(-4, 4, 0.1)
        yield Slider(f"mean{k}{axis + 1}", label, tip, int(value), only_of_three, more=True, values=values, of_class=k)
    label, tip = f"σ²{_SUBSCRIPTS[k]}", f"the variance of class {k}"
    yield Slider(
        f"variance{k}", label, tip, 1, only_of_three, more=True, values=inclusive_range(0.1, 6, 0.1), of_class=k
    )


class DemoGaussianPlayground(Demonstration):
    """A demonstration with a plane of points and boundaries, and a table of accuracies."""

    name = "gaussian_playground"
    title = "Gaussian playground"
    order = 10
    summary = (
        "Two or three Gaussian classes, the boundary of every classifier, and the highest accuracy that is possible."
    )
    observations = (
        "Every line is the decision boundary of one classifier; the solid one is the best that is possible. "
        "Watch which lines follow the classes as a whole, and which only a few points near the border."
    )
    suggestions = (
        Suggestion(
            "Click to add a point of class 0 far inside class 1: the perceptron and the SVM turn, naive Bayes hardly does."
        ),
        Suggestion("Raise σ² of one class: the best boundary is then curved, and no linear learner can follow it."),
        Suggestion(
            "Draw 20 points instead of 100, and go through the seeds: how far do the lines scatter around the best one?"
        ),
    )
    controls = (
        Points("added", "your points", "click to add a point, drag it, click it again to delete it", [],
               panel="plane", class_from="label", reach=6.0),
        Choice("label", "add class", "the class of a point that a click adds; class 2 counts where there are three", 0,
               options=(("0", 0), ("1", 1), ("2", 2))),
        Ticks("shown", "boundaries", "whose boundary is shown", list(_LABELS), options=_LABELS),
        Slider("nr_points", "points", "how many points are drawn: half to train on, half to test on", 100,
               values=inclusive_range(20, 500, 20)),
        Slider("seed", "seed", "another sample of the same classes", 1, values=inclusive_range(1, 50, 1)),
        Slider("balance", "balance", "the share of class 0 among all points", 0.5, more=True,
               values=inclusive_range(0.05, 0.95, 0.05)),
        Choice("nr_classes", "classes", "two classes or three", 2, more=True, options=(("2", 2), ("3", 3))),
        *_class_controls(0),
        *_class_controls(1),
        *_class_controls(2),
    )  # fmt: skip
    grid = MappingProxyType({"nr_points": (20, 100), "variance1": (1, 3), "balance": (0.5, 0.8), "seed": (1, 2, 3)})

    def scene(self, settings: Mapping[str, Any]) -> Scene:
        """Draw the sample, and train the selected classifiers."""
        setting = sample_spec(settings)
        K = len(setting.means)
        data, drawn = draw_sample(self.lab, setting)
        added = [point for point in settings["added"] if point[2] < K]
        sample = drawn.with_added(added)
        attempts, results, boundaries = FailureCollector(), list[Result](), {}
        if OPTIMAL in settings["shown"]:
            results.append(best_possible(data, sample))
            boundaries[OPTIMAL] = decision_boundary(results[0].params, LIMITS, LIMITS)
        for learner in LEARNERS:
            if learner.label in settings["shown"]:
                with attempts(learner.label):
                    result = train_one(self.lab, learner, sample)
                    boundaries[learner.label] = decision_boundary(result.params, LIMITS, LIMITS)
                    results.append(result)
        marks: list[Mark] = []
        for k in range(K):
            for train, name in ((False, "test"), (True, "training")):
                X, y = drawn.part(train)
                marks.append(points_of_class(X[y == k], k, hollow=not train, label="" if k else name))
        marks += [
            learner_line(with_gaps(lines), label, *_variant(label), width=1.4 if label == OPTIMAL else 1.1)
            for label, lines in boundaries.items()
        ]
        error = float(data.get_bayes_error())
        rows = [
            [sample_of(one.label, *_variant(one.label)), one.label, *map(_share, one.accuracies)] for one in results
        ]
        return Scene(
            [Panel("plane", "", Axis(*LIMITS, label="x₁"), Axis(*LIMITS, label="x₂"), marks, equal=True)],
            f"Bayes error {error:.3f}: on new points no classifier is correct more often than {1 - error:.3f}.",
            table=Table(("", "accuracy", "training", "test"), rows),
            notes=attempts.sentences(),
            facts={
                "setting": setting,
                "sample": sample,
                "bayes_error": error,
                "boundaries": boundaries,
                "accuracies": {result.label: result.accuracies for result in results},
            },
        )  # fmt: skip


def sample_spec(settings: Mapping[str, Any]) -> SampleSpec:
    """Return the distribution and the size of the sample."""
    classes = range(settings["nr_classes"])
    return SampleSpec(
        tuple((float(settings[f"mean{k}1"]), float(settings[f"mean{k}2"])) for k in classes),
        tuple(float(settings[f"variance{k}"]) for k in classes),
        settings["balance"],
        settings["nr_points"],
        settings["seed"],
    )


def _variant(label: str) -> tuple[int, int]:
    return (1, 2) if label == _PER_CLASS else (0, 1)


def _share(accuracy: float | None) -> str:
    return "–" if accuracy is None else f"{accuracy:.2f}"
