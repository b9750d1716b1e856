import os
import re
from pathlib import Path

import click
import pytest

from classifiers.svm import SVM
from lxmls_day1.commands.train import read_setting
from lxmls_day1.sklearn.tuning import tune, with_development_part
from readers.sentiment_reader import SentimentCorpus
from tests.command_runs import run
from tests.wording import wording

pytestmark = pytest.mark.usefixtures("imports_as_before", "somewhere")


def train(*arguments, status=0):
    return run("train", "--domain", "toy", *arguments, status=status)


def load(path):
    from classifiers.linear_classifier import LinearClassifier

    return LinearClassifier.load(path)


def accuracy_on_test_part(model):
    corpus = SentimentCorpus("toy")
    return model.classifier.evaluate(corpus.test_y, model.classifier.test(corpus.test_X, model.params))


@pytest.mark.slow
class TestTraining:
    @pytest.mark.parametrize(
        ("name", "settings", "class_name"),
        [
            ("mira", ["regularizer=0.1", "nr_rounds=3"], "Mira"),
            ("MaxEntBatch", [], "MaxEntBatch"),
            ("max-ent-online", ["averaged=true"], "MaxEntOnline"),
            ("naive_bayes", ["xtype=multinomial", "smooth_param=0.5"], "NaiveBayes"),
            ("gaussian_naive_bayes", ["variance=per_class"], "GaussianNaiveBayes"),
            ("svm.py", ["cost=[[0, 2], [1, 0]]"], "SVM"),
        ],
    )
    def test_the_output_matches_the_saved_model(self, name, settings, class_name):
        options = [part for setting in settings for part in ("--set", setting)]
        said = train("--classifier", name, *options).stdout
        model = load("model.npz")
        assert type(model.classifier).__name__ == class_name
        assert model.label_names == ["positive", "negative"] and "excellent" in model.feature_names
        claimed = re.search(r"trained on Toy reviews: accuracy [\d.]+ on the training part, ([\d.]+) on the test", said)
        assert float(claimed[1]) == pytest.approx(accuracy_on_test_part(model), abs=5e-5)
        assert model.notes["accuracies"]["test"] == accuracy_on_test_part(model)
        assert wording("commands.saved_classes_features", len(model.feature_names)) in said

    def test_warnings_of_training_are_notes_on_standard_error(self):
        result = train("--classifier", "multinomial_naive_bayes", "--set", "smooth=false")
        (note,) = result.stderr.splitlines()
        assert note.startswith("Note: ") and "rule out every class" in note
        assert "Note" not in result.stdout

    def test_questions_and_their_tokens(self, real_data):
        """In questions, "who" and "?" are features; in a review "?" would not be one."""
        run("train", "--classifier", "perceptron", "--domain", "trec6", "--data-dir", real_data)
        model = load("model.npz")
        assert len(model.class_names) == 6 and model.notes["accuracies"]["test"] > 0.85
        questions = ("Who wrote Hamlet ?", "What is the capital of Peru ?", "How many days are in May ?")
        Path("questions.txt").write_text("\n".join(questions))
        shown = run("predict", "model.npz", "--per", "line", "questions.txt").stdout
        assert [line.split("\t")[0] for line in shown.splitlines()] == ["HUM", "LOC", "NUM"]
        words = run("explain", "model.npz", "--per", "line", "--number", "1", "questions.txt", "--json").stdout
        assert '"who_wrote"' in words and '"?"' in words

    def test_the_classifier_of_a_student_s_lab(self, tmp_path):
        from lxmls_day1.lab import reference_folder

        for package in ("readers", "classifiers"):
            (tmp_path / "lab" / package).mkdir(parents=True)
            for file in (reference_folder() / package).glob("*.py"):
                (tmp_path / "lab" / package / file.name).write_bytes(file.read_bytes())
        (tmp_path / "lab/classifiers/guess.py").write_text(
            "import numpy as np\n"
            "from classifiers.linear_classifier import LinearClassifier\n"
            "class Guess(LinearClassifier):\n"
            "    def train(self, X, y):\n"
            "        self.classes = np.unique(y)\n"
            "        return np.zeros((X.shape[1] + 1, 2))\n"
        )
        (tmp_path / "lab/classifiers/stub.py").write_text(
            "from classifiers.linear_classifier import LinearClassifier\n"
            "class Stub(LinearClassifier):\n"
            "    def train(self, X, y):\n"
            "        raise NotImplementedError('exercise 1.5: about five lines')\n"
        )
        train("--lab", "lab", "--classifier", "guess")
        Path("review.txt").write_text("Excellent!")
        assert run("predict", "--lab", "lab", "model.npz", "review.txt").stdout == "positive\t0\treview.txt\n"
        error = train("--lab", "lab", "--classifier", "stub", status=1).stderr
        assert error == wording("commands.error_stub_written_yet")


