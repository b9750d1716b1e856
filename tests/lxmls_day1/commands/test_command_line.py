import errno
import json
import os
import re
import shutil
import signal
from pathlib import Path
from unittest.mock import Mock

import click
import pytest

import lxmls_day1
import lxmls_day1.base.atomic_files
from lxmls_day1.base.errors import InputError
from lxmls_day1.commands.command_line import COMMANDS, caches_without_home, command_group, terminate_cleanly
from lxmls_day1.commands.grade import without_marks
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.engine.models.result_table import ResultTable, Row
from lxmls_day1.grading.intake.finding_submissions import find_submissions
from tests.command_runs import run
from tests.python_runs import run_python
from tests.wording import wording

FILES = {"boundaries.png", "accuracies.png", "results.json", "results.csv"}

pytestmark = pytest.mark.usefixtures("imports_as_before")

POINTS = """
class SimpleDataSet:
    def __init__(self, **settings):
        self.settings = settings

    def get_name(self):
        return "points"
"""

REVIEWS = """
from lxmls_day1.base.errors import CorpusUnavailable


class SentimentCorpus:
    def __init__(self, domain, data_dir=None):
        if domain == "kitchen":
            raise CorpusUnavailable("kitchen is not on this machine, and the network does not answer.")
        self.domain, self.data_dir = domain, data_dir

    def get_name(self):
        return f"{self.domain} from {self.data_dir}"
"""

COMPARISON = """
from lxmls_day1.engine.models.result_table import ResultTable, Row


def run_all_classifiers(dataset, progress, ax):
    progress(0, 1, "Guess")
    ax.plot([0, 1], [0, 1])
    progress(1, 1, "")
    row = Row("Guess", dataset.get_name(), 0.5, 0.25, 0.125, None)
    return ResultTable([row], ["A guess."]), (ax.figure, ax)
"""


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """Return a lab of three small files; the current folder is outside it."""
    empty = {"readers/__init__.py": "", "classifiers/__init__.py": ""}
    readers = {"readers/simple_data_set.py": POINTS, "readers/sentiment_reader.py": REVIEWS}
    files = empty | readers | {"classifiers/run_all_classifiers.py": COMPARISON}
    write_files(tmp_path / "lab", {name: text.encode() for name, text in files.items()})
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "lab"


def rows_in(folder):
    return [Row(**row) for row in json.loads((folder / "results.json").read_text(encoding="utf-8"))["rows"]]


HELPED = """
import sys
from lxmls_day1.commands.command_line import main
try: main(["--help"])
except SystemExit as end: assert not end.code
print("heavy:", sorted({"numpy", "scipy", "numba", "matplotlib", "requests", "tqdm"} & set(sys.modules)))
"""
WARNED = """
import sys, warnings
from lxmls_day1.commands import command_line
def warn(**_):
    warnings.warn("a worker is left out", stacklevel=1)
    sys.exit(0)
command_line.command_group.main = warn
command_line.main([])
"""


class TestHelp:
    def test_it_names_every_command_and_gives_examples(self):
        shown = run("--help").stdout
        assert shown == run("-h").stdout
        for name in COMMANDS:
            assert re.search(rf"^  {name} ", shown, re.MULTILINE)
            assert f"\n    lxmls-day1 {name}" in shown

    def test_it_fits_in_80_columns(self):
        for arguments in [(), *((name,) for name in COMMANDS)]:
            assert max(map(len, run(*arguments, "--help").stdout.splitlines())) <= 80

    def test_every_option_is_explained(self):
        for name in COMMANDS:
            command = command_group.get_command(click.Context(command_group), name)
            for parameter in command.params:
                assert not isinstance(parameter, click.Option) or parameter.help, f"{name} {parameter.name}"

    @pytest.mark.slow
    def test_it_imports_no_numerical_library(self):
        assert run_python("-c", HELPED).stdout.endswith("heavy: []\n")

    def test_a_warning_is_a_sentence_without_file_and_line(self):
        assert run_python("-c", WARNED).stderr == wording("commands.warning_worker_left")


