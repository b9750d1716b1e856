"""``lxmls-day1 predict``: label documents with a saved classifier."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lxmls_day1.base.errors import InputError, pluralize
from lxmls_day1.commands.output import warnings_as_notes
from lxmls_day1.commands.shared_options import combine_options, lab_option

if TYPE_CHECKING:
    import numpy as np

    from lxmls_day1.engine.text.documents import Document
    from lxmls_day1.engine.text.text_models import TextModel
    from lxmls_day1.lab import Lab


TAGGED = ("columns", "conllu", "crfsuite")
#: Extensions of files with labelled examples or features, which are not raw text.
LABELLED = (
    ".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".svmlight", ".libsvm", ".svm", ".conllu", ".conllup", ".crfsuite",
)  # fmt: skip
#: The options that define how `predict` and `explain` read files.
reading_options = combine_options(
    click.option(
        "--format", "form", type=click.Choice(["auto", "raw", "processed", *TAGGED]), default="auto", show_default=True,
        help="Whether files hold raw text or token:count lines, or for a tagger tagged words; auto decides for each file.",
    ),
    click.option(
        "--per", "unit", type=click.Choice(["file", "line"]),
        help="For raw text: whether a file or a line is one review. Default: a file; a line where predict reads standard input.",
    ),
    lab_option,
)  # fmt: skip


@click.command(name="predict", short_help="Label reviews with a saved classifier.")
@click.argument("model_path", metavar="MODEL", type=click.Path())
@click.argument("paths", metavar="FILE...", type=click.Path(allow_dash=True), nargs=-1, required=True)
@reading_options
@click.option("--scores", "with_scores", is_flag=True, help="Print the score of every class, too.")
@click.option("--marginals", is_flag=True, help="Print the probability of each tag of a word, too (crf only).")
def command(
    model_path: str,
    paths: tuple[str, ...],
    form: str,
    unit: str | None,
    lab_folder: str | None,
    with_scores: bool,
    marginals: bool,
) -> None:
    """Label reviews with a classifier that `lxmls-day1 train` has kept.

    A FILE holds raw text, or lines token:count token:count ... as the review corpora do. Raw text is tokenized as the
    classifier's training texts were; reviews are turned into lower case, unigrams and bigrams, with <num> for numbers.
    The name - stands for standard input: every line that is not blank is labelled at once, so predict can be used in a
    pipe.

    One line is printed for each review, with its fields separated by tabs: the label; its margin, the difference
    between its score and the next highest; the file, with the line number where each line is a review; and, with
    --scores, the scores. If the lines end with labels (#label#:positive), the accuracy follows on standard error.

    A classifier trained on a svmlight file takes svmlight: each line is predicted, and its label counts only for the accuracy.

    A tagger (`lxmls-day1 train --classifier structured_perceptron --domain ewt`) takes sentences: a FILE holds one
    sentence per line, its words separated by spaces, or tagged words as for training. One line is printed for each word and its
    tag, separated by a tab character, and a blank line after each sentence. A conditional random field (`--classifier
    crf`) also gives probabilities: with --marginals each line goes on with the probability of the tag and those of all
    tags, the most probable first.

    \b
    Examples:
      lxmls-day1 predict mira.npz review.txt another.txt
      lxmls-day1 predict mira.npz --per line reviews.txt
      tail -f reviews.txt | lxmls-day1 predict mira.npz - | cut -f 1
      lxmls-day1 predict crf.npz --marginals sentences.txt
    """
    from lxmls_day1.lab import Lab

    lab = Lab(lab_folder) if lab_folder else Lab.open()
    model = open_model(lab, model_path)
    if model.tags_sentences:
        from lxmls_day1.engine.text.tagged_files import tag_files

        if form == "processed":
            raise InputError("this model tags words, and takes no token:count lines; leave out --format processed")
        tag_files(lab, model, paths, marginals, form)
        return
    if marginals:
        raise InputError("--marginals is for taggers; this model labels whole texts, so use --scores")
    by_line = paths == ("-",) and unit != "file"
    batches = lines_of_input(model, form) if by_line else [open_documents(model, paths, form, unit)]
    print_predictions(model, batches, with_scores)


def print_predictions(model: "TextModel", batches: Iterable[Sequence["Document"]], with_scores: bool) -> None:
    """Print a line for each document, after all of its batch have been checked, and at the end sentences on all of them."""
    from lxmls_day1.engine.text.documents import escape_unprintable

    names = model.class_names
    n_documents = n_unknown = n_labelled = n_right = 0
    for documents in batches:
        check_labels_known(documents, model)
        with warnings_as_notes():
            scores = model.scores_of_bags([document.counts for document in documents])
        columns, margins = scores.argmax(axis=1), margins_of(scores)
        for document, column, margin, row in zip(documents, columns, margins, scores, strict=True):
            fields = [escape_unprintable(names[column]), f"{margin:.6g}", document.location]
            if with_scores:
                fields += [f"{escape_unprintable(name)}={score:.6g}" for name, score in zip(names, row, strict=True)]
            click.echo("\t".join(fields))  # echo flushes the output, so that pipes work
            n_documents += 1
            n_unknown += not model.has_known_token(document.counts)
            if document.label is not None:
                n_labelled += 1
                n_right += document.label == names[column]
    if n_unknown:
        click.echo(
            f"Note: {n_unknown} of {pluralize(n_documents, 'review')} hold{'s' * (n_unknown == 1)} no word that the classifier "
            "knows; its intercepts decided.",
            err=True,
        )
    if n_labelled:
        click.echo(f"accuracy {n_right / n_labelled:.4f} ({n_right} of {n_labelled} labelled reviews)", err=True)


def lines_of_input(model: "TextModel", form: str) -> Iterator[list["Document"]]:
    """Yield each line of standard input that is not blank as a document, as soon as it is available."""
    from lxmls_day1.engine.text.documents import looks_processed, stdin_lines

    for number, line in stdin_lines():
        if form == "auto" and not has_ready_features(model):  # the first line decides
            form = "processed" if looks_processed(line.decode("utf-8-sig", errors="replace")) else "raw"
        where = f"standard input:{number}"
        yield [document._replace(location=where) for document in documents_for(model, line, where, form)]


def margins_of(scores: "np.ndarray") -> "np.ndarray":
    """Return the difference between the best and the second best score of each row (M, K), as an array (M,)."""
    import numpy as np

    if scores.shape[1] < 2:
        return np.full(len(scores), np.inf)
    second, best = np.partition(scores, -2, axis=1)[:, -2:].T
    return np.asarray(best - second)


def open_model(lab: "Lab", path: str) -> "TextModel":
    """Return a saved classifier of the lab that knows the names of its features."""
    from lxmls_day1.engine.models.model_file import class_finder, load_model
    from lxmls_day1.engine.text.text_models import TextModel

    root = lab.load("classifiers.linear_classifier").LinearClassifier
    find_class = class_finder(root, lab.folder / "classifiers", lambda name: lab.load(f"classifiers.{name}"))
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder; MODEL must be a file that `lxmls-day1 train` has written.")
    model = TextModel(*load_model(path, find_class))
    by_name = model.tags_sentences or model.notes.get("hash_bits") is not None
    if model.feature_names is None and not by_name:
        raise InputError(
            f"{path} has no feature names, so it cannot read words: it was trained on points, not on text, or was "
            "saved without feature_names. Make a model of text with `lxmls-day1 train`."
        )
    return model


def open_documents(model: "TextModel", paths: Sequence[str], form: str, unit: str | None) -> list["Document"]:
    """Return the documents of all files. All files are read before any output, so that a fault in the last one costs no time."""
    from lxmls_day1.engine.text.documents import display_name, read_bytes
    from lxmls_day1.engine.text.labelled_files import ending_of

    if form in TAGGED:
        raise InputError(f"--format {form} is for taggers; this model labels whole texts, raw or in token:count lines")
    documents = []
    for path in paths:
        if os.path.isdir(path):
            raise InputError(f"{display_name(path)} is a folder; FILE must be a file of reviews.")
        by_name, data = ending_of(Path(path)) in LABELLED, read_bytes(path)
        if (
            form == "auto"
            and not has_ready_features(model)
            and (by_name or holds_labelled_lines(data, model.class_names))
        ):
            raise InputError(
                f"{display_name(path)} does not fit the model: by its {'name' if by_name else 'lines'} it holds labelled examples or "
                "features, and the model takes raw text; write the texts alone, one on each line, and add --per line, or read the file as "
                "it is with --format raw"
            )
        documents += documents_for(model, data, display_name(path), form, unit or "file")
    return documents


def has_ready_features(model: "TextModel") -> bool:
    """Return True if the model was trained on a svmlight file."""
    return model.notes.get("tokens") == "features"


def documents_for(model: "TextModel", data: bytes, name: str, form: str, unit: str = "file") -> list["Document"]:
    """Return the documents of a file: the lines of svmlight for a model of ready-made features, otherwise as `read_documents` does.

    A line of svmlight must begin with a label, so the labels are used only if the model knows one of them.
    """
    from lxmls_day1.engine.text.documents import Document, decode_utf8, read_documents
    from lxmls_day1.engine.text.svmlight import is_number, parse_svmlight

    if form == "auto" and has_ready_features(model):
        text = decode_utf8(data, name)
        if text.startswith("#") or is_number("".join(text.split(maxsplit=1)[:1])):
            labels, rows, lines = parse_svmlight(text, name)
            labelled = not {*labels}.isdisjoint(model.class_names)
            found = zip(labels, rows, lines, strict=True)
            return [Document(f"{name}:{line}", row, label if labelled else None) for label, row, line in found]
    return read_documents(data, name, form, unit, model.tokens_of)


def holds_labelled_lines(data: bytes, class_names: Sequence[str]) -> bool:
    """Return True if each line after the first is a label of the model and a text, in either order, with a tab character between them.

    Examples
    --------
    >>> holds_labelled_lines(b"label\\ttext\\npos\\tA fine film.\\nneg\\tDull.\\n", ["neg", "pos"])
    True
    """
    rows = [line.split("\t") for line in data.decode(errors="replace").splitlines()[1:] if line.strip()]
    return len(rows) > 1 and all(len(row) == 2 and not {*row}.isdisjoint(class_names) for row in rows)


def check_labels_known(documents: Sequence["Document"], model: "TextModel") -> None:
    """Raise an error for labels that the model cannot predict, because an accuracy over them would mislead."""
    from lxmls_day1.base.checks import format_labels

    names = model.class_names
    for document in documents:
        if document.label is not None and document.label not in names:
            raise InputError(
                f"{document.location}: the label is {document.label!r}, but the classifier knows {format_labels(names)}; "
                "correct it, or leave the labels out"
            )
