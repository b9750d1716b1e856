"""The structured learners on tagged sentences: what ``lxmls-day1 run --task tagging`` does.

They are trained on a treebank, compared, and the one that is best on the development part is looked at closely: how
well it does each tag, and which tags it takes for which.
"""

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from lxmls_day1.commands.output import (
    ReportProgress,
    as_json,
    not_written_yet,
    png,
    shown_progress,
    writable_folder,
    write_results,
)
from lxmls_day1.comparison import load_compiled_code, measure
from lxmls_day1.errors import CorpusUnavailable, InputError
from lxmls_day1.figures.confusion import confusion_counts, plot_confusion
from lxmls_day1.figures.plotting import detached_axes
from lxmls_day1.lab import Lab
from lxmls_day1.result_table import ResultTable, Row
from lxmls_day1.text_table import aligned, as_csv

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CORPUS = "UD_English-EWT"
LEARNERS = {
    "structured_perceptron": "StructuredPerceptron",
    "structured_mira": "StructuredMira",
    "structured_svm": "StructuredSVM",
    "crf": "CRF",
}
NR_ROUNDS = 5


class TagRow(NamedTuple):
    """How a tagger does one tag."""

    tag: str
    words: int
    """How many words truly have it."""
    accuracy: float | None
    """Share of these that are tagged so (recall); None if there are none."""
    precision: float | None
    """Share of the words tagged so that truly have it; None if there are none."""
    mostly_taken_for: str | None
    """The tag that its words are most often given instead; None if they never are."""


class TaggingResults(NamedTuple):
    """What a run ends with."""

    table: ResultTable
    """All learners."""
    best: str
    """The name of the one that does best on the development part; what follows is about it, on the test part."""
    tag_rows: list[TagRow]
    tags: list[str]
    confusion: np.ndarray
    """(K, K) counts: row the true tag, column the predicted one, in the order of `tags`."""
    figure: "Figure"
    """The confusion, drawn; unknown to pyplot."""


# ---------------------------------------------------------------------------------------------------------- the command


def run(out: str, data_dir: str | None = None, lab_folder: str | None = None, corpus: str = CORPUS) -> None:
    """Train, print the tables, write figures and results into a folder.

    Parameters
    ----------
    out : str
        The folder; it is made if need be.
    data_dir : str, optional
        Where the treebank is, as pos/NAME/*.conllu.
    lab_folder : str, optional
        The lab; the one that the current folder is in unless given.
    corpus : str
        ``UD_English-EWT`` or ``toy``. If the former cannot be had the latter takes its place, and the table says so.

    Raises
    ------
    InputError
        For a folder that cannot be written to, a lab or a corpus that cannot be used.
    """
    folder = writable_folder(out)
    lab = Lab(lab_folder) if lab_folder else Lab.open()
    with shown_progress() as progress:
        sentences, notes = open_sentences(lab, corpus, data_dir)
        results = compare_taggers(lab, sentences, progress)
        contents = {"confusion.png": png(results.figure)}
    table = ResultTable(results.table.rows, [*notes, *results.table.notes])
    contents |= {
        "results.json": as_json(
            {
                **json.loads(table.to_json()),
                "best": results.best,
                "tags": [row._asdict() for row in results.tag_rows],
                "confusion": {"tags": results.tags, "true_by_predicted": results.confusion.tolist()},
            }
        ),
        "results.csv": table.to_csv().encode(),
        "tags.csv": as_csv(TagRow._fields, results.tag_rows).encode(),
    }
    said = f"{table}\n\n{results.best} on the test part, tag by tag:\n\n{as_text(results.tag_rows)}\n"
    write_results(folder, contents, said)


def open_sentences(lab: Lab, name: str, data_dir: str | None) -> tuple[Any, list[str]]:
    """The treebank, or the toy sentences with a sentence about it, which is also shown at once."""
    try:
        return lab.reader("pos_corpus", "PosCorpus", name=name, data_dir=data_dir), []
    except CorpusUnavailable as error:
        reason = str(error).rstrip(".")
        click.echo(f"{reason[:1].upper()}{reason[1:]}; the toy sentences take its place.", err=True)
    toy = lab.reader("pos_corpus", "PosCorpus", name="toy")
    return toy, [f"{name} is not available; these are a few toy sentences, on which accuracies mean little."]


# --------------------------------------------------------------------------------------------------------- what it does


