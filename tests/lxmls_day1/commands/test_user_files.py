import csv
import gzip
import json
from pathlib import Path

import pytest

from tests.command_runs import run
from tests.wording import wording

pytestmark = pytest.mark.usefixtures("imports_as_before", "somewhere")


def train(*arguments, status=0):
    return run("train", "--classifier", "perceptron", *arguments, status=status)


def write_intents(path, nr_examples):
    """Write requests in the published format of BANKING77: a header, 77 intents, texts with line ends and quotes."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["text", "category"])
        for m in range(nr_examples):
            text = f"Tell me of matter{m % 77}"
            rows.writerow([f'\n{text}, "please",\nif you can?' if m % 10 == 0 else f"{text}!", f"intent_{m % 77}"])


ONE_LABEL = "x.csv: every example has the label 'ham', but there must be two labels to tell apart"
NO_EXAMPLE = "x.csv: when a part of it was put aside for testing, no example of '"


def test_a_missing_classifier_is_reported_with_an_example():
    assert "as in `--classifier mira`" in run("train", status=2).output


def test_a_table_of_numbers_is_refused():
    Path("numbers.csv").write_text("x1,x2,y\n" + "0.5,-1e3,1\n2,3,0\n" * 5)
    assert wording("commands.holds_numbers_labelled_text") in train("--file", "numbers.csv", status=1).output


@pytest.mark.slow
class TestTrain:
    def test_two_files_with_a_header_and_line_ends_in_quotes(self):
        """Each intent has its own word, so a separating learner classifies all requests correctly."""
        write_intents("train.csv", 77 * 6)
        write_intents("test.csv", 77 * 2)
        said = train("--file", "train.csv", "--test-file", "test.csv")
        assert wording("commands.trained_train_accuracy_training") in said.stdout
        assert wording("commands.saved_as_classes") in said.stdout
        (note,) = said.stderr.splitlines()
        layout = "a comma between columns, a header; label in 'category', text in 'text'"
        train_part, test_part = f"{layout}; 462 examples, 77 classes", f"{layout}; 154 examples, 77 classes"
        assert note == f"Read train.csv: {train_part} | test.csv: {test_part}."
        again = train("--file", "train.csv", "--test-file", "test.csv", "--text-column", "text", "--label-column", 1)
        assert again.output == said.output

    @pytest.mark.parametrize(
        ("name", "line", "options"),
        [
            ("x.csv", "{label},{text}\n", []),
            ("x.csv", "7;{text};{label}\n", ["--label-column", "2", "--text-column", "1"]),
            ("x.csv", "7~{text}~{label}\n", ["--label-column", "2", "--text-column", "1", "--delimiter", "~"]),
            ("x.tsv", '{label}\t"{text}\n', ["--no-quotes"]),
            ("x.txt", "{label}\t{text}\n", ["--delimiter", "tab", "--no-header"]),
            ("x.txt", "{label},{text} é\n", ["--encoding", "latin-1"]),
            ("x.jsonl", '{{"label": "{label}", "text": "{text}"}}\n', []),
            (
                "x.log",
                '{{"mood": "{label}", "said": "{text}", "n": 1}}\n',
                ["--label-column", "mood", "--text-column", "said"],
            ),
            ("x.data", '{{"label": "{label}", "text": "{text}"}}\n', ["--format", "jsonl"]),
        ],
    )
    def test_every_format_is_recognised(self, name, line, options):
        lines = [line.format(label=a, text=f"A {b} thing") for a, b in [("yes", "good"), ("no", "bad")] * 10]
        content = "".join(lines).encode("latin-1")
        Path(f"{name}.gz").write_bytes(gzip.compress(content))
        said = train("--file", f"{name}.gz", *options)
        assert wording("commands.trained_x_accuracy_training") in said.stdout
        assert "2 classes, " in said.stdout and "20 examples, 2 classes." in said.stderr
        Path("new.txt").write_text("Good thing!")
        assert run("predict", "model.npz", "new.txt").stdout.startswith("yes\t")

    def test_svmlight_has_no_words_to_predict_from(self):
        Path("x.svm").write_text("1 1:1\n-1 2:1\n" * 10)
        assert wording("commands.accuracy_training_part") in train("--file", "x.svm").stdout
        Path("new.txt").write_text("Good thing!")
        said = run("predict", "model.npz", "new.txt", status=1).stderr
        assert said.startswith(wording("commands.error_model_ready_made"))
        Path("new.csv").write_text("label,text\n1,Good thing!\n")
        assert run("predict", "model.npz", "new.csv", status=1).stderr.startswith(
            wording("commands.error_model_ready_made")
        )

    def test_svmlight_is_predicted_by_a_model_of_svmlight(self):
        Path("x.svm").write_text("1 1:1\n-1 2:1\n" * 10)
        train("--file", "x.svm")
        Path("new.svm").write_text("# two\n-1 1:.5 9:1\n\n-1 2:2 # b\n")
        found = run("predict", "model.npz", "new.svm")
        assert [line.split("\t")[::2] for line in found.stdout.splitlines()] == [
            ["1", "new.svm:2"],
            ["-1", "new.svm:4"],
        ]
        assert found.stderr == wording("commands.accuracy_labelled_reviews")
        found = run("predict", "model.npz", "-", stdin="0 1:1 2:3\n# none\n0 1:3 2:2\n")
        assert [line.split("\t")[::2] for line in found.stdout.splitlines()] == [
            ["-1", "standard input:1"],
            ["1", "standard input:3"],
        ]
        assert found.stderr == "" and "new.svm:4" in run("explain", "model.npz", "new.svm").stdout

    @pytest.mark.parametrize("label", ["{:.2f}", "-{}", "{}.5e3"])
    def test_real_valued_targets_are_not_classes(self, label):
        Path("x.svm").write_text("".join(f"{label.format(n)} 1:{n} 2:1\n" for n in range(1, 41)))
        said = run("train", "--file", "x.svm", "--classifier", "mira", status=1).stderr
        assert wording("commands.there_are_labels_for") in said
        assert wording("commands.numbers_estimated_regression_grouped") in said

    def test_a_header_is_not_a_class(self):
        """Only the two labels of the examples become classes, whatever the columns are called."""
        for header in ("label,text", "mood,remark"):
            Path("x.csv").write_text(header + "\n" + "yes,A good thing it is\nno,A bad thing it is\n" * 10)
            assert wording("commands.saved_as_classes_2", "2") in train("--file", "x.csv").stdout
        said = train("--file", "x.csv", "--test-file", "x.csv", "--no-header").stdout
        assert wording("commands.saved_as_classes_2", "3") in said

    @pytest.mark.parametrize(
        ("content", "options", "says"),
        [
            ("a,b\nc\n", [], "x.csv, line 2: got 1 field; expected 2 as in line 1"),
            ("ham,one\n" * 9, [], ONE_LABEL),
            ("a,one\nb,two\nc,three\nd,four\ne,five\n", [], NO_EXAMPLE),
        ],
    )
    def test_mistakes_end_with_1_and_one_sentence(self, content, options, says):
        Path("x.csv").write_text(content)
        error = train("--file", "x.csv", *options, status=1).stderr.splitlines()[-1]
        assert error.startswith("Error: ") and says in error
        assert not Path("model.npz").exists()

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (["--file", "x.csv", "--domain", "toy"], "--domain and --file cannot be combined."),
            (["--file", "x.csv", "--data-dir", "."], "--data-dir and --file cannot be combined."),
            (["--test-file", "x.csv"], "--test-file needs --file."),
            (["--no-header"], "--header needs --file."),
            (["--no-quotes"], "--no-quotes needs --file."),
            (["--format", "jsonl"], "--format needs --file."),
            (["--file", "x.csv", "--delimiter", ", "], "is neither one character nor one of tab"),
            (["--file", "x.csv", "--format", "xml"], "'xml' is not one of 'columns', 'jsonl', 'svmlight'"),
        ],
    )
    @pytest.mark.parametrize("command", [["run"]])
    def test_usage_mistakes_end_with_2(self, command, options, says):
        assert says in run(*command, *options, status=2).stderr
        assert list(Path().iterdir()) == []


@pytest.mark.slow
class TestRun:
    def test_the_whole_comparison(self):
        write_intents("train.csv", 77 * 2)
        write_intents("test.csv", 77)
        result = run("run", "--file", "train.csv", "--test-file", "test.csv", "--label-column", "category")
        found = json.loads(Path("out/results.json").read_text(encoding="utf-8"))
        of_file = {row["classifier"]: row["test_accuracy"] for row in found["rows"] if row["data_set"] == "train"}
        assert len(of_file) == 8 and of_file["Perceptron"] == 1.0
        assert len(found["rows"]) == 14  # and six rows for the simple data set
        note = next(line for line in result.stderr.splitlines() if line.startswith("Read "))
        assert note in found["notes"] and "154 examples, 77 classes | test.csv: " in note
        written = {path.name for path in Path("out").iterdir()}
        assert written == {"boundaries.png", "accuracies.png", "results.json", "results.csv"}
