"""Training beyond one call of ``learner.train(X, y)``: on a corpus on disk, by threads or a cluster, and resumed after a stop.

A learner does not depend on the place of its data. Each function here takes a learner, and does with a corpus on disk what the method
of a similar name does with a matrix: `train_corpus`, `label_corpus`, `evaluate_corpus` and `corpus_objective`. `resume` continues
the training of an online learner, on a matrix or on a corpus. ``learners.py`` describes the interface that they require of a learner.
"""

import contextlib
import os
from collections.abc import Callable
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lxmls_day1.base.checks import check_number, check_params
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus import mixed_steps, streamed_steps
from lxmls_day1.engine.corpus.checkpoint import Checkpoint
from lxmls_day1.engine.corpus.shard_rows import ShardRows, check_classes, columns_of_classes, corpus_on_disk, row_blocks
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.corpus.streamed_loss import StreamedLogLoss
from lxmls_day1.engine.corpus.training_run import ProgressiveValidation, TrainingRun
from lxmls_day1.engine.kernels.row_steps import OnlineState, Reals
from lxmls_day1.engine.loops import learners, online_training
from lxmls_day1.engine.loops.objectives import objective_at
from lxmls_day1.engine.loops.word_counting import check_counts, count_shards, estimate_params

Corpus = str | os.PathLike[str] | Shards | Any  # The last is an object with ``shards``, such as a `StreamedCorpus`.

_IN_MEMORY = ("dual", "gis")  # solvers that store numbers for every example


def train_corpus(
    learner: Any,
    corpus: Corpus,
    *,
    n_jobs: int | None = None,
    callback: online_training.Callback | None = None,
    checkpoint: Checkpoint | None = None,
    report: Callable[[ProgressiveValidation], None] | None = None,
    scheduler: str | None = None,
    mix_every: int | None = None,
) -> Reals:
    """Train a learner on a corpus on disk, with only a few shards in memory at once.

    An online learner goes through the corpus ``nr_rounds`` times; in every round the shards, and the rows of each, are shuffled by its
    seed. Maximum entropy by L-BFGS, conjugate gradient or gradient descent sums loss and gradient over the shards, pair by pair in a
    fixed order, so that the result does not depend on ``n_jobs``. Multinomial naive Bayes counts in one pass.

    Parameters
    ----------
    learner : online learner, MaxEntBatch or MultinomialNaiveBayes
    corpus : path, Shards or StreamedCorpus
        A folder made by ``lxmls-day1 cache``, or an object that reads one.
    n_jobs : int ≥ 1, optional
        The number of threads, or of parts on a cluster. If given, it is also stored in ``learner.n_jobs``. Default: that setting.
    callback : function (round, weights, params), optional
        For online learners: called after each round, as in ``train``.
    checkpoint : Checkpoint, optional
        For online learners: saves the state at intervals, so that training can resume after an interruption.
    report : function (ProgressiveValidation), optional
        For online learners: called with each line of progressive validation, after 1, 2, 4, 8, … documents: the fraction of
        documents that were misclassified before they were learnt from. With ``n_jobs``, the lines are sent when weights are mixed.
    scheduler : str, optional
        The address of a Dask scheduler, ``"tcp://head:8786"``, whose workers replace the threads, with the same result.
    mix_every : int ≥ 1, optional
        For online learners: the parts also mix their weights after every ``mix_every`` documents. Default: only after each round.

    Returns
    -------
    params : array (J + 1, K)

    Raises
    ------
    InputError
        If the learner needs its data in memory, the corpus cannot be read or trained on, or a setting is invalid.

    Examples
    --------
    >>> import tempfile
    >>> from lxmls_day1.classifiers import Mira
    >>> from lxmls_day1.engine.corpus.shard_writing import write_shards
    >>> with tempfile.TemporaryDirectory() as place:
    ...     shards = write_shards(f"{place}/two.bags", [[1.0], [-3.0]], [0, 1], ["a", "b"])
    ...     params = train_corpus(Mira(), shards.folder)
    ...     evaluate_corpus(Mira(), shards, params)
    1.0
    """
    shards = _nonempty_shards(corpus)
    check_supports_streaming(learner)
    if n_jobs is not None:
        learner.n_jobs = n_jobs
    if is_online(learner):
        settings = _StreamingOptions(checkpoint, report, scheduler, mix_every)
        params, _ = _train_online(learner, shards, None, callback, settings, finish=True)
        return params
    only_online = {"callback": callback, "checkpoint": checkpoint, "report": report, "mix_every": mix_every}
    for name, value in only_online.items():
        if value is not None:
            raise InputError(f"{name} is for online learners, but {learner.get_name()} is not one; leave {name} out")
    train = _minimise if _is_batch(learner) else _estimate_from_counts
    return train(learner, shards, scheduler)


