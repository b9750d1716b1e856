"""Boxes of each level, one level per run: the values that they return, and the reports on boxes that fail."""

import contextlib
import os
import signal
import socket
import sys
import time
from contextlib import closing
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import PurePosixPath
from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse

from lxmls_day1.base.errors import InputError
from lxmls_day1.box.box import Box, BoxFailure, InvalidReply
from lxmls_day1.box.box_server import BoxServer, PrecompiledFile
from lxmls_day1.box.channel import ConnectionClosed
from lxmls_day1.box.fork_server import PROCESS
from lxmls_day1.box.levels import LEVELS, reason_unavailable, strongest_level
from lxmls_day1.box.limits import Limits
from lxmls_day1.box.programs import load_program
from lxmls_day1.box.sandbox import ForkedBox, ForkServer
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.grading.running.boxed_lab import BoxedLab
from lxmls_day1.grading.running.lab_boxes import LAB_PROGRAM, lab_program
from lxmls_day1.lab import Lab
from tests.lxmls_day1.grading.labs import boxed_lab
from tests.wording import wording

pytestmark = [pytest.mark.slow(20), pytest.mark.one_in(3, by="fork_server")]

FILES = boxed_lab("things", "made")
TRAININGS = [
    ({"step": 0.5}, np.array([[1.0, 2.0], [3.0, 4.0]]), ["a", "b"]),
    ({"step": 2.0}, [[1, 2, 3]], [1]),
    ({}, np.zeros((0, 2)), []),
]
ECHO = {"do": "perform", "method": "function", "target": ("things", "echo"), "arguments": (), "settings": {}}
LIMITS = Limits(check_seconds=1.5, total_seconds=60, cpu_seconds=20, memory=256, written=2)


@pytest.fixture(scope="module", params=LEVELS)
def fork_server(request):
    if reason := reason_unavailable(lab_program(), request.param):
        pytest.skip(f"the sandbox level {request.param} does not work here: {reason}")
    with closing(ForkServer(lab_program(), request.param)) as made:
        yield made


@pytest.fixture
def open_lab(fork_server):
    """Return a function that begins a lab in a box of its own; the boxes end with the test."""
    with contextlib.ExitStack() as stack:

        def begun(limits=LIMITS, files=FILES):
            lab = stack.enter_context(closing(BoxedLab(fork_server, files, limits)))
            lab.begin()
            return lab

        yield begun


@pytest.fixture
def lab(open_lab):
    return open_lab()


def test_values_go_in_and_come_out(lab):
    X = scipy.sparse.csr_array(np.eye(3))
    (back, text, pair, sparse), settings = lab.function(
        "things", "echo", np.arange(4.0).reshape(2, 2), "Größe", (1, None), X, rate=np.float64(0.5), many=[1, [2.5]]
    )
    assert np.array_equal(back, [[0, 1], [2, 3]])
    assert (text, pair) == ("Größe", (1, None))
    assert np.array_equal(sparse.toarray(), np.eye(3))
    assert settings == {"rate": 0.5, "many": [1, [2.5]]}


def test_an_object_stays_inside_and_keeps_its_state(lab):
    counter = lab.classifier("things", "Counter", start=2)
    assert counter.add(3) == 5
    assert counter.count == 5
    assert counter.plus(counter) == 10


def test_a_box_receives_interrupts_even_if_its_fork_server_ignores_them():
    level = next(level for level in LEVELS if not reason_unavailable(lab_program(), level))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        fork_server = ForkServer(lab_program(), level)
    finally:
        signal.signal(signal.SIGINT, before)
    with closing(fork_server), closing(BoxedLab(fork_server, FILES, LIMITS)) as lab:
        lab.begin()
        assert lab.function("things", "hears_interrupts") is True


@pytest.mark.parametrize(
    ("kind", "caught"),
    [("ValueError", ValueError), ("KeyError", KeyError), ("Own", ArithmeticError), ("ExceptionGroup", Exception)],
)
def test_an_exception_is_of_the_same_kind_outside(lab, kind, caught):
    with pytest.raises(caught) as info:
        lab.function("things", "fail", kind)
    assert "classifiers/things.py:" in info.value.boxed.trace
    assert "in fail" in info.value.boxed.trace
    assert lab.function("things", "echo", 1) == [[1], {}]  # The box continues.


