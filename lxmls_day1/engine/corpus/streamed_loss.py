"""The log loss of a corpus on disk and its gradient, computed shard by shard for batch training.

The sums of the shards are added in pairs, the sums of pairs again in pairs, and so on. This tree depends only on the number of
shards. So the result is bit-identical for any number of threads, or of machines with the same processor.
"""

from typing import Any

import numpy as np

from lxmls_day1.engine.corpus.shards import Shards, check_finite_shard
from lxmls_day1.engine.kernels.batch import add_sparse_gradient
from lxmls_day1.engine.kernels.row_steps import Integers, Reals, cache_aligned_zeros
from lxmls_day1.engine.kernels.threads import map_in_order


class StreamedLogLoss:
    """Σ_m −log p_W(y_m | x_m) over a corpus on disk as a function of W; the counterpart of `lxmls_day1.engine.kernels.batch.LogLoss`.

    Parameters
    ----------
    shards : Shards
    columns : int array (K,)
        The column of W for each class of the corpus.
    n_columns : int
        K; or 1 for two classes, if the single column v represents W = (0, v).
    n_jobs : int ≥ 1
        The number of threads; each processes one shard at a time. The sums do not depend on it.

    Raises
    ------
    InputError
        If a shard cannot be read, or holds non-finite numbers.

    Examples
    --------
    At zero weights, both classes are equally likely, and the loss of each example is log 2:

    >>> import tempfile
    >>> from lxmls_day1.engine.corpus.shard_writing import write_shards
    >>> with tempfile.TemporaryDirectory() as place:
    ...     shards = write_shards(f"{place}/two.bags", [[1.0], [-3.0]], [0, 1], ["a", "b"], rows_a_shard=1)
    ...     loss, gradient = StreamedLogLoss(shards, np.arange(2), 2)(np.zeros((2, 2)))
    >>> print(f"{loss:.4f}", gradient.tolist())
    1.3863 [[0.0, 0.0], [-2.0, 2.0]]
    """

    def __init__(self, shards: Shards, columns: Integers, n_columns: int, n_jobs: int = 1) -> None:
        self._shards, self._columns, self._n_jobs = shards, columns, n_jobs
        self.n_examples, self.n_features = shards.n_rows, shards.n_features
        self._weights: Reals = cache_aligned_zeros(1 + shards.n_features, n_columns)

    def __call__(self, W: Reals) -> tuple[float, Reals]:
        """Return the loss and its gradient, a new array, at W (J + 1, n_columns)."""
        return self.loss_of_shards(W, range(len(self._shards)))

    def loss_of_shards(self, W: Reals, numbers: range) -> tuple[float, Reals]:
        """Return the loss and its gradient over consecutive shards only."""
        # Imported here because this module solves exercise 1.15 and is absent from grading boxes.
        from lxmls_day1.engine.kernels.tree_reduce import tree_reduce

        self._weights[:] = W

        def add(first: tuple[float, Reals], second: tuple[float, Reals]) -> tuple[float, Reals]:
            first[1][:] += second[1]
            return first[0] + second[0], first[1]

        return tree_reduce(map_in_order(self._loss_of_shard, numbers, self._n_jobs), add)

    def _loss_of_shard(self, i: int) -> tuple[float, Reals]:
        shard = self._shards.open(i)
        X, labels, gradient = shard.X, self._columns[shard.labels], cache_aligned_zeros(*self._weights.shape)
        rows = X.indptr, X.indices.view(np.int32), X.data, labels, np.ones(len(labels))
        with np.errstate(all="ignore"):  # NumPy's error state is set per thread.
            return float(add_sparse_gradient(*rows, self._weights, gradient)), gradient  # type: ignore[no-untyped-call]

    def sums_of_squares(self, numbers: range | None = None) -> Reals:
        """Return the sum over m of the squares of each feature (J,), over all shards or some consecutive ones."""
        from lxmls_day1.engine.kernels.tree_reduce import tree_reduce

        def squares_of_shard(i: int) -> Reals:
            X = self._shards.open(i).X
            weights = np.square(X.data, dtype=np.float64)
            squares: Any = np.bincount(X.indices, weights=weights, minlength=self._shards.n_features)
            if not np.isfinite(squares.sum()):
                check_finite_shard(self._shards, i)
            return squares  # type: ignore[no-any-return]

        numbers = range(len(self._shards)) if numbers is None else numbers
        return tree_reduce(map_in_order(squares_of_shard, numbers, self._n_jobs), np.add)
