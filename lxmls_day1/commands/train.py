"""``lxmls-day1 train``: train one classifier on text and save it in a file."""

import ast
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lxmls_day1.base.atomic_files import check_writable
from lxmls_day1.base.errors import InputError, did_you_mean, pluralize
from lxmls_day1.commands.chosen_settings import set_default_regularizer, tune_in_place
from lxmls_day1.commands.output import unsolved_message, warnings_as_notes
from lxmls_day1.commands.shared_options import (
    QUESTIONS,
    SENTENCES,
    classifier_option,
    data_dir_option,
    domain_option,
    lab_option,
)
from lxmls_day1.commands.streamed_training import STREAMING_NAMES, check_options, streaming_options, train_on_corpus
from lxmls_day1.commands.user_files import open_user_file, user_file_options, user_file_settings

if TYPE_CHECKING:
    from lxmls_day1.lab import Lab

WORD_VALUES = {"true": True, "false": False, "none": None}


def read_setting(given: str) -> tuple[str, Any]:
    """Return the name and the value in ``NAME=VALUE``: the value is a Python literal or a bare word."""
    name, equals, text = map(str.strip, given.partition("="))
    if not (equals and name.isidentifier() and text):
        raise click.BadParameter(f"{given!r} is not of the form NAME=VALUE, such as regularizer=0.1")
    if text.lower() in WORD_VALUES:
        return name, WORD_VALUES[text.lower()]
    try:
        return name, ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):  # TypeError: {[]: 1}
        return name, text


def read_grid(given: str) -> tuple[str, list[Any]]:
    """Return the name and the values in ``NAME=VALUE,VALUE,…``, each read as by `read_setting`."""
    name, _, values = given.partition("=")
    return name.strip(), [read_setting(f"{name}={value}")[1] for value in values.split(",")]


