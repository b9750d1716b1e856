import contextlib
import errno
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from lxmls_day1.base import atomic_files
from lxmls_day1.base.errors import InputError
from tests.wording import wording


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_writes_new_files_and_replaces_old_ones(tmp_path):
    (tmp_path / "a").write_bytes(b"old and longer")
    atomic_files.write_files_atomically({tmp_path / "a": b"new", str(tmp_path / "b"): b""})
    assert contents(tmp_path) == {"a": b"new", "b": b""}


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_every_old_file_and_nothing_else(tmp_path, monkeypatch, failure):
    """The second file fails after half of its content, as on a full disk; the first is complete by then."""
    (tmp_path / "a").write_bytes(b"old a")
    (tmp_path / "b").write_bytes(b"old b")
    real_open = Path.open

    @contextlib.contextmanager
    def failing_open(path, *arguments):
        with real_open(path, *arguments) as file:

            def write_half(content):
                file.write(content[: len(content) // 2])
                raise failure

            yield SimpleNamespace(write=write_half) if path.name.startswith(".b.") else file

    monkeypatch.setattr(Path, "open", failing_open)
    with pytest.raises(type(failure)) as caught:
        atomic_files.write_files_atomically({tmp_path / "a": b"new a", tmp_path / "b": b"new b"})
    monkeypatch.undo()
    assert contents(tmp_path) == {"a": b"old a", "b": b"old b"}
    if isinstance(failure, OSError):
        assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path / "b"))


def test_a_file_keeps_its_permissions(tmp_path):
    (tmp_path / "private").write_bytes(b"old")
    (tmp_path / "private").chmod(0o600)
    atomic_files.write_files_atomically({tmp_path / "private": b"new"})
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o600


class TestIrregularFiles:
    def test_links_are_followed_and_stay(self, tmp_path):
        (tmp_path / "there").mkdir()
        (tmp_path / "there/old").write_bytes(b"old")
        links = {"to-a-file": "there/old", "to-nothing-yet": "there/new", "to-a-link": "to-a-file"}
        for name, target in links.items():
            (tmp_path / name).symlink_to(target)
        atomic_files.write_files_atomically({tmp_path / "to-a-link": b"1", tmp_path / "to-nothing-yet": b"2"})
        assert contents(tmp_path / "there") == {"old": b"1", "new": b"2"}
        assert all((tmp_path / name).is_symlink() for name in links)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
    def test_pipes_devices_and_links_without_an_end_are_refused(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "loop").symlink_to("loop")
        (tmp_path / "null").symlink_to(os.devnull)
        for name in ("pipe", "loop", "null"):
            with pytest.raises(InputError, match=wording("base.regular_file_replaced", name)):
                atomic_files.write_files_atomically({tmp_path / "a": b"x", tmp_path / name: b"x"})
        assert sorted(path.name for path in tmp_path.iterdir()) == ["loop", "null", "pipe"]
        assert (tmp_path / "pipe").is_fifo() and Path(os.devnull).is_char_device()

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
    def test_a_lock_file_may_not_be_a_link_or_a_pipe(self, tmp_path):
        precious, lock = tmp_path / "precious", tmp_path / atomic_files.LOCK_FILE
        precious.write_text("precious")
        for make in (lambda: lock.symlink_to(precious), lambda: lock.symlink_to("nowhere"), lambda: os.mkfifo(lock)):
            make()
            with pytest.raises(InputError, match=wording("base.cannot_be_lock")):
                atomic_files.locked_folder(tmp_path, "writing into").__enter__()
            lock.unlink()
        assert precious.read_text() == "precious" and not (tmp_path / "nowhere").exists()


def test_a_place_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    atomic_files.check_writable(tmp_path / "model.npz")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError, match=r"model.npz"):
        atomic_files.check_writable(tmp_path / "nowhere" / "model.npz")