@pytest.mark.parametrize(("call", "said"), [(("thing", "echo"), "things.py"), (("things", "eco"), "echo")])
def test_a_missing_name_is_reported_with_a_similar_name(lab, call, said):
    with pytest.raises(InputError, match=said) as info:
        lab.function(*call)
    assert "NotInLab" in info.value.boxed.kinds


def test_answers_that_are_not_plain_data_are_refused(lab):
    with pytest.raises(InvalidReply, match="a set"):
        lab.function("things", "secret")


def test_an_answer_that_would_grow_is_refused_and_the_box_continues(lab):
    with pytest.raises(InvalidReply, match="not sparse"):
        lab.function("things", "hostile")
    assert lab.function("things", "echo", 1) == [[1], {}]


def test_all_answers_of_a_box_together_are_limited(open_lab):
    lab = open_lab(Limits(reply=0.25))
    with pytest.raises(BoxFailure, match="in all") as info:
        for _ in range(10):
            assert lab.function("things", "echo", 1) == [[1], {}]
            lab.function("things", "echo", np.zeros(30_000, np.uint8).tobytes().decode())
    assert info.value.verdict == "refused"


def test_printed_text_is_returned(lab):
    assert lab.function("things", "say", "hello") == 5
    deadline = time.monotonic() + 10
    said = ""
    while said.count("hello") < 2 and time.monotonic() < deadline:
        said += lab.read_output()
    assert said.count("hello") == 2


@pytest.mark.parametrize(
    ("function", "argument", "verdict", "said"),
    [
        ("sleep", (60,), "timeout", "did not end within 1.5 s on the clock"),
        ("burn", (), "timeout", "did not end within"),
        ("drip", (), "timeout", "did not end within 1.5 s on the clock"),
        ("leave", (), "crashed", "exit status 7"),
        ("say", ("x" * 3_000_000,), "refused", "MiB printed"),
    ],
)
def test_a_box_that_fails_reports_why_and_the_next_box_is_fresh(lab, function, argument, verdict, said):
    lab.function("things", "echo")
    with pytest.raises(BoxFailure, match=said) as info:
        lab.function("things", function, *argument)
    assert info.value.verdict == verdict
    lab.begin()
    assert lab.function("things", "echo", 1) == [[1], {}]


def test_using_an_object_of_a_box_that_ended_raises(lab):
    counter = lab.classifier("things", "Counter")
    with pytest.raises(BoxFailure):
        lab.function("things", "leave")
    with pytest.raises(BoxFailure):
        counter.add(1)


def test_memory_is_limited(lab):
    assert lab.function("things", "take", 10_000_000) == 10_000_000
    with pytest.raises(MemoryError):
        lab.function("things", "take", 400_000_000)


def test_no_answer_stays_in_the_box_where_it_would_count_against_the_limit_on_memory(lab):
    assert [int(lab.function("things", "count_earlier_answers")) for _ in range(3)] == [0, 0, 0]


def test_written_bytes_are_limited(lab):
    assert lab.function("things", "write", 1_000_000) == 1_000_000
    with pytest.raises(OSError, match=wording("grading.file_too_large_space")):
        lab.function("things", "write", 3_000_000)


def test_written_bytes_are_limited_while_an_answer_arrives_slowly(lab, fork_server):
    """If the kernel counts the written bytes, the writing thread ends, and the slow answer exceeds the time limit."""
    counted = lab._open()._process.folder is None
    said = wording("grading.did_end_within") if counted else wording("grading.more_mib_written")
    with pytest.raises(BoxFailure, match=said):
        lab.function("things", "drip_and_write")


def test_cpu_time_is_limited_over_all_boxes(open_lab):
    lab = open_lab(Limits(check_seconds=30, total_seconds=60, cpu_seconds=1))
    with pytest.raises(BoxFailure, match="processor time") as info:
        lab.function("things", "burn")
    assert info.value.verdict == "timeout"