class TestUsage:
    @pytest.mark.parametrize("arguments", [("rnu",), ("run", "--domian", "toy"), ("run", "toy"), ("run", "--out")])
    def test_usage_errors_have_exit_status_2(self, arguments):
        assert "Error: " in run(*arguments, status=2).stderr


@pytest.mark.slow
class TestRun:
    def test_both_data_sets_in_one_table_and_four_files(self, lab):
        result = run("run", "--lab", lab, "--domain", "dvd", "--data-dir", "some/where")
        assert {path.name for path in Path("out").iterdir()} == FILES
        rows = [Row("Guess", name, 0.5, 0.25, 0.125) for name in ("points", "dvd from some/where")]
        assert rows_in(Path("out")) == rows
        table = ResultTable(rows, ["A guess."])
        assert result.stdout.startswith(str(table) + "\n")
        assert Path("out/results.csv").read_bytes() == table.to_csv().encode()
        for name in ("boundaries.png", "accuracies.png"):
            assert Path("out", name).read_bytes().startswith(b"\x89PNG\r\n")

    def test_the_lab_around_the_current_folder_is_used(self, lab, monkeypatch):
        monkeypatch.chdir(lab / "classifiers")
        run("run", "--domain", "toy")
        assert [row.classifier for row in rows_in(lab / "classifiers" / "out")] == ["Guess", "Guess"]

    def test_progress_is_plain_lines_beside_the_output(self, lab):
        result = run("run", "--lab", lab)
        assert result.stderr.splitlines() == ["[1/1] Guess", "[1/1] Guess"]
        assert "[1/1]" not in result.stdout
        assert "\x1b" not in result.output

    def test_the_toy_corpus_replaces_a_missing_corpus(self, lab):
        result = run("run", "--lab", lab, "--domain", "kitchen")
        first, *_ = result.stderr.splitlines()
        assert first == (wording("commands.kitchen_machine_network_does"))
        assert rows_in(Path("out"))[1].data_set == "toy from None"
        note = "The reviews of kitchen could not be had; these are of the small generated toy corpus."
        assert json.loads(Path("out/results.json").read_text())["notes"] == [note, "A guess."]
        assert f"Note: {note}" in result.stdout

    def test_all_learners_with_their_memory(self, lab):
        text = COMPARISON.replace("progress, ax):", "progress, ax, classifiers, memory):")
        text = text.replace("0.125, None)", "0.125, None, 8.0 * memory * len(classifiers))")
        text += "\n\ndef all_classifiers(dataset):\n    return {'One': 1, 'Two': 2}\n"
        (lab / "classifiers/run_all_classifiers.py").write_text(text)
        said = run("run", "--lab", lab, "--domain", "toy", "--all").stdout
        assert [row.megabytes for row in rows_in(Path("out"))] == [16.0, 16.0]
        assert said.splitlines()[0].endswith("  MB")


@pytest.mark.slow
@pytest.mark.usefixtures("somewhere")
class TestFoldersOfMarks:
    def test_folders_of_marks_among_the_submissions_are_left_out(self, tmp_path, capsys):
        paths = [Path(name) for name in ("ada", "marks", "older")]
        write_files(tmp_path, {"ada/mira.py": b"", "marks/.rows/ada.json": b"", "older/.rows/ada.json": b""})
        assert without_marks(paths, Path("marks")) == [Path("ada")]
        assert capsys.readouterr().err.splitlines() == [wording("grading.marks_left_out", name) for name in paths[1:]]

    @pytest.mark.parametrize("files", [{"all/ada/mira.py": b""}, {"all/ada/mira.py": b"", "all/.rows/ada.json": b""}])
    def test_marks_do_not_go_into_the_folder_of_the_submissions(self, tmp_path, files):
        write_files(tmp_path, files)
        with pytest.raises(InputError, match=wording("grading.out_is_submissions")):
            without_marks([Path("all")], Path("all/../all"))
        assert without_marks([Path("all/ada")], Path("new")) == [Path("all/ada")]

    def test_a_new_folder_of_marks_among_the_submissions_is_no_student(self, tmp_path):
        write_files(tmp_path, {"all/ada/mira.py": b"", "all/ben/mira.py": b""})
        run("grade", "all", "--out", "all/marks", "--roster", "none.csv", status=1)
        assert [one.student for one in find_submissions([tmp_path / "all"])] == ["ada", "ben"]