class TestTemporaryFolder:
    def test_a_temporary_folder_is_removed_with_its_contents(self, tmp_path):
        with atomic_files.temporary_folder("ours-", tmp_path) as folder:
            assert folder.is_dir() and folder.is_relative_to(tmp_path)
            (folder / "deep").mkdir()
            (folder / "deep" / "file").touch()
            assert [path.name.startswith("ours-") for path in tmp_path.iterdir()] == [True]
        assert contents(tmp_path) == {}


@pytest.mark.skipif(os.name == "nt", reason="there, looking for a process may end it")
def test_only_files_of_killed_writers_are_removed(tmp_path):
    wanted = tmp_path / "marks.csv"
    script = f"""
import os
from lxmls_day1.base.atomic_files import atomic_write
writing = atomic_write({str(wanted)!r})
writing.__enter__().write(b"half")
os._exit(1)"""
    subprocess.run([sys.executable, "-c", script])
    (left,) = tmp_path.iterdir()
    others = [".marks.part", ".marks.csv.0123abcd.part", left.name.replace("csv", "cs")]
    others.append(re.sub(r"(.csv\.)\w{8}", r"\g<1>00000000", left.name))  # A file of another computer.
    for other in others:
        (tmp_path / other).touch()
    with atomic_files.atomic_write(wanted):
        assert not left.exists()
        atomic_files.write_files_atomically({wanted: b"whole"})
        assert len(contents(tmp_path)) == len(others) + 2  # The file of the living process still exists.
    assert set(contents(tmp_path)) == {"marks.csv", *others}


def wants_locks():
    """Skip the test without locks, because only locks show that the process of a folder has ended."""
    if sys.platform != "win32":
        pytest.importorskip("fcntl", reason="this Python has no locks", exc_type=ImportError)


def left_by_a_killed_process(place):
    """Return a folder of `temporary_folder` whose process was killed."""
    script = f"""
import os
from lxmls_day1.base.atomic_files import temporary_folder
made = temporary_folder("lxmls-day1-check-", {str(place)!r})
print(made.__enter__().parent, flush=True)
os._exit(1)"""
    said = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True).stdout
    return Path(said.strip())


def put(make):
    """Return a function that replaces the mark by what `make` creates from the mark's path and the path of an unrelated file."""

    def in_its_place(mark, kept):
        mark.unlink()
        make(mark, kept)

    return in_its_place


MARKS_OF_STRANGERS = {
    "that of another folder": lambda mark, kept: None,
    "a word": lambda mark, kept: mark.write_text("locked"),
    "bytes that are no text": lambda mark, kept: mark.write_bytes(b"\xff\xfe"),
    "a terabyte": lambda mark, kept: os.truncate(mark, 1 << 40 if sys.platform == "linux" else 1 << 20),
    "a folder": put(lambda mark, kept: mark.mkdir()),
}
if hasattr(os, "mkfifo"):
    MARKS_OF_STRANGERS |= {
        "a pipe": put(lambda mark, kept: os.mkfifo(mark)),
        "a link": put(lambda mark, kept: mark.symlink_to(kept)),
        "a link to itself": put(lambda mark, kept: mark.symlink_to(mark)),
        "a second name of a file": put(lambda mark, kept: os.link(kept, mark)),
        "one that cannot be read": lambda mark, kept: mark.chmod(0),
    }


