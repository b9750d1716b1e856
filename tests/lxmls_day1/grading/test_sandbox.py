"""The levels of the sandbox: all attempts in a box fail at each level, for each user and each version of Landlock.

A kernel has one version of Landlock; older versions are simulated by leaving out newer features.
"""

import contextlib
import functools
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from dataclasses import replace
from importlib.util import cache_from_source
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from lxmls_day1.base.errors import InputError
from lxmls_day1.box import confinement, fork_server, levels, probe, sandbox, visible_folders
from lxmls_day1.box.box import Box
from lxmls_day1.box.fork_server import BUBBLEWRAP, LANDLOCK, PROCESS
from lxmls_day1.box.levels import NOBODY, candidate_users, find_escapes, strongest_level
from lxmls_day1.box.limits import Limits
from lxmls_day1.box.programs import Program
from lxmls_day1.box.sandbox import BoxesUnavailable, ForkServer
from lxmls_day1.commands.grade import command
from lxmls_day1.engine.text.corpora import cache_folder
from lxmls_day1.grading.running.boxed_lab import BoxedLab
from lxmls_day1.grading.running.lab_boxes import lab_program
from tests.lxmls_day1.grading.labs import boxed_lab
from tests.wording import wording

pytestmark = [
    pytest.mark.slow(20),
    pytest.mark.one_in(4, by="useful"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the levels that keep code in are for Linux"),
]

LANDLOCKS = range(1, confinement.landlock_version() + 1) if sys.platform.startswith("linux") else ()
SUPERUSER = hasattr(os, "geteuid") and os.geteuid() == 0

#: The sentences of the probe, none of which a box may report; sentences that begin with a file's path are not included.
ATTEMPTS = sorted(set(re.findall(r'"([^"{]+ can be[^"{]*)":', Path(probe.__file__).read_text())))
#: Attempts that prove nothing on this machine because the kernel or the container refuses them anyway.
REFUSED_BY_KERNEL_OR_CONTAINER = ("io_uring", "userfaultfd", "memfd_secret", "fchmodat2", "perf_event_open", "bpf")


def configurations():
    """Yield each (level, user, version of Landlock) of this machine; only campaigns test the versions between the first and the newest."""
    for user in (None, NOBODY) if SUPERUSER else (None,):
        yield BUBBLEWRAP, user, None
        for version in LANDLOCKS:
            marks = () if version in (LANDLOCKS[0], LANDLOCKS[-1]) else pytest.mark.campaign
            yield pytest.param(LANDLOCK, user, version, marks=marks)


def idle_program():
    """Return a program that replaces the lab's program in boxes that are only probed."""
    return replace(lab_program(), name=probe.PROBED_PROGRAM, arguments={})


@pytest.fixture(scope="module")
def server():
    """Yield a function (level, user) -> fork server, which is shared by all tests here."""
    with contextlib.ExitStack() as stack:

        @functools.cache
        def get(level, user):
            return stack.enter_context(contextlib.closing(ForkServer(lab_program(), level, user=user)))

        yield get


@pytest.mark.parametrize(("level", "user", "version"), list(configurations()))
def test_nothing_that_was_attempted_is_possible(level, user, version):
    if level == BUBBLEWRAP and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with contextlib.closing(ForkServer(idle_program(), level, user=user, max_landlock_version=version)) as made:
        assert find_escapes(made) == []


@pytest.mark.skipif(not SUPERUSER, reason="most of it is possible for the superuser only")
def test_every_attempt_succeeds_without_a_sandbox():
    """An attempt that fails everywhere would prove nothing."""
    with contextlib.closing(ForkServer(idle_program(), PROCESS)) as fork_server:
        said = find_escapes(fork_server)
    wanted = [what for what in ATTEMPTS if not any(word in what for word in REFUSED_BY_KERNEL_OR_CONTAINER)]
    assert set(wanted) <= set(said)
    for pattern in (
        r"the mode of .*secret.txt can be changed$", "the mode of .* can be changed through an open file", "the times of",
        r"secret.txt can be read", "can be written to", "a port", "another process can be signalled",
        "the process that grades can be seen", "processes can be started", "200 threads", "a file of the grader has changed",
    ):  # fmt: skip
        assert any(re.search(pattern, sentence) for sentence in said), pattern
    assert len(wanted) > 75


# An ordinary user ---------------------------------------------------------------------------------------------------------

AS_ORDINARY_USER = """
import contextlib, dataclasses, json, sys
from lxmls_day1.box import confinement, probe
from lxmls_day1.box.levels import find_escapes, strongest_level, candidate_users
from lxmls_day1.box.sandbox import ForkServer
from lxmls_day1.grading.running.lab_boxes import lab_program
said = {}
for level, versions in (("bubblewrap", [None]), ("landlock", {1, confinement.landlock_version()})):
    program = dataclasses.replace(lab_program(), name=probe.PROBED_PROGRAM, arguments={})
    with contextlib.closing(ForkServer(program, level)) as fork_server:
        for version in versions:
            fork_server.max_landlock_version = version
            said[f"{level} {version}"] = find_escapes(fork_server)
print(json.dumps([said, candidate_users()]))
"""


@pytest.fixture
def ordinary_user(tmp_path_factory):
    """Return the start of a command that runs another command as a user without rights, who can read this Python."""
    if not SUPERUSER or shutil.which("setpriv") is None or shutil.which("bwrap") is None:
        pytest.skip("wants to be started by the superuser, with setpriv and bubblewrap")
    command = ["setpriv", f"--reuid={NOBODY[0]}", f"--regid={NOBODY[1]}", "--clear-groups"]
    hidden = [path for path in Path(sys.base_prefix).parents if not path.stat().st_mode & stat.S_IXOTH]
    if not hidden:
        return command
    if subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        pytest.skip(f"an ordinary user cannot reach Python in {sys.base_prefix}, and nothing can be mounted over that")
    base, top = sys.base_prefix, hidden[-1]
    kept = tmp_path_factory.mktemp("python")
    script = f"""mount --bind '{base}' '{kept}' && mount -t tmpfs -o mode=755 none '{top}' &&
        mkdir -p '{base}' && mount --bind '{kept}' '{base}' && exec "$@" """
    return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", script, "sh", *command]


def test_nothing_is_possible_in_the_boxes_of_an_ordinary_user(ordinary_user, tmp_path_factory):
    place = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    try:
        os.chown(place, *NOBODY)
        environment = {"PATH": os.environ["PATH"], "HOME": str(place), "LXMLS_DAY1_CACHE": str(place / "cache")}
        ended = subprocess.run(
            [*ordinary_user, sys.executable, "-c", AS_ORDINARY_USER],
            cwd=place, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        shutil.rmtree(place)
    if "Permission denied" in ended.stderr and "lxmls_day1" not in ended.stderr:
        pytest.skip("an ordinary user cannot read this checkout")
    assert ended.returncode == 0, ended.stderr[-2000:]
    said, users = json.loads(ended.stdout)
    assert said == {"bubblewrap None": [], **{f"landlock {version}": [] for version in {1, LANDLOCKS[-1]}}}
    assert users == [None]


# Allowed in a box ---------------------------------------------------------------------------------------------------------


BOXES = [(BUBBLEWRAP, None), (BUBBLEWRAP, NOBODY), (LANDLOCK, None), (LANDLOCK, NOBODY)]


@pytest.fixture(scope="module", params=BOXES, ids=str)
def useful(request, server):
    level, user = request.param
    if user is not None and not SUPERUSER:
        pytest.skip("the superuser alone chooses a user")
    try:
        of_level = server(level, user)
    except BoxesUnavailable as error:
        pytest.skip(f"the sandbox level {level} does not work here: {error}")
    lab = BoxedLab(of_level, boxed_lab("useful"), Limits(check_seconds=100, check_cpu_seconds=50, total_seconds=400))
    with contextlib.closing(lab):
        yield lab, user


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pool", 55), ("coroutine", 7), ("files", 10.0), ("linear_algebra", [76.0, [1.0, 1.0]]), ("compiled", 4),
        ("drawn", "PNG"),
    ],
)  # fmt: skip
def test_features_that_numerical_python_needs_work(useful, name, expected):
    lab, _ = useful
    lab.begin()
    assert lab.function("useful", name) == expected


