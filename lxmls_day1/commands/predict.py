"""``lxmls-day1 predict``: what a saved classifier says about documents."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from lxmls_day1.commands.output import warnings_as_notes
from lxmls_day1.commands.shared_options import lab_option, several
from lxmls_day1.errors import InputError, counted

if TYPE_CHECKING:
    import numpy as np

    from lxmls_day1.engine.text.documents import CountText, Document
    from lxmls_day1.lab import Lab
    from lxmls_day1.model_file import SavedModel


#: How `predict` and `explain` read files.
reading_options = several(
    click.option(
        "--format", "form", type=click.Choice(["auto", "raw", "processed"]), default="auto", show_default=True,
        help="Raw text, or token:count lines? auto looks at each file.",
    ),
    click.option(
        "--per", "unit", type=click.Choice(["file", "line"]), default="file", show_default=True,
        help="Raw text: is a file one review, or each of its lines?",
    ),
    lab_option,
)  # fmt: skip


@click.command(name="predict", short_help="Label reviews with a saved classifier.")
@click.argument("model_path", metavar="MODEL", type=click.Path())
@click.argument("paths", metavar="FILE...", type=click.Path(allow_dash=True), nargs=-1, required=True)
@reading_options
@click.option("--scores", "with_scores", is_flag=True, help="Show the score of every class, too.")
@click.option("--marginals", is_flag=True, help="Show how probable each tag of a word is (crf), too.")
def command(
    model_path: str,
    paths: tuple[str, ...],
    form: str,
    unit: str,
    lab_folder: str | None,
    with_scores: bool,
    marginals: bool,
) -> None:
    """Label reviews with a classifier that `lxmls-day1 train` has kept.

    A FILE holds raw text, or lines token:count token:count ... as the review corpora do; - is standard input. Raw text
    is taken apart as the texts were that the classifier has learnt from; for reviews: lower case, unigrams and bigrams,
    numbers to <num>.

    There is one line for each review, with tabs between its fields: the label; its margin, which is how far its score
    is ahead of the next one; the file, with the number of the line where each is a review; with --scores, the scores.
    Where the lines have labels (#label#:positive at their end), the accuracy follows on standard error.

    A tagger (`lxmls-day1 train --classifier structured_perceptron --domain ewt`) takes sentences: a FILE holds one a line,
    its words between spaces, or is in CoNLL-U format. There is one line for each word and its tag, with a tab between, and a
    blank line after each sentence. A conditional random field (`--classifier crf`) also knows how sure it is: with --marginals the
    probability of the tag follows, and then those of all tags, the most probable first.

    \b
    Examples:
      lxmls-day1 predict mira.npz review.txt another.txt
      lxmls-day1 predict mira.npz --per line reviews.txt
      echo "A dull book." | lxmls-day1 predict mira.npz -
      lxmls-day1 predict crf.npz --marginals sentences.txt
    """
    from lxmls_day1.engine.text.documents import printable
    from lxmls_day1.lab import Lab

    lab = Lab(lab_folder) if lab_folder else Lab.open()
    model = open_model(lab, model_path)
    if model.notes.get("tokens") == "sentences":
        from lxmls_day1.engine.text.tagged_files import tag_files

        tag_files(lab, model, paths, marginals)
        return
    if marginals:
        raise InputError("--marginals is for taggers; this model labels whole texts, take --scores")
    documents = open_documents(lab, model, paths, form, unit)
    check_labels_known(documents, model)
    X = vectorised(lab, documents, model)
    with warnings_as_notes():
        columns, scores = predict(model, X)
    margins, names = margins_of(scores), model.class_names
    for document, column, margin, row in zip(documents, columns, margins, scores, strict=True):
        fields = [printable(names[column]), f"{margin:.6g}", document.where]
        if with_scores:
            fields += [f"{printable(name)}={score:.6g}" for name, score in zip(names, row, strict=True)]
        click.echo("\t".join(fields))
    for remark in remarks(documents, [names[column] for column in columns], X):
        click.echo(remark, err=True)


def predict(model: "SavedModel", X: Any) -> tuple["np.ndarray", "np.ndarray"]:
    """What the classifier says about each row.

    Returns
    -------
    columns : int array (M,)
        The predicted class of each, as the number of its column.
    scores : array (M, K)
    """
    import numpy as np

    classifier, params = model.classifier, model.params
    labels = np.asarray(classifier.test(X, params))
    columns = labels if classifier.classes is None else np.searchsorted(classifier.classes, labels)
    return columns, np.asarray(classifier.get_scores(classifier.add_intercept_term(X), params))


def margins_of(scores: "np.ndarray") -> "np.ndarray":
    """How far the best score of each row (M, K) is ahead of the second best, (M,)."""
    import numpy as np

    if scores.shape[1] < 2:
        return np.full(len(scores), np.inf)
    second, best = np.partition(scores, -2, axis=1)[:, -2:].T
    margins: np.ndarray = best - second
    return margins


def remarks(documents: Sequence["Document"], predicted: Sequence[str], X: Any) -> list[str]:
    """What is to be said about the predictions as a whole: the accuracy, and documents of which no word is known."""
    sentences = []
    unknown = int((abs(X).sum(axis=1) == 0).sum())
    if unknown:
        sentences.append(
            f"Note: {unknown} of {counted(len(documents), 'review')} hold{'s' * (unknown == 1)} no word that the classifier "
            "knows; its intercepts decided."
        )
    right = [document.label == name for document, name in zip(documents, predicted, strict=True) if document.label]
    if right:
        sentences.append(f"accuracy {sum(right) / len(right):.4f} ({sum(right)} of {len(right)} labelled reviews)")
    return sentences


def open_model(lab: "Lab", path: str) -> "SavedModel":
    """A saved classifier of the lab that knows the names of its features."""
    from lxmls_day1.model_file import class_finder, load_model

    root = lab.load("classifiers.linear_classifier").LinearClassifier
    find_class = class_finder(root, lab.folder / "classifiers", lambda name: lab.load(f"classifiers.{name}"))
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder; MODEL is a file that `lxmls-day1 train` has written.")
    model = load_model(path, find_class)
    by_name = model.notes.get("tokens") == "sentences" or model.notes.get("hash_bits") is not None
    if model.feature_names is None and not by_name:
        raise InputError(
            f"{path} has no names of features, so words cannot be told: it was trained on points, not on text, or was "
            "saved without feature_names. Make a model of text with `lxmls-day1 train`."
        )
    return model


def open_documents(lab: "Lab", model: "SavedModel", paths: Sequence[str], form: str, unit: str) -> list["Document"]:
    """The documents of all files. All are read before anything is shown: a mistake in the last costs nothing."""
    from lxmls_day1.engine.text.documents import read_bytes, read_documents, shown_name

    count = count_function(lab, model)
    documents = []
    for path in paths:
        if os.path.isdir(path):
            raise InputError(f"{shown_name(path)} is a folder; FILE is a file of reviews.")
        documents += read_documents(read_bytes(path), shown_name(path), form, unit, count)
    return documents


def count_function(lab: "Lab", model: "SavedModel") -> "CountText":
    """What takes a raw text apart as the texts were from which the model has learnt; its notes say which these were."""
    from lxmls_day1.engine.text.tokens import count_tokens

    kind = model.notes.get("tokens", "reviews")
    if kind == "reviews":
        return count_tokens
    if kind == "questions":
        count_words: CountText = lab.load("readers.vocabulary").count_words
        return count_words
    if kind == "features":
        raise InputError(
            "the model is of ready-made features (svmlight), so words cannot be told; train one on labelled texts, or predict in "
            "Python with LinearClassifier.load."
        )
    raise InputError(f"the model is of texts whose tokens are those of {kind!r}; known are 'reviews' and 'questions'.")


def check_labels_known(documents: Sequence["Document"], model: "SavedModel") -> None:
    """An accuracy over labels that could never be predicted would mislead."""
    from lxmls_day1.checks import listed

    names = model.class_names
    for document in documents:
        if document.label is not None and document.label not in names:
            raise InputError(
                f"{document.where}: the label is {document.label!r}, but the classifier knows {listed(names)}; "
                "correct it, or leave the labels out"
            )


def vectorised(lab: "Lab", documents: Sequence["Document"], model: "SavedModel") -> Any:
    """The documents as rows over the features of the model, (M, J); hashed ones as they were in training."""
    hash_bits = model.notes.get("hash_bits")
    if hash_bits is not None:
        from lxmls_day1.engine.text.token_batches import numbered_bags

        return numbered_bags([document.counts for document in documents]).hashed(hash_bits)
    columns = {name: column for column, name in enumerate(model.feature_names or [])}
    return lab.load("readers.vocabulary").vectorise([document.counts for document in documents], columns)
