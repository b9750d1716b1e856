"""Tagging of files of sentences by a saved tagger: the part of `predict` for sentences.

A file of tagged words is recognised by its name, comments and columns, as in training. A tagger for given features reads only
CRFsuite's format. The tags in such a file are compared with the predicted tags. In any other file, each non-blank line is a sentence
of words separated by white space. A file that does not fit the tagger raises an error.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from lxmls_day1.base.checks import format_labels
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.text import documents
from lxmls_day1.engine.text.text_blocks import STANDARD_INPUT

if TYPE_CHECKING:
    from lxmls_day1.engine.models.model_file import SavedModel
    from lxmls_day1.lab import Lab

CONLLU_TABS = 9  # tabs in each line
Tagged = tuple[tuple[Any, ...], tuple[str, ...] | None]


def tag_files(
    lab: "Lab", model: "SavedModel", paths: Sequence[str], marginals: bool = False, form: str = "auto"
) -> None:
    """Print each word of the files with its tag, and print the accuracy on standard error if the true tags are known.

    All files are read before any output, so that an error in the last file wastes no work. Sentences from standard input are
    tagged as they arrive.

    Parameters
    ----------
    lab : Lab
    model : SavedModel
        A model of a structured learner.
    paths : sequence of str
    marginals : bool
        Whether to print the probability of the tag, and those of all tags in descending order.
    form : {"auto", "raw", "columns", "conllu", "crfsuite"}
        The format of the files; ``"auto"`` detects it, ``"raw"`` is a sentence on each line.

    Raises
    ------
    InputError
        If a file cannot be read, holds no sentence, is malformed, or does not fit the tagger; or if marginals are requested from a
        tagger without probabilities.
    """
    if marginals and not hasattr(model.classifier, "get_marginals"):
        raise InputError(
            f"{model.classifier.get_name()} gives scores, not probabilities of tags; for --marginals train with --classifier crf"
        )
    pos_corpus, tags_of_file = lab.load("readers.pos_corpus"), model.notes.get("tags") or "upos"
    expects_features = getattr(model.classifier, "given_features", False)  # Older labs lack this attribute.

    classes = model.classifier.classes.tolist()
    known_tags = [str(tag) for tag in classes]

    def read(data: bytes, name: str) -> list[Tagged]:
        found: str | None = None if form == "raw" else form
        if not hasattr(pos_corpus, "read_tagged"):  # An older lab lacks this function.
            if expects_features:
                return [tuple(sentence) for sentence in pos_corpus.parse_crfsuite(data, name)]
            return read_sentences(data, name, pos_corpus.parse_conllu, tags_of_file)
        if form == "auto":
            lines = [line.removesuffix("\r") for line in documents.decode_utf8(data, name).split("\n")]
            found = pos_corpus.guess_tagged_format(lines, name, known_tags)
            if expects_features and found != "conllu":
                found = "crfsuite" if any("\t" in line for line in lines) else None
        _check_kind(found, expects_features, name)
        if found is None:
            return read_sentences(data, name, None)
        is_treebank = tags_of_file in ("upos", "xpos")
        tags = tags_of_file if is_treebank == (found == "conllu") else "upos"
        tagged = pos_corpus.read_tagged(data, name, tags, found)
        used = sorted({tag for sentence in tagged.sentences for tag in sentence.tags})
        if len(used) > 1 and not {*used} & {*known_tags}:
            raise InputError(
                f"{name} does not fit the model: its tags are {format_labels(used, max_labels=5)}, and the model's "
                f"{format_labels(known_tags, max_labels=5)}; name a file of the same tags"
                + ("" if expects_features else ", or sentences without tags, one on each line (--format raw)")
            )
        click.echo(f"Read {name}: {tagged.described}.", err=True)
        return [tuple(sentence) for sentence in tagged.sentences]

    right = known = 0
    for sentences in _batches(paths, read, in_lines=not expects_features):
        X = [words for words, _ in sentences]
        predicted = model.classifier.test(X, model.params)
        probabilities = model.classifier.get_marginals(X, model.params) if marginals else [None] * len(X)
        for (words, truth), tags, shares in zip(sentences, predicted, probabilities, strict=True):
            for t, (word, tag) in enumerate(zip(words, tags, strict=True)):
                fields = [] if shares is None else _confidence(classes, tag, shares[t].tolist())
                click.echo("\t".join([documents.escape_unprintable(_text_of(word)), str(tag), *fields]))
            click.echo()
            if truth is not None:
                known += len(truth)
                right += sum(tag == true for tag, true in zip(tags, truth, strict=True))
    if known:
        click.echo(f"accuracy {right / known:.4f} ({right} of {known} tagged words)", err=True)


def _check_kind(found: str | None, expects_features: bool, name: str) -> None:
    """Raise an InputError for words given to a tagger of features, or features given to a tagger of words."""
    if expects_features and found != "crfsuite":
        raise InputError(
            f"{name} does not fit the model, which takes features in CRFsuite's format: a line for each word, with a tag (any, such as _) "
            f"and the features that the model was trained on, between tabs; got {'CoNLL-U' if found == 'conllu' else 'plain text'}"
        )
    if not expects_features and found == "crfsuite":
        raise InputError(
            f"{name} does not fit the model: it holds tags and features (CRFsuite), and the model takes words: a sentence on each line, or "
            "CoNLL-U, or a word and its tag on each line; --format overrules this"
        )


def _text_of(word: Any) -> str:
    """Return a word as a string; for features, join them with spaces."""
    if isinstance(word, dict):
        return " ".join(name if value == 1.0 else f"{name}:{value:g}" for name, value in word.items())
    return word if isinstance(word, str) else " ".join(word)


def _batches(
    paths: Sequence[str], read: Callable[[bytes, str], list[Tagged]], in_lines: bool
) -> Iterator[list[Tagged]]:
    """Yield the sentences of all files at once; yield the lines of standard input one at a time as they arrive."""
    if list(paths) != [STANDARD_INPUT] or not in_lines:
        yield [one for path in paths for one in read(documents.read_bytes(path), documents.display_name(path))]
        return
    for _, line in documents.stdin_lines():
        if line.startswith(b"#") or b"\t" in line:
            line += sys.stdin.buffer.read()
        yield read(line, documents.display_name(STANDARD_INPUT))


def _confidence(tags: list[Any], tag: Any, shares: list[float]) -> list[str]:
    """Return the formatted probability of a tag, and those of all tags."""
    falling = sorted(zip(tags, shares, strict=True), key=lambda entry: -entry[1])
    return [f"{shares[tags.index(tag)]:.4f}", " ".join(f"{name}={share:.4f}" for name, share in falling)]


def read_sentences(data: bytes, name: str, parse_conllu: Any, tags: str = "upos") -> list[Tagged]:
    """Read the sentences of a file as (words, tags); the tags are None if the file has none.

    Parameters
    ----------
    data : bytes
        The content of the file.
    name : str
        The name of the file in error messages.
    parse_conllu : function (bytes, tags, name) -> list of sentences with ``words`` and ``tags``, optional
        None if the file is known to be plain text.
    tags : {"upos", "xpos"}

    Raises
    ------
    InputError
        If the file is not text, holds no sentence, or is malformed CoNLL-U.

    Examples
    --------
    >>> read_sentences(b"The cat sleeps .\\n\\nBirds sing .\\n", "the text", None)
    [(('The', 'cat', 'sleeps', '.'), None), (('Birds', 'sing', '.'), None)]
    """
    lines = documents.decode_utf8(data, name).split("\n")
    first = next((line for line in lines if line.strip() and not line.startswith("#")), None)
    if first is None:
        raise InputError(f"{name} holds no sentence; expected one sentence per line, or the CoNLL-U format")
    if parse_conllu is not None and first.count("\t") == CONLLU_TABS:
        return [(sentence.words, sentence.tags) for sentence in parse_conllu(data, tags, name)]
    return [(tuple(line.split()), None) for line in lines if line.strip()]
