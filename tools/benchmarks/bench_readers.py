"""Time and memory of readers.

* Books (``LXMLS_DAY1_DATA``, or downloaded before): from the text, and from its cached copy, each in a new process, in processor time
  after the import of the reader.
* A file of 100,000 texts of a hundred words, all read into the training part, beside scikit-learn's CountVectorizer with uni- and
  bigrams, which gets the texts as a list and does not split the file; each in a new process, for its memory.

All figures are medians.
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
import numpy as np
from results import show, timing

from lxmls_day1.base.errors import CorpusUnavailable
from readers.sentiment_reader import SentimentCorpus

WAYS = {"nothing cached": False, "cached copy": True}
PEAK = """
import sys
def peak():
    try:  # on Linux the peak that getrusage tells may be that of the process which started this one
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 2**10
    except OSError:
        if sys.platform != "darwin":
            return float("nan")
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
"""
BOOKS = f"""
{PEAK}
import time
from readers.sentiment_reader import SentimentCorpus
started = time.process_time()
SentimentCorpus("books", cache={{cache}})
print(time.process_time() - started, peak())
"""


TEXTS = {
    "TextCorpus": """
from readers.text_reader import TextCorpus
started = time.process_time()
X = TextCorpus(sys.argv[1], split=(1, 0, 0)).train_X
""",
    "CountVectorizer": """
import csv
from sklearn.feature_extraction.text import CountVectorizer
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    texts = [text for _, text in csv.reader(file)]
started = time.process_time()
X = CountVectorizer(ngram_range=(1, 2)).fit_transform(texts)
""",
}


def in_a_new_process(code, *arguments, **variables):
    """Run code in a new process with some environment variables, and return the numbers that it prints."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env=os.environ | variables)
    return [float(number) for number in answer.stdout.split()]


def time_books(rounds, save):
    """Show the times of books, or report that the corpus is not available."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            SentimentCorpus("books", cache=False)  # This reads the user's own cache, or downloads into it.
        except CorpusUnavailable as error:
            print(f"books not at hand, the reader is not timed: {error}")
            return
        more = {"LXMLS_DAY1_CACHE": folder} if os.environ.get("LXMLS_DAY1_DATA") else {}
        in_a_new_process(BOOKS.format(cache=True), **more)
        rows = []
        for way, cache in WAYS.items():
            found = [in_a_new_process(BOOKS.format(cache=cache), **more) for _ in range(rounds)]
            seconds, peak = (median(column) for column in zip(*found, strict=True))
            case = {"case": f"books, {way}", "ours": "SentimentCorpus"}
            rows.append(case | {"measure": "CPU time", "our_value": round(1e3 * seconds), "unit": "ms"})
            rows.append(case | {"measure": "peak memory", "our_value": round(peak), "unit": "MiB"})
    show(f"The review reader, medians of {rounds}", "readers", rows, save)


def write_texts(path, count):
    """Write a CSV file of texts of a hundred Zipf-distributed words, with two labels."""
    rng = np.random.default_rng(1)
    n_words = 50_000
    shares = 1 / np.arange(1, n_words + 1)
    words = np.array(["".join(rng.choice(list("aeioubcdfglmnprst"), size)) for size in rng.integers(2, 10, n_words)])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        for begin in range(0, count, 1000):
            drawn = words[
                np.searchsorted(np.cumsum(shares / shares.sum()), rng.random((min(1000, count - begin), 100)))
            ]
            writer.writerows([("good" if row[0] < "h" else "bad", " ".join(row)) for row in drawn])


def time_texts(count, rounds, save):
    """Show the file of texts: CPU time, memory, and the size of the matrices."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "texts.csv")
        write_texts(path, count)
        ending = "print(time.process_time() - started, peak(), *X.shape, X.nnz)"
        found = {name: [] for name in TEXTS}
        for _ in range(rounds):
            for name, code in TEXTS.items():
                found[name].append(in_a_new_process(f"{PEAK}\nimport time\n{code}\n{ending}", path))
    seconds = {name: [run[0] for run in runs] for name, runs in found.items()}
    medians = {name: [median(column) for column in zip(*runs, strict=True)] for name, runs in found.items()}
    peaks = [medians[name][1] for name in TEXTS]
    sizes = [f"{rows:,.0f} x {columns:,.0f}, {nnz:,.0f} non-zeros" for _, _, rows, columns, nnz in medians.values()]
    case = dict(zip(("ours", "peer"), TEXTS, strict=True))
    case |= {"case": f"{count:,} texts, uni- and bigrams", "note": f"matrices: {'; '.join(dict.fromkeys(sizes))}"}
    memory = {"measure": "peak memory", "our_value": round(peaks[0]), "peer_value": round(peaks[1]), "unit": "MB"}
    rows = [case | timing(seconds, *TEXTS), case | memory | {"ratio": round(peaks[1] / peaks[0], 3)}]
    show(f"{count:,} texts, medians of {rounds}", "readers", rows, save)


def main(quick=False):
    """Show both readers."""
    time_books(3 if quick else 7, not quick)
    time_texts(5_000 if quick else 100_000, 1 if quick else 5, not quick)
