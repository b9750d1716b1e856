"""The verdicts on one check, and what each means."""

from lxmls_day1.box.limits import CRASHED as CRASHED
from lxmls_day1.box.limits import MEMORY as MEMORY
from lxmls_day1.box.limits import REFUSED as REFUSED
from lxmls_day1.box.limits import TIMEOUT as TIMEOUT

OK, WRONG, ERROR, MISSING = "ok", "wrong", "error", "missing"

VERDICTS = {
    OK: "right",
    WRONG: "a wrong answer",
    ERROR: "an exception",
    TIMEOUT: "not done within the time limit",
    MEMORY: "it needed more memory than allowed",
    CRASHED: "the code crashed its process",
    REFUSED: "not allowed: an answer that is not plain data, too long, or a box that is not safe enough",
    MISSING: "nothing to check: a file or a function is not there, or the exercise is not begun",
}
