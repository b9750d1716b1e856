"""Points drawn from one Gaussian per class: a data set whose optimal classifier and minimum error are known.

The points are generated as generative models assume: a class y with probability p(y), then x from N(μ_y, σ_y² I). Only the class
sizes are fixed instead of drawn, so that every sample has exactly the requested balance. Bayes' rule gives the optimal classifier,
ŷ(x) = argmax_y log p(y) + log N(x; μ_y, σ_y² I). It is linear in x if the classes share their variances, otherwise quadratic.
(Guide, sections 1.1 and 1.2.1, exercises 1.1 and 1.8.)
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import index
from typing import Any

import numpy as np

from lxmls_day1.lab_api import InputError, as_numbers, figures
from readers.splitting import split_train_dev_test

Gaussian = Sequence[Any]  # [mean, variance]
_SIZE_NOISE = 1e-9  # 100 * 0.29 is 28.999999999999996 in floating point, but 29 is intended


class SimpleDataSet:
    """A seeded sample of two or more Gaussian classes, split into training, development and test part.

    With the same arguments the points are the same on every machine and with every version of NumPy. They come from the
    legacy generator `numpy.random.RandomState(seed)`: class by class, in each class coordinate by coordinate, and finally one
    permutation of all examples. Seed 1 with the guide's arguments gives the points of the guide's figures.

    Parameters
    ----------
    nr_examples : int
        The number M of points in all classes and parts.
    g1, g2 : [mean, variance]
        The Gaussian of class 0 and of class 1. mean: D numbers, with the same D for all classes; variance: a
        positive number (not a standard deviation), or D numbers, one for each coordinate.
    balance : float or sequence of K floats
        For two classes the share of class 0, between 0 and 1. For K classes their K shares, of sum 1; for K > 2 the
        default means equal shares.
    split : (float, float, float)
        Shares of the training, development and test part.
    seed : int
        From 0 to 2³² − 1.
    **more : [mean, variance]
        Further classes g3, g4, …

    Attributes
    ----------
    X, y : float array (M, D), int array (M,)
        All points and their classes 0, 1, …
    train_X, train_y, dev_X, dev_y, test_X, test_y : arrays
        The three parts of X and y.
    means, variances, prior : arrays (K, D), (K, D), (K,)
        The parameters of the true distribution, which a generative classifier estimates.
    mean1, mean2 : arrays (D,)
    variance1, variance2 : float, or array (D,) where one for each coordinate was given
    balance, split, seed, nr_examples, nr_features, nr_classes
        The arguments, or numbers derived from them; nr_points is another name of nr_examples.

    Raises
    ------
    InputError
        If an argument is invalid, a class would get no example, or a class has no example in the training part.

    Examples
    --------
    >>> sd = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])
    >>> sd.train_X.shape, sd.dev_X.shape, sd.test_X.shape
    ((50, 2), (0, 2), (50, 2))
    >>> sd.get_bayes_optimal()[1:]
    array([[-1.,  1.],
           [-1.,  1.]])
    >>> round(sd.get_bayes_error(), 4)
    0.0786
    """

    def __init__(
        self,
        nr_examples: int = 100,
        g1: Gaussian = ((-1, -1), 1),
        g2: Gaussian = ((1, 1), 1),
        balance: float | Sequence[float] = 0.5,
        split: Sequence[float] = (0.5, 0, 0.5),
        seed: int = 1,
        **more: Gaussian,
    ) -> None:
        gaussians = _gaussians_in_order(g1, g2, more)
        self.nr_examples = _checked_nr_examples(nr_examples)
        self.means, self.variances = _means_and_variances(gaussians)  # (K, D) both
        self.nr_classes, self.nr_features = self.means.shape
        self.prior = _prior(balance, self.nr_classes)  # (K,)
        self.balance = balance
        self.split = split
        self.seed = seed
        self.mean1, self.mean2 = self.means[:2]
        self.variance1, self.variance2 = (
            float(variance) if np.ndim(variance) == 0 else np.array(variance, dtype=float) for _, variance in (g1, g2)
        )
        self.X, self.y = self._sample()
        (self.train_X, self.train_y, self.dev_X, self.dev_y, self.test_X, self.test_y) = split_train_dev_test(
            self.X, self.y, split
        )
        self._check_classes_in_training_part()

    @property
    def nr_points(self) -> int:
        """Another name of `nr_examples`."""
        return self.nr_examples

    def get_name(self) -> str:
        """Return a short name for tables and titles: the number of points, and differences from the guide's example.

        Examples
        --------
        >>> SimpleDataSet().get_name()
        'simple data set, 100 points'
        >>> SimpleDataSet(200, g1=[[-1, -1], 1], g2=[[1, 1], 4], balance=0.3).get_name()
        'simple data set, 200 points, variances 1 and 4, balance 0.3'
        """
        facts = ["simple data set", f"{self.nr_examples} points"]
        if self.nr_classes != 2:
            facts.append(f"{self.nr_classes} classes")
        if self.nr_features != 2:
            facts.append(f"{self.nr_features} feature{'s' * (self.nr_features > 1)}")
        if self.means.shape != (2, 2) or not np.array_equal(self.means, [[-1, -1], [1, 1]]):
            facts.append(f"means {_format_list(self.means)}")
        if np.any(self.variances != 1):
            facts.append(_format_variances(self.variances))
        if np.any(self.prior != 1 / self.nr_classes):
            facts.append(f"balance {_format_list(self.prior if self.nr_classes > 2 else self.prior[:1])}")
        if self.seed != 1:
            facts.append(f"seed {self.seed}")
        return ", ".join(facts)

    def __repr__(self) -> str:
        gaussians = ", ".join(
            f"g{k + 1}=[{mean.tolist()}, {variance.tolist()}]"
            for k, (mean, variance) in enumerate(zip(self.means, self.variances, strict=True))
        )
        balance = self.prior[0] if self.nr_classes == 2 else self.prior.tolist()
        return (
            f"SimpleDataSet(nr_examples={self.nr_examples}, {gaussians}, balance={balance}, "
            f"split={list(self.split)}, seed={self.seed})"
        )

    def get_bayes_optimal(self) -> np.ndarray:
        """Return the weights of the optimal classifier, from the true distribution.

        Returns
        -------
        array (D + 1, K) or (2D + 1, K)
            Linear if all classes share their variances: row 0 the b_y, the other rows the w_y of exercise 1.3. Otherwise
            quadratic, on [1, x, x²], including the logarithms of the determinants: the scores are then log p(y) + log p(x|y).

        References
        ----------
        R. O. Duda, P. E. Hart and D. G. Stork, *Pattern Classification*, 2nd ed., 2001, section 2.6.
        """
        from lxmls_day1.lab_api import gaussians  # imported here: solves exercise 1.3

        shared = np.all(self.variances == self.variances[0])
        return gaussians.discriminant_params(self.prior, self.means, self.variances[0] if shared else self.variances)

    def get_bayes_error(self) -> float:
        """Return the error rate of the optimal classifier on new points; see `lxmls_day1.engine.models.gaussians.bayes_error`.

        Returns
        -------
        float
        """
        from lxmls_day1.lab_api import gaussians  # imported here for the same reason as above

        return gaussians.bayes_error(self.prior, self.means, self.variances)

    def plot_data(
        self, params: Any = None, name: str = "Naive Bayes", print_bayes_opt: bool = True, ax: Any = None
    ) -> tuple[Any, Any]:
        """Draw the points, the Bayes-optimal boundary in black and, if ``params`` is given, the boundary of a classifier.

        Parameters
        ----------
        params : array (3, K) or (5, K), optional
            The weights of a classifier whose boundary is drawn, too.
        name : str
            The name of the classifier in the legend.
        print_bayes_opt : bool
            Whether to draw the Bayes-optimal boundary.
        ax : matplotlib Axes, optional
            The axes to draw in. Default: a new figure.

        Returns
        -------
        (Figure, Axes)

        Raises
        ------
        InputError
            If the points are not in the plane, or the params are not those of a model of two features.

        Examples
        --------
        >>> from lxmls_day1.figures.plotting import detached_axes
        >>> fig, axis = SimpleDataSet().plot_data(ax=detached_axes()[1])
        >>> axis.get_legend_handles_labels()[1][-1]
        'Bayes optimal'
        """
        self._check_two_features()
        fig, axis = figures.plot_points(
            self.train_X, self.train_y, self.dev_X, self.dev_y, self.test_X, self.test_y, title=self.get_name(), ax=ax
        )
        if print_bayes_opt:
            fig, axis = figures.add_boundary(axis, self.get_bayes_optimal(), "Bayes optimal", "#000000")
        if params is not None:
            fig, axis = figures.add_boundary(axis, params, name)
        return fig, axis

    def add_line(self, fig: Any, axis: Any, params: Any, name: str, colour: Any) -> tuple[Any, Any]:
        """Draw a classifier's decision boundary on the axes that `plot_data` returned.

        Parameters
        ----------
        fig, axis : Figure, Axes
            As `plot_data` returned them.
        params : array (3, K) or (5, K)
            The classifier's weights.
        name : str
            The name in the legend.
        colour : matplotlib colour
            None means the next colour of the palette.

        Returns
        -------
        (Figure, Axes)
            The same figure and axes.

        Raises
        ------
        InputError
            If the points are not in the plane, or the params are not those of a model of two features.

        Examples
        --------
        >>> from lxmls_day1.figures.plotting import detached_axes
        >>> sd = SimpleDataSet()
        >>> fig, axis = sd.plot_data(ax=detached_axes()[1])
        >>> fig, axis = sd.add_line(fig, axis, [[0, 0], [-1, 1], [0, 0]], "vertical", "green")
        """
        self._check_two_features()
        figures.add_boundary(axis, params, name, colour)
        return fig, axis

    def _sample(self) -> tuple[np.ndarray, np.ndarray]:
        rng = _random_state(self.seed)
        class_X = []
        sizes = self._class_sizes()
        for size, mean, variance in zip(sizes, self.means, self.variances, strict=True):
            coordinates = [rng.normal(m, s, size) for m, s in zip(mean, np.sqrt(variance), strict=True)]
            class_X.append(np.column_stack(coordinates))
        order = rng.permutation(self.nr_examples)
        return np.concatenate(class_X)[order], np.repeat(np.arange(self.nr_classes), sizes)[order]

    def _class_sizes(self) -> np.ndarray:
        """Return the class sizes, such that the first k classes together have ⌊M·(p_1 + … + p_k)⌋ examples."""
        ends = np.floor(self.nr_examples * np.cumsum(self.prior) + _SIZE_NOISE).astype(int)
        ends[-1] = self.nr_examples
        sizes = np.diff(ends, prepend=0)
        if np.any(sizes == 0):
            label = int(sizes.argmin())
            raise InputError(
                f"every class needs an example, but class {label}, {self.prior[label]:.3g} of {self.nr_examples} "
                "examples, would have none; raise nr_examples or change balance."
            )
        return sizes

    def _check_classes_in_training_part(self) -> None:
        missing = np.setdiff1d(np.arange(self.nr_classes), self.train_y)
        if missing.size:
            raise InputError(
                f"the training part must have examples of all {self.nr_classes} classes, but class {missing[0]} is not "
                f"among its {len(self.train_y)} examples; raise nr_examples or the first share of split, "
                "or change balance or seed."
            )

    def _check_two_features(self) -> None:
        if self.nr_features != 2:
            raise InputError(
                f"only data with 2 features can be drawn, but this data set has {self.nr_features}; "
                "make it from means with 2 numbers."
            )


def _gaussians_in_order(g1: Gaussian, g2: Gaussian, more: Mapping[str, Gaussian]) -> list[Gaussian]:
    accepted = [f"g{k + 3}" for k in range(len(more))]
    unknown = sorted(set(more) - set(accepted))
    if unknown:
        raise InputError(
            f"SimpleDataSet does not know {', '.join(unknown)}; it accepts nr_examples, balance, split, seed and the "
            "classes g1, g2, g3, … without a gap."
        )
    return [g1, g2, *(more[name] for name in accepted)]


def _checked_nr_examples(nr_examples: int) -> int:
    try:
        if isinstance(nr_examples, bool):
            raise TypeError
        count = index(nr_examples)
    except TypeError:
        count = 0
    if count < 1:
        raise InputError(f"nr_examples must be a positive whole number, but is {nr_examples!r}.")
    return count


def _means_and_variances(gaussians: Sequence[Gaussian]) -> tuple[np.ndarray, np.ndarray]:
    means, variances = zip(*(_mean_and_variance(f"g{k}", g) for k, g in enumerate(gaussians, start=1)), strict=True)
    dimensions = [len(mean) for mean in means]
    if len(set(dimensions)) > 1:
        raise InputError(
            "the means of all classes must have the same number of coordinates, but they have "
            f"{', '.join(str(d) for d in dimensions)}; give each class a mean of the same length."
        )
    return np.array(means), np.array(variances)


def _mean_and_variance(name: str, gaussian: Gaussian) -> tuple[np.ndarray, np.ndarray]:
    try:
        given_mean, given_variance = gaussian
        mean = np.atleast_1d(as_numbers(given_mean, f"the mean of {name} must be numbers"))
        variance = as_numbers(given_variance, f"the variance of {name} must be a number")
    except (TypeError, ValueError):
        raise InputError(f"{name} must be [mean, variance], such as [[-1, -1], 1], but is {gaussian!r}.") from None
    if mean.ndim != 1 or not mean.size or not np.all(np.isfinite(mean)):
        raise InputError(f"the mean of {name} must be a list of finite numbers, but is {gaussian[0]!r}.")
    if variance.shape not in ((), mean.shape):
        raise InputError(
            f"the variance of {name} must be one number, or {len(mean)} (one for each coordinate of its mean), "
            f"but is {gaussian[1]!r}."
        )
    if not np.all((variance > 0) & np.isfinite(variance)):
        raise InputError(
            f"the variance of {name} must be positive and finite, but is {gaussian[1]!r}; give σ², above 0."
        )
    return mean, np.broadcast_to(variance, mean.shape)


def _prior(balance: float | Sequence[float], nr_classes: int) -> np.ndarray:
    try:
        shares = as_numbers(balance, "balance must be numbers")
    except InputError:
        shares = np.array(np.nan)
    if nr_classes > 2 and shares.ndim == 0 and shares == 0.5:
        return np.full(nr_classes, 1 / nr_classes)
    if nr_classes == 2 and shares.ndim == 0:
        if not 0 < shares < 1:
            raise InputError(f"balance, the share of the first class, must lie between 0 and 1, but is {balance!r}.")
        return np.array([shares, 1 - shares])
    if shares.shape != (nr_classes,) or not np.all(shares > 0) or abs(shares.sum() - 1) > 1e-9:
        raise InputError(
            f"balance must be {nr_classes} positive shares that sum to 1, one for each class, but is {balance!r}; "
            "leave it out for equal shares."
        )
    return np.asarray(shares / shares.sum())


def _random_state(seed: int) -> np.random.RandomState:
    try:
        return np.random.RandomState(index(seed))
    except (TypeError, ValueError):
        raise InputError(f"seed must be a whole number from 0 to 2**32 - 1, but is {seed!r}.") from None


def _format_variances(variances: np.ndarray) -> str:
    """Return 'variance 2' if all are equal, otherwise 'variances 1 and 4', with one number for a class whose variances are equal."""
    if np.all(variances == variances[0, 0]):
        return f"variance {_format_list(variances[0, :1])}"
    return f"variances {_format_list([variance[:1] if np.ptp(variance) == 0 else variance for variance in variances])}"


def _format_list(values: Iterable[Any]) -> str:
    """Return '1 and 4' for numbers, '(0,0), (1,2) and (3,1)' for vectors."""
    texts = [_format_vector(np.atleast_1d(value)) for value in values]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _format_vector(vector: np.ndarray) -> str:
    numbers = ",".join(f"{v:.4g}" for v in vector)  # without spaces, so that no line breaks inside a vector
    return numbers if len(vector) == 1 else f"({numbers})"
