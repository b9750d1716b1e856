import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lxmls_day1.commands.command_line import COMMANDS
from lxmls_day1.commands.standard_streams import ErrorOutput, Output, OutputLost, StandardStreams
from lxmls_day1.course.workspace import start_workspace

ROOT = Path(__file__).resolve().parents[3]


class Full(io.RawIOBase):
    def __init__(self, room=0):
        self.room, self.content = room, b""

    def writable(self):
        return True

    def write(self, content):
        if not self.room:
            raise OSError(28, "No space left on device")
        self.content += bytes(content[: self.room])
        self.room -= len(content[: self.room])
        return len(content)


class TestOutput:
    def test_it_fails_once(self):
        output = Output(Full())
        with pytest.raises(OutputLost):
            output.write(b"one")
        assert output.write(b"another") == 7 and output.error.errno == 28

    def test_a_closed_one(self):
        with pytest.raises(OutputLost):
            Output(None).write(b"one")

    def test_errors_are_kept_where_they_cannot_be_written(self):
        errors = ErrorOutput(Full(room=3))
        assert errors.write(b"one") == 3 and errors.lost == b""
        assert errors.write(b"another") == 7 and errors.lost == b"another"
        errors.write(b"x" * 20_000)
        assert len(errors.lost) == 10_000


def test_streams_that_are_no_files_are_left_alone(monkeypatch):
    ours = io.StringIO()
    monkeypatch.setattr(sys, "stdout", ours)
    monkeypatch.setattr(sys, "stderr", ours)
    streams = StandardStreams()
    assert sys.stdout is ours and sys.stderr is ours
    assert streams.finish(1) == 1 and ours.getvalue() == ""


RUN = """
import io, json, os, shutil, sys, traceback
from lxmls_day1.commands.command_line import main
import lxmls_day1.demos.export, lxmls_day1.course.checking, lxmls_day1.course.submission_export, lxmls_day1.course.hints  # once for all
import lxmls_day1.course.student_bundle, lxmls_day1.course.upgrade, lxmls_day1.course.progress, lxmls_day1.engine.text.parsed_reviews
import lxmls_day1.tuning, numpy, scipy.sparse

def attach(number, kind, path):
    if kind == "closed":
        os.close(number)
        return
    if kind == "file":
        opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    elif kind == "full":
        opened = os.open("/dev/full", os.O_WRONLY)
    elif kind == "unread":
        reading, opened = os.pipe()
        os.close(reading)
    os.dup2(opened, number)
    os.close(opened)

def run(arguments, out, err, environment, place, folder):
    child = os.fork()
    if not child:
        status = 99
        try:
            os.environ.update(environment)
            os.chdir(folder)
            for number, kind, name in ((1, out, "out"), (2, err, "err")):
                attach(number, kind, os.path.join(place, name))
            for number, name in ((1, "stdout"), (2, "stderr")):
                try:
                    os.fstat(number)
                    encoding = environment.get("PYTHONIOENCODING", "utf-8")
                    stream = io.TextIOWrapper(io.BufferedWriter(io.FileIO(number, "w", closefd=False)), encoding=encoding)
                except OSError:
                    stream = None
                setattr(sys, name, stream)
            try:
                main(arguments)
            except SystemExit as end:
                status = end.code or 0
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
        except BaseException:
            with open(os.path.join(place, "traceback"), "w") as file:
                traceback.print_exc(file=file)
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

cases = json.load(open(sys.argv[1]))
ended = []
for number, case in enumerate(cases):
    place = os.path.join(sys.argv[2], str(number))
    os.mkdir(place)
    shutil.copytree(sys.argv[3], os.path.join(place, "lab"))
    status = run(case["arguments"], case["out"], case["err"], case["environment"], place, os.path.join(place, "lab"))
    said = {}
    for name in ("out", "err", "traceback"):
        path = os.path.join(place, name)
        said[name] = open(path, "rb").read().decode("utf-8", "replace") if os.path.exists(path) else None
    ended.append({"status": status, **said})
    shutil.rmtree(place)
json.dump(ended, open(sys.argv[1], "w"))
"""