@pytest.mark.parametrize("function", ["burn", "burn_in_c"])
def test_cpu_time_of_a_check_is_limited(open_lab, function):
    lab = open_lab(Limits(check_cpu_seconds=1))
    with pytest.raises(BoxFailure, match=wording("grading.more_s_processor_time")) as info:
        lab.function("things", function)
    assert info.value.verdict == "timeout"
    lab.begin()
    assert lab.function("things", "echo", 1) == [[1], {}]


def test_time_that_the_box_waits_for_a_cpu_is_not_charged(open_lab):
    """The box sleeps for longer than its CPU time limit, as a box on a busy machine waits."""
    lab = open_lab(Limits(check_cpu_seconds=1, cpu_seconds=1))
    lab.function("things", "sleep", 2.5)
    assert lab.function("things", "echo", 1) == [[1], {}]


def test_boxes_of_one_fork_server_end_each_by_itself(open_lab):
    labs = [open_lab() for _ in range(3)]
    for lab in labs:
        assert lab.function("things", "echo", 1) == [[1], {}]
    with pytest.raises(BoxFailure, match="exit status 7"):
        labs[0].function("things", "leave")
    labs[1].close()
    assert labs[2].function("things", "echo", 2) == [[2], {}]
    labs[0].begin()
    assert labs[0].function("things", "echo", 3) == [[3], {}]  # In a new box.


# Many at once -------------------------------------------------------------------------------------------------------------


def test_many_trainings_in_one_request_match_a_lab_without_a_box(lab, tmp_path):
    write_files(tmp_path, FILES)
    wanted = Lab(tmp_path).each_made("made", "Learner", "train", TRAININGS, ["seen", "classes"])
    got = lab.each_made("made", "Learner", "train", TRAININGS, ["seen", "classes"])
    assert [[params.tolist(), *others] for params, *others in got] == [
        [params.tolist(), *others] for params, *others in wanted
    ]
    assert [params.tolist() for params, *_ in got] == [[2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 0.0]]
    assert lab.changes == []
    assert lab.each_made("made", "Learner", "train", []) == []


def test_the_first_argument_is_made_in_the_box(lab):
    calls = [(([1.0, 2.0], [3.0]), 2), (([0.5], []), -1)]
    assert lab.each("made", "total", calls, first_as="Pair") == [12.0, -0.5]
    with pytest.raises(AttributeError, match="parts"):
        lab.each("made", "total", calls)
    with pytest.raises(TypeError, match="second"):
        lab.each("made", "total", [(([1.0],), 2)], first_as="Pair")
    with pytest.raises(Exception, match="no function Pear"):
        lab.each("made", "total", calls, first_as="Pear")


def test_a_failing_training_fails_its_request_and_the_box_continues(lab):
    with pytest.raises(ValueError, match="too far"):
        lab.each_made("made", "Learner", "fails_later", TRAININGS)
    with pytest.raises(InputError, match="no setting 'fast'"):
        lab.each_made("made", "Learner", "train", [({"fast": True}, [], [])])
    with pytest.raises(AttributeError, match="gone"):
        lab.each_made("made", "Learner", "train", TRAININGS, ["gone"])
    with pytest.raises(InvalidReply, match=wording("grading.an_answer_must_be")):
        lab.each_made("made", "Learner", "train", TRAININGS, ["code"])
    with pytest.raises(InvalidReply, match="MB"):
        lab.each_made("made", "Learner", "sizeable", TRAININGS)
    assert len(lab.each_made("made", "Learner", "train", TRAININGS)) == 3


def test_a_training_that_changes_its_arguments_is_reported(lab):
    lab.each_made("made", "Learner", "changes", TRAININGS[:1])
    assert lab.changes == ["changes"]
    assert TRAININGS[0][1].tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_fewer_answers_than_trainings_are_refused(lab):
    lab.each_made("made", "Learner", "is_gone", TRAININGS[:1])
    with pytest.raises(BoxFailure, match="not 3 answers") as caught:
        lab.each_made("made", "Learner", "train", TRAININGS)
    assert caught.value.verdict == "refused"
    with pytest.raises(BoxFailure, match=wording("grading.what_asked_learner")):
        lab.each_made("made", "Learner", "train", TRAININGS[:1], ["seen"])


