"""Time, memory, disk and traffic of training on a corpus too large for one machine: an estimate, and a simulation of what goes wrong.

    python tests/benchmarks/scale_estimate.py [--text 1e5] [--train 1e5 1e6 1e7]

measures the rates of this machine in one run, compares predictions with real runs of so many documents, prints the tables of
docs/scale.md and draws docs/scale.png. Times are those of the processor, so that other programs disturb them little.

The model. A corpus of N documents lies in equal parts on W workers. In an epoch each worker makes one pass over its part, as slow as
the slower of its processor and its disk (the next shard is read while one is trained on); then all weights are mixed:

    seconds = N/W · max(seconds a document, bytes a document / disk) + mixing,
    mixing  = ⌈log2 W⌉ · (8 · (16 + 8) · J · C / network in bits + a round of the scheduler)

since the weights and the running sum of their average (16 bytes a number) are added pairwise, in a fixed tree, and the new weights
(8 bytes) go back the same way. C is the number of columns that are kept: one for two classes, else K. The traffic of an epoch is
(W − 1) · 24 · J · C bytes altogether.

The simulation draws how fast each worker is today and how long each shard takes (log-normal), and when a worker dies (a Poisson
process): its part of the epoch is then trained again from the beginning. An epoch ends with the last worker.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

DOCUMENTS = 1_000_000_000
WORKERS = (1, 4, 16, 64, 256, 1024)
GIGABITS = (1, 10, 100)
SENT, RETURNED = 16, 8  # bytes a weight: W and its running sum go up the tree, the mixed W comes back
LOST_IN_TASKS = (
    0.01  # seconds that the scheduler takes for one level of the tree: Dask says about 1 ms a task, we take ten
)
DISK = 500e6  # bytes a second that a solid-state disk gives in sequence
HASH_BITS = (20, 24)
SAMPLE = 20_000  # documents by which the rates are measured


class Rates(NamedTuple):
    """What one core and its disk do, measured in one run.

    Parameters
    ----------
    text_bytes : float
        Of a document, as text.
    cached_bytes : float
        Of a document, as a row of a shard.
    cache_seconds : float
        From text to a row of a shard, of one core.
    train_seconds : dict int -> float
        Of one step on a document, by the number of features J.
    disk : float
        Bytes a second that are read in sequence.
    columns : int
        C, the columns of weights that are kept.
    start_seconds : float
        Of the command that caches, before its first document.
    """

    text_bytes: float
    cached_bytes: float
    cache_seconds: float
    train_seconds: dict[int, float]
    disk: float
    columns: int = 1
    start_seconds: float = 0.0


class Epoch(NamedTuple):
    """Of one epoch: seconds of the passes and of the mixing; bytes of memory and of disk at a worker, and on the network."""

    passes: float
    mixing: float
    memory: float
    disk: float
    traffic: float

    @property
    def seconds(self):
        return self.passes + self.mixing


def epoch(rates, n_documents, n_features, n_workers, gigabits):
    """The estimate of one epoch."""
    share = n_documents / n_workers
    numbers = n_features * rates.columns
    levels = math.ceil(math.log2(n_workers)) if n_workers > 1 else 0
    a_document = max(rates.train_seconds[n_features], rates.cached_bytes / rates.disk)
    return Epoch(
        passes=share * a_document,
        mixing=levels * ((SENT + RETURNED) * numbers * 8 / (gigabits * 1e9) + LOST_IN_TASKS),
        memory=2 * SENT * numbers
        + 300e6,  # its own weights and sum, those of a neighbour while they are added, two shards
        disk=share * rates.cached_bytes,
        traffic=(n_workers - 1) * (SENT + RETURNED) * numbers,
    )


def all_reduce_mixing(rates, n_features, n_workers, gigabits):
    """Seconds of mixing where every worker sends at once, each its share of the numbers (ring): what AllReduce would take."""
    if n_workers == 1:
        return 0.0
    return 2 * (n_workers - 1) / n_workers * SENT * n_features * rates.columns * 8 / (gigabits * 1e9)


def simulate(
    passes, n_workers, n_epochs, rng, spread=0.1, shard_spread=0.2, shards=16, deaths_an_hour=0.0, restart=30.0
):
    """How long the passes of an epoch take where workers are uneven and die.

    Parameters
    ----------
    passes : float
        Seconds that each worker needs if nothing happens.
    n_workers, n_epochs : int
    rng : numpy.random.Generator
    spread, shard_spread : float
        Standard deviations of the logarithm: of a worker's speed in this epoch, of the time of one of its shards.
    shards : int
        Of each worker.
    deaths_an_hour : float
        Of one worker, on average.
    restart : float
        Seconds until another worker begins with the part of one that died.

    Returns
    -------
    array (n_epochs,)
        Seconds until the last worker is done.
    """
    speeds = rng.lognormal(-(spread**2) / 2, spread, (n_epochs, n_workers))
    times = (
        passes / shards * rng.lognormal(-(shard_spread**2) / 2, shard_spread, (n_epochs, n_workers, shards)).sum(axis=2)
    )
    times *= speeds
    lost = np.zeros_like(times)
    if deaths_an_hour:
        alive = rng.exponential(3600 / deaths_an_hour, times.shape)
        while (dies := alive < times).any():
            lost[dies] += alive[dies] + restart
            alive[dies] = rng.exponential(3600 / deaths_an_hour, dies.sum())
            alive[~dies] = np.inf
    return (times + lost).max(axis=1)


def pays_until(rates, n_documents, n_features, gigabits, at_most=2**14):
    """The largest power of two of workers at which doubling them still made an epoch at least 1.5 times as fast."""
    n_workers = 1
    while n_workers < at_most:
        now, twice = (epoch(rates, n_documents, n_features, n, gigabits).seconds for n in (n_workers, 2 * n_workers))
        if now < 1.5 * twice:
            return n_workers
        n_workers *= 2
    return n_workers


# --------------------------------------------------------------------------------------------------------- what is measured


def run_command(*arguments, stdout=None):
    """Processor seconds of a command of the package."""
    before = os.times()
    subprocess.run(
        [sys.executable, "-m", "lxmls_day1", *map(str, arguments)], check=True, stdout=stdout, stderr=subprocess.DEVNULL
    )
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def cached(folder, n_documents, hash_bits):
    """A corpus of toy reviews with so many hash bits; the processor seconds of caching, and the bytes of the text."""
    text, corpus = Path(folder, f"{n_documents}.csv"), Path(folder, f"{n_documents}-{hash_bits}.bags")
    if not text.exists():
        with text.open("wb") as file:
            run_command("toy", "--documents", n_documents, stdout=file)
    seconds = run_command("cache", text, "--hash", hash_bits, "--out", corpus, stdout=subprocess.DEVNULL)
    return corpus, seconds, text.stat().st_size


def repeated(corpus, n_documents):
    """A corpus of so many documents whose shards are the same files again and again."""
    manifest = json.loads((corpus / "manifest.json").read_text())
    place, shards, n_rows = corpus.with_name(f"{n_documents}-{corpus.name}"), [], 0
    place.mkdir()
    while n_rows < n_documents:
        entry = manifest["shards"][len(shards) % len(manifest["shards"])]
        name = f"shard-{len(shards):05d}"
        shutil.copytree(corpus / entry["name"], place / name, copy_function=os.link)
        shards.append({**entry, "name": name})
        n_rows += entry["rows"]
    (place / "manifest.json").write_text(json.dumps({**manifest, "shards": shards, "words": None}))
    return place, n_rows


def epoch_seconds(corpus):
    """Processor seconds of an epoch of the hinge loss, and its share of errors before the steps."""
    from classifiers.svm import SVM

    svm = SVM(1e-6, nr_rounds=1, averaged="steps")
    started = time.process_time()
    svm.train(corpus)
    return time.process_time() - started, svm.history[0].errors


def measured_rates(folder):
    """The rates of this machine."""
    _, at_start, _ = cached(folder, 500, HASH_BITS[0])
    train_seconds = {}
    for bits in HASH_BITS:
        corpus, seconds, text_bytes = cached(folder, SAMPLE, bits)
        if bits == HASH_BITS[0]:
            cache_seconds = max(seconds - at_start, 0.0) / (SAMPLE - 500)
        manifest = json.loads((corpus / "manifest.json").read_text())
        cached_bytes = sum(file["bytes"] for shard in manifest["shards"] for file in shard["files"].values()) / SAMPLE
        longer, n_rows = repeated(corpus, 5 * SAMPLE)
        epoch_seconds(longer)  # compiles
        short = min(epoch_seconds(corpus)[0] for _ in range(3))
        long = min(epoch_seconds(longer)[0] for _ in range(3))
        train_seconds[2**bits] = (long - short) / (n_rows - SAMPLE)
        shutil.rmtree(longer)
    return Rates(text_bytes / SAMPLE, cached_bytes, cache_seconds, train_seconds, DISK, start_seconds=at_start)


def check(folder, rates, text_sizes, train_sizes):
    """Predicted and measured seconds of real runs."""
    rows, sample = [], Path(folder, f"{SAMPLE}-{HASH_BITS[0]}.bags")
    for n_documents in text_sizes:
        _, seconds, _ = cached(folder, n_documents, HASH_BITS[0])
        rows.append(
            [f"text to cache, {n_documents:.0e}", rates.start_seconds + rates.cache_seconds * n_documents, seconds]
        )
    for n_documents in train_sizes:
        corpus, n_rows = repeated(sample, n_documents)
        seconds, errors = epoch_seconds(corpus)
        predicted = rates.train_seconds[2 ** HASH_BITS[0]] * n_rows
        rows.append([f"epoch, {n_documents:.0e} ({100 * errors / n_rows:.1f} % errors)", predicted, seconds])
        shutil.rmtree(corpus)
    return rows


def draw(rates, path, rng):
    """Seconds of an epoch by the number of workers: what was estimated, and with stragglers and failures."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    for axis, bits in zip(axes, HASH_BITS, strict=True):
        for gigabits, dash in zip(GIGABITS, (":", "--", "-"), strict=True):
            estimate = [epoch(rates, DOCUMENTS, 2**bits, n, gigabits).seconds for n in WORKERS]
            axis.loglog(WORKERS, estimate, dash, color="#0072B2", label=f"estimate, {gigabits} Gbit/s")
        for deaths, colour in ((0.0, "#E69F00"), (0.1, "#D55E00")):
            seconds = []
            for n in WORKERS:
                at = epoch(rates, DOCUMENTS, 2**bits, n, 10)
                seconds.append(simulate(at.passes, n, 100, rng, deaths_an_hour=deaths).mean() + at.mixing)
            label = "stragglers" if not deaths else "stragglers, a death in 10 worker-hours"
            axis.loglog(WORKERS, seconds, "o-", color=colour, label=f"{label}, 10 Gbit/s")
        axis.set(title=f"$10^9$ documents, $2^{{{bits}}}$ features", xlabel="workers")
    axes[0].set_ylabel("seconds of an epoch")
    axes[0].legend(fontsize=8)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", nargs="*", type=float, default=[1e5])
    parser.add_argument("--train", nargs="*", type=float, default=[1e5, 1e6])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rates = measured_rates(folder)
        print(rates)
        for title, predicted, seconds in check(folder, rates, map(int, chosen.text), map(int, chosen.train)):
            print(
                f"{title}: predicted {predicted:.2f} s, measured {seconds:.2f} s, {predicted / seconds:.2f}", flush=True
            )
    for bits in HASH_BITS:
        print(f"\n1e9 documents, 2^{bits} features: seconds of an epoch at {GIGABITS} Gbit/s")
        for n_workers in WORKERS:
            at = [epoch(rates, DOCUMENTS, 2**bits, n_workers, gigabits) for gigabits in GIGABITS]
            print(
                f"{n_workers:5d} workers: {', '.join(f'{one.seconds:9.1f}' for one in at)}; disk {at[0].disk / 1e9:.1f} GB, "
                f"memory {at[0].memory / 1e9:.2f} GB a worker, traffic {at[0].traffic / 1e9:.2f} GB; "
                f"AllReduce mixes in {all_reduce_mixing(rates, 2**bits, n_workers, 1):.1f} s at 1 Gbit/s"
            )
        print("doubling the workers pays until", [pays_until(rates, DOCUMENTS, 2**bits, g) for g in GIGABITS])
    draw(rates, Path(__file__).parents[2] / "docs" / "scale.png", np.random.default_rng(0))


if __name__ == "__main__":
    main()
