"""How long the page takes, in Chromium, from loopback: seconds of the clock, and of processor time of the browser's processes.

    python tests/lxmls_day1/browser/measure.py [FOLDER]

FOLDER holds reviews as `--with-reviews` takes them; without it only the toy corpus is read and learnt. Seconds of the clock
say something on a quiet machine only; the processor time is that of all of the browser's processes, the server's not counted.
"""

import os
import runpy
import shutil
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from lxmls_day1.browser.site import make_site
from lxmls_day1.lab import reference_folder

HERE = Path(__file__).parent
served = runpy.run_path(str(HERE / "conftest.py"))["served"]
pyodide_files = runpy.run_path(str(HERE / "pyodide_files.py"))
lab_page = runpy.run_path(str(HERE / "lab_page.py"))
switches = runpy.run_path(str(HERE.parent / "conftest.py"))
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(profile: str) -> tuple[float, float]:
    """Processor time of all processes of the browser that keeps its files in a folder, and of the threads that run Python."""
    parents, times, root = {}, {}, None
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(") ")[2].split()
            command = (entry / "cmdline").read_text()
        except OSError:
            continue
        parents[int(entry.name)] = int(fields[1])
        times[int(entry.name)] = sum(map(int, fields[11:15])) / TICKS
        if f"--user-data-dir={profile}" in command and "--type=" not in command:
            root = int(entry.name)

    def of_browser(process: int) -> bool:
        while process > 1:
            if process == root:
                return True
            process = parents.get(process, 0)
        return False

    ours = [process for process in times if of_browser(process)]
    return sum(times[process] for process in ours), sum(map(workers_seconds, ours))


def workers_seconds(process: int) -> float:
    """Processor time of the workers among the threads of a process."""
    total = 0.0
    for thread in Path("/proc", str(process), "task").glob("*"):
        try:
            name, _, fields = (thread / "stat").read_text().rpartition(") ")
        except OSError:
            continue
        if "DedicatedWorker" in name:
            total += sum(map(int, fields.split()[11:13])) / TICKS
    return total


#: Takes down which messages of the start of Python have come.
SEEN = """window.lxmlsDay1Seen = {};
new BroadcastChannel("lxmls-day1").onmessage = ({ data }) => { window.lxmlsDay1Seen[data.kind] = true; };"""
LEARNERS = {
    "perceptron": "Perceptron",
    "mira": "Mira",
    "svm": "SVM",
    "max_ent_online": "MaxEntOnline",
}
GIVEN = ("classifiers/online_loop.py", *(f"classifiers/{name}.py" for name in LEARNERS))
READ = """
from readers.sentiment_reader import SentimentCorpus
corpus = SentimentCorpus({name!r})
print(corpus.train_X.shape)
"""
LEARN = """
from classifiers.{module} import {learner}
classifier = {learner}(nr_rounds=10)
params = classifier.train(corpus.train_X, corpus.train_y)
"""
ACCURACY = "print(classifier.evaluate(corpus.test_y, classifier.test(corpus.test_X, params)))"


class Stopwatch:
    """Seconds since it was made: of the clock, of all the browser's processors, of those that run Python."""

    def __init__(self, profile: str):
        self.profile = profile
        self.begun = self.now()

    def now(self) -> tuple[float, ...]:
        return time.perf_counter(), *processor_seconds(self.profile)

    def __str__(self) -> str:
        clock, browser, python = (now - begun for now, begun in zip(self.now(), self.begun, strict=True))
        return (
            f"{clock:6.1f} s of the clock, {browser:6.1f} s of processors, {python:6.2f} s of them in Python's thread"
        )


def first_cell(window, profile: str) -> None:
    """Open the site as a student does, run the first cell, and say when what was there."""
    watch = Stopwatch(profile)
    window.page.goto(window.address)
    window.wait(lab_page["READY"], "notebooks/1_generative.ipynb")
    print(f"  {watch}: the notebook is shown", flush=True)
    window.wait("() => window.lxmlsDay1Seen?.starting")
    print(f"  {watch}: Python and its packages are loaded", flush=True)
    window.wait(lab_page["KERNEL_READY"])
    print(f"  {watch}: the kernel is ready", flush=True)
    place = next(place for place, cell in enumerate(window.cells()) if cell["cell_type"] == "code")
    window.page.evaluate(lab_page["RUN_CELL"], place)
    print(f"  {watch}: the first cell is answered", flush=True)


def learn(window, profile: str, domains: list[str]) -> None:
    """Read reviews and train every online learner on them for ten rounds, each twice: the first time it is imported, too."""
    for name in domains:
        for _ in range(2):
            watch = Stopwatch(profile)
            shape = window.run(READ.format(name=name)).strip()
            print(f"  {watch}: {name} is read, {shape}", flush=True)
        for module, learner in LEARNERS.items():
            for _ in range(2):
                watch = Stopwatch(profile)
                window.run(LEARN.format(module=module, learner=learner))
                print(f"  {watch}: {learner}, ten rounds, accuracy {float(window.run(ACCURACY)):.4f}", flush=True)


def main(reviews: str | None = None) -> None:
    """Measure, and print as it goes."""
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        site = make_site(Path(temporary, "site"), reviews=reviews, pyodide=pyodide_files["cached_folder"]())
        program = next(filter(None, map(shutil.which, switches["BROWSERS"])))
        profile = str(Path(temporary, "profile"))
        with served(site.folder) as address:
            for start in ("cold cache", "warm cache", "warm cache"):
                print(start, f"(load {os.getloadavg()[0]:.1f})")
                context = playwright.chromium.launch_persistent_context(
                    profile, executable_path=program, args=list(switches["SWITCHES"])
                )
                context.add_init_script(SEEN)
                window = lab_page["LabPage"](context, address, routed=False)
                first_cell(window, profile)
                if start == "cold cache":
                    for name in GIVEN:
                        window.write(name, (reference_folder() / name).read_text())
                    window.open("notebooks/1_generative.ipynb")
                    learn(window, profile, ["toy", *site.domains[:1]])
                context.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
