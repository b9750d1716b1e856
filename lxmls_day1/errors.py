"""The errors that a user's mistake raises: each message says what was wanted, what was got and what to do.

The command line shows them as one sentence and ends with status 1; a notebook shows them as they are.
They are ``ValueError``s, so that code which knows nothing of this package can catch them too.
"""


class InputError(ValueError):
    """An argument, an option or a file that cannot be used as it is."""


class NotInLab(InputError):
    """A file, a class or a function that a lab does not have."""


class CorpusError(InputError):
    """A corpus file that breaks its format; the message names file and line and what was expected there."""


class CorpusUnavailable(InputError):
    """A corpus that is neither on this machine nor to be had from the network now."""


def how_to_install(extra: str) -> str:
    """The command that installs an optional extra of this package, as text for a message.

    Examples
    --------
    >>> how_to_install("notebook")
    '`python -m pip install "lxmls-day1[notebook]"`'
    """
    return f'`python -m pip install "lxmls-day1[{extra}]"`'