def test_threads_are_counted(useful):
    lab, _ = useful
    lab.begin()
    assert lab.function("useful", "threads", 8) == 8
    assert 8 < lab.function("useful", "threads", 500) <= 2 * fork_server.MAX_EXTRA_THREADS
    assert lab.function("useful", "threads", 8) == 8


def test_a_box_belongs_to_the_user_that_was_chosen(useful):
    lab, user = useful
    lab.begin()
    expected = [*user, []] if user else [os.getuid(), os.getgid(), os.getgroups()]
    assert lab.function("useful", "whose") == expected


@pytest.mark.skipif(not SUPERUSER, reason="the superuser alone gives folders away")
def test_the_boxes_user_is_not_given_the_target_of_a_link(tmp_path, monkeypatch):
    """Another process of that user replaces the folder by a link as soon as the folder belongs to the user."""
    try:
        maker = ForkServer(idle_program(), LANDLOCK, user=NOBODY)
    except BoxesUnavailable as error:
        pytest.skip(f"the sandbox level {LANDLOCK} does not work here: {error}")
    real, laid = os.chown, []

    def chown(path, uid, gid, **settings):
        real(path, uid, gid, **settings)
        if (lab := Path(path) / "lab").is_dir():
            lab.rename(lab.with_name("moved"))
            lab.symlink_to(tmp_path)
            laid.append(lab)

    monkeypatch.setattr(os, "chown", chown)
    with contextlib.closing(maker), contextlib.suppress(BoxesUnavailable):
        Box(maker, {}, Limits()).close()
    assert laid and tmp_path.stat().st_uid == 0


