"""Hostile submissions: each gets its verdict, no other mark changes, and no process or file is left behind."""

import ast
import hashlib
import os
import re
import shutil
import socket
import sys
import textwrap
import tomllib
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest

from lxmls_day1.box import confinement
from lxmls_day1.box.fork_server import BUBBLEWRAP, LANDLOCK
from lxmls_day1.box.levels import NOBODY, Level, reason_unavailable
from lxmls_day1.box.limits import Limits
from lxmls_day1.box.messages import encode_message
from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.expect import Expect
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.workspaces.generation import solved_files
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.engine.text.corpora import cache_folder
from lxmls_day1.grading.grading_run import Run, grade
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.plan import EXPECTED as EXPECTED_ANSWERS
from lxmls_day1.grading.running.plan import KEPT, Plan, make_plan
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.grading.labs import code_of
from tests.lxmls_day1.zip_files import link, write_zip

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="hidden checks are graded on Linux")
#: It runs first: in a new checkout it compiles the functions of boxes, which other files would compile at the same time.
pytestmark = [pytest.mark.slow(60), on_linux]

MIRA = PurePosixPath("classifiers/mira.py")
LIMITS = Limits(check_cpu_seconds=1, cpu_seconds=8, check_seconds=2, total_seconds=16, memory=512, files=64, written=4)
SECRET = "correct-horse-battery-staple"

#: Attacks take the names of the project from its objects, because an attack on a name that has changed would attack nothing.
NAMES = {
    "ANSWERS": Answer.is_close.__module__,
    "EXPECT": Expect.__call__.__module__,
    "SECRETS": str([kind.__name__ for kind in (RecordedAnswers, Answer, Plan, pytest.Function)]),
    "ENCODE": encode_message.__name__,
}


