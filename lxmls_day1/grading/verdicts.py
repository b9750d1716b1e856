"""The verdicts on one check, and what each means."""

from typing import NamedTuple

from lxmls_day1.box.limits import CRASHED as CRASHED
from lxmls_day1.box.limits import MEMORY as MEMORY
from lxmls_day1.box.limits import REFUSED as REFUSED
from lxmls_day1.box.limits import TIMEOUT as TIMEOUT

OK, WRONG, ERROR, MISSING = "ok", "wrong", "error", "missing"


class Verdict(NamedTuple):
    """How pages show a verdict: a sign, words for students, and what it means."""

    sign: str
    words: str
    meaning: str


VERDICTS = {
    OK: Verdict("✓", "right", "right"),
    WRONG: Verdict("✗", "wrong", "a wrong answer"),
    ERROR: Verdict("!", "error", "an exception"),
    TIMEOUT: Verdict("◷", "time limit", "not done within the time limit"),
    MEMORY: Verdict("▣", "memory limit", "it needed more memory than allowed"),
    CRASHED: Verdict("↯", "crashed", "the code crashed its process"),
    REFUSED: Verdict(
        "⊘", "refused", "not allowed: an answer that is not plain data, too long, or a box that is not safe enough"
    ),
    MISSING: Verdict(
        "○", "missing", "nothing to check: a file or a function is not there, or the exercise is not begun"
    ),
}
