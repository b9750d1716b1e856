"""How long the structured learners take on the English Web Treebank: features, an epoch of training, tagging.

An epoch is one pass over the 12,544 training sentences, after compilation; the learners take turns. ``floor`` is a pass
that only searches for the best tags, which no online learner can do without. Wanted: at most 6 s an epoch on one core.
"""

import sys
from pathlib import Path
from statistics import median

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from interleaved import print_table, time_in_turn

from classifiers.structured import StructuredMira, StructuredPerceptron, StructuredSVM
from classifiers.structured.tag_features import FeatureIndex
from lxmls_day1.engine.compiled import chains
from lxmls_day1.errors import CorpusUnavailable
from readers.pos_corpus import PosCorpus

LEARNERS = (StructuredPerceptron, StructuredMira, StructuredSVM)
WANTED = 6.0  # seconds for an epoch


def epoch_seconds(learner, corpus):
    """Seconds of each of the learner's epochs, its parameters and itself."""
    params = learner.train(
        corpus.train_X, corpus.train_y, lambda *_: None
    )  # rounds are timed where somebody looks at each
    ends = [0.0, *(round.seconds for round in learner.history)]
    return np.diff(ends).tolist(), params


def compare(tags, rounds, repeats):
    corpus = PosCorpus(tags=tags)
    for learner in LEARNERS:
        learner(nr_rounds=1).train(corpus.train_X[:50], corpus.train_y[:50])  # compiles, or loads what was compiled
    epochs = {learner.name: [] for learner in LEARNERS}
    accuracy = {}
    for _ in range(repeats):
        for make in LEARNERS:
            learner = make(nr_rounds=rounds, track_objective=False)
            seconds, params = epoch_seconds(learner, corpus)
            epochs[make.name] += seconds
            accuracy[make.name] = learner.evaluate(corpus.test_y, learner.test(corpus.test_X, params))

    words, index = FeatureIndex.learn(corpus.train_X)[::-1]
    test_words = index.encode(corpus.test_X)
    nr_tokens = words.starts[-1]
    others = time_in_turn(
        {
            "features of the training part": lambda: FeatureIndex.learn(corpus.train_X),
            "floor: search through the training part": lambda: chains.best_paths(*words, len(index), params),
            "features and tags of the test part": lambda: learner.test(corpus.test_X, params),
            "tags of the test part, features given": lambda: chains.best_paths(*test_words, len(index), params),
        },
        repeats,
    )
    rows = [
        [
            f"epoch, {name}",
            f"{median(s):.2f}",
            f"{max(s):.2f}",
            f"{WANTED:.0f}",
            f"{median(s) / nr_tokens * 1e6:.2f}",
            f"{accuracy[name]:.4f}",
        ]
        for name, s in epochs.items()
    ]
    rows += [[name, f"{median(s):.2f}", f"{max(s):.2f}", "", "", ""] for name, s in others.items()]
    header = ["seconds", "median", "most", "wanted", "µs a training word", f"test accuracy, {rounds} rounds"]
    size = f"{len(corpus.train_X)} sentences, {nr_tokens} words, {len(index)} features"
    print_table(f"{corpus.get_name()}: K = {len(corpus.tag_names)}, {size}", header, rows)


def main(quick=False):
    """Print a table for each kind of tags; say so if the treebank is not at hand."""
    for tags in ("upos", "xpos"):
        try:
            compare(tags, rounds=2 if quick else 5, repeats=1 if quick else 3)
        except CorpusUnavailable as error:
            print(f"UD English-EWT is not at hand, the structured learners are not timed: {error}")
            return


if __name__ == "__main__":
    main("--quick" in sys.argv)