def read_attacks(place: str) -> dict[str, tuple[str, set[str]]]:
    """Return name -> (code, verdicts that it may get) of a table in the file of attacks."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))[place]
    in_capitals = re.compile("|".join(NAMES))
    return {
        name: (in_capitals.sub(lambda found: NAMES[found[0]], attack["code"]), set(attack["verdicts"]))
        for name, attack in table.items()
    }


IN_A_CALL, AT_IMPORT = read_attacks("in_a_call"), read_attacks("at_import")
#: Each line must end in an exception; the submission then gets the verdict "wrong". `changed` raises
#: unless a file has changed afterwards; `call` makes a system call by its numbers on x86-64 and 64-bit ARM.
NOT_POSSIBLE = {
    "modes_of_neighbours": [
        "[changed(path, lambda: os.chmod(path, 0)) for path in NEIGHBOURS]",
        "[changed(path, lambda: os.chmod(path, 0o777)) for path in (os.__file__, np.__file__, '/dev/null', '/dev/urandom')]",
        "file = open(os.__file__); changed(os.__file__, lambda: os.fchmod(file.fileno(), 0))",
    ],
    "owners_of_neighbours": [
        "[os.chown(path, -1, -1) for path in NEIGHBOURS]", "os.lchown(os.__file__, -1, -1)", "os.chown('/dev/null', 0, 0)",
    ],
    "times_of_neighbours": ["[changed(path, lambda: os.utime(path, (1, 1))) for path in NEIGHBOURS]"],
    "attributes_of_neighbours": [
        "[os.setxattr(path, 'user.mark', b'0') for path in NEIGHBOURS]", "os.getxattr(os.__file__, 'user.mark')",
    ],
    "cutting_neighbours": [
        "[os.truncate(path, 0) for path in NEIGHBOURS]",
        "[os.open(path, os.O_RDONLY | os.O_TRUNC) for path in NEIGHBOURS]",
        "[os.open(path, 3 | os.O_TRUNC) for path in NEIGHBOURS]",
        "os.open(os.__file__, os.O_RDONLY | os.O_TRUNC)", "os.open(os.__file__, 3)",
    ],
    "removing_neighbours": [
        "os.unlink(NEIGHBOURS[0])", "os.rename(NEIGHBOURS[0], NEIGHBOURS[0] + '~')", "os.rename(NEIGHBOURS[0], 'mine')",
        "os.rmdir(NEIGHBOURS[-1])", "os.mkdir(NEIGHBOURS[-1] + '/new')", "os.unlink(os.__file__)",
    ],
    "names_for_neighbours": [
        "os.link(NEIGHBOURS[0], 'mine')", "os.symlink(NEIGHBOURS[0], 'mine')", "os.mkfifo('pipe')", "os.mknod('device')",
        "call(303, 264, -100, b'/', ctypes.create_string_buffer(128), ctypes.byref(ctypes.c_int()), 0)",
    ],
    "signals_of_descriptors": [
        f"fcntl.fcntl({descriptor}, {command}, {argument})"
        for descriptor in (0, 1, 3) for command, argument in ((8, "os.getppid()"), (8, "-1"), (10, "9"))
    ] + ["fcntl.ioctl(3, 0x8901, os.getpid().to_bytes(4, 'little'))", "fcntl.ioctl(1, 0x5452, bytes([1, 0, 0, 0]))"],
    "locks_and_leases": [
        "fcntl.flock(open(os.__file__), fcntl.LOCK_EX)", "fcntl.lockf(open(os.__file__), fcntl.LOCK_SH)",
        "fcntl.fcntl(open(os.__file__), 1024, 0)", "fcntl.fcntl(os.open('.', 0), 1026, 0x8000001F)",
        "fcntl.flock(0, fcntl.LOCK_EX)",
    ],
    "watching_folders": ["call(294, 26, 0)", "call(253, 26, 0)", "call(300, 262, 0, 0)"],
    "ipc_of_system_v": [
        "call(29, 194, 0, 4096, 0o1666)", "call(64, 190, 0, 1, 0o1666)", "call(68, 186, 0, 0o1666)",
        "call(30, 196, 0, None, 0)", "call(71, 187, 0, 0, None)", "call(240, 180, b'name', 66, 0o600, None)",
    ],
    "descriptors_of_processes": [
        "os.pidfd_open(os.getppid())", "os.pidfd_open(1)", "os.pidfd_open(os.getpid())", "call(438, 438, 3, 0, 0)",
    ],
    "signals_to_others": [
        "os.kill(os.getppid(), 0)", "os.kill(-1, 0)", "os.kill(0, 0)", "os.killpg(os.getpgrp(), 0)",
        "call(129, 138, os.getppid(), 0, bytes(128))", "call(234, 131, os.getppid(), os.getppid(), 0)",
    ],
    "hampering_others": [
        "os.setpriority(os.PRIO_USER, 0, 19)", "os.setpriority(os.PRIO_PGRP, 0, 19)", "os.sched_setaffinity(0, {0})",
        "resource.prlimit(os.getppid() or 2, resource.RLIMIT_CPU)", "call(251, 30, 3, 0, 0)", "call(306, 267, 0)",
    ],
    "more_than_is_allowed": [
        "resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))", "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))", "os.setuid(0)", "os.setuid(1)", "os.setgroups([0])",
        "call(157, 167, 1, 0, 0, 0, 0)", "call(135, 92, 0x0040000)", "call(125, 91, 0, 0)", "os.nice(-5)",
    ],
    "sockets": [f"socket.socket({family}, {kind})" for family in (1, 2, 10, 16, 17, 38, 40) for kind in (1, 2, 3)],
    "sockets_of_a_pair": [
        f"socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].{attempt}"
        for attempt in ("sendto(b'x', '/dev/log')", "sendto(b'x', '\\0abstract')", "connect('/run/systemd/journal/socket')",
                     "bind('\\0mine')", "sendmsg([b'x'], [], 0, '/dev/log')")
    ] + ["socket.send_fds(socket.socket(fileno=os.dup(3)), [b'x'], [0])"],
    "memory_beyond_limits": ["os.memfd_create('x')", "call(447, 447, 0)", "open('/dev/shm/x', 'w')", "mmap.mmap(-1, 1 << 40)",
                             "call(149, 228, id(np), 4096)"],
    "the_kernels_machines": [
        "call(425, 425, 8, bytes(120))", "call(323, 282, 1)", "call(321, 280, 0, bytes(72), 72)",
        "call(298, 241, bytes(128), 0, -1, -1, 0)", "call(250, 219, 0, -3, 1)", "call(248, 217, b'user', b'x', b'y', 1, -3)",
        "call(317, 277, 1, 0, None)", "call(444, 444, None, 0, 1)", "call(222, 107, 0, None, ctypes.byref(ctypes.c_int()))",
    ],
    "other_name_spaces": [
        f"call(272, 97, {1 << bit})" for bit in (7, 9, 17, 25, 26, 27, 28, 29, 30)
    ] + ["call(308, 268, os.open('/proc/self/ns/net', 0), 0)", "call(56, 220, 0x10000011, 0, 0, 0, 0)",
         "call(165, 40, b'none', b'.', b'tmpfs', 0, None)", "os.chroot('.')", "call(428, 428, -100, b'.', 1)"],
    "processes": [
        "os.fork()", "os.posix_spawn('/bin/true', ['true'], {})", "os.execve('/bin/true', ['true'], {})",
        "os.execve(os.open('/bin/true', 0), ['true'], {})", "call(56, 220, 0x4111, 0, 0, 0, 0)", "call(435, 435, bytes(88), 88)",
        "os.setsid()", "os.system('true') == 0 or int('no')",
    ],
    "writing_to_proc": [
        f"open('/proc/self/{name}', 'r+')" for name in ("mem", "oom_score_adj", "uid_map", "comm", "coredump_filter")
    ] + ["open('/proc/sysrq-trigger', 'w')", "open('/proc/sys/kernel/core_pattern', 'w')"],
    "typing_into_a_terminal": [
        f"fcntl.ioctl({descriptor}, {code}, b'x')" for descriptor in (0, 1, 2, 3) for code in (0x5412, 0x541C, 0x540E)
    ] + ["open('/dev/tty', 'r+')", "open('/dev/console', 'w')", "os.openpty()"],
    "too_many_threads": [
        "[started.start() for started in [threading.Thread(target=threading.Event().wait, args=(0.5,)) for _ in range(200)]]"
    ],
}  # fmt: skip
ATTEMPTS = """
done = []
for attempt in {attempts!r}:
    try:
        exec(attempt, globals())
    except (OSError, ValueError, RuntimeError, MemoryError):
        continue
    done.append(attempt)