@pytest.mark.slow
class TestMistakes:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["mria"], "has no classifier mria; did you mean mira"),
            (["linear_classifier"], "has no classifier linear_classifier; "),
            (["online_classifier"], "has no classifier online_classifier; "),
            (["StochasticGradient"], "has no classifier StochasticGradient; "),
            (["structured-classifier"], "has no classifier structured-classifier; did you mean structured_"),
            (["mira", "--set", "regularisr=1"], "has no setting 'regularisr'; did you mean regularizer?"),
            (["mira", "--set", "regularizer=0"], "regularizer (λ of MIRA, whose step is at most 1/λ) must be"),
            (["mira", "--set", "nr_rounds=many"], "nr_rounds must be a whole number"),
            (["naive_bayes", "--set", "xtype=other"], 'xtype must be "gaussian" or "multinomial"'),
            (["max_ent_batch", "--set", "regularise=1"], "'regularise'"),
            (["mira", "--out", "no/model.npz"], "no is not a folder, so no/model.npz cannot be written"),
            (["mira", "--out", "."], ". is a folder; --out must be a file"),
            (["mira", "--out", os.devnull], f"{os.devnull} is not a regular file"),
            (["mira", "--lab", "."], "is not a lab"),
            (["mira", "--data-dir", "nowhere"], "nowhere"),
        ],
    )
    def test_end_with_1_and_one_sentence(self, arguments, message):
        error = train("--classifier", *arguments, status=1).stderr.splitlines()[-1]
        assert error.startswith("Error: ") and message in error
        assert list(Path().iterdir()) == []


def test_only_a_model_is_replaced():
    Path("mine.csv").write_text("label,text\n" + "good,a fine film\nbad,a dull film\n" * 9)
    Path("link.npz").symlink_to("mine.csv")
    own = ("train", "--classifier", "perceptron", "--file", "mine.csv", "--out")
    for name in ("mine.csv", "link.npz"):
        assert run(*own, name, status=1).stderr == wording("commands.out_same_file")
    for name, content in (("notes.docx", b"PK\x03\x04"), ("manifest.json", b"{}")):
        Path(name).write_bytes(content)
        assert run(*own, name, status=1).stderr == wording("commands.out_not_model", name)
        assert Path(name).read_bytes() == content
    kept = ("train", "--classifier", "perceptron", "--corpus", "x.bags", "--checkpoint", "k.npz", "--out", "./k.npz")
    assert "k.npz" in run(*kept, status=1).stderr and not Path("k.npz").exists()
    Path("model.npz").touch()
    run(*own, "model.npz")
    run(*own, "model.npz", "--set", "nr_rounds=2")
    assert load("model.npz").classifier.nr_rounds == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=0.1", 0.1),
        ("a=1e-3", 1e-3),
        ("a=-2", -2),
        ("a=True", True),
        ("a=false", False),
        ("a=none", None),
        ("a=per_class", "per_class"),
        ("a='quoted'", "quoted"),
        ("a=[[0, 1], [2, 0]]", [[0, 1], [2, 0]]),
        ("a=x=y", "x=y"),
        (" a = 3 ", 3),
        ("a=__import__('os')", "__import__('os')"),
    ],
)
def test_values_of_settings_are_parsed(text, expected):
    name, value = read_setting(text)
    assert name == "a" and value == expected and type(value) is type(expected)