@pytest.mark.skipif(os.name == "nt", reason="boxes that are forked are for Linux")
def test_the_exit_of_a_box_is_read_after_its_fork_server_ended():
    served, its_served = socket.socketpair()
    reported, its_reported = socket.socketpair()
    printed, its_printed = os.pipe()
    os.close(its_printed), its_served.close()
    its_reported.send(b'{"status": 9, "cpu": 1.5}')
    its_reported.close()
    assert ForkedBox(served, printed, reported, folder=None, server_pid=os.getpid()).end() == {"status": 9, "cpu": 1.5}


def test_a_box_has_only_the_listed_environment_variables(lab, fork_server):
    assert set(lab.function("things", "variables")) - {"PWD"} <= set(fork_server.environment())  # bubblewrap sets PWD


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is one level, with our own variables")
def test_the_level_does_not_depend_on_the_graders_variables(monkeypatch):
    """The instructor may have an IPYTHONDIR, for example; a box has that variable with another value."""
    before = strongest_level(lab_program())
    with closing(ForkServer(lab_program(), PROCESS)) as any_server:
        names = any_server.environment()
    for name in names:
        if name not in os.environ:
            monkeypatch.setenv(name, "C.UTF-8")
    assert strongest_level(lab_program()) == before


@pytest.mark.skipif("CI" not in os.environ, reason="for machines of continuous integration")
@pytest.mark.parametrize("level", [level for level in LEVELS if level != PROCESS])
def test_the_safe_levels_work_here(level):
    """On machines without these levels, most tests of grading are skipped."""
    assert reason_unavailable(lab_program(), level) is None


def test_a_box_shows_nothing_of_another(open_lab):
    with pytest.raises(InputError, match="classifiers"):
        open_lab(files={}).function("things", "echo")


@pytest.mark.parametrize(
    "own",
    [{f"{i}/a/b/c/d/data.txt": b"x" for i in range(200)}, {f"{i}.bin": bytes(10_000_000) for i in range(7)}],
    ids=["folders", "more than one request may hold"],
)
def test_many_and_large_files(fork_server, own):
    own = {PurePosixPath("classifiers", name): content for name, content in own.items()}
    with closing(Box(fork_server, FILES | own, LIMITS)) as box:
        assert box.call(ECHO, 20) == [[], {}]


@pytest.mark.parametrize("name", ["🐍" * 100, "readers", "classifiers/things.py/a"])
def test_files_that_no_box_can_hold_fail_only_their_submission(fork_server, name):
    with pytest.raises(BoxFailure, match=wording("grading.files_cannot_put_box")) as info:
        Box(fork_server, {**FILES, PurePosixPath(name): b"x"}, LIMITS)
    assert info.value.verdict == "refused"
    Box(fork_server, FILES, LIMITS).close()


def test_a_box_can_be_closed_twice(fork_server):
    box = Box(fork_server, FILES, LIMITS)
    box.close()
    assert box.close() == {}
    with pytest.raises(InputError):
        box.call(ECHO, 1)


def test_a_starter_file_is_sent_by_name_and_not_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path_hooks", [*sys.path_hooks])
    monkeypatch.chdir(tmp_path)
    source = b"def place():\n    return (lambda: 1).__code__.co_filename\n"
    text = "def place():\n    return 'compiled before', (lambda: 1).__code__.co_filename"
    other = compile(text, "/a/given.py", "exec")
    given = {"classifiers/given.py": PrecompiledFile(source, other)}
    request = {"do": "files", "files": {"classifiers/own.py": b"x = 2"}, "given": [*given]}
    channel = Mock(receive=Mock(side_effect=[request, ConnectionClosed]))
    with pytest.raises(ConnectionClosed):
        BoxServer(tmp_path, 1 << 20, load_program(LAB_PROGRAM, {}), given).serve(channel)
    assert [sent.args[0] for sent in channel.send.call_args_list] == [{"value": None}]
    path = tmp_path / "classifiers" / "given.py"
    assert path.read_bytes() == source
    assert (tmp_path / "classifiers" / "own.py").read_bytes() == b"x = 2"
    found = PathFinder.find_spec("given", [str(path.parent)])
    module = module_from_spec(found)
    found.loader.exec_module(module)
    assert module.place() == ("compiled before", str(path))
