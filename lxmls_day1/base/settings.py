"""Settings: the keyword arguments of a constructor. This module declares, finds, reads and checks them.

A learner is a dataclass whose fields are its settings. `setting` declares a field with its allowed values, and `check_values`
checks the values. The declaration of a field also holds for subclasses that only change its default.
"""

import contextlib
import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any, TypeVar, cast

from lxmls_day1.base.errors import UnknownSetting, did_you_mean

Function = TypeVar("Function", bound=Callable[..., Any])
_KEYWORD_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def setting(default: Any, called: str = "", *, one_of: tuple[Any, ...] = (), **limits: Any) -> Any:
    """Return a dataclass field for a setting of a learner, with its default and its allowed values.

    Parameters
    ----------
    default : value
        If it is None, None is also an allowed value. If it is a Boolean and no other argument is passed, the setting is a Boolean.
    called : str
        An additional name for error messages, such as the setting's symbol.
    one_of : tuple
        The allowed words and Booleans. If there are limits as well, numbers within the limits are also allowed.
    **limits
        ``above``, ``at_least``, ``at_most``, ``below``, ``whole``: see `lxmls_day1.base.checks.check_number`.

    Examples
    --------
    >>> @dataclasses.dataclass
    ... class Learner:
    ...     regularizer: float = setting(1.0, "λ", above=0)
    ...     solver: str = setting("dual", one_of=("dual", "primal"))
    >>> check_values(Learner())
    >>> check_values(Learner(regularizer=0))
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: regularizer (λ) must be ...
    """
    return dataclasses.field(default=default, metadata={"called": called, "one_of": one_of, "limits": limits})