def resume(
    learner: Any,
    state: OnlineState | None,
    X: Any,
    y: Any = None,
    classes: Any = None,
    callback: online_training.Callback | None = None,
    sample_weight: Any = None,
) -> tuple[Reals, OnlineState]:
    """Train an online learner for ``nr_rounds`` more rounds, starting from the state of an earlier call.

    Five rounds, and five more from their state, are bit-identical to ten rounds on the same processor. The data may be a
    small part of all data. So, unlike ``train`` with the default steps of stochastic gradient descent, this function does not compare
    the parameters with W = 0 on it. The tags and features of a structured learner are fixed by the first sentences: later, an unknown
    tag is an error, and an unknown feature is ignored.

    Parameters
    ----------
    learner : online learner, flat or structured
    state : OnlineState or None
        The state that ``resume`` returned before; it is not changed. None for the first call.
    X : array or sparse matrix (M, J), a corpus on disk, or sentences
        The same examples or other ones, with the same features.
    y : M labels, optional
        Labels of the classes in the state. Must be omitted for a corpus on disk.
    classes : labels, optional
        For the first call: all labels of the whole training. Default: the labels in ``y``, or those of a corpus on disk.
    callback : function (round, weights, params), optional
        See ``train``.
    sample_weight : M numbers ≥ 0, optional
        The factor of each example's step. It is not normalized, because the data may arrive in parts.

    Returns
    -------
    params : array (J + 1, K)
        The parameters after all rounds so far, averaged as in ``train``.
    state : OnlineState

    Raises
    ------
    InputError
        If the learner cannot resume, the data is invalid, or the state has other features or another average.

    Examples
    --------
    >>> from lxmls_day1.classifiers import Perceptron
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> first, state = resume(Perceptron(nr_rounds=5), None, X, y)
    >>> params, state = resume(Perceptron(nr_rounds=5), state, X, y)
    >>> np.array_equal(params, Perceptron(nr_rounds=10).train(X, y)), state.n_rounds
    (True, 10)
    """
    if not learners.can_resume(learner):
        raise InputError(
            f'{learner.get_name()} cannot continue a training; call train, or take an online learner (of the SVM solver="subgradient")'
        )
    shards = None if _is_structured(learner) else corpus_on_disk(X)
    if shards is not None:
        check_supports_streaming(learner)
        shards = _nonempty_shards(shards)
        for name, value in {"y": y, "sample_weight": sample_weight, "classes": classes}.items():
            if value is not None:
                raise InputError(
                    f"{name} is for data in memory, but {shards.folder} is a corpus on disk, which has its labels and classes; leave "
                    f"{name} out"
                )
        return _train_online(learner, shards, state, callback, _StreamingOptions())
    return online_training.train_from(
        learner, state, X, y, classes=classes, callback=callback, sample_weight=sample_weight
    )


def label_corpus(classifier: Any, corpus: Corpus, params: Any) -> NDArray[Any]:
    """Predict the label of each document of a corpus on disk, reading a few rows at a time, like ``test`` for a matrix.

    Parameters
    ----------
    classifier : linear classifier
    corpus : path, Shards or StreamedCorpus
    params : array (J + 1, K)

    Returns
    -------
    y_hat : array (M,)

    Raises
    ------
    InputError
        If the corpus cannot be read, or does not fit the parameters.

    Examples
    --------
    >>> import tempfile
    >>> from lxmls_day1.classifiers import SVM
    >>> from lxmls_day1.engine.corpus.shard_writing import write_shards
    >>> with tempfile.TemporaryDirectory() as place:
    ...     shards = write_shards(f"{place}/two.bags", [[1.0], [-3.0]], [0, 1], ["a", "b"])
    ...     label_corpus(SVM(), shards, [[0.0, 0.0], [1.0, -1.0]])
    array([0, 1])
    """
    shards, params = _open_shards(corpus), check_params(params)
    no_rows = sp.csr_array((0, shards.n_features))
    blocks = chain([no_rows], (X for X, _ in row_blocks(shards)))
    return np.concatenate([classifier.test(rows, params) for rows in blocks])