class TestAbandonedFolders:
    """Folders whose process was killed are removed; folders that may belong to another program are not."""

    @pytest.fixture
    def abandoned(self, tmp_path):
        """Return a folder as a killed process leaves it."""
        folder = left_by_a_killed_process(tmp_path)
        (folder / "deep").mkdir()
        return folder

    def test_an_abandoned_folder_is_removed_when_the_next_is_made(self, tmp_path, abandoned):
        wants_locks()
        with atomic_files.temporary_folder("lxmls-day1-demo-", tmp_path) as folder:
            assert not abandoned.exists() and folder.is_dir()

    @pytest.mark.parametrize("content", [None, ""], ids=["none", "one that was never locked"])
    def test_a_folder_without_a_mark_is_not_removed(self, tmp_path, abandoned, content):
        (abandoned / atomic_files.MARKER_FILE).unlink()
        if content is not None:
            (abandoned / atomic_files.MARKER_FILE).write_text(content)
        atomic_files.remove_stale_folders(tmp_path)
        assert abandoned.is_dir()

    @pytest.mark.parametrize("mark", sorted(MARKS_OF_STRANGERS))
    def test_a_folder_with_a_forged_mark_is_not_removed(self, tmp_path, abandoned, mark):
        """The folder may come from an unpacked archive or a clone, with a name and contents that are chosen to do harm."""
        wants_locks()
        folder, kept = tmp_path / "lxmls-day1-anna", tmp_path / "kept.txt"
        shutil.copytree(abandoned, folder)
        kept.write_bytes((folder / atomic_files.MARKER_FILE).read_bytes())
        kept.chmod(0o604)
        (folder / "deep" / "work.py").write_text("x = 1")
        MARKS_OF_STRANGERS[mark](folder / atomic_files.MARKER_FILE, kept)
        before = kept.read_bytes(), kept.stat().st_mode
        remover = threading.Thread(target=atomic_files.remove_stale_folders, args=[tmp_path], daemon=True)
        remover.start()
        remover.join(30)
        assert not remover.is_alive()
        assert not abandoned.exists()  # The remover did reach the folders.
        assert (folder / "deep" / "work.py").is_file() and (kept.read_bytes(), kept.stat().st_mode) == before


@pytest.mark.skipif(sys.platform == "win32", reason="a path may not be so long there")
def test_a_folder_is_removed_however_deep_it_is(tmp_path):
    folder, outside = tmp_path / "deep", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    with contextlib.chdir(folder):
        for _ in range(1200):
            os.mkdir("a")
            os.chdir("a")
        os.mkdir("closed", 0)
        os.symlink(outside, "link")
    atomic_files.remove_folder(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["outside"]
    assert (outside / "kept.txt").read_text() == "kept"


def test_removing_a_link_keeps_its_target(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    atomic_files.remove_folder(tmp_path / "link")
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "file"]


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0 or not hasattr(os, "fork"),
    reason="only root can remove folders of others",
)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_folder_that_becomes_a_link_during_removal_is_not_followed(tmp_path, monkeypatch, depth):
    """The folder's owner replaces an entry by a link at the worst moment: root would delete the link's target, or make it accessible."""
    folder, outside = tmp_path / "theirs", tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (outside / "kept.txt").write_text("kept")
    above = folder.joinpath(*"abc"[: depth - 1])
    (above / "seen").mkdir(parents=True)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 65534, 65534)
    handle, scan, status = os.open(above, os.O_RDONLY), os.scandir, []

    @contextlib.contextmanager
    def with_a_stranger(place):
        with scan(place) as entries:
            found = list(entries)
        if "seen" in [entry.name for entry in found]:
            if (pid := os.fork()) == 0:
                try:
                    os.fchdir(handle)
                    os.setgid(65534)
                    os.setuid(65534)
                    os.rename("seen", "moved")
                    os.symlink(outside, "seen")
                    os._exit(0)
                except BaseException:
                    os._exit(1)
            status.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        yield found

    monkeypatch.setattr(os, "scandir", with_a_stranger)
    atomic_files.remove_folder(folder)
    os.close(handle)
    assert status[0] == 1
    assert not folder.exists()
    assert (outside / "kept.txt").is_file() and outside.stat().st_mode & 0o777 == 0o755


def test_a_file_with_the_longest_possible_name_can_be_replaced(tmp_path):
    path = tmp_path / ("\U00010330" * 60 + ".html")  # The name has 245 bytes.
    atomic_files.write_files_atomically({path: b"marks"})
    assert path.read_bytes() == b"marks"