def with_fields(*kinds: type) -> Callable[[Function], Function]:
    """Show the fields of dataclasses in the signature of a function that creates these dataclasses from its ``**options``.

    Help, editors and `known_settings` then treat the fields as parameters of the function itself.

    Examples
    --------
    >>> @dataclasses.dataclass(kw_only=True)
    ... class Paper:
    ...     width: int = 210
    >>> @with_fields(Paper)
    ... def draw(path, **paper): ...
    >>> inspect.signature(draw)
    <Signature (path, *, width: int = 210)>
    """

    def shown(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
        fields = [parameter for kind in kinds for parameter in inspect.signature(kind).parameters.values()]

        @functools.wraps(function)
        def called(*arguments: Any, **options: Any) -> Any:
            return function(*arguments, **options)

        del called.__wrapped__  # Otherwise Sphinx would read the defaults from the source.
        called.__signature__ = signature.replace(parameters=[*own, *fields])  # type: ignore[attr-defined]
        return cast(Function, called)

    return shown


def check_values(owner: Any) -> None:
    """Raise an `InputError` if a setting has a value that its declaration (see `setting`) does not allow."""
    # Imported here because it imports NumPy, which the command line does not need to find settings.
    from lxmls_day1.base.checks import check_choice, check_flag, check_number

    kind: Any = type(owner)
    for name, full_name, optional, one_of, limits in _declared_settings(kind):
        value = getattr(owner, name)
        if value is None and optional:
            continue
        if one_of and (isinstance(value, (str, bool)) or not limits):
            check_choice(full_name, value, one_of)
        elif limits:
            check_number(full_name, value, **limits)
        else:
            check_flag(full_name, value)


@functools.lru_cache(maxsize=64)
def _declared_settings(kind: type) -> list[tuple[str, str, bool, tuple[Any, ...], dict[str, Any]]]:
    """Return for each declared setting: name, name for errors, whether it may be None, allowed words, limits."""
    found = []
    for name in getattr(kind, "__dataclass_fields__", ()):
        of_bases = [vars(base).get("__dataclass_fields__", {}).get(name) for base in kind.__mro__]
        one = next((one for one in of_bases if one is not None and "limits" in one.metadata), None)
        if one is not None:
            called = one.metadata["called"]
            full_name = f"{name} ({called})" if called else name
            found.append((name, full_name, one.default is None, one.metadata["one_of"], one.metadata["limits"]))
    return found


def settings(owner: object) -> dict[str, Any]:
    """Return the current settings of an object.

    Parameters
    ----------
    owner : object
        A classifier, for instance.

    Returns
    -------
    dict of str to value
        The keyword arguments of its constructor that are also its attributes, in the order of the constructor.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> settings(Lab.open().classifier("multinomial_naive_bayes", "MultinomialNaiveBayes", smooth_param=0.5))
    {'smooth': True, 'smooth_param': 0.5, 'length': 'same'}
    """
    return {name: getattr(owner, name) for name in known_settings(type(owner)) if hasattr(owner, name)}


def changed_settings(owner: object) -> dict[str, Any]:
    """Return the settings of an object that differ from those of a new object of its class.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> changed_settings(Lab.open().classifier("mira", "Mira", regularizer=0.1, nr_rounds=10))
    {'regularizer': 0.1}
    """
    kind = type(owner)
    defaults = known_settings(kind)
    # The class needs arguments or is incomplete; the declared defaults are good enough.
    with contextlib.suppress(Exception):
        defaults |= settings(kind())
    values = settings(owner)
    if hasattr(owner, "model"):  # An estimator's settings are those of the model that it wraps.
        values |= {name: value for name, value in changed_settings(owner.model).items() if name in defaults}
    return {name: value for name, value in values.items() if repr(value) != repr(defaults[name])}


def known_settings(kind: type) -> dict[str, Any]:
    """Return the settings that a class accepts, with their defaults.

    Parameters
    ----------
    kind : type
        Its own constructor comes first. If a constructor passes further arguments on (``**settings``), the settings of the next base
        class follow.

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
            if parameter.kind in _KEYWORD_KINDS:
                known.setdefault(parameter.name, parameter.default)
        if not _has_var_keyword(parameters):
            break
    return known


def required_settings(kind: type) -> list[str]:
    """Return the settings of a class that have no default in its own constructor.

    Examples
    --------
    >>> class Learner:
    ...     def __init__(self, rule, seed=1): ...
    >>> required_settings(Learner)
    ['rule']
    """
    parameters = next(_constructors(kind), [])
    return [one.name for one in parameters if one.kind in _KEYWORD_KINDS and one.default is one.empty]


def check_settings(kind: type, names: Iterable[str]) -> None:
    """Raise an error for a setting that a class does not accept.

    Parameters
    ----------
    kind : type
        A class whose own constructor accepts ``**settings`` is not checked, because it checks its settings itself.
    names : iterable of str
        The names of the settings.

    Raises
    ------
    UnknownSetting
        The message has the nearest name and lists all settings.

    Examples
    --------
    >>> class Learner:
    ...     def __init__(self, regularizer=1.0, seed=1): ...
    >>> check_settings(Learner, ["regularisation"])
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.UnknownSetting: Learner has no setting 'regularisation'; did you mean regularizer? Its settings ...
    """
    known = known_settings(kind)
    unknown = [name for name in names if name not in known]
    if not unknown or _has_var_keyword(next(_constructors(kind), [])):
        return
    hint = did_you_mean(unknown[0], known)
    of_all = f" Its settings are: {', '.join(known)}." if hint.endswith("?") else ""
    raise UnknownSetting(f"{kind.__name__} has no setting {unknown[0]!r}{hint}{of_all}")


def _constructors(kind: type) -> Iterator[list[inspect.Parameter]]:
    """Yield the parameters of each constructor that a class and its bases declare, the class first."""
    for base in kind.__mro__:
        constructor = vars(base).get("__init__")
        if inspect.isfunction(constructor):
            yield _parameters(constructor)


@functools.lru_cache(maxsize=64)
def _parameters(constructor: FunctionType) -> list[inspect.Parameter]:
    """Return all parameters but ``self``. The result is cached because a check makes many objects of one class."""
    _self, *parameters = inspect.signature(constructor).parameters.values()
    return parameters


def _has_var_keyword(parameters: list[inspect.Parameter]) -> bool:
    """Return True if the parameters include ``**settings``."""
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
