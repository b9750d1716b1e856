"""The compiled inner loop of batch training: the log loss of all examples and its gradient, in one pass over the rows.

It keeps all that it needs in this file, as every cached kernel must (see ``kernels.py``), and has row operations of its
own: in a pass without updates of the weights, scores and gradient of four classes at a time stay in registers.
"""

import numpy as np

from lxmls_day1.kernels import as_examples, cached_jit


def log_loss_gradient(examples, labels, W):
    """Σ_m −log p_W(y_m | x_m) and its gradient, with p_W(y | x) = softmax(g(x)ᵀ W)_y.

    Parameters
    ----------
    examples : lxmls_day1.kernels.Examples
        Of M rows and J features.
    labels : int64 array (M,)
        Columns of the true classes.
    W : float64 array (J + 1, K)
        For two classes also a single column (J + 1, 1), which stands for W = (0, v): p(1 | x) = 1 / (1 + exp(−g(x)ᵀ v)).

    Returns
    -------
    loss : float
    gradient : float64 array, shape of ``W``

    Examples
    --------
    At zero weights two classes are equally likely, and each of the two examples costs log 2:

    >>> examples = as_examples(np.array([[1.0], [-3.0]]))
    >>> loss, gradient = log_loss_gradient(examples, np.array([0, 1]), np.zeros((2, 2)))
    >>> print(f"{loss:.4f}", gradient.tolist())
    1.3863 [[0.0, 0.0], [-2.0, 2.0]]
    """
    gradient = np.zeros(W.shape)
    weights = np.ascontiguousarray(W, dtype=np.float64).ravel()
    indptr, indices, data = examples.indptr, examples.indices, examples.data
    if W.shape[1] == 1:
        loss = _two_classes(indptr, indices, data, labels, weights, gradient.ravel())
    else:
        loss = _many_classes(indptr, indices, data, labels, W.shape[1], weights, gradient.ravel())
    return loss, gradient


@cached_jit(fastmath={"contract"})
def _two_classes(indptr, indices, data, labels, v, gradient):
    loss = 0.0
    one = np.uint64(1)
    for m in range(len(labels)):
        start, stop = np.uint64(indptr[m]), np.uint64(indptr[m + 1])
        score = v[0]
        for i in range(start, stop):
            score += data[i] * v[np.uint64(np.uint32(indices[i])) + one]
        margin = score if labels[m] == 1 else -score
        small = np.exp(-abs(margin))
        loss += max(-margin, 0.0) + np.log1p(small)
        p_wrong = (small if margin > 0 else 1.0) / (1.0 + small)
        d = -p_wrong if labels[m] == 1 else p_wrong
        gradient[0] += d
        for i in range(start, stop):
            gradient[np.uint64(np.uint32(indices[i])) + one] += data[i] * d
    return loss


@cached_jit(fastmath={"contract"})
def _many_classes(indptr, indices, data, labels, n_classes, W, gradient):
    """With W and the gradient as flat vectors: the weights of feature j at (j + 1) K, …, (j + 1) K + K − 1."""
    # Classes go in fours, whose sums stay in registers; the last of K = 4 n + 1, … are done one at a time.
    width = np.uint64(n_classes)
    in_fours = width - width % np.uint64(4)
    d = np.empty(n_classes)  # first the scores, then the probabilities, then d = p − e_y
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    loss = 0.0
    for m in range(len(labels)):
        start, stop = np.uint64(indptr[m]), np.uint64(indptr[m + 1])
        for k in range(np.uint64(0), in_fours, four):
            s0, s1, s2, s3 = W[k], W[k + one], W[k + two], W[k + three]
            for i in range(start, stop):
                j, value = (np.uint64(np.uint32(indices[i])) + one) * width + k, data[i]
                s0 += value * W[j]
                s1 += value * W[j + one]
                s2 += value * W[j + two]
                s3 += value * W[j + three]
            d[k], d[k + one], d[k + two], d[k + three] = s0, s1, s2, s3
        for k in range(in_fours, width):
            s0 = W[k]
            for i in range(start, stop):
                s0 += data[i] * W[(np.uint64(np.uint32(indices[i])) + one) * width + k]
            d[k] = s0

        top = d[0]
        for k in range(width):
            top = max(top, d[k])
        loss += top - d[labels[m]]
        total = 0.0
        for k in range(width):
            d[k] = np.exp(d[k] - top)
            total += d[k]
        loss += np.log(total)
        for k in range(width):
            d[k] /= total
        d[labels[m]] -= 1.0

        for k in range(np.uint64(0), in_fours, four):
            d0, d1, d2, d3 = d[k], d[k + one], d[k + two], d[k + three]
            gradient[k] += d0
            gradient[k + one] += d1
            gradient[k + two] += d2
            gradient[k + three] += d3
            for i in range(start, stop):
                j, value = (np.uint64(np.uint32(indices[i])) + one) * width + k, data[i]
                gradient[j] += value * d0
                gradient[j + one] += value * d1
                gradient[j + two] += value * d2
                gradient[j + three] += value * d3
        for k in range(in_fours, width):
            d0 = d[k]
            gradient[k] += d0
            for i in range(start, stop):
                gradient[(np.uint64(np.uint32(indices[i])) + one) * width + k] += data[i] * d0
    return loss
