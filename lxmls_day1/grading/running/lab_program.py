"""The program inside the boxes of grading: it opens a lab, calls its code, and replies with the results.

Any code that runs here may be the student's, so this process, and everything it can read, contains no expected answer.
"""

import functools
import itertools
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lxmls_day1.box.messages import ObjectHandle
from lxmls_day1.box.programs import Handler, HandlerReply
from lxmls_day1.course.lab_under_test import GuardedLab, LabCall, method_names
from lxmls_day1.course.running.solution_blocking import block_modules
from lxmls_day1.course.running.tracebacks import trimmed_traceback
from lxmls_day1.lab import Lab


class LabProgram:
    """The program of a box that holds a lab.

    Parameters
    ----------
    refused : mapping from module to str, optional
        The modules that cannot be imported in this process, each with the error message for the importing code.
    """

    def __init__(self, refused: Mapping[str, str] | None = None):
        block_modules(refused or {})

    def warm_up(self) -> None:
        """Import and run the code that nearly every lab needs, before the fork, so that no box has to."""
        from lxmls_day1.engine.kernels.threads import single_threaded_blas
        from lxmls_day1.engine.loops.penalties import LargePenaltyWarning
        from lxmls_day1.figures import boundaries  # noqa: F401

        with single_threaded_blas():  # lists the libraries
            warm_up_kernels()
        # The checks try every λ. A student's page would show the warning as output of the student's code.
        warnings.filterwarnings("ignore", category=LargePenaltyWarning)

    def handlers(self, folder: Path) -> Mapping[str, Handler]:
        """Return the handlers of the requests that a `BoxedLab` sends."""
        served = _ServedLab(folder)
        return {"make": served.make, "perform": served.perform, "get": served.get, "call": served.call}

    def traceback_of(self, error: BaseException, folder: Path) -> str:
        """Return the frames of the traceback that are in the student's files."""
        return trimmed_traceback(error, folder)


class _ServedLab:
    """The lab in a folder, opened when it is first needed."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._objects: list[Any] = []

    @functools.cached_property
    def _lab(self) -> GuardedLab:
        return GuardedLab(Lab(self._folder))

    def _answer(self, call: Callable[[GuardedLab], Any]) -> HandlerReply:
        """Return the result of a call, and whether the call changed its arguments."""
        self._lab.changes.clear()
        value = call(self._lab)
        self._lab.answers.clear()  # only a check reads them, and here they would count against the limit on memory
        return HandlerReply(value, bool(self._lab.changes))

    def make(self, request: dict[str, Any]) -> HandlerReply:
        """Make an object.

        On request the reply includes the names of its methods, so that `BoxedLab` need not ask about each name.
        """
        made = self._lab.perform(_call_of(request))
        self._objects.append(made)
        answer: dict[str, Any] = {"made": ObjectHandle(len(self._objects) - 1)}
        if request["methods"]:
            answer["methods"] = method_names(made)
        return HandlerReply(answer)

    def perform(self, request: dict[str, Any]) -> HandlerReply:
        """Run a call that does not make an object."""
        return self._answer(lambda lab: lab.perform(_call_of(request)))

    def get(self, request: dict[str, Any]) -> HandlerReply:
        """Return an attribute of an object, or report that it is a method."""
        value = getattr(self._objects[request["object"]], request["name"])
        return HandlerReply({"method": True} if callable(value) else {"attribute": value})

    def call(self, request: dict[str, Any]) -> HandlerReply:
        """Call a method of an object."""
        method = getattr(self._objects[request["object"]], request["name"])
        arguments = [self._objects[a.number] if isinstance(a, ObjectHandle) else a for a in request["arguments"]]
        return self._answer(lambda _: method(*arguments, **request["settings"]))


def _call_of(request: dict[str, Any]) -> LabCall:
    return LabCall(request["method"], request["target"], request["arguments"], request["settings"])


def warm_up_kernels() -> None:
    """Count words, and take steps of online learning with every kind of input and rule, so that their kernels are compiled and loaded.

    Boxes cannot write the cache, and each would load the kernels again. The steps are those of a training, `RowSteps`, because numba
    compiles a kernel anew for arrays that are read-only or of another type. The rules are plain Python, as those of a submission are in a
    box.
    """
    import numpy as np
    import scipy.sparse
    import scipy.special

    from lxmls_day1.engine.kernels.class_sums import class_sums
    from lxmls_day1.engine.kernels.row_steps import RowSteps

    def first_order(scores: Any, label: int, sq_norm: float, step: float, cost: Any) -> Any:
        return scores + 1.0

    def second_order(scores: Any, label: int, variances: Any, step: float, cost: Any) -> Any:
        return scores + 1.0, 0.1 / variances

    second_order.second_order = True  # type: ignore[attr-defined]
    X, labels = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 0.0]]), np.array([0, 1, 0])
    for of_matrix in (X, scipy.sparse.csr_array(X)):
        class_sums(of_matrix, labels, n_classes=2)
    inputs = (2, 3), (X, scipy.sparse.csr_array(X)), (first_order, second_order), (False, True)
    for n_classes, of_matrix, rule, averaged in itertools.product(*inputs):
        costs = 1.0 - np.eye(n_classes)
        steps = RowSteps(rule, of_matrix, labels, costs, shrinkage=0.1, averaged=averaged)
        steps.run(np.array([[0, 1, 2]]), np.ones(3))
