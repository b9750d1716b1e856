"""What is learnt from one domain, tried on another: what ``lxmls-day1 run --source … --target …`` does.

An SVM learns in five ways, which are told different things:

==================  ============================  ================================================
way                 labels of                     texts without labels of
==================  ============================  ================================================
source only         the source                    none
correspondences     the source                    both (structural correspondence learning)
target only         the target                    none
pooled              both                          none
augmented           both                          none (feature augmentation)
==================  ============================  ================================================

Labels and texts are those of training parts, and the files ``unlabeled.review`` that are at hand; tests are on the test part of the
target. Every review of the target is tested on once, in five folds.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lxmls_day1.commands.output import (
    ReportProgress,
    as_json,
    png,
    shown_progress,
    with_notes,
    writable_folder,
    write_results,
)
from lxmls_day1.commands.shared_options import REVIEWS
from lxmls_day1.engine.text.corpora import find_corpus
from lxmls_day1.errors import CorpusUnavailable, InputError
from lxmls_day1.figures.domains import plot_domains
from lxmls_day1.lab import Lab
from lxmls_day1.text_table import aligned, as_csv

ALL = "all"
NR_FOLDS = 5
REGULARIZER = 0.03  # λ of the SVM, for words that count once in a review
SOURCE_ONLY = "source only"
WAYS = {
    SOURCE_ONLY: "source",
    "correspondences": "source",
    "target only": "target",
    "pooled": "both",
    "augmented": "both",
}
_PIVOTS_SHOWN = 12


class DomainRow(NamedTuple):
    """One way of learning, from one domain for another one."""

    source: str
    target: str
    way: str
    labels: str
    """Of which domains labels were learnt from."""
    accuracy: float
    """Mean over the folds, on the test part of the target."""
    gain: float
    """Mean of what it has more than source only, fold by fold."""
    standard_error: float
    """Of that gain."""


class Pivot(NamedTuple):
    """A feature that structural correspondence learning predicts, in the first fold."""

    source: str
    target: str
    pivot: str
    mutual_information: float
    """With the label in the source, in nats."""


def run(
    out: str,
    source: str | None = None,
    target: str | None = None,
    data_dir: str | None = None,
    lab_folder: str | None = None,
) -> None:
    """Learn and test all pairs of domains that are asked for, print the tables, write figure and results into a folder.

    Parameters
    ----------
    out : str
        The folder; it is made if need be.
    source, target : str, optional
        A domain, or ``all`` that are at hand; which one that is not given is.
    data_dir : str, optional
        Where the reviews are.
    lab_folder : str, optional
        The lab; the one that the current folder is in unless given.

    Raises
    ------
    InputError
        If there is no pair of domains at hand, or the folder, the lab or a corpus cannot be used.
    CorpusUnavailable
        If a domain that was named cannot be had.
    """
    folder = writable_folder(out)
    lab = Lab(lab_folder) if lab_folder else Lab.open()
    pairs, notes = chosen_pairs(source or ALL, target or ALL, data_dir)
    with shown_progress() as progress:
        rows, pivots, nr_unlabelled = compare_domains(lab, pairs, data_dir, progress)
        drawn = png(draw(rows))
    if nr_unlabelled:
        notes.append(f"The texts without labels include {nr_unlabelled} reviews of files unlabeled.review.")
    contents = {
        "domains.png": drawn,
        "results.json": as_json(
            {
                "rows": [row._asdict() for row in rows],
                "pivots": [pivot._asdict() for pivot in pivots],
                "notes": notes,
            }
        ),
        "domains.csv": as_csv(DomainRow._fields, rows).encode(),
        "pivots.csv": as_csv(Pivot._fields, pivots).encode(),
    }
    lines = [as_text(rows), "\nPivots that are most informative about the label in the source:"]
    for pair in pairs:
        words = [pivot.pivot for pivot in pivots if pivot[:2] == pair][:_PIVOTS_SHOWN]
        lines.append(f"  {pair[0]} → {pair[1]}: {', '.join(words)}, …")
    write_results(folder, contents, with_notes("\n".join(lines), notes))


def chosen_pairs(source: str, target: str, data_dir: str | None) -> tuple[list[tuple[str, str]], list[str]]:
    """The pairs of two different domains that are asked for, and notes on those that are not at hand."""
    if source == target != ALL:
        raise InputError(f"--source and --target must be two domains, but both are {source}; --domain compares on one")
    known = [domain for domain in REVIEWS if domain != "toy"]
    at_hand, notes = [], []
    for domain in known if ALL in (source, target) else []:
        try:
            find_corpus(domain, data_dir)
            at_hand.append(domain)
        except (CorpusUnavailable, InputError) as error:
            if domain in (source, target):
                raise
            notes.append(f"{domain} is left out: {error}")
    sources, targets = (at_hand if which == ALL else [which] for which in (source, target))
    pairs = [(one, other) for one in sources for other in targets if one != other]
    if not pairs:
        raise InputError("; ".join(["fewer than two domains are available", *notes]))
    return pairs, notes


def compare_domains(
    lab: Lab, pairs: Sequence[tuple[str, str]], data_dir: str | None = None, progress: ReportProgress | None = None
) -> tuple[list[DomainRow], list[Pivot], int]:
    """Every way of learning for every pair, in five folds.

    Parameters
    ----------
    lab : Lab
        With the readers and the classifiers.
    pairs : sequence of (source, target)
    data_dir : str, optional
    progress : function (done, total, name), optional

    Returns
    -------
    rows : list of DomainRow
    pivots : list of Pivot
    nr_unlabelled : int
        How many reviews of files ``unlabeled.review`` were at hand, over all pairs.
    """
    rows, pivots, nr_unlabelled = [], [], 0
    for number, (source, target) in enumerate(pairs):
        accuracies: dict[str, list[float]] = {way: [] for way in WAYS}
        for fold in range(NR_FOLDS):
            if progress:
                progress(number * NR_FOLDS + fold, len(pairs) * NR_FOLDS, f"{source} → {target}, fold {fold + 1}")
            pair = lab.reader("domain_pair", "DomainPair", source=source, target=target, fold=fold, data_dir=data_dir)
            of_fold, chosen = learn(lab, pair)
            for way, accuracy in of_fold.items():
                accuracies[way].append(accuracy)
            if fold == 0:
                pivots += [Pivot(source, target, *pivot) for pivot in chosen]
                nr_unlabelled += pair.nr_unlabelled
        baseline = np.array(accuracies[SOURCE_ONLY])
        for way, labels in WAYS.items():
            gains = np.array(accuracies[way]) - baseline
            rows.append(
                DomainRow(
                    source,
                    target,
                    way,
                    labels,
                    float(np.mean(accuracies[way])),
                    float(gains.mean()),
                    float(gains.std(ddof=1) / math.sqrt(NR_FOLDS)),
                )
            )
    if progress:
        progress(len(pairs) * NR_FOLDS, len(pairs) * NR_FOLDS, "")
    return rows, pivots, nr_unlabelled


def learn(lab: Lab, pair: Any) -> tuple[dict[str, float], list[tuple[str, float]]]:
    """One pair, one fold: the accuracy of each way on the test part of the target, and the pivots with their information."""
    adaptation = lab.load("classifiers.domain_adaptation")
    presence = lab.load("classifiers.bernoulli_naive_bayes").presence
    source_X, target_X, test_X, texts = map(
        presence, (pair.train_X, pair.target_train_X, pair.test_X, pair.unlabelled_X)
    )
    source_y, target_y = pair.train_y, pair.target_train_y
    pivots = adaptation.choose_pivots(source_X, source_y, target_X)
    information = adaptation.mutual_information(source_X, source_y)[pivots]
    theta = adaptation.correspondences(texts, pivots)
    train: dict[str, Callable[[Any], np.ndarray]] = {
        SOURCE_ONLY: lambda svm: svm.train(source_X, source_y),
        "correspondences": lambda svm: adaptation.train_with_correspondences(svm, source_X, source_y, theta),
        "target only": lambda svm: svm.train(target_X, target_y),
        "pooled": lambda svm: svm.train(sp.vstack([source_X, target_X]), np.concatenate([source_y, target_y])),
        "augmented": lambda svm: adaptation.train_augmented(svm, source_X, source_y, target_X, target_y),
    }
    accuracies = {}
    for way in WAYS:
        svm = lab.classifier("svm", "SVM", regularizer=REGULARIZER, solver="dual")
        params = train[way](svm)
        accuracies[way] = float(svm.evaluate(pair.test_y, svm.test(test_X, params)))
    names = [pair.feature_names[column] for column in pivots]
    return accuracies, list(zip(names, information.tolist(), strict=True))


def draw(rows: Iterable[DomainRow]) -> Any:
    """A heat map for each way, on one scale; the figure is unknown to pyplot."""
    rows = list(rows)
    sources, targets = ([domain for domain in REVIEWS if domain in {row[place] for row in rows}] for place in (0, 1))
    maps = {way: np.full((len(sources), len(targets)), np.nan) for way in WAYS}
    for row in rows:
        maps[row.way][sources.index(row.source), targets.index(row.target)] = row.accuracy
    titles = {f"{way}\n(labels: {WAYS[way]})": table for way, table in maps.items()}
    return plot_domains(titles, sources, targets)[0]


def as_text(rows: Iterable[DomainRow]) -> str:
    """Rows under a heading, in percent.

    Examples
    --------
    >>> print(as_text([DomainRow("books", "dvd", "pooled", "both", 0.812, 0.025, 0.004)]))
    source  target  way     labels of  accuracy  gain  ± s.e.
    ---------------------------------------------------------
    books   dvd     pooled  both           81.2  +2.5     0.4
    """
    cells = [
        [*row[:4], f"{100 * row.accuracy:.1f}", f"{100 * row.gain:+.1f}", f"{100 * row.standard_error:.1f}"]
        for row in rows
    ]
    heading = ["source", "target", "way", "labels of", "accuracy", "gain", "± s.e."]
    return aligned(heading, cells, texts=range(4))
