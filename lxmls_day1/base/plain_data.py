"""Dataclasses converted to JSON-compatible data and back. A value whose type differs from its field's declaration is rejected.

A class with its own JSON format defines ``to_json`` and ``from_json``. Three other formats of the package differ in kind: a box exchanges
frames with arrays that are not trusted (`lxmls_day1.box.messages`), a model file stores arrays beside its header
(`lxmls_day1.engine.models.npz_file`), and a page gets rounded numbers, which cannot be converted back
(`lxmls_day1.demos.scene.plain_data`).
"""

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any

from lxmls_day1.base.errors import InputError

PLAIN_TYPES = frozenset({str, int, float, bool, type(None)})


def to_plain(value: Any) -> Any:
    """Convert a value made of dataclasses, mappings, tuples and lists to dicts, lists, numbers and strings.

    Examples
    --------
    >>> @dataclasses.dataclass(frozen=True)
    ... class Row:
    ...     name: str
    ...     points: tuple[float, ...]
    >>> to_plain(Row("Ada", (1.0, 2.5)))
    {'name': 'Ada', 'points': [1.0, 2.5]}
    >>> from_plain(Row, {"name": "Ada", "points": [1, 2.5]})
    Row(name='Ada', points=(1.0, 2.5))
    """
    kind = type(value)
    if kind in PLAIN_TYPES:
        return value
    if kind is tuple or kind is list:
        return [entry if type(entry) in PLAIN_TYPES else to_plain(entry) for entry in value]
    if hasattr(kind, "to_json"):
        return value.to_json()
    names = type_hints(kind)  # type: ignore[arg-type]  # mypy sees no __hash__ in classes, which have one
    if names is not None:
        return {name: to_plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): to_plain(entry) for key, entry in value.items()}
    return value


@functools.cache
def type_hints(kind: type[Any]) -> Mapping[str, Any] | None:
    """Return the declared type of each field of a dataclass, or None if `kind` is not a dataclass."""
    return types.MappingProxyType(typing.get_type_hints(kind)) if dataclasses.is_dataclass(kind) else None


def from_plain(kind: Any, plain: Any) -> Any:
    """Convert plain data back; the inverse of `to_plain`: ``from_plain(type(row), to_plain(row)) == row``.

    Raises
    ------
    InputError
        If the data do not match `kind`, for example because the file is damaged or from another version.
    """
    try:
        return _build(kind, plain)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"this is not a valid {getattr(kind, '__name__', kind)} ({error}).") from error


def _build(kind: Any, plain: Any) -> Any:
    if kind is Any or type(plain) is kind:
        return plain
    if hasattr(kind, "from_json"):
        return kind.from_json(plain)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return None if plain is None else _build(arguments[0], plain)
    hints = type_hints(kind)
    if hints is not None:
        if unknown := set(plain) - set(hints):
            raise ValueError(f"unknown key {min(unknown)!r}")
        return kind(**{name: _build(hints[name], entry) for name, entry in plain.items()})
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return tuple(_build(arguments[0], entry) for entry in plain)
        return tuple(_build(part, entry) for part, entry in zip(arguments, plain, strict=True))
    if origin is list:
        return [_build(arguments[0], entry) for entry in plain]
    if origin is not None:  # a mapping
        return {str(key): _build(arguments[1], entry) for key, entry in plain.items()}
    if kind is float and type(plain) is int:
        return float(plain)
    if type(plain) is not kind:
        raise ValueError(f"expected {kind.__name__}, got {plain!r:.60}")
    return plain
