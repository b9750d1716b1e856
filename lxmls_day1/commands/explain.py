"""``lxmls-day1 explain``: show the words that determine the decision of a saved classifier."""

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from lxmls_day1.base.errors import InputError, pluralize
from lxmls_day1.base.text_table import format_table
from lxmls_day1.commands.output import warnings_as_notes
from lxmls_day1.commands.predict import open_documents, open_model, reading_options

if TYPE_CHECKING:
    import numpy as np

    from lxmls_day1.engine.text.documents import Document
    from lxmls_day1.engine.text.feature_contributions import Explanation
    from lxmls_day1.engine.text.text_models import TextModel

MAX_CLASSES = 3
MAX_UNKNOWN_WORDS = 20
MAX_WORD_CHARS, MAX_NAME_CHARS = 24, 10  # characters in a column


@click.command(name="explain", short_help="Show which words determine a decision.")
@click.argument("model_path", metavar="MODEL", type=click.Path())
@click.argument("path", metavar="FILE", type=click.Path(allow_dash=True))
@reading_options
@click.option("--number", type=click.IntRange(min=1), help="Explain only this review of the file, counted from 1.")
@click.option("--top", type=click.IntRange(min=0), default=10, show_default=True, help="Words for and against to show.")
@click.option("--json", "as_json", is_flag=True, help="Print all words and all classes, as JSON.")
def command(
    model_path: str, path: str, lab_folder: str | None, number: int | None, top: int, as_json: bool, **reading: Any
) -> None:
    """Show which words determine the decision of a classifier that `lxmls-day1 train` has saved.

    The score of a class is its intercept, plus for each word the word's count times its weight for the class. So the
    lead of the predicted class over the next one is a sum over the words too: positive terms support the prediction,
    negative terms oppose it. For learners that keep a variance for each weight (arow, confidence_weighted) the column ±
    shows the standard deviation of each term; for a word that was not seen in training it is 1.41 times the count.
    Words that the classifier does not know contribute nothing; they are listed.

    FILE is read as by `lxmls-day1 predict`: raw text or token:count lines; - is standard input. If it holds several
    reviews, each is explained.

    \b
    Examples:
      lxmls-day1 explain mira.npz review.txt
      lxmls-day1 explain mira.npz --number 3 books/negative.review
      lxmls-day1 explain mira.npz review.txt --json
    """
    from lxmls_day1.engine.text.documents import escape_unprintable
    from lxmls_day1.engine.text.feature_contributions import explain
    from lxmls_day1.lab import Lab

    lab = Lab(lab_folder) if lab_folder else Lab.open()
    model = open_model(lab, model_path)
    if model.tags_sentences:
        raise InputError(
            f"{model_path} tags the words of sentences; explain needs a classifier of whole texts. `plot_lattice` of "
            "lxmls_day1.figures.lattice draws the scores behind the tags of a sentence."
        )
    documents = open_documents(model, [path], **reading)
    if number is not None:
        if number > len(documents):
            raise InputError(f"--number is {number}, but the file holds {pluralize(len(documents), 'review')}.")
        documents = [documents[number - 1]]
    X, params, variances, feature_names = features_and_weights(documents, model)
    known = set(feature_names)
    with warnings_as_notes():
        explained = [
            explain(
                model.classifier,
                params,
                X[m : m + 1],
                feature_names,
                class_names=model.class_names,
                variances=variances,
                unknown={token: int(count) for token, count in document.counts.items() if token not in known},
            )
            for m, document in enumerate(documents)
        ]
    if as_json:
        content = [
            {"document": document.location, "label": document.label, **explanation.to_dict()}
            for document, explanation in zip(documents, explained, strict=True)
        ]
        click.echo(json.dumps(content, indent=2, allow_nan=False))
        return
    for i, (document, explanation) in enumerate(zip(documents, explained, strict=True)):
        if i:
            click.echo()
        labelled = f" (labelled {escape_unprintable(document.label)})" if document.label else ""
        click.echo(as_text(explanation, document.location + labelled, top))


def features_and_weights(
    documents: Sequence["Document"], model: "TextModel"
) -> tuple[Any, "np.ndarray", "np.ndarray | None", list[str]]:
    """Return documents as rows over features, the weights of the features, their variances, and the names.

    With hashed features the words of the documents replace the buckets: the weight of a word is the weight of its bucket, with
    the sign that the word has in it. Words that share a bucket share its weight.

    Returns
    -------
    X : sparse matrix (M, J)
    params : array (J + 1, K)
    variances : array (J + 1, K), or None if the classifier has no variances
    feature_names : list of J str
    """
    variances = getattr(model.classifier, "variances", None)
    hash_bits = model.notes.get("hash_bits")
    if hash_bits is None:
        X = model.rows([document.counts for document in documents])
        return X, model.params, variances, model.feature_names or []
    import numpy as np

    from lxmls_day1.engine.kernels.hashing import buckets_and_signs
    from lxmls_day1.engine.text.token_batches import numbered_bags, with_columns

    rows = numbered_bags([document.counts for document in documents])
    names = rows.tokens.names()
    buckets, negative = buckets_and_signs(rows.tokens.hashes.view(np.int32), hash_bits)
    rows_of_names = 1 + buckets.astype(np.int64)
    weights = model.params[rows_of_names] * np.where(negative, -1.0, 1.0)[:, None]
    X = with_columns(rows.indptr, rows.indices, rows.values, np.arange(len(names)), len(names))
    if variances is not None:
        variances = np.vstack([variances[:1], variances[rows_of_names]])
    return X, np.vstack([model.params[:1], weights]), variances, names