@click.command(name="train", short_help="Train a classifier and keep it in a file.")
@classifier_option
@domain_option
@user_file_options
@streaming_options
@click.option("--n-jobs", type=click.IntRange(min=1), help="How many threads, or parts on a cluster, train at once.")
@click.option(
    "--out",
    type=click.Path(),
    default="model.npz",
    show_default=True,
    help="Where the model goes; of existing files only a model is replaced.",
)
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    type=read_setting,
    multiple=True,
    help="A hyper-parameter, such as regularizer=0.1; may be given several times.",
)
@click.option("--tune", "tuned", is_flag=True, help="Choose λ (or the smoothing) on the development part.")
@click.option(
    "--grid",
    metavar="NAME=VALUES",
    type=read_grid,
    multiple=True,
    help="Choose on the development part between these values, as in regularizer=1,0.1, instead of those of --tune; several "
    "times for combinations.",
)
@data_dir_option
@lab_option
def command(
    classifier: str,
    domain: str | None,
    out: str,
    tuned: bool,
    grid: tuple[tuple[str, Any], ...],
    data_dir: str | None,
    **options: Any,
) -> None:
    """Train one classifier of the lab on text and keep it in a file.

    The text is one of the review corpora, the TREC questions, or a file of your own: columns of label and text (CSV or
    TSV), JSON lines, or features in the svmlight format, each plain or gzipped. The columns, and whether the first line
    is a header, are guessed and reported; options override the guess. Without --test-file a fifth of the file is set
    aside for testing. The structured learners take tagged sentences: ewt is the English Web Treebank, toy-sentences
    needs no data, and a file of your own has a word and its tag on each line, between tabs or spaces, or is in the
    CoNLL-U format (--label-column xpos takes the language's own tags), or has features of your own in CRFsuite's
    format: one line per word, with its tag and its features, separated by tabs, each a name or a name and a number
    (length:4). The format is guessed and reported; --format overrides the guess.

    SVM and maximum entropy need a λ, their regularizer. If you do not set it, it is 2/M for M training examples, or
    with --tune the best of seven values on the development part: a table shows them all, with standard errors. With
    --grid any hyper-parameters are chosen so. If the data have no development part, a fifth of the training part is
    held out for the choice; the test part is not used.

    The file is an .npz of plain arrays: the parameters, the names of the features, the classes and the
    hyper-parameters. `lxmls-day1 predict` and `lxmls-day1 explain` take it, and so does LinearClassifier.load in
    Python.

    An online learner also trains on a corpus on disk (--corpus) that is larger than the memory. After 1, 2, 4, 8, ...
    documents it reports which share of them it labelled wrongly before it learnt from them. Training with --checkpoint
    can be interrupted or killed; --resume continues it, and it arrives at the same parameters.

    \b
    Examples:
      lxmls-day1 train --classifier mira --out mira.npz
      lxmls-day1 train --classifier svm --set regularizer=0.01 --set nr_rounds=5
      lxmls-day1 train --classifier svm --tune
      lxmls-day1 train --classifier mira --grid regularizer=1,0.1 --set seed=3
      lxmls-day1 train --classifier multinomial_naive_bayes --domain dvd
      lxmls-day1 train --classifier perceptron --file mails.csv
      lxmls-day1 train --classifier mira --file train.csv --test-file test.csv
      lxmls-day1 train --classifier mira --file mails.jsonl --label-column folder
      lxmls-day1 train --classifier structured_perceptron --domain ewt
      lxmls-day1 train --classifier crf --file train.conllu
      lxmls-day1 train --classifier mira --corpus big.bags
      lxmls-day1 train --classifier svm --corpus big.bags --checkpoint svm.kept
      lxmls-day1 train --classifier mira --corpus big.bags --n-jobs 4
    """
    from lxmls_day1.engine.models.model_file import save_model
    from lxmls_day1.engine.text.documents import escape_unprintable
    from lxmls_day1.lab import Lab

    lab_folder, given, n_jobs = options.pop("lab_folder"), dict(options.pop("settings")), options.pop("n_jobs")
    streaming = {name: options.pop(name) for name in STREAMING_NAMES}
    own = user_file_settings(options, domain=domain, data_dir=data_dir)
    check_options(streaming, domain=domain, data_dir=data_dir, file=own)
    check_output_file(out, own.get("path"), own.get("test_path"), streaming["checkpoint"])
    lab = Lab(lab_folder) if lab_folder else Lab.open()
    given |= {} if n_jobs is None else {"n_jobs": n_jobs}
    learner = make_classifier(lab, classifier, given)
    if streaming["corpus"] is not None:
        if tuned or grid:
            raise InputError(
                "--tune and --grid need data in memory; leave them out with --corpus, or find λ on a part of the corpus."
            )
        train_on_corpus(lab, learner, streaming, out, "regularizer" in given)
        return
    tagger = hasattr(learner, "templates")  # `templates` defines the features of a word in its sentence
    dataset, tokens = open_text(lab, domain or ("ewt" if tagger else "books"), own, data_dir, tagger)
    if tagger != (tokens == "sentences"):
        expected = "tagged sentences" if tagger else "whole texts"
        other = (
            f"--domain {' or '.join(SENTENCES)}, or a --file of them" if tagger else "reviews, questions or a --file"
        )
        raise InputError(f"{learner.get_name()} learns from {expected}, not from {dataset.get_name()}; use {other}.")
    values = dict(grid)
    if "regularizer" not in {*given, *values} and (values or not tuned):
        set_default_regularizer(learner, len(dataset.train_y))
    if tuned or values:
        tune_in_place(learner, dataset, given, values)
    with warnings_as_notes():
        params, accuracies = train_and_measure(learner, dataset)
    with warnings_as_notes():
        save_model(
            out,
            learner,
            params,
            feature_names=getattr(dataset, "feature_names", None),
            label_names=getattr(dataset, "label_names", None),
            notes={
                "data_set": dataset.get_name(),
                "accuracies": accuracies,
                "tokens": tokens,
                "tags": getattr(dataset, "tags", None),
            },
        )
    measured = ", ".join(f"{accuracy:.4f} on the {part} part" for part, accuracy in accuracies.items())
    click.echo(f"{learner.get_name()}, trained on {dataset.get_name()}: accuracy {measured}.")
    noun, n_features = ("tag", len(params) - 1) if tagger else ("class", dataset.nr_features)
    size = f"{pluralize(len(params[0]), noun)}, {pluralize(n_features, 'feature')}"
    click.echo(f"Saved as {escape_unprintable(out)}: {size}.")


def open_text(
    lab: "Lab", domain: str, user_file: Mapping[str, Any], data_dir: str | None, tagger: bool = False
) -> tuple[Any, str]:
    """Return a data set of text, and how its texts were tokenized: ``"reviews"``, ``"questions"`` or ``"sentences"``.

    ``"features"`` means that a svmlight file has features instead of texts. For a tagger, files contain tagged sentences.
    """
    if user_file and tagger:
        return open_tagged_file(lab, user_file), "sentences"
    if user_file:
        corpus, _ = open_user_file(lab, user_file)
        return corpus, "reviews" if corpus.texts else "features"
    if domain in SENTENCES:
        return lab.reader("pos_corpus", "PosCorpus", name=SENTENCES[domain], data_dir=data_dir), "sentences"
    if domain in QUESTIONS:
        return lab.reader("question_reader", "QuestionCorpus", name=domain, data_dir=data_dir), "questions"
    return lab.reader("sentiment_reader", "SentimentCorpus", domain=domain, data_dir=data_dir), "reviews"


