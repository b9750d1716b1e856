"""Late days: when something was handed in, and what is taken off for that.

A time is taken from where a platform writes it down: Blackboard in the names of files, all others in a column of a table. When
a file was changed on this disk says nothing.
"""

import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta

_TIME = re.compile(r"(?<!\d)(20\d\d)-(\d\d)-(\d\d)[T_ -]+(\d\d)[:.-](\d\d)(?:[:.-](\d\d))?(?!\d)")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)  # Moodle's English
_LONG_TIME = re.compile(r"(\d{1,2}) ([a-z]+) (20\d\d),? (\d{1,2}):(\d\d)\s*([ap]m)?", re.IGNORECASE)


@dataclass(frozen=True)
class Lateness:
    """What is taken off for handing in late.

    Attributes
    ----------
    due : datetime
        In the platform's own time.
    penalty : float
        The part of the points that each day takes which has begun, between 0 and 1.
    column : str
        The column of the roster with the times; those in the files' names unless given.
    extension_column : str
        The column of the roster with later times for some, or days more.
    """

    due: datetime
    penalty: float
    column: str = ""
    extension_column: str = ""

    def due_with(self, extension: str) -> datetime:
        """When work is due that has an extension: another time, or so many days more; as for all where it is empty.

        Raises
        ------
        ValueError
            If it is neither.

        Examples
        --------
        >>> lateness = Lateness(datetime(2026, 11, 20, 23, 59), 0.1)
        >>> [str(lateness.due_with(text)) for text in ("", "3 days", "2026-12-01 12:00")]
        ['2026-11-20 23:59:00', '2026-11-23 23:59:00', '2026-12-01 12:00:00']
        """
        days = re.fullmatch(r"(\d{1,3})(?: days?)?", extension.strip() or "0", re.IGNORECASE)
        due = self.due + timedelta(days=int(days[1])) if days else time_in(extension)
        if due is None:
            raise ValueError(extension)
        return due

    def days(self, handed_in: datetime, due: datetime | None = None) -> int:
        """How many days too late, by the time that is given here or the one for all; a day that has begun counts.

        Examples
        --------
        >>> lateness = Lateness(datetime(2026, 11, 20, 23, 59), 0.1)
        >>> [lateness.days(datetime(2026, 11, day, 0, 0)) for day in (20, 21, 22)]
        [0, 1, 2]
        """
        return max(0, math.ceil((handed_in - (due or self.due)) / timedelta(days=1)))

    def kept(self, days: int) -> float:
        """The part of the points that is left."""
        return max(0.0, 1.0 - self.penalty * days)


def time_in(text: str) -> datetime | None:
    """The first time of the form 2026-11-20 23:59, with any signs between the numbers, or as Moodle writes it in English.

    Examples
    --------
    >>> str(time_in("lab_ada_attempt_2026-11-21-09-05-30_lab.zip"))
    '2026-11-21 09:05:30'
    >>> str(time_in("Friday, 20 November 2026, 11:15 PM"))
    '2026-11-20 23:15:00'
    >>> time_in("yesterday")
    """
    try:
        if found := _TIME.search(text):
            return datetime(*(int(number or 0) for number in found.groups()))  # type: ignore[arg-type]  # six numbers
        if found := _LONG_TIME.search(text):
            day, month, year, hour, minute, half = found.groups()
            hours = int(hour) % 12 + 12 * (half.lower() == "pm") if half else int(hour)
            return datetime(int(year), _MONTHS.index(month.lower()) + 1, int(day), hours, int(minute))
    except ValueError:
        return None
    return None