def as_text(explanation: "Explanation", document_name: str, top: int) -> str:
    """Return an explanation as a table, with sentences above and below it.

    Parameters
    ----------
    explanation : Explanation
    document_name : str
        The name of the document.
    top : int
        The number of words to show for the prediction, and against it. The other words are summed in one line, so
        that every column sums to the score at its foot.
    """
    import numpy as np

    from lxmls_day1.engine.text.documents import escape_unprintable, shortened_word
    from lxmls_day1.engine.text.feature_contributions import margin_contributions

    names = [escape_unprintable(name) for name in explanation.class_names]
    predicted, rival = explanation.predicted, explanation.rival
    listed = [*explanation.evidence_for()[:top], *explanation.evidence_against()[:top]]
    rest = [i for i in range(len(explanation.words)) if i not in set(listed)]
    of_rest = f"{len(rest)} other word{'s' * (len(rest) > 1)}"
    sums = {of_rest: explanation.contributions[rest].sum(axis=0)} if rest else {}
    last = {**sums, "intercept": explanation.intercepts, "score": explanation.scores}
    digits = decimals([*explanation.contributions[listed].ravel(), *np.concatenate([*last.values()])])
    columns = np.argsort(-explanation.scores, kind="stable")[:MAX_CLASSES]
    has_deviations = explanation.deviations is not None

    def row(word: str, count: str, contributions: "np.ndarray", deviation: float | None = None) -> list[str]:
        numbers = [number_text(number, digits) for number in contributions[columns]]
        ahead = number_text(margin_contributions(contributions[None], predicted, rival)[0], digits, "+")
        sure = "" if deviation is None else number_text(deviation, digits)
        return [word, count, *numbers, ahead, *[sure] * has_deviations]

    rows = []
    for i in listed:
        deviation = None if explanation.deviations is None else float(explanation.deviations[i])
        word, count = shortened_word(explanation.words[i], MAX_WORD_CHARS), f"{explanation.counts[i]:g}"
        rows.append(row(word, count, explanation.contributions[i], deviation))
    rows += [row(word, "", contributions) for word, contributions in last.items()]
    short = [shortened_word(name, MAX_NAME_CHARS) for name in names]
    heading = ["word", "count", *(short[k] for k in columns), f"{short[predicted]} − {short[rival]}"]
    lead_text = "infinitely far" if math.isinf(explanation.margin) else f"by {explanation.margin:.6g}"
    lines = [f"{document_name}: {names[predicted]}, {lead_text} ahead of {names[rival]}"]
    if explanation.by_intercepts:
        lines.append("Its words rule out every class, so the intercepts alone decide.")
    lines += ["", format_table([*heading, *["±"] * has_deviations], rows), ""]
    if len(names) > len(columns):
        lines.append(f"The best {len(columns)} of {len(names)} classes are shown; --json has all.")
    if explanation.unknown:
        lines.append(unknown_text(list(explanation.unknown)))
    return "\n".join(lines).rstrip("\n")


def decimals(values: list[float]) -> int:
    """Return the number of decimals (at most eight) that gives the largest of these numbers at least four significant digits.

    Examples
    --------
    >>> decimals([0.01234, -0.5]), decimals([1234.5, float("-inf")]), decimals([])
    (4, 1, 1)
    """
    largest = max((abs(value) for value in values if math.isfinite(value) and value), default=1000.0)
    return min(8, max(1, 3 - math.floor(math.log10(largest))))


def number_text(number: float, digits: int, sign: str = "") -> str:
    """Format a number for the table; an infinite number becomes ∞ with its sign.

    Examples
    --------
    >>> number_text(1.25, 2, "+"), number_text(float("-inf"), 2), number_text(-0.0, 1)
    ('+1.25', '−∞', '0.0')
    """
    if math.isinf(number):
        return "−∞" if number < 0 else f"{sign}∞"
    return f"{number + 0.0:{sign}z.{digits}f}"


def unknown_text(unknown: list[str]) -> str:
    """Return the line about the words that the classifier does not know, single words before pairs.

    Examples
    --------
    >>> unknown_text(["very_dull", "plodding"])
    'Unknown words (2): plodding, very_dull'
    """
    from lxmls_day1.engine.text.documents import shortened_word

    ordered = sorted(unknown, key=lambda token: "_" in token)
    more = len(ordered) - MAX_UNKNOWN_WORDS
    listed = ", ".join(shortened_word(word, MAX_WORD_CHARS) for word in ordered[:MAX_UNKNOWN_WORDS])
    return f"Unknown words ({len(ordered)}): {listed}{f' and {more} more' * (more > 0)}"