def open_tagged_file(lab: "Lab", user_file: Mapping[str, Any]) -> Any:
    """Return the corpus of the user's tagged sentences, and report how they were read."""
    from lxmls_day1.engine.text.documents import escape_unprintable
    from lxmls_day1.engine.text.text_blocks import refuse_compressed

    renamed = {"label_column": "tags", "text_column": "word_column", "form": "form"}
    if more := user_file.keys() - {"path", "test_path", *renamed}:
        raise InputError(
            f"tagged sentences have no {', '.join(sorted(more))}: leave this option out; --label-column chooses the column of the tags, "
            "or upos or xpos of CoNLL-U"
        )
    for path in filter(None, (user_file["path"], user_file.get("test_path"))):
        refuse_compressed(path)
    settings = {new: user_file[name] for name, new in renamed.items() if name in user_file}
    paths = user_file["path"], user_file.get("test_path")
    corpus = lab.load("readers.pos_corpus").PosCorpus.from_files(*paths, **settings)
    if read_as := getattr(corpus, "read_as", None):  # older labs lack this attribute
        click.echo(f"Read {escape_unprintable(read_as)}.", err=True)
    return corpus


def train_and_measure(learner: Any, dataset: Any) -> tuple[Any, dict[str, float]]:
    """Train on the training part of a data set, and measure the accuracy on each part that has examples.

    Returns
    -------
    params : array (J + 1, K), or (2J + 1, K) of a quadratic classifier
    accuracies : dict
        From "training", "development", "test" to the share of right labels.
    """
    try:
        params = learner.train(dataset.train_X, dataset.train_y)
        parts = {
            "training": (dataset.train_X, dataset.train_y),
            "development": (dataset.dev_X, dataset.dev_y),
            "test": (dataset.test_X, dataset.test_y),
        }
        measured = {name: (y, learner.test(X, params)) for name, (X, y) in parts.items() if len(y)}
        return params, {name: float(learner.evaluate(*both)) for name, both in measured.items()}
    except NotImplementedError as error:
        raise InputError(unsolved_message(type(learner).__name__, error)) from error


def make_classifier(lab: "Lab", name: str, settings: Mapping[str, Any]) -> Any:
    """Return the classifier of a lab with this name and these hyper-parameters.

    Parameters
    ----------
    lab : Lab
    name : str
        The file in ``classifiers/`` (``max_ent_batch``) or the class (``MaxEntBatch``); case, hyphens and underscores
        do not matter.
    settings : mapping of str to values

    Raises
    ------
    InputError
        If the classifier does not exist, a file has several classifiers without one of its name, or the classifier does not
        accept these settings.
    """
    from lxmls_day1.engine.models.model_file import ROOT_CLASS, declared_classes

    declared = declared_classes(lab.folder / "classifiers")
    public = {found: one.file for found, one in declared.items() if found[0] != "_" and found != ROOT_CLASS}
    shared = {base for one in declared.values() for base in one.bases}

    def can_be_trained(class_name: str) -> bool:
        """Return False for the loop that several learners share: a base class without a rule."""
        kind = getattr(lab.load(f"classifiers.{public[class_name]}"), class_name)
        return class_name not in shared or getattr(kind, "rule", kind) is not None

    matches = [found for found in public if normalized_name(found) == normalized_name(name)]
    matches = matches or [found for found, file in public.items() if normalized_name(file) == normalized_name(name)]
    matches = list(filter(can_be_trained, matches))
    if not matches:
        raise InputError(f"{lab.folder} has no classifier {name}{did_you_mean(name, set(public.values()))}")
    if len(matches) > 1:
        several = ", ".join(matches)
        raise InputError(f"classifiers/{public[matches[0]]}.py has several classifiers; name one: {several}.")
    (class_name,) = matches
    try:
        return lab.classifier(public[class_name], class_name, **settings)
    except TypeError as error:
        raise InputError(f"{class_name} cannot be made with these settings: {error}.") from error


def normalized_name(name: str) -> str:
    """Return a name without case, hyphens and underscores, so that ``MaxEntBatch``, ``max_ent_batch`` and ``max-ent-batch`` are equal."""
    return name.lower().replace("_", "").replace("-", "").removesuffix(".py")


def check_output_file(out: str, *others: str | None) -> None:
    """Raise an error before the training if a file cannot be written there, or if it would replace a file that is not a model.

    ``others`` are the files that the command reads, and the checkpoint, which it removes at the end.
    """
    from lxmls_day1.engine.models.model_file import KIND
    from lxmls_day1.engine.models.npz_file import kind_of_file

    if Path(out).is_dir():
        raise InputError(f"{out} is a folder; --out must be a file, such as model.npz.")
    if not Path(out).parent.is_dir():
        raise InputError(f"{Path(out).parent} is not a folder, so {out} cannot be written; make the folder first.")
    check_writable(out)
    for other in filter(None, others):
        if os.path.realpath(out) == os.path.realpath(other):
            raise InputError(f"--out names the same file as another option, {other}; name another file for the model.")
    if os.path.exists(out) and os.path.getsize(out) and kind_of_file(out) != KIND:
        raise InputError(
            f"{out} exists already and is not a model, so it is not replaced; remove it, or name another file."
        )
