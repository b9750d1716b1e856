"""What a new process pays before it learns, and what a student's plain-Python rule costs.

*Start-up* is everything that a process does once: imports, and loading the compiled loop from the disk cache, which an
unmeasured first run has filled. *Plain rule* is the perceptron's rule as an ordinary Python function in the same loop.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from interleaved import books, print_table, ratio, time_in_turn

from classifiers.online_classifier import OnlineClassifier
from classifiers.perceptron import Perceptron

START_UP = """
import time
started = time.perf_counter()
from classifiers.perceptron import Perceptron
Perceptron(nr_rounds=1).train([[0.0], [1.0]], [0, 1])
print(time.perf_counter() - started)
"""


class PlainRule(OnlineClassifier):
    """The perceptron as a student writes it: the rule is not marked for compilation."""

    @staticmethod
    def rule(scores, label, sq_norm, step, cost):
        d = np.zeros(len(scores))
        predicted = np.argmax(scores)
        if predicted != label:
            d[label] = step
            d[predicted] = -step
        return d


def start_up():
    """Seconds of imports and of a first training in a new process."""
    return float(subprocess.run([sys.executable, "-c", START_UP], capture_output=True, text=True, check=True).stdout)


def check_seconds(lab):
    """Seconds of ``lxmls-day1 check 1.5`` in a workspace."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "lxmls_day1", "check", "1.5", "--lab", lab], capture_output=True, check=False)
    return time.perf_counter() - began


def main(quick=False):
    repeats = 3 if quick else 9
    start_up()
    seconds = median(start_up() for _ in range(repeats))
    rows = [["imports and cached compilation in a new process", f"{seconds:.3f}", "1.0", ""]]
    with tempfile.TemporaryDirectory() as folder:
        lab = str(Path(folder, "lab"))
        subprocess.run([sys.executable, "-m", "lxmls_day1", "start", lab], capture_output=True, check=True)
        check_seconds(lab)
        checking = median(check_seconds(lab) for _ in range(repeats))
    rows.append(["lxmls-day1 check 1.5 in a workspace", f"{checking:.3f}", "0.8", ""])
    corpus = books()
    if corpus is not None:
        settings = {"nr_rounds": 10, "track_objective": False}
        contestants = {
            "plain": lambda: PlainRule(**settings).train(corpus.train_X, corpus.train_y),
            "compiled": lambda: Perceptron(**settings).train(corpus.train_X, corpus.train_y),
        }
        times = time_in_turn(contestants, repeats)
        against = f"{ratio(times, 'plain', 'compiled'):.0f} x compiled"
        rows.append(["a plain-Python rule, ten rounds of books", f"{median(times['plain']):.3f}", "0.15", against])
    print_table(f"Fixed costs, medians of {repeats}", ["", "s", "wanted s", ""], rows)


if __name__ == "__main__":
    main()
