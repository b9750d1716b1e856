"""How long the reader takes for books, and how much memory: from the text, and from its cached copy.

``python tests/benchmarks/bench_sentiment_reader.py [rounds]`` with the corpus at hand (``LXMLS_DAY1_DATA``, or
downloaded before). *A new process* is timed from inside, after the import of the reader; its memory is the peak of
the whole process. *In one process* the two ways are timed in turn. All figures are medians.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from interleaved import print_table, time_in_turn

from lxmls_day1.errors import CorpusUnavailable
from readers.sentiment_reader import SentimentCorpus

WAYS = {"text -> matrix": False, "cached copy -> matrix": True}
LIMITS = {"text -> matrix": 0.5, "cached copy -> matrix": 0.05}
NEW_PROCESS = """
import time
started = time.perf_counter()
from readers.sentiment_reader import SentimentCorpus
imported = time.perf_counter()
SentimentCorpus("books", cache={cache})
read = time.perf_counter()
peak = float("nan")
try:  # on Linux the peak that getrusage tells may be that of the process which started this one
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 2**10
except OSError:
    import sys
    if sys.platform == "darwin":
        import resource
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(imported - started, read - imported, peak)
"""


def in_a_new_process(cache):
    """Seconds for the import, seconds for the reading, peak memory in MiB."""
    command = [sys.executable, "-c", NEW_PROCESS.format(cache=cache)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [float(number) for number in answer.stdout.split()]


def main(quick=False):
    """Print the table; say so if the corpus is not at hand."""
    rounds = 3 if quick else 7
    with tempfile.TemporaryDirectory() as folder:
        try:
            SentimentCorpus("books", cache=False)  # looks in the user's own cache, or downloads into it
        except CorpusUnavailable as error:
            print(f"books not at hand, the reader is not timed: {error}")
            return
        before = os.environ.get("LXMLS_DAY1_CACHE")
        if os.environ.get("LXMLS_DAY1_DATA"):
            os.environ["LXMLS_DAY1_CACHE"] = folder
        try:
            SentimentCorpus("books")
            fresh = {way: [in_a_new_process(cache) for _ in range(rounds)] for way, cache in WAYS.items()}
            inside = time_in_turn(
                {way: (lambda cache=cache: SentimentCorpus("books", cache=cache)) for way, cache in WAYS.items()},
                rounds,
            )
        finally:
            if before is None:
                os.environ.pop("LXMLS_DAY1_CACHE", None)
            else:
                os.environ["LXMLS_DAY1_CACHE"] = before
    rows = []
    for way in WAYS:
        imports, reading, peak = (median(column) for column in zip(*fresh[way], strict=True))
        rows.append(
            [way, f"{imports:.3f}", f"{reading:.3f}", f"{peak:.0f}", f"{median(inside[way]):.3f}", f"{LIMITS[way]}"]
        )
    header = ["books", "import s", "new process s", "peak MiB (150)", "in one process s", "wanted s"]
    print_table(f"The review reader, medians of {rounds}", header, rows)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
