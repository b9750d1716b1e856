import numpy as np
import pytest
import scipy.sparse as sp

from classifiers import LinearClassifier, Mira, Perceptron
from classifiers.run_all_classifiers import all_classifiers, run_all_classifiers
from lxmls_day1.base.errors import InputError
from lxmls_day1.commands.run import POINTS
from lxmls_day1.figures.classifier_comparison import distinct_names, memory_of_training
from lxmls_day1.figures.plotting import detached_axes
from lxmls_day1.figures.style import CONNECTOR
from readers import SentimentCorpus, SimpleDataSet
from tests.wording import wording


class Answers(LinearClassifier):
    """A classifier whose training returns given parameters."""

    def __init__(self, params, name="Answers", objective=None):
        super().__init__()
        self.params, self.name, self.value = params, name, objective

    def train(self, X, y):
        return np.asarray(self.params, dtype=float)

    def objective(self, X, y, params):
        return self.value


class Counts:
    """Four documents of two words for training, two for testing: word 0 indicates class 0 and word 1 class 1."""

    train_X = sp.csr_array(np.array([[2, 0, 1], [3, 1, 0], [0, 2, 1], [1, 4, 0]]))
    train_y = np.array([0, 0, 1, 1])
    test_X = sp.csr_array(np.array([[5, 0, 0], [0, 1, 1]]))
    test_y = np.array([0, 1])

    def get_name(self):
        return "four documents"


class Stub(Perceptron):
    name = "Mine"

    def train(self, X, y):
        raise NotImplementedError("exercise 1.5: about five lines")


@pytest.fixture
def axis():
    return detached_axes((14, 8))[1]


@pytest.fixture
def points():
    return SimpleDataSet(nr_examples=100, split=[0.5, 0, 0.5])


ABOVE = [[0, 0], [-1, 1], [-1, 1]]  # Class 1 if x_1 + x_2 > 0.
ALWAYS_0 = [[1, 0], [0, 0], [0, 0]]


class TestTable:
    def test_accuracies_and_objective_match_the_params(self, points, axis):
        table, _ = run_all_classifiers(points, [Answers(ABOVE), Answers(ALWAYS_0, "Zero", objective=0.75)], ax=axis)
        parts = [(points.train_X, points.train_y), (points.test_X, points.test_y)]
        above = [np.mean((X.sum(axis=1) > 0) == y) for X, y in parts]
        zero = [np.mean(points.train_y == 0), np.mean(points.test_y == 0)]
        name = points.get_name()
        assert [row[:4] for row in table] == [("Answers", name, *above), ("Zero", name, *zero)]
        assert [row.objective for row in table] == [None, 0.75]
        assert all(row.seconds >= 0 for row in table)

    def test_every_classifier_of_the_guide_on_points(self, points, axis):
        table, _ = run_all_classifiers(points, ax=axis)
        assert len(table) == 6
        assert len({row.classifier for row in table}) == 6
        # The best possible accuracy on new points is 0.92, so a learner that works is far above one half.
        assert all(row.train_accuracy >= 0.8 and row.test_accuracy >= 0.8 for row in table)
        with_objective = [row.classifier for row in table if row.objective is not None]
        assert len(with_objective) == 3  # Maximum entropy twice, and the support vector machine.

    def test_unwritten_learners_are_left_out_with_a_note(self, points, axis):
        table, _ = run_all_classifiers(points, [Stub(), Answers(ABOVE)], ax=axis)
        assert [row.classifier for row in table] == ["Answers"]
        assert table.notes == (wording("classifiers.mine_left_written_yet"),)

    def test_an_empty_test_part_is_an_input_error(self, axis):
        with pytest.raises(InputError):
            run_all_classifiers(SimpleDataSet(split=[1, 0, 0]), [Answers(ABOVE)], ax=axis)


class TestNames:
    def test_a_dict_gives_the_names(self, points, axis):
        table, _ = run_all_classifiers(points, {"careful": Mira(regularizer=10), "bold": Mira()}, ax=axis)
        assert [row.classifier for row in table] == ["careful", "bold"]

    def test_namesakes_show_what_differs_and_nothing_else(self):
        named = distinct_names([Mira(regularizer=0.1, nr_rounds=5), Mira(regularizer=0.1, nr_rounds=7), Perceptron()])
        assert list(named) == ["MIRA (nr_rounds=5)", "MIRA (nr_rounds=7)", "Perceptron"]

    def test_twins_are_numbered(self):
        twins = [Mira(), Mira(), Mira()]
        named = distinct_names(iter(twins))
        assert list(named) == ["MIRA", "MIRA, no. 2", "MIRA, no. 3"]
        assert list(named.values()) == twins