@pytest.mark.parametrize("text", ["a", "a=", "=1", "a b=1", "1=2", ""])
def test_invalid_settings_are_refused(text):
    with pytest.raises(click.BadParameter, match=wording("commands.form_name_value")):
        read_setting(text)


class TestRegularizer:
    """λ without a given value: it is chosen and reported."""

    @pytest.mark.parametrize("name", ["svm", "max_ent_online", "max_ent_batch"])
    def test_it_is_two_over_the_number_of_examples(self, name):
        said = train("--classifier", name).stdout
        assert said.startswith(wording("commands.regularizer_training_examples_none"))
        assert load("model.npz").classifier.regularizer == 2 / 320

    GIS = ("max_ent_batch", "--set", "solver=gis", "--set", "regularizer=0")

    @pytest.mark.parametrize("arguments", [("svm", "--set", "regularizer=0.5"), ("mira",), GIS])
    def test_a_given_regularizer_is_not_changed(self, arguments):
        assert "2/M" not in train("--classifier", *arguments).stdout

    def test_the_best_on_the_development_part(self):
        found = tune(SVM(), with_development_part(SentimentCorpus("toy"))).best
        said = train("--classifier", "svm", "--tune").stdout
        value = found.settings["regularizer"]
        assert wording("commands.development_part_training_examples") in said
        assert all(f" {tried} " in said for tried in ("1.0", "0.1", "0.001", "1e-06"))
        assert wording("commands.regularizer_best_development_examples", value) in said
        assert load("model.npz").classifier.regularizer == value

    @pytest.mark.slow
    def test_the_table_has_every_choice_of_a_grid_and_the_best_is_trained(self):
        grid = ("--grid", "regularizer=1,0.1,0.01", "--grid", "averaged=steps,False")
        said = train("--classifier", "mira", "--set", "seed=3", *grid).stdout
        rows = [line.split() for line in said.splitlines() if line.split()[1:2] in (["steps"], ["False"])]
        assert [row[:2] for row in rows] == [[r, a] for r in ("1", "0.1", "0.01") for a in ("steps", "False")]
        (best,) = [row for row in rows if row[-1] == "*"]
        assert float(best[2]) == max(float(row[2]) for row in rows)
        classifier = load("model.npz").classifier
        assert (classifier.regularizer, str(classifier.averaged), classifier.seed) == (float(best[0]), best[1], 3)

    def test_a_grid_without_the_regularizer_leaves_it_at_the_usual_one(self):
        said = train("--classifier", "svm", "--grid", "nr_rounds=1,2").stdout
        assert wording("commands.for_training_examples", "320") in said
        assert load("model.npz").classifier.regularizer == 2 / 320
        assert "2/M" not in train("--classifier", "svm", "--grid", "nr_rounds=1,2", "--set", "regularizer=0.5").stdout

    def test_choosing_for_tagged_sentences(self):
        arguments = ("--domain", "toy-sentences", "--grid", "nr_rounds=1,2")
        assert "nr_rounds = " in train("--classifier", "structured_perceptron", *arguments).stdout

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("arguments", "status", "complaint"),
        [
            (["svm", "--tune", "--set", "regularizer=1"], 1, "--tune chooses regularizer, which --set sets as well"),
            (["mira", "--grid", "seed=1,2", "--set", "seed=3"], 1, "--grid chooses seed, which --set sets as well"),
            (["mira", "--grid", "regularize=1"], 1, "did you mean regularizer"),
            (["mira", "--grid", "regularizer"], 2, "NAME=VALUE"),
            (["mira", "--grid", "regularizer=1,,2"], 2, "NAME=VALUE"),
            (["confidence_weighted", "--tune"], 1, "(--grid NAME=VALUES); its settings are: confidence, cap,"),
        ],
    )
    def test_choices_that_cannot_be_made(self, arguments, status, complaint):
        assert complaint in train("--classifier", *arguments, status=status).stderr
