"""Files of sentences, and the tags that a saved tagger gives their words: the part of `predict` that is about sentences.

A file in CoNLL-U format is one whose first line that is neither blank nor a comment has ten columns between tabs; its
universal tags are what the tagger's are compared with. In any other file each line that is not blank is a sentence, and its
words stand between spaces.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from lxmls_day1.engine.text.documents import STANDARD_INPUT, decoded, input_lines, printable, read_bytes, shown_name
from lxmls_day1.errors import InputError

if TYPE_CHECKING:
    from lxmls_day1.lab import Lab
    from lxmls_day1.model_file import SavedModel

CONLLU_COLUMNS = 10
Tagged = tuple[tuple[str, ...], tuple[str, ...] | None]


def tag_files(lab: "Lab", model: "SavedModel", paths: Sequence[str], marginals: bool = False) -> None:
    """Print each word of the files with its tag, and on standard error the accuracy where the tags are known.

    All files are read before anything is shown, so that a mistake in the last of them costs nothing. Of the standard input each
    sentence is answered as soon as it is there.

    Parameters
    ----------
    lab : Lab
    model : SavedModel
        Of a structured learner.
    paths : sequence of str
    marginals : bool
        Whether the probability of the tag, and those of all tags in falling order, stand beside it.

    Raises
    ------
    InputError
        For a file that cannot be read, holds no sentence, or breaks its format; and for marginals of a tagger that has none.
    """
    if marginals and not hasattr(model.classifier, "get_marginals"):
        raise InputError(
            f"{model.classifier.get_name()} has scores, but no probabilities of tags; for --marginals train with --classifier crf"
        )
    parse_conllu = lab.load("readers.pos_corpus").parse_conllu
    right = known = 0
    for sentences in _batches(paths, parse_conllu):
        X = [words for words, _ in sentences]
        predicted = model.classifier.test(X, model.params)
        probabilities = model.classifier.get_marginals(X, model.params) if marginals else [None] * len(X)
        for (words, truth), tags, shares in zip(sentences, predicted, probabilities, strict=True):
            for t, (word, tag) in enumerate(zip(words, tags, strict=True)):
                fields = (
                    [] if shares is None else _confidence(model.classifier.classes.tolist(), tag, shares[t].tolist())
                )
                click.echo("\t".join([printable(word), str(tag), *fields]))
            click.echo()
            if truth is not None:
                known += len(truth)
                right += sum(tag == true for tag, true in zip(tags, truth, strict=True))
    if known:
        click.echo(f"accuracy {right / known:.4f} ({right} of {known} tagged words)", err=True)


def _batches(paths: Sequence[str], parse_conllu: Any) -> Iterator[list[Tagged]]:
    """The sentences of all files at once; those of the standard input, unless it is in CoNLL-U format, as soon as they are there."""
    if list(paths) != [STANDARD_INPUT]:
        yield [one for path in paths for one in read_sentences(read_bytes(path), shown_name(path), parse_conllu)]
        return
    lines = input_lines()
    for _, line in lines:
        if line.startswith(b"#") or line.count(b"\t") == CONLLU_COLUMNS - 1:
            rest = sys.stdin.buffer.read()
            yield read_sentences(line + rest, shown_name(STANDARD_INPUT), parse_conllu)
            return
        yield read_sentences(line, shown_name(STANDARD_INPUT), parse_conllu)


def _confidence(tags: list[Any], tag: Any, shares: list[float]) -> list[str]:
    """The probability of a tag, and those of all tags."""
    falling = sorted(zip(tags, shares, strict=True), key=lambda entry: -entry[1])
    return [f"{shares[tags.index(tag)]:.4f}", " ".join(f"{name}={share:.4f}" for name, share in falling)]


def read_sentences(data: bytes, name: str, parse_conllu: Any) -> list[Tagged]:
    """The sentences of a file as (words, tags); the tags are None where the file has none.

    Parameters
    ----------
    data : bytes
        What the file holds.
    name : str
        What an error calls it.
    parse_conllu : function (bytes, tags, name) -> list of sentences with ``words`` and ``tags``

    Raises
    ------
    InputError
        If it is no text, holds no sentence, or is CoNLL-U with a mistake.

    Examples
    --------
    >>> read_sentences(b"The cat sleeps .\\n\\nBirds sing .\\n", "the text", None)
    [(('The', 'cat', 'sleeps', '.'), None), (('Birds', 'sing', '.'), None)]
    """
    lines = decoded(data, name).split("\n")
    first = next((line for line in lines if line.strip() and not line.startswith("#")), None)
    if first is None:
        raise InputError(f"{name} holds no sentence; wanted one a line, or the CoNLL-U format")
    if len(first.split("\t")) == CONLLU_COLUMNS:
        return [(sentence.words, sentence.tags) for sentence in parse_conllu(data, "upos", name)]
    return [(tuple(line.split()), None) for line in lines if line.strip()]
