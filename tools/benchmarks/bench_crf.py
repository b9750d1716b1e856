"""The conditional random field compared with CRFsuite (python-crfsuite, installed separately), on the English Web Treebank.

Both get the same features of the same words, and minimise the same function, Σ −log p(y | x) + c2 ‖w‖², so λ = 2 c2 / M. CRFsuite gets
attributes for the bias, the first and the last word. By default it has weights only for pairs of attribute and tag that occur in the
training part; with ``feature.possible_states`` it has all weights, as the lab does, and needs a minute for a thousand sentences. So there
are two comparisons: all weights on the first sentences, where the optimum must be the same, and CRFsuite's default on all sentences,
where the lab with its additional weights must reach CRFsuite's objective. ``--all-weights`` adds one run with all weights on all
sentences, which takes ten minutes on an idle machine. The goal: an accuracy within 0.2 points, and at most CRFsuite's CPU time to reach
its last objective + 0.1 %. The two run in turn.
"""

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import itertools

from results import accuracies, show

from classifiers.structured.crf import CRF
from classifiers.structured.tag_features import EncodedSentences
from lxmls_day1.base.errors import CorpusUnavailable
from readers.pos_corpus import PosCorpus

C2 = 1.0  # CRFsuite's default
FIRST_SENTENCES = 1000
OBJECTIVE_FACTOR = 1.001  # factor on CRFsuite's objective


class ObjectiveReached(Exception):
    """The objective has reached CRFsuite's."""


def attributes(X):
    """Return a list of attributes for each word of each sentence, as CRFsuite needs them."""
    starts, indptr, indices, _ = X.features
    sentences = []
    for begin, end in itertools.pairwise(starts):
        words = [[str(j) for j in indices[indptr[t] : indptr[t + 1]]] + ["bias"] for t in range(begin, end)]
        words[0].append("first")
        words[-1].append("last")
        sentences.append(words)
    return sentences


def train_crfsuite(items, corpus, test_items, all_states):
    """Return CPU time, last objective, iterations and test accuracy of CRFsuite's L-BFGS."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for words, tags in zip(items, corpus.train_y[: len(items)], strict=True):
        trainer.append(words, list(tags))
    trainer.set_params({"c2": C2, "feature.possible_states": int(all_states), "feature.possible_transitions": 1})
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        trainer.train(f"{folder}/model")
        seconds = time.process_time() - started
        with pycrfsuite.Tagger().open(f"{folder}/model") as tagger:
            predicted = [tagger.tag(words) for words in test_items]
    iterations = trainer.logparser.iterations
    return seconds, iterations[-1]["loss"], len(iterations), accuracy(corpus.test_y, predicted)


def accuracy(truth, predicted):
    """Return the share of correct tags."""
    pairs = [pair for each in zip(truth, predicted, strict=True) for pair in zip(*each, strict=True)]
    return sum(tag == guess for tag, guess in pairs) / len(pairs)


def train_lab_crf(X, corpus, X_test, target):
    """Return CPU time until the objective reaches the target, that objective, the iterations, and the test accuracy."""
    learner, n_sentences, seen = CRF(2 * C2 / len(X), tolerance=1e-9), len(X), []

    def look(iteration, _weights, params):
        seen.append((time.process_time() - started, iteration.objective * n_sentences))
        if seen[-1][1] <= target:
            seen.append(params)
            raise ObjectiveReached

    started = time.process_time()
    try:
        learner.train(X, corpus.train_y[:n_sentences], look)
    except ObjectiveReached:
        *steps, params = seen
        return *steps[-1], len(steps), accuracy(corpus.test_y, learner.test(X_test, params))
    raise AssertionError("the objective of CRFsuite was not reached")


def compare(corpus, n_sentences, all_states, repeats, save):
    """Show one comparison."""
    X = EncodedSentences.learn(corpus.train_X[:n_sentences])
    X_test = X.others(corpus.test_X)
    items, test_items = attributes(X), attributes(X_test)
    theirs, ours = [], []
    for _ in range(repeats):
        theirs.append(train_crfsuite(items, corpus, test_items, all_states))
        ours.append(train_lab_crf(X, corpus, X_test, OBJECTIVE_FACTOR * theirs[-1][1]))
    lab_medians, peer_medians = ([median(column) for column in zip(*runs, strict=True)] for runs in (ours, theirs))
    weights = "weights of all pairs" if all_states else "CRFsuite's default weights"
    ends = [f"{objective:.2f} after {iterations:.0f}" for _, objective, iterations, _ in (lab_medians, peer_medians)]
    entry = {
        "case": f"English Web Treebank, {len(X):,} sentences, {weights}",
        "measure": "CPU time",
        "ours": 'CRF(solver="lbfgs")',
        "peer": "CRFsuite, feature.possible_states" if all_states else "CRFsuite",
        "our_value": round(1e3 * lab_medians[0]),
        "peer_value": round(1e3 * peer_medians[0]),
        "unit": "ms",
        "ratio": round(peer_medians[0] / lab_medians[0], 2),
        **accuracies(lab_medians[3], peer_medians[3]),
        "note": f"objective: ours {ends[0]} iterations, CRFsuite {ends[1]}; {len(X.index):,} features",
    }
    show(corpus.get_name(), "crf", [entry], save)


def main(quick=False, repeats=2, all_weights=False):
    """Show the comparisons, or report that the treebank or CRFsuite is not available."""
    try:
        import pycrfsuite  # noqa: F401

        corpus = PosCorpus()
    except (ImportError, CorpusUnavailable) as error:
        print(f"The conditional random field is not compared: {error}")
        return
    CRF().train([["a", "b"], ["b"]], [["x", "y"], ["y"]])  # compiles the kernels, or loads them from the cache
    n_sentences = len(corpus.train_X)
    compare(corpus, 200 if quick else FIRST_SENTENCES, True, repeats, not quick)
    compare(corpus, 1000 if quick else n_sentences, False, repeats, not quick)
    if all_weights:
        compare(corpus, n_sentences, True, 1, not quick)


if __name__ == "__main__":
    main("--quick" in sys.argv, all_weights="--all-weights" in sys.argv)