if done:
    raise SystemError("found possible: " + repr(done))
return np.full(len(scores), 0.123)
"""
HELPERS = """
import ctypes, fcntl, mmap, os, platform, resource, socket, threading


def changed(path, attempt):
    before = os.stat(path)
    attempt()
    after = os.stat(path)
    if (before.st_mode, before.st_mtime_ns) == (after.st_mode, after.st_mtime_ns):
        raise OSError("nothing has changed")


def call(*numbers_and_arguments):
    x86_64, arm, *arguments = numbers_and_arguments
    number = arm if platform.machine() == "aarch64" else x86_64
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    if ctypes.CDLL(None, use_errno=True).syscall(number, *values) < 0:
        raise OSError(ctypes.get_errno(), str(number))
"""
IN_A_CALL |= {name: (ATTEMPTS.format(attempts=attempts), {"wrong"}) for name, attempts in NOT_POSSIBLE.items()}
IN_A_CALL["too_many_threads"][1].add("timeout")  # 200 attempts in each of many calls are slow
STOPPED = ("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", {"ok", "timeout"})

SHADOWS = ("random.py", "numpy.py", "pytest.py", "sitecustomize.py", "json/__init__.py", "lxmls_day1/__init__.py")


def put(content, *names):
    """Return a change that writes this content into files of these names."""
    return lambda files: files.update(dict.fromkeys(map(PurePosixPath, names), content))


#: A change of the whole submission, and the verdicts of all checks.
AS_FILES = {
    "missing_file": (lambda files: files.pop(MIRA), {"missing"}),
    "renamed_file": (lambda files: files.update({MIRA.with_name("my_mira.py"): files.pop(MIRA)}), {"ok"}),
    "syntax_error": (lambda files: files.update({MIRA: files[MIRA] + b"\ndef ("}), {"error"}),
    "not_utf_8": (lambda files: files.update({MIRA: files[MIRA] + '\nNAME = "Größe"\n'.encode("latin-1")}), {"error"}),
    "no_function": (put(b"class Mira: pass\n", MIRA), {"missing", "error"}),
    "empty_file": (put(b"", MIRA), {"missing"}),
    "named_like_modules": (put(b"raise SystemExit('shadow')\n", *SHADOWS), {"ok"}),
    "folders_and_folders": (put(b"x", *(f"classifiers/{i}/a/b/c/data.txt" for i in range(200))), {"ok"}),
    "other_readers": (put(b"raise SystemExit\n", "classifiers/linear_classifier.py"), {"ok"}),
}
#: These attacks concern answers and files, not the sandbox: all levels behave alike, so only the first level is tested.
LEVEL_DOES_NOT_MATTER = (
    "sys_exit", "keyboard_interrupt", "recursion", "patched_libraries", "equal_to_everything", "array_tricks",
    "subclass_of_array", "object_array", "not_a_number", "infinity", "texts", "complex_numbers", "dates", "another_shape",
    "texts_that_grow", "a_wide_sparse_array", "an_empty_array_without_end", "many_lists", "a_column_that_broadcasts",
    "nothing", "a_generator", "a_list_in_itself", "10_MB_of_output_in_pieces", "lying_exception", "loop_at_import",
    "sys_exit_at_import", "memory_bomb_at_import", "slow_memory_bomb", "silence_on_the_line", "half_a_message",
    *AS_FILES,
)  # fmt: skip


def with_attack(source: bytes, code: str, at_import: bool) -> bytes:
    """Return the file with this code at the start of its rule, or at the end of the file."""
    text = source.decode()
    code = code.strip() + "\n"
    if at_import:
        return (text + "\n\n" + code).encode()
    rule = next(node for node in ast.parse(text).body if getattr(node, "name", "") == "mira_rule")
    lines = text.splitlines(keepends=True)
    lines[rule.body[1].lineno - 1 : rule.body[1].lineno - 1] = [textwrap.indent(code, "    ")]
    return "".join(lines).encode()


def looks(folder: Path) -> dict[str, tuple]:
    """Return the contents and the metadata of all files of a folder."""
    return {
        str(path.relative_to(folder)): (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            *[getattr(path.stat(), f"st_{name}") for name in ("mode", "uid", "gid", "mtime_ns", "nlink")],
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts
    }


def children() -> set[tuple[str, str]]:
    """Return all descendants of this process, including orphans."""
    found = set()
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        if state != "Z":
            found.add((pid, command))
    return found


SUPERUSER = hasattr(os, "geteuid") and os.geteuid() == 0
LANDLOCKS = range(1, confinement.landlock_version() + 1) if sys.platform.startswith("linux") else ()
USERS = [None, NOBODY] if SUPERUSER else [None]
#: Level, user of the boxes, newest version of Landlock to use: two of them in every run, all with `make hostile`.
CONFIGURATIONS = [(BUBBLEWRAP, None, None), (LANDLOCK, USERS[-1], None)]
MORE = [(BUBBLEWRAP, user, None) for user in USERS] + [(LANDLOCK, user, abi) for user in USERS for abi in LANDLOCKS]
SHARES = dict(zip(CONFIGURATIONS, ("some", "some others"), strict=True))
ALL = "all"


def pytest_generate_tests(metafunc):
    """Select every sixteenth attack at each of two levels; in a campaign, all attacks at every level."""
    if "graded" in metafunc.fixturenames:
        graded = list(SHARES.items())
        if metafunc.config.getoption("markexpr").startswith("campaign"):
            levels = dict.fromkeys([*CONFIGURATIONS, *MORE])
            graded += [pytest.param((level, ALL), marks=pytest.mark.campaign) for level in levels]
        metafunc.parametrize("graded", graded, ids=name_of, indirect=True, scope="module")


def name_of(graded) -> str:
    configuration, share = graded
    return "-".join(str(part) for part in (*configuration, share) if part is not None)


def attacks_of(configuration, share) -> set[str]:
    """Return the names of the attacks that are tried at a level."""
    attacks = [*IN_A_CALL, *AT_IMPORT, *AS_FILES]
    if share == ALL:
        return set(attacks) - set(LEVEL_DOES_NOT_MATTER if configuration != CONFIGURATIONS[0] else ())
    return set(attacks[16 * list(SHARES.values()).index(share) :: 32])


@pytest.fixture(scope="module")
def graded(request, tmp_path_factory):
    """Grade the attacks, or a share of them, among correct submissions; also return the state before and after."""
    configuration, share = request.param
    level, user, newest_landlock = configuration
    tried = attacks_of(configuration, share)
    if reason := reason_unavailable(lab_program(), level, user):
        pytest.skip(f"the sandbox level {level} does not work here: {reason}")
    place = tmp_path_factory.mktemp(f"hostile-{level}")
    inbox, out, canary = place / "inbox", place / "out", place / "canary"
    canary.mkdir()
    (canary / "canary.txt").write_text("alive", encoding="utf-8")
    right = code_of(solved_files(reference_folder()))
    neighbours = [*map(str, (inbox / "a_right_one" / MIRA, out / "grades.csv", canary / "canary.txt", "/tmp", place))]
    server = socket.create_server(("127.0.0.1", 0))
    code = f"NEIGHBOURS = {neighbours!r}\nPORT = {server.getsockname()[1]}\n{HELPERS}"
    for name in ("a_right_one", "m_right_one", "z_right_one"):
        write_files(inbox / name, right)
    for attacks, at_import in ((IN_A_CALL, False), ({"stopped": STOPPED}, False), (AT_IMPORT, True)):
        for name, (attack, _) in attacks.items():
            if name not in tried and name != "stopped":
                continue
            attacked = with_attack(right[MIRA], attack, at_import)
            write_files(inbox / name, {**right, MIRA: attacked + b"\n\n" + code.encode()})
    for name, (change, _) in AS_FILES.items():
        if name in tried:
            files = dict(right)
            change(files)
            write_files(inbox / name, files)
    make_archives(inbox)
    before = looks(inbox), looks(canary), looks(reference_folder() / "tests" / "exercises"), children()
    confinement.become_subreaper()
    write_files(cache_folder() / KEPT / "of-a-run", {PurePosixPath(EXPECTED_ANSWERS): b"what no box may see"})
    with server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LXMLS_DAY1_SECRET", SECRET)
        plan = make_plan(out, Level(level, (), user, newest_landlock), ["1.5"], seed=3, limits=LIMITS)
        book = grade(Run([inbox], out, jobs=2), plan)
        connected = had_a_guest(server)
    after = looks(inbox), looks(canary), looks(reference_folder() / "tests" / "exercises"), children()
    shutil.rmtree(inbox)
    rows = {row.name: row for row in book.rows}
    return SimpleNamespace(rows=rows, before=before, after=after, connected=connected, tried=tried, out=out)


def had_a_guest(server) -> bool:
    server.settimeout(0.1)
    try:
        server.accept()[0].close()
    except TimeoutError:
        return False
    return True


def make_archives(inbox: Path) -> None:
    """Write malicious zip files."""
    write_zip(inbox / "climbing.zip", {"../../../climbed.py": b"x = 1", "/tmp/climbed.py": b"x = 1"})
    write_zip(inbox / "linking.zip", link("classifiers/mira.py"))
    write_zip(inbox / "bomb.zip", {"classifiers/mira.py": bytes(30_000_000)})
    (inbox / "no_zip.zip").write_bytes(b"PK\x03\x04 not really")


UNREADABLE = ("climbing", "linking", "bomb", "no_zip")
EXPECTED = {name: verdicts for table in (IN_A_CALL, AT_IMPORT, AS_FILES) for name, (_, verdicts) in table.items()}
SEEKING = ("frame_walking", "reading_the_disk", "proc_of_the_grader", "overwriting_neighbours")
UNHARMED = ("a_right_one", "m_right_one", "z_right_one")


def test_every_attack_gets_its_verdict(graded):
    found = {name: {check.verdict for check in graded.rows[name].checks} for name in graded.tried}
    assert {name: verdicts for name, verdicts in found.items() if not verdicts <= EXPECTED[name]} == {}


def test_no_attack_earns_points(graded):
    harmless = {"named_like_modules", "other_readers", "folders_and_folders", "renamed_file"}  # The right rule, graded.
    points = {name: graded.rows[name].points for name in graded.tried - harmless}
    assert {name: number for name, number in points.items() if number} == {}


def test_a_submission_that_stops_itself_delays_no_other(graded):
    assert {check.verdict for check in graded.rows["stopped"].checks} <= STOPPED[1]


def test_unreadable_archives_are_reported(graded):
    assert {check.verdict for name in UNREADABLE for check in graded.rows[name].checks} == {"missing"}
    assert all(graded.rows[name].problem for name in UNREADABLE)


def test_the_neighbours_marks_are_unchanged(graded):
    assert {(graded.rows[name].points, graded.rows[name].out_of) for name in UNHARMED} == {(10, 10)}


def test_every_submission_has_one_row_and_one_verdict_per_check(graded):
    assert set(graded.rows) == {*graded.tried, *UNREADABLE, *UNHARMED, "stopped"}
    checks = [check.check for check in graded.rows["a_right_one"].checks]
    assert len(checks) > 8
    assert all([check.check for check in row.checks] == checks for row in graded.rows.values())


def test_no_file_outside_has_changed(graded):
    assert graded.after[:3] == graded.before[:3]


def test_no_process_is_left(graded):
    assert graded.after[3] <= graded.before[3]


def test_no_attack_reached_the_network(graded):
    assert not graded.connected


def test_nothing_secret_is_in_any_report(graded):
    """Nor a script that a browser would run."""
    texts = {path: path.read_bytes() for path in graded.out.rglob("*") if path.is_file()}
    assert len(texts) > 2 * len(graded.rows)
    assert [path for path, text in texts.items() if SECRET.encode() in text] == []
    assert [path for path, text in texts.items() if path.suffix == ".html" and b"<script>alert" in text] == []


def test_no_attack_found_or_wrote_anything(graded):
    """Attacks that look for something raise an exception with the word "found" or "wrote"."""
    seeking = {*SEEKING, *NOT_POSSIBLE} & graded.rows.keys()
    said = {name: [check.text for check in graded.rows[name].checks] for name in seeking}
    assert {name: texts for name, texts in said.items() if re.search("found|wrote", " ".join(texts))} == {}


@pytest.mark.campaign  # test_sandbox.py has a shorter test: boxes end with all their processes.
def test_allowed_processes_are_killed_with_their_box(tmp_path):
    """If a submission may start processes, none of them outlives it, not even those in their own sessions."""
    if reason := reason_unavailable(lab_program(), BUBBLEWRAP):
        pytest.skip(f"bubblewrap does not work here: {reason}")
    right = code_of(solved_files(reference_folder()))
    attack = IN_A_CALL["fork_20_with_setsid"][0].replace("range(20)", "range(3)")
    write_files(tmp_path / "inbox" / "forks", {**right, MIRA: with_attack(right[MIRA], attack, at_import=False)})
    write_files(tmp_path / "inbox" / "right", right)
    confinement.become_subreaper()
    before = children()
    limits = Limits(check_seconds=2, processes=400)
    plan = make_plan(tmp_path / "out", Level(BUBBLEWRAP), ["1.5"], seed=3, limits=limits)
    book = grade(Run([tmp_path / "inbox"], tmp_path / "out", jobs=1), plan)
    assert [row.points for row in book.rows][1] == 10
    assert children() <= before