# The choice of a level ----------------------------------------------------------------------------------------------------


def test_roots_boxes_run_as_the_user_nobody_by_default(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    first, second = candidate_users()
    assert first[0] > 0
    assert second is None
    assert candidate_users("4711") == [(4711, 4711)]
    with pytest.raises(InputError, match="no user 'nosuchuser'"):
        candidate_users("nosuchuser")
    with pytest.raises(InputError, match="without special rights"):
        candidate_users("root")


def test_an_ordinary_user_cannot_choose_another_user(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert candidate_users() == [None]
    with pytest.raises(InputError, match="for the superuser"):
        candidate_users("nobody")


def test_another_user_is_tried_before_root_and_its_rejection_is_reported(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(levels, "reason_unavailable", lambda program, level, user=None: "no reading" if user else None)
    level = strongest_level(lab_program(), LANDLOCK)
    assert level.user is None
    assert level.rejected == ((f"landlock as user {candidate_users()[0][0]}", "no reading"),)
    with pytest.raises(BoxesUnavailable, match="no reading"):
        strongest_level(lab_program(), LANDLOCK, as_user="65534")
    with pytest.raises(BoxesUnavailable, match="--as-user"):
        strongest_level(lab_program(), PROCESS, as_user="65534")


@pytest.mark.parametrize("part", ["", "numba-of-boxes", "machinery-of-boxes"])
def test_a_cache_that_others_can_write_to_is_refused(tmp_path, monkeypatch, part):
    """Other users could have put a package there that fork servers import."""
    monkeypatch.setenv("LXMLS_DAY1_CACHE", str(tmp_path / "cache"))
    assert visible_folders.require_cache(cache_folder()) is None
    for path, mode in ((tmp_path / "cache" / part, 0o777), (tmp_path / "cache" / part, 0o1777)):
        path.chmod(mode)
        with pytest.raises(InputError, match=wording("grading.other_users_write_lxmls", part)):
            strongest_level(lab_program(), PROCESS)
    path.chmod(0o755)
    assert visible_folders.require_cache(cache_folder()) is None
    if SUPERUSER:
        os.chown(path, *NOBODY)
        with pytest.raises(InputError, match=wording("grading.other_users_write")):
            strongest_level(lab_program(), PROCESS)


def test_a_cache_that_cannot_be_written_to_is_reported(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("LXMLS_DAY1_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(InputError, match=wording("grading.cache_folder_cannot_written")):
        strongest_level(lab_program(), PROCESS)
    monkeypatch.setenv("LXMLS_DAY1_CACHE", str(tmp_path / "cache"))
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(visible_folders.tempfile, "TemporaryFile", Mock(side_effect=full))
    said = CliRunner().invoke(command, [str(tmp_path), "--out", str(tmp_path / "out")])
    assert "No space left" in str(said.exception)


def test_a_box_has_no_descriptor_but_its_own(useful):
    """Standard input (empty), standard output and error, and the socket for requests."""
    lab, _ = useful
    lab.close()  # The next call opens a new box.
    lab.begin()
    assert lab.function("useful", "descriptors") == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("level", "lacking"),
    [(PROCESS, (sys, "executable")), (LANDLOCK, (sys, "executable")), (BUBBLEWRAP, (os, "environ"))],
)
def test_a_fork_server_that_cannot_start_leaves_no_files(tmp_path, monkeypatch, level, lacking):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    module, name = lacking
    monkeypatch.setattr(module, name, str(tmp_path / "none") if module is sys else {"PATH": str(tmp_path)})
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(BoxesUnavailable, match="none|not installed"):
        ForkServer(lab_program(), level)
    assert set(os.listdir("/proc/self/fd")) == before
    assert not list(tmp_path.iterdir())


def test_no_link_leads_a_box_to_hidden_files(tmp_path, monkeypatch):
    """A virtual environment has a link ``lib64`` to ``lib``, which contains an installed package's reference lab."""
    lab = tmp_path / "env" / "lib" / "site-packages" / "lxmls_day1" / "reference_lab"
    lab.mkdir(parents=True)
    (lab.parent / "lab.py").touch()
    (tmp_path / "env" / "lib64").symlink_to("lib")
    (tmp_path / "link").symlink_to(tmp_path / "env")
    monkeypatch.setattr(sandbox, "python_folders", lambda: [str(tmp_path / "link")])
    maker = object.__new__(sandbox.ForkServer)
    maker.program = Program("", tmp_path, hidden=(tmp_path / "link" / lab.relative_to(tmp_path / "env"),))
    allowed = [Path(path).resolve() for path in maker.readable_paths]
    assert lab.parent / "lab.py" in allowed
    assert not [path for path in allowed if lab.is_relative_to(path) or path.is_relative_to(lab)]


def test_bytecode_of_an_answer_is_hidden_even_if_compiled_later(tmp_path, monkeypatch):
    """The readable files are listed before the first box is made, and the grader may compile a module afterwards."""
    package = tmp_path / "lxmls_day1"
    (package / "__pycache__").mkdir(parents=True)
    for name in ("given.py", "answer.py", "__pycache__/given.pyc"):
        (package / name).touch()
    monkeypatch.setattr(sandbox, "python_folders", lambda: [str(tmp_path)])
    maker = object.__new__(sandbox.ForkServer)
    maker.program = Program("", tmp_path, hidden=(package / "answer.py",))
    allowed = maker.readable_paths
    assert str(package / "__pycache__/given.pyc") in allowed
    compiled = Path(cache_from_source(package / "answer.py"))
    assert not [path for path in allowed if compiled.is_relative_to(path)]


@pytest.mark.slow
def test_an_installation_with_many_files_works_with_landlock(monkeypatch):
    """The box gets the absolute path of every file beside a hidden file, which may exceed the size of a socket's message."""
    of_this = sandbox.ForkServer.readable_paths.func
    many = property(lambda self: of_this(self) + [of_this(self)[0]] * 10_000)
    monkeypatch.setattr(sandbox.ForkServer, "readable_paths", many)
    with contextlib.closing(ForkServer(idle_program(), LANDLOCK)) as made:
        Box(made, {}, Limits()).close()
