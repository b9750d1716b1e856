"""Errors for users' mistakes. Each message says what was expected, what was found, and what to do.

The command line prints the message as one sentence and exits with status 1; a notebook shows the exception.
Each error is a ``ValueError``, so that code which does not know this package can catch it, too.
"""

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any


def pluralize(number: int, noun: str) -> str:
    """Return a count with its noun in the singular or plural, for a message.

    Examples
    --------
    >>> pluralize(1, "check"), pluralize(2, "check"), pluralize(1, "class"), pluralize(0, "class")
    ('1 check', '2 checks', '1 class', '0 classes')
    """
    plural = "es" if noun.endswith("s") else "s"
    return f"{number} {noun}{plural if number != 1 else ''}"


def quoted(text: str, max_chars: int = 60) -> str:
    """Return a text of a user in quotes for a message; a long one is cut.

    Examples
    --------
    >>> quoted("yes"), quoted("incomprehensibility", max_chars=10)
    ("'yes'", "'incompr…'")
    """
    return repr(text if len(text) <= max_chars else text[: max_chars - 3] + "…")


class InputError(ValueError):
    """An argument, an option or a file that is invalid.

    Examples
    --------
    It is a ``ValueError``, so that code which does not know this package can catch it:

    >>> try:
    ...     check_path("the corpus", 3)
    ... except ValueError as error:
    ...     print(f"{type(error).__name__}: {error}")
    InputError: the corpus must be the path of a file or folder, as text or as pathlib.Path, but is 3
    """


class UnknownSetting(InputError, TypeError):
    """A keyword argument that a class does not accept. It is also a ``TypeError``, the error that Python itself raises in this case.

    Examples
    --------
    >>> from lxmls_day1.classifiers import Mira
    >>> try:
    ...     Mira(nr_round=3)
    ... except UnknownSetting as error:
    ...     print("nr_rounds" in str(error), isinstance(error, TypeError))
    True True
    """


class NotInLab(InputError):
    """A file, a class or a function that a lab does not have.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> try:
    ...     Lab.open().classifier("mria", "Mira")
    ... except NotInLab as error:
    ...     print("mira.py" in str(error))
    True
    """


class CorpusError(InputError):
    """A corpus file with an invalid format. The message names the file, the line and what was expected there.

    Examples
    --------
    >>> from lxmls_day1.engine.text.parsed_reviews import parse_review
    >>> try:
    ...     parse_review("good:1", "mine.review, line 1")
    ... except CorpusError as error:
    ...     print(error)
    mine.review, line 1: the line ends with 'good:1'; expected a label such as #label#:positive at its end
    """


class CorpusUnavailable(InputError):
    """A corpus that is not on this machine and cannot be downloaded at the moment.

    Examples
    --------
    Callers can catch this error and continue without the corpus:

    >>> try:
    ...     raise CorpusUnavailable("books is not on this machine")
    ... except InputError as error:
    ...     print(error)
    books is not on this machine
    """


class NoAnswer(Exception):
    """A check cannot get an answer, and other inputs would fail, too. This error ends the check.

    Examples
    --------
    >>> raise NoAnswer("classifiers/mira.py is not there")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.NoAnswer: classifiers/mira.py is not there
    """


def check_path(name: str, path: Any) -> Path:
    """Return `path` as a ``Path``, or raise an error if it cannot be the path of a file or folder.

    Examples
    --------
    >>> check_path("path", None)
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: path must be the path of a file or folder, as text or as pathlib.Path, but is None
    """
    text = path if isinstance(path, str) else os.fspath(path) if isinstance(path, os.PathLike) else None
    try:
        if not isinstance(text, str) or b"\0" in os.fsencode(text):
            raise TypeError
    except (TypeError, UnicodeEncodeError):  # An unpaired surrogate is invalid in file names.
        raise InputError(
            f"{name} must be the path of a file or folder, as text or as pathlib.Path, but is {path!r}"
        ) from None
    return Path(text)


def current_folder() -> Path:
    """Return the current folder, or raise an `InputError` that names it if it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        place = os.environ.get("PWD")  # Only the shell still knows the name of the deleted folder.
        named = f", {place}," if place and not os.path.isdir(place) else ""
        raise InputError(f"the current folder{named} is gone; change to a folder that exists, as with `cd`") from error


def did_you_mean(unknown_name: str, names: Iterable[str], suffix: str = "", order: str = "") -> str:
    """Return a suffix for an error message that suggests names close to `unknown_name`, or lists all names if none is close.

    The list is sorted alphabetically. If `order` is not empty, the list keeps the order of `names` instead, and the message
    describes it with `order`.

    Examples
    --------
    >>> did_you_mean("mria", ["mira", "svm"], suffix=".py")
    '; did you mean mira.py?'
    >>> did_you_mean("tree", ["svm", "mira"])
    '; there are: mira, svm.'
    >>> did_you_mean("tree", ["1.9", "1.10"], order="the order of the notebooks")
    '; there are, in the order of the notebooks: 1.9, 1.10.'
    """
    names = list(names) if order else sorted(names)
    lower = {name.lower(): name for name in names}
    close = [lower[name] for name in get_close_matches(unknown_name.lower(), lower, n=3)]
    if close:
        return f"; did you mean {' or '.join(name + suffix for name in close)}?"
    if names:
        ordered_by = f", in {order}" if order else ""
        return f"; there are{ordered_by}: {', '.join(name + suffix for name in names)}."
    return "; there is none."
