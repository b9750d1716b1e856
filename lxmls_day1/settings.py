"""The settings of an object: the keyword arguments of its constructor, found, read and checked in one place.

Classifiers of any lab folder count, those of a student's among them: nothing is asked of a class but its constructor.
"""

import functools
import inspect
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

from lxmls_day1.errors import UnknownSetting, nearest

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def settings(owner: object) -> dict[str, Any]:
    """The settings of an object as they stand now.

    Parameters
    ----------
    owner : object
        A classifier, for instance.

    Returns
    -------
    dict of str to value
        The keyword arguments of its constructor that it has as attributes, in their order.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> settings(Lab.open().classifier("multinomial_naive_bayes", "MultinomialNaiveBayes", smooth_param=0.5))
    {'smooth': True, 'smooth_param': 0.5, 'length': 'same'}
    """
    return {name: getattr(owner, name) for name in known_settings(type(owner)) if hasattr(owner, name)}


def known_settings(kind: type) -> dict[str, Any]:
    """The settings that a class takes, with their defaults.

    Parameters
    ----------
    kind : type
        Its own constructor comes first. While a constructor passes others on (``**settings``), those of the next base
        class count too.

    Returns
    -------
    dict of str to value
        ``inspect.Parameter.empty`` for a setting without a default.

    Examples
    --------
    >>> class Base:
    ...     def __init__(self, seed=1): ...
    >>> class Derived(Base):
    ...     def __init__(self, rate=0.5, **settings): ...
    >>> known_settings(Derived)
    {'rate': 0.5, 'seed': 1}
    """
    known: dict[str, Any] = {}
    for parameters in _constructors(kind):
        for parameter in parameters:
            if parameter.kind in _BY_NAME:
                known.setdefault(parameter.name, parameter.default)
        if not _passes_on(parameters):
            break
    return known


def required_settings(kind: type) -> list[str]:
    """The settings without which an object of a class cannot be made: those of its own constructor without a default.

    Examples
    --------
    >>> class Learner:
    ...     def __init__(self, rule, seed=1): ...
    >>> required_settings(Learner)
    ['rule']
    """
    parameters = next(_constructors(kind), [])
    return [one.name for one in parameters if one.kind in _BY_NAME and one.default is one.empty]


def check_settings(kind: type, given: Iterable[str]) -> None:
    """Raise for a setting that a class does not take.

    Parameters
    ----------
    kind : type
        A class with a constructor that takes ``**settings`` says itself what it takes, and is not checked.
    given : iterable of str
        The names.

    Raises
    ------
    UnknownSetting
        The message has the nearest name, and all that there are.

    Examples
    --------
    >>> class Learner:
    ...     def __init__(self, regularizer=1.0, seed=1): ...
    >>> check_settings(Learner, ["regularisation"])
    Traceback (most recent call last):
    ...
    lxmls_day1.errors.UnknownSetting: Learner has no setting 'regularisation'; did you mean regularizer? Its settings ...
    """
    known = known_settings(kind)
    unknown = [name for name in given if name not in known]
    if not unknown or _passes_on(next(_constructors(kind), [])):
        return
    hint = nearest(unknown[0], known)
    of_all = f" Its settings are: {', '.join(known)}." if hint.endswith("?") else ""
    raise UnknownSetting(f"{kind.__name__} has no setting {unknown[0]!r}{hint}{of_all}")


def _constructors(kind: type) -> Iterator[list[inspect.Parameter]]:
    """The parameters of each constructor that a class and its bases declare, the class first."""
    for base in kind.__mro__:
        constructor = vars(base).get("__init__")
        if inspect.isfunction(constructor):
            yield _parameters(constructor)


@functools.lru_cache(maxsize=64)
def _parameters(constructor: FunctionType) -> list[inspect.Parameter]:
    """All but ``self``; kept, for a check makes many objects of a class."""
    _self, *parameters = inspect.signature(constructor).parameters.values()
    return parameters


def _passes_on(parameters: list[inspect.Parameter]) -> bool:
    """Whether there is a ``**settings`` among them."""
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