class TestMistakes:
    """Each mistake ends with status 1 and one sentence that names a remedy."""

    def error(self, *arguments):
        said = run(*arguments, status=1).stderr.splitlines()[-1]
        assert said.startswith("Error: ")
        return said.removeprefix("Error: ")

    def test_out_is_a_file_or_lies_in_one(self, lab):
        Path("mine.txt").write_text("mine")
        for out in ("mine.txt", Path("mine.txt", "out")):
            assert self.error("run", "--lab", lab, "--out", out) == wording("commands.file_lies_folder", out)
        assert Path("mine.txt").read_text() == "mine"

    def test_a_syntax_error_in_a_student_s_file(self, lab):
        (lab / "classifiers/run_all_classifiers.py").write_text("import json\ndef run(:\n")
        message = wording("commands.this_is_not_python", "classifiers/run_all_classifiers.py:2")
        assert self.error("run", "--lab", lab).startswith(message)
        assert list(Path("out").iterdir()) == []

    FULL = OSError(errno.ENOSPC, "No space left on device")
    NO_FOLDER = FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")
    COPY = "/tmp/lxmls-day1-run-1/a.py"
    NOT_COPIED = shutil.Error([("a.py", COPY, f"[Errno {errno.ENOSPC}] No space left: 'a.py'")])

    @pytest.mark.one_in(2)
    @pytest.mark.parametrize(
        ("error", "sentence"),
        [
            (FULL, "no space left on device; free some space, or set TMPDIR to"),
            (NO_FOLDER, "free some space, or set TMPDIR"),
            (NOT_COPIED, f"{COPY}: no space left; free some space, or set TMPDIR"),
            (OSError(errno.ENOSPC, "No space left on device", "out/a.png"), "out/a.png: no space left on device."),
            (MemoryError(), "there is not enough memory for this; use less data"),
        ],
    )
    def test_a_full_disk_or_memory_is_one_sentence(self, lab, monkeypatch, error, sentence):
        monkeypatch.setattr(lxmls_day1.base.atomic_files, "write_files_atomically", Mock(side_effect=error))
        assert sentence in self.error("run", "--lab", lab)

    def test_ctrl_c_leaves_nothing_behind(self, lab):
        text = COMPARISON.replace("ax.plot(", "raise KeyboardInterrupt; ax.plot(")
        (lab / "classifiers/run_all_classifiers.py").write_text(text)
        assert run("run", "--lab", lab, status=1).stderr.splitlines()[-1] == "Aborted!"
        assert list(Path("out").iterdir()) == []


class TestSurroundings:
    def test_without_a_home_folder_libraries_keep_their_files_elsewhere(self, monkeypatch):
        for variable in ("NUMBA_CACHE_DIR", "MPLCONFIGDIR"):
            monkeypatch.setenv(variable, "to be put back")
            monkeypatch.delenv(variable)
        monkeypatch.setattr("os.path.expanduser", lambda path: path)
        with caches_without_home():
            place = Path(os.environ["NUMBA_CACHE_DIR"])
            assert place.is_dir() and os.environ["MPLCONFIGDIR"] == str(place)
        assert not place.exists()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGHUP", 0)])
def test_terminating_signals_act_like_ctrl_c_unless_ignored(number):
    before = signal.signal(number, signal.SIG_DFL)
    try:
        with pytest.raises(KeyboardInterrupt, match=str(int(number))), terminate_cleanly():
            signal.raise_signal(number)
        assert signal.getsignal(number) is signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN)  # nohup does this.
        with terminate_cleanly():
            signal.raise_signal(number)
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, before)
