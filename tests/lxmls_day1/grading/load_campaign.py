"""Commands on a quiet machine and on a busy one, each time with an empty cache of machine code: they end in the same way, or the exit status is 1.

    make test-load ARGS="--busy 4"

`grade` of 30 submissions (right solutions of the bank, one that sleeps, one that never ends), `record` of one exercise, `check`,
`demo` with a page that is loaded, `browser`; `--busy` processes per core do nothing but compute meanwhile. It takes half an
hour, so it is not part of the suite; there made-up machines stand for the busy one (`test_waiting.py`, `test_busy_machine.py`).
"""

import argparse
import contextlib
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin

from conftest import read_right_variants

from lxmls_day1.course.generation import student_files
from lxmls_day1.course.workspace import start_workspace
from lxmls_day1.grading.report_files import ROWS
from lxmls_day1.lab import reference_folder
from lxmls_day1.library_path import command_of

EXERCISES = ("1.2", "1.5", "1.7", "1.12")
SUBMISSIONS = 30
LIMITS = ("check_cpu_seconds=2", "check_seconds=20")  # those that do not end take less of our time
UNFIT = {"sleeps": "import time\ntime.sleep(1e6)\n", "never ends": "while True: pass\n"}
MIRA = PurePosixPath("classifiers/mira.py")


def compute() -> None:
    """Keep a core busy until the campaign ends, however it ends."""
    campaign = os.getppid()
    while os.getppid() == campaign:
        sum(range(100_000))


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that compute."""
    processes = [multiprocessing.get_context("spawn").Process(target=compute, daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()


class Commands:
    """The commands, in a folder of their own with caches of their own."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._environment = os.environ | {
            "XDG_CACHE_HOME": str(folder / "cache"), "NUMBA_CACHE_DIR": str(folder / "numba"), "TMPDIR": str(folder)
        }  # fmt: skip

    def _end(self, *arguments: str, module: str = "lxmls_day1") -> str:
        """Exit status and standard output of a command; its standard error is for whoever looks on."""
        started = command_of(module, arguments)
        done = subprocess.run(
            started, env=self._environment, cwd=self._folder, stdout=subprocess.PIPE, text=True, check=False
        )
        return f"{done.returncode} {done.stdout.replace(str(self._folder), '')}"

    def grade(self) -> object:
        """The verdict of every check of every submission."""
        given = student_files(reference_folder())
        variants = [variant for variant in read_right_variants() if variant.exercise.id in EXERCISES]
        labs = {f"right{n}": variant.lab_files(given) for n, variant in enumerate(variants)}
        labs = dict(list(labs.items())[: SUBMISSIONS - len(UNFIT)])
        labs |= {name: given | {MIRA: text.encode()} for name, text in UNFIT.items()}
        with zipfile.ZipFile(self._folder / "class.zip", "w") as archive:
            for student, files in labs.items():
                for path, content in files.items():
                    archive.writestr(f"{student}/{path}", content)
        options = [part for limit in LIMITS for part in ("--limit", limit)]
        ended = self._end(
            "grade", "class.zip", "--out", "marks", "--seed", "1", "--exercises", ",".join(EXERCISES), *options
        )
        rows = [json.loads(path.read_text("utf-8")) for path in sorted((self._folder / "marks" / ROWS).glob("*.json"))]
        verdicts = {
            (row["student"], check["check"]): check["verdict"]
            for row in rows
            for exercise in row["exercises"]
            for check in exercise["checks"]
        }
        assert len(rows) == SUBMISSIONS, ended
        return ended, verdicts

    def record(self) -> object:
        """Record the answers of an exercise once more."""
        return self._end("1.5", module="lxmls_day1.course.record")

    def check(self) -> object:
        """What a student reads whose first exercise is right."""
        folder = start_workspace(self._folder / "lab")
        variant = next(variant for variant in read_right_variants() if variant.exercise.id == "1.5")
        for path, content in variant.lab_files().items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        return self._end("check", "1.5", "1.7", "--lab", str(folder))

    def demo(self) -> object:
        """The scenes of two pages."""
        started = {"env": self._environment, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(
            command_of("lxmls_day1", ["demo", "--no-browser", "--only", "mira_step"]), **started
        ) as process:
            try:
                address = re.search(r"http://\S+", process.stdout.readline())
                assert address, "there is no address"
                pages = [urllib.request.urlopen(address[0]).read().decode() for _ in range(2)]
                places = [urljoin(address[0], re.search('data-ask="([^"]+)"', page)[1]) for page in pages]
                return [urllib.request.urlopen(place, b"{}").read().decode() for place in places]
            finally:
                process.terminate()

    def browser(self) -> object:
        """The files of the site."""
        ended = self._end("browser", "site")
        return ended, sorted(str(path.relative_to(self._folder)) for path in (self._folder / "site").rglob("*.html"))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--busy", type=int, default=4, help="busy processes per core")
    options.add_argument("--only", help="such as check,demo; all unless given")
    chosen = options.parse_args()
    names = chosen.only.split(",") if chosen.only else ["check", "record", "demo", "browser", "grade"]
    n_busy, differ = chosen.busy * (os.cpu_count() or 1), 0
    for name in names:
        found, seconds = [], []
        for count in (0, n_busy):
            with tempfile.TemporaryDirectory() as folder, busy(count):
                began = time.monotonic()
                found.append(getattr(Commands(Path(folder)), name)())
                seconds.append(f"{time.monotonic() - began:.0f} s")
        differ += found[0] != found[1]
        same = "the same" if found[0] == found[1] else f"ANOTHER RESULT: {found[0]} and {found[1]}"
        print(
            f"{name}: {seconds[0]} alone, {seconds[1]} beside {n_busy} busy processes: {same}",
            flush=True,
        )
    print(f"{len(names) - differ} of {len(names)} commands end on a busy machine as on a quiet one")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main())