def evaluate_corpus(classifier: Any, corpus: Corpus, params: Any) -> float:
    """Return the accuracy of a classifier on a corpus on disk; only a few rows, and no predictions, are kept in memory.

    Parameters
    ----------
    classifier : linear classifier
    corpus : path, Shards or StreamedCorpus
    params : array (J + 1, K)

    Returns
    -------
    accuracy : float in [0, 1]

    Raises
    ------
    InputError
        If the corpus has a class that was not learnt, cannot be read, or does not fit the parameters.

    Examples
    --------
    >>> import tempfile
    >>> from lxmls_day1.classifiers import SVM
    >>> from lxmls_day1.engine.corpus.shard_writing import write_shards
    >>> with tempfile.TemporaryDirectory() as place:
    ...     shards = write_shards(f"{place}/two.bags", [[1.0], [-3.0]], [0, 1], ["a", "b"])
    ...     evaluate_corpus(SVM(), shards, [[0.0, 0.0], [1.0, -1.0]])
    1.0
    """
    shards, params = _nonempty_shards(corpus), check_params(params)
    columns = columns_of_classes(shards, classifier.classes)
    right = sum(
        np.count_nonzero(classifier.scores_of_rows(X, params).argmax(axis=1) == columns[labels])
        for X, labels in row_blocks(shards)
    )
    return float(right / shards.n_rows)


def corpus_objective(learner: Any, corpus: Corpus, params: Any) -> float | None:
    """Return the objective of a learner at ``params`` over a corpus on disk, or None if the learner minimises nothing.

    Parameters
    ----------
    learner : online learner or MaxEntBatch
    corpus : path, Shards or StreamedCorpus
    params : array (J + 1, K)

    Raises
    ------
    InputError
        If corpus and params do not fit together, or a setting is invalid.

    Examples
    --------
    >>> import tempfile
    >>> from lxmls_day1.classifiers import SVM
    >>> from lxmls_day1.engine.corpus.shard_writing import write_shards
    >>> with tempfile.TemporaryDirectory() as place:
    ...     shards = write_shards(f"{place}/two.bags", [[1.0], [-3.0]], [0, 1], ["a", "b"])
    ...     corpus_objective(SVM(), shards, [[0.0, 0.0], [0.0, 0.0]])
    1.0
    """
    if not hasattr(learner, "losses"):
        return None
    learner.check_settings()
    shards = _nonempty_shards(corpus)
    return objective_at(learner, ShardRows(shards, columns_of_classes(shards, learner.classes)), check_params(params))


def is_online(learner: Any) -> bool:
    """Return True if a learner trains in rounds, and so supports checkpoints and progressive validation.

    Examples
    --------
    >>> from lxmls_day1.classifiers import Mira, MaxEntBatch
    >>> is_online(Mira()), is_online(MaxEntBatch())
    (True, False)
    """
    return hasattr(learner, "rule") and not _is_structured(learner)


def _is_structured(learner: Any) -> bool:
    return hasattr(learner, "sentences_of")


def _is_batch(learner: Any) -> bool:
    return hasattr(learner, "minimise")


def check_supports_streaming(learner: Any) -> None:
    """Raise an InputError for a learner that needs its data in memory.

    Examples
    --------
    >>> from lxmls_day1.classifiers import SVM
    >>> check_supports_streaming(SVM(solver="dual"))
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: solver="dual" keeps numbers of every example in memory; take solver="subgradient" for ...
    """
    if not (is_online(learner) or _is_batch(learner) or hasattr(learner, "estimate")):
        raise InputError(
            f"{learner.get_name()} learns from data in memory; a corpus on disk is for online learners (such as perceptron, mira and "
            "svm), max_ent_batch and multinomial_naive_bayes."
        )
    if getattr(learner, "solver", None) in _IN_MEMORY:
        other = "subgradient" if is_online(learner) else "lbfgs"
        raise InputError(
            f'solver="{learner.solver}" keeps numbers of every example in memory; take solver="{other}" for a corpus on disk'
        )
    if getattr(learner, "order", None) is not None:
        raise InputError(
            "order is for data in memory, but a corpus on disk is visited in orders drawn by the seed; leave order out"
        )


def _nonempty_shards(corpus: Corpus) -> Shards:
    """Return the shards of a corpus; raise an InputError if it has no documents."""
    shards = _open_shards(corpus)
    if shards.n_rows == 0:
        raise InputError(f"{shards.folder} has no documents; give `lxmls-day1 cache` files that hold some")
    return shards


def _open_shards(corpus: Corpus) -> Shards:
    """Return the shards of a corpus; raise an InputError for anything else."""
    shards = corpus_on_disk(corpus)
    if shards is None:
        raise InputError(
            f"a corpus on disk is a folder that `lxmls-day1 cache` has made, but got {type(corpus).__name__}; for data in memory call "
            "learner.train(X, y)"
        )
    return shards


class _StreamingOptions(NamedTuple):
    """The options of `train_corpus` that training in memory does not have."""

    checkpoint: Checkpoint | None = None
    report: Callable[[ProgressiveValidation], None] | None = None
    scheduler: str | None = None
    mix_every: int | None = None