class TestProgress:
    def test_progress_receives_each_name_before_training_and_the_end(self, points, axis):
        told = []
        classifiers = [Answers(ABOVE, "A"), Stub(), Answers(ABOVE, "B")]
        run_all_classifiers(points, classifiers, progress=lambda *step: told.append(step), ax=axis)
        assert told == [(0, 3, "A"), (1, 3, "Mine"), (2, 3, "B"), (3, 3, "")]


class TestFigure:
    def test_points_and_a_boundary_for_each(self, points, axis):
        slanted = [[0, 0], [-1, 1], [-2, 2]]
        _, (fig, drawn) = run_all_classifiers(points, [Answers(ABOVE), Answers(slanted, "Slanted")], ax=axis)
        assert (fig, drawn) == (axis.figure, axis)
        lines = {line.get_label().partition(": ")[0]: line for line in axis.lines}
        other = lines["Slanted"]
        # With equal variances and shares and means ∓1, the optimum is x_1 + x_2 = 0.
        for line in (lines["Bayes optimal"], lines["Answers"]):
            np.testing.assert_allclose(line.get_xdata() + line.get_ydata(), 0, atol=1e-9)
        np.testing.assert_allclose(other.get_xdata() + 2 * other.get_ydata(), 0, atol=1e-9)

    def test_the_picture_of_run_has_five_lines_that_differ_and_a_bar_for_each(self, axis):
        table, _ = run_all_classifiers(SimpleDataSet(**POINTS), ax=axis)
        lines = [line for line in axis.lines if line.get_gid()]
        names = [line.get_label().partition(":")[0] for line in lines]
        assert len(lines) == 5 and names[0] == "Bayes optimal"
        (bars,) = axis.child_axes
        assert {text.get_text() for text in bars.texts if text.get_text() in names} == {*names}
        shown = {text.get_text().strip() for text in bars.texts} - {*names}
        accuracies = {row.classifier: row.test_accuracy for row in table}
        assert {f"{accuracies[name]:.3f}" for name in names[1:]} <= shown and len(shown) == 5
        ends = sorted(bar.get_x() + bar.get_width() for bar in bars.patches)
        assert ends[-1] - ends[0] > 0.03  # The lines differ, and so do the accuracies.
        (note,) = (text.get_text() for text in axis.texts)
        assert all(name in note.replace("\n", " ") for name in accuracies if name not in names)

    def test_a_classifier_that_always_answers_alike_has_a_bar_without_a_line(self, points, axis):
        run_all_classifiers(points, [Answers(ALWAYS_0, "Zero")], ax=axis)
        (bars,) = axis.child_axes
        assert {text.get_text() for text in bars.texts} >= {"Zero", "Bayes optimal"}
        assert sum(line.get_label() == CONNECTOR for line in axis.lines) == 1 and not axis.texts[0].get_text()

    def test_other_data_sets_have_bars(self, axis):
        table, (fig, drawn) = run_all_classifiers(Counts(), ax=axis)
        assert (fig, drawn) == (axis.figure, axis)
        assert [text.get_text() for text in axis.get_yticklabels()] == [row.classifier for row in table]


class TestAllKinds:
    def test_every_flat_learner_of_the_lab_is_included_if_it_applies(self):
        """The table of `classifiers` is the list; left-out entries are not independent learners, or not for flat inputs."""
        import classifiers

        kinds = {type(classifier).__name__ for classifier in all_classifiers(SentimentCorpus("toy")).values()}
        bases = {"LinearClassifier", "OnlineClassifier", "NaiveBayes", "BinaryPerceptron", "compiled", "second_order"}
        flat = {name for name in classifiers.__all__ if not name.startswith("Structured") and name != "CRF"}
        assert kinds == flat - bases
        on_points = {type(classifier).__name__ for classifier in all_classifiers(SimpleDataSet()).values()}
        assert kinds - on_points == {"MultinomialNaiveBayes", "BernoulliNaiveBayes", "NBSVM"}

    def test_memory_is_measured_during_training(self):
        class Hungry(Perceptron):
            def train(self, X, y):
                held = np.ones(500_000)  # 4 MB
                return super().train(X, y) * held[0]

        dataset = SentimentCorpus("toy")
        assert 4.0 <= memory_of_training(Hungry(), dataset) <= 4.0 + 2 * memory_of_training(Perceptron(), dataset) + 0.5