CASES = {
    "help": ["--help"],
    "not a command": ["rnu"],
    "run": ["run", "--domain", "toy", "--lab", "small"],
    "tune": ["tune", "--classifier", "no"],
    "train": ["train", "--classifier", "no", "--out", "x.npz"],
    "cache": ["cache", "none.csv", "--out", "big.bags"],
    "toy": ["toy", "--documents", "3"],
    "predict": ["predict", "small.npz", "none.txt"],
    "explain": ["explain", "small.npz", "none.txt"],
    "start": ["start", "another"],
    "lab": ["lab", "--print"],
    "browser": ["browser", "small"],
    "demo": ["demo", "--only", "none"],
    "check": ["check", "1.1"],
    "hint": ["hint", "1.5"],
    "docs": ["docs", "--no-browser"],
    "doctor": ["doctor"],
    "status": ["status"],
    "solve": ["solve", "1.5"],
    "reset": ["reset", "1.5"],
    "undo": ["undo"],
    "update": ["update"],
    "add": ["add"],
    "submit": ["submit"],
    "release": ["release", "out", "--exercises", "9.9"],
    "grade": ["grade", "none.zip", "--out", "marks"],
    "autograder": ["autograder", "--for", "gradescope", "--out", "out"],
}
FAILS_BEFORE_IT_PRINTS = "release out --exercises 9.9"
STREAMS = {
    "ordinary": ("file", "file", {}),
    ">&-": ("closed", "file", {}),
    "2>&-": ("file", "closed", {}),
    ">&- 2>&-": ("closed", "closed", {}),
    "> /dev/full": ("full", "file", {}),
    "2> /dev/full": ("file", "full", {}),
    "> /dev/full 2>&1": ("full", "full", {}),
    "| true": ("unread", "file", {}),
    "LC_ALL=C": ("file", "file", {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}),
}


@pytest.fixture(scope="module", params=["a sample", pytest.param("all", marks=pytest.mark.campaign)])
def ended(request, tmp_path_factory):
    """How each command ends with its streams: (command, streams) -> status, out, err, traceback.

    Of the streams that are not ordinary, each command has one, drawn by lot; in a campaign all.
    """
    folder = tmp_path_factory.mktemp("streams")
    lab = start_workspace(folder / "lab")
    (lab / "small" / "readers").mkdir(parents=True)
    (lab / "small" / "classifiers").mkdir()
    for name in ("readers/__init__.py", "classifiers/__init__.py"):
        (lab / "small" / name).touch()
    (lab / "small.npz").write_bytes(b"no model")
    usual, *others = STREAMS
    others_of = {command: [others[n % len(others)]] for n, command in enumerate(CASES)}
    if request.param == "all":
        others_of = dict.fromkeys(CASES, others)
    names = [(command, streams) for command in CASES for streams in (usual, *others_of[command])]
    cases = [
        {"arguments": CASES[command], **dict(zip(("out", "err", "environment"), STREAMS[streams], strict=True))}
        for command, streams in names
    ]
    (folder / "cases.json").write_text(json.dumps(cases))
    (folder / "places").mkdir()
    command = [sys.executable, "-c", RUN, str(folder / "cases.json"), str(folder / "places"), str(lab)]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "LXMLS_DAY1_CACHE": str(folder / "cache"),
        "LXMLS_DAY1_OFFLINE": "1",
    }
    subprocess.run(command, env=environment, cwd=folder, check=True, timeout=600)
    return dict(zip(names, json.loads((folder / "cases.json").read_text()), strict=True))


@pytest.mark.one_in(3)
@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", ["--version", "--help", FAILS_BEFORE_IT_PRINTS])
def test_the_streams_that_python_itself_makes(unbuffered, arguments):
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    command = f"'{sys.executable}' -P -m lxmls_day1 {arguments}"
    full = "" if arguments == FAILS_BEFORE_IT_PRINTS else "standard output cannot be written to: "
    for streams, lost in {
        ">/dev/full": full + "no space left",
        ">&-": full + "it is closed",
        "2>&-": "",
        "2>/dev/full": "",
    }.items():
        end = subprocess.run(f"{command} {streams}", shell=True, env=environment, capture_output=True, text=True)
        failed = arguments == FAILS_BEFORE_IT_PRINTS
        assert end.returncode == int(failed or bool(lost)), (streams, end)
        wanted = "there is no exercise '9.9'" if failed else lost
        assert wanted in (end.stderr if lost else end.stdout) and "Traceback" not in end.stderr, (streams, end)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full, and fork")
class TestEveryCommand:
    def test_all_commands_are_among_them(self):
        assert set(COMMANDS) <= set(CASES)

    @pytest.mark.parametrize("command", CASES)
    def test_it_ends_with_a_code_and_a_sentence(self, ended, command):
        ordinary = ended[command, "ordinary"]
        assert ordinary["status"] in (0, 1, 2) and (ordinary["out"] or ordinary["err"])
        for streams in (streams for each, streams in ended if each == command):
            end = ended[command, streams]
            assert end["traceback"] is None and "Traceback" not in (end["out"] or "") + (end["err"] or ""), streams
            output_lost = bool(ordinary["out"]) and STREAMS[streams][0] != "file"
            if output_lost and streams == "| true":
                assert end["status"] == 141, streams
            else:
                assert end["status"] == (ordinary["status"] or int(output_lost)), streams
            if end["err"] is not None and output_lost and streams != "| true":
                assert "Error: standard output cannot be written to: " in end["err"], streams
            elif end["status"] not in (0, 141) and (end["out"], end["err"]) != (None, None):
                assert (end["out"] or end["err"]).strip(), streams
            if streams == "LC_ALL=C":
                assert (end["out"] + end["err"]).isascii()
            if ordinary["status"] and end["out"] is not None and end["err"] is None:
                assert "Error: " in end["out"] or end["out"] == ordinary["out"], streams