def _train_online(
    learner: learners.OnlineLearner,
    shards: Shards,
    state: OnlineState | None,
    callback: online_training.Callback | None,
    settings: _StreamingOptions,
    finish: bool = False,
) -> tuple[Reals, OnlineState]:
    """Run the rounds over a corpus, from a state, a checkpoint or from scratch; return the parameters and the final state."""
    learner.check_settings()
    checkpoint, report, scheduler, mix_every = settings
    if mix_every is not None:
        check_number("mix_every (the number of documents between mixings)", mix_every, at_least=1, whole=True)
    learner.classes = check_classes(shards) if state is None else state.classes
    columns = columns_of_classes(shards, learner.classes)
    state = state and online_training.checked_copy(learner, state, shards.n_features + 1)
    mixes = learner.n_jobs > 1 or scheduler is not None
    position_of = mixed_steps.position_of if mixes else streamed_steps.position_of
    run = TrainingRun(checkpoint, report, int(learner.nr_rounds) * shards.n_rows, position_of)
    state = run.begin(learner, shards, state, mix_every=mix_every)
    shrinkage, averaged = learners.shrinkage_of(learner), learners.average_of(learner) == "steps"
    rule = streamed_steps.StepSettings(learner.rule, columns, learner.row_costs(), shrinkage, averaged)
    norms: dict[Any, Reals] = {}  # ‖g(x)‖² of rows, cached
    steps: Any = streamed_steps.StreamedSteps(rule, shards, None if state is None else state.weights, norms=norms)
    if state is None:
        state = online_training.new_state(learner, steps.weights, None)
        if hasattr(learner, "plan_steps"):  # Its step sizes are planned from the data before the first step.
            state.sq_norms = steps.sample_sq_norms(state.rng)
            state.n_examples = shards.n_rows
    history, longest = [learners.Round(*values) for values in run.history], None
    with contextlib.ExitStack() as stack:
        if mixes:
            executor: Any = mixed_steps.ThreadExecutor(rule, shards, norms)
            if scheduler is not None:
                # Imported here because Dask is needed only with a scheduler.
                from lxmls_day1.engine.cluster.online import online_executor

                executor = stack.enter_context(online_executor(learner, rule, shards, scheduler))
                longest = executor.longest
            steps = mixed_steps.MixedSteps(shards.n_rows, steps.weights, int(learner.n_jobs), mix_every, executor)
        title = learner.get_name() if learner.progress else None
        run_rounds_between = stack.enter_context(run.rounds(steps, state, learner.steps, title))
        rows = ShardRows(shards, columns, norms, longest, tracks_objective=learner.track_objective)
        functions = online_training.RoundFunctions(
            run_rounds_between, *online_training.objective_and_finish(learner, rows, finish)
        )
        params = online_training.run_rounds(
            learner, functions, state, callback, history, mid_round=run.position is not None
        )
    return params, state


def _minimise(learner: learners.BatchLearner, shards: Shards, scheduler: str | None) -> Reals:
    """Return the optimum of a batch learner over a corpus, whose loss is computed by threads or by a cluster."""
    learner.check_settings()
    learner.classes = check_classes(shards)
    columns = columns_of_classes(shards, learner.classes)
    n_columns = 1 if len(learner.classes) == 2 else len(learner.classes)
    n_jobs = int(learner.n_jobs)
    if scheduler is None:
        return learner.minimise(StreamedLogLoss(shards, columns, n_columns, n_jobs))
    # Imported here because Dask is needed only with a scheduler.
    from lxmls_day1.engine.cluster.parts import workers_with
    from lxmls_day1.engine.cluster.sums import ClusterLogLoss

    with workers_with(shards, scheduler) as workers:
        return learner.minimise(ClusterLogLoss(workers, shards, columns, n_columns, n_jobs))


def _estimate_from_counts(learner: learners.CountingLearner, shards: Shards, scheduler: str | None) -> Reals:
    """Return the parameters of a learner that counts words, in one pass over a corpus."""
    learner.check_settings()
    learner.classes = check_classes(shards)
    columns, n_classes = columns_of_classes(shards, learner.classes), len(learner.classes)
    if scheduler is None:
        word_counts, lowest, n_documents = count_shards(shards, columns, n_classes)
    else:
        from lxmls_day1.engine.cluster.sums import counts_on_cluster

        word_counts, lowest, n_documents = counts_on_cluster(scheduler, shards, columns, n_classes)
    matrices = (shards.open(i).X for i in range(len(shards)))
    check_counts(learner, word_counts, lowest, matrices, hashed=shards.manifest["hash_bits"] is not None)
    # Placeholder with one row per class, because the counts are already known.
    of_each = sp.csr_array((n_classes, shards.n_features))
    return estimate_params(learner, of_each, np.arange(n_classes), word_counts, n_documents)