def compare_taggers(lab: Lab, corpus: Any, progress: ReportProgress | None = None) -> TaggingResults:
    """Train every structured learner of a lab and look closely at the best.

    Parameters
    ----------
    lab : Lab
    corpus : PosCorpus
        Or any data set of sentences with tags, as it offers them.
    progress : function (done, total, name), optional
        Called before each training with the learner's name, and at the end with an empty one.

    Returns
    -------
    TaggingResults

    Raises
    ------
    InputError
        If the corpus has no test part, or a learner cannot be trained on it.
    """
    if not corpus.test_X:
        raise InputError(f"{corpus.get_name()} has no test part, which is needed to compare the taggers")
    rows: list[Row] = []
    dev_accuracy: dict[str, float] = {}
    predictions: dict[str, Any] = {}
    notes: list[str] = []
    data = encoded(lab, corpus)
    for done, (module, class_name) in enumerate(LEARNERS.items()):
        learner = lab.classifier(module, class_name, nr_rounds=NR_ROUNDS)
        name = learner.get_name()
        if progress:
            progress(done, len(LEARNERS), name)
        load_compiled_code(learner, [("it", "rains")], [("PRON", "VERB")])
        try:
            row, params = measure(learner, name, data)
        except NotImplementedError as error:
            notes.append(not_written_yet(name, error))
            continue
        rows.append(row)
        has_dev = len(corpus.dev_y) > 0
        dev_accuracy[name] = (
            learner.evaluate(corpus.dev_y, learner.test(data.dev_X, params)) if has_dev else row.train_accuracy
        )
        predictions[name] = learner.test(data.test_X, params)
        del params  # a hundred megabytes that the next learner can use
    if progress:
        progress(len(LEARNERS), len(LEARNERS), "")
    if not rows:
        raise InputError(f"none of the structured learners is written yet: {' '.join(notes)}")

    best = max(dev_accuracy, key=dev_accuracy.__getitem__)
    tags, confusion = confusion_counts(corpus.test_y, predictions[best])
    fig, axis = detached_axes(figsize=(11.0, 10.0))
    plot_confusion(tags, confusion, title=f"{best}, {corpus.get_name()}, test part", ax=axis)
    notes += _on_unseen_words(best, corpus, predictions[best])
    return TaggingResults(ResultTable(rows, notes), best, tag_rows(tags, confusion), tags, confusion, fig)


def encoded(lab: Lab, corpus: Any) -> SimpleNamespace:
    """The corpus with features that all learners share."""
    train = lab.load("classifiers.tag_features").EncodedSentences.learn(corpus.train_X)
    parts = {"train_X": train, "dev_X": train.others(corpus.dev_X), "test_X": train.others(corpus.test_X)}
    return SimpleNamespace(**parts, train_y=corpus.train_y, test_y=corpus.test_y, get_name=corpus.get_name)


def tag_rows(tags: Sequence[str], confusion: np.ndarray) -> list[TagRow]:
    """Accuracy, precision and the commonest mistake of each tag.

    Parameters
    ----------
    tags : K str
    confusion : int array (K, K)
        As `confusion_counts` gives it.

    Returns
    -------
    list of K TagRow

    Examples
    --------
    >>> tag_rows(["NOUN", "VERB"], np.array([[3, 1], [0, 4]]))[0]
    TagRow(tag='NOUN', words=4, accuracy=0.75, precision=1.0, mostly_taken_for='VERB')
    """
    rows = []
    for k, tag in enumerate(tags):
        words, guesses, right = int(confusion[k].sum()), int(confusion[:, k].sum()), int(confusion[k, k])
        mistakes = confusion[k].copy()
        mistakes[k] = 0
        taken_for = tags[int(np.argmax(mistakes))] if mistakes.any() else None
        rows.append(
            TagRow(tag, words, right / words if words else None, right / guesses if guesses else None, taken_for)
        )
    return rows


def as_text(rows: Sequence[TagRow]) -> str:
    """Tag rows as an aligned table.

    Examples
    --------
    >>> print(as_text([TagRow("NOUN", 4, 0.75, 1.0, "VERB"), TagRow("X", 0, None, 0.0, None)]))
    tag   words  accuracy  precision  mostly taken for
    --------------------------------------------------
    NOUN      4    0.7500     1.0000  VERB
    X         0       n/a     0.0000
    """
    heading = [name.replace("_", " ") for name in TagRow._fields]
    cells = [
        [row.tag, str(row.words), _share(row.accuracy), _share(row.precision), row.mostly_taken_for or ""]
        for row in rows
    ]
    return aligned(heading, cells, texts=(0, len(heading) - 1))


def _share(share: float | None) -> str:
    return "n/a" if share is None else f"{share:.4f}"


def _on_unseen_words(name: str, corpus: Any, predicted: Sequence[Sequence[str]]) -> list[str]:
    """A note on the test words that the training part has, and on those that it has not."""
    right: dict[bool, list[bool]] = {True: [], False: []}
    for sentence, tags, guesses in zip(corpus.test_X, corpus.test_y, predicted, strict=True):
        for word, tag, guess in zip(sentence, tags, guesses, strict=True):
            right[word in corpus.word_counts].append(tag == guess)
    if not right[True] or not right[False]:
        return []
    share = len(right[False]) / (len(right[True]) + len(right[False]))
    return [
        f"{name}, test part: {np.mean(right[True]):.4f} of the words that occur in training, "
        f"{np.mean(right[False]):.4f} of the others, which are {share:.1%} of all."
    ]
