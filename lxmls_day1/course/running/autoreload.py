"""Reload edited files of a lab in a running notebook, so that they take effect in the next cell without a restart.

Before each cell the files of the lab are compared with their last known state. If one has changed, all modules of the lab are imported
again. The notebook's references to modules, classes and functions of the lab then refer to the new versions, and objects get the new
version of their class. If a file cannot be imported, one line gives the reason, and the old code stays in use until the next change.
"""

import contextlib
import sys
from collections.abc import MutableMapping
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from lxmls_day1.base.errors import InputError
from lxmls_day1.lab import delete_bytecode
from lxmls_day1.library_path import PACKAGES

FileStates = dict[Path, tuple[int, int]]


class Autoreload:
    """Keeps the imported modules of a lab up to date with its files.

    Parameters
    ----------
    lab : lxmls_day1.lab.Lab

    Attributes
    ----------
    fault : str
        One line on why the newest files could not be imported; empty if they were.
    unsolved : set of str
        The exercises whose cells have ended because some code is not written yet.
    """

    def __init__(self, lab: Any):
        self.lab = lab
        self.fault = ""
        self.unsolved: set[str] = set()
        self._last_states: FileStates = {}

    @classmethod
    def for_lab(cls, lab: Any) -> "Autoreload":
        """Return the instance of a lab; make it at the first call."""
        if lab.autoreload is None:
            lab.autoreload = cls(lab)
        return cast(Autoreload, lab.autoreload)

    def reload_changed(self, namespace: MutableMapping[str, Any] | None = None) -> None:
        """Import changed modules again; print a line if that fails.

        Parameters
        ----------
        namespace : dict, optional
            The notebook's namespace; its values that come from this lab are replaced.
        """
        now = file_states(self.lab.folder)
        if now == self._last_states:
            return
        before = self._imported()
        delete_bytecode(self.lab.folder)
        self.lab.forget()
        try:
            for name in before:
                if name not in PACKAGES and _file_of(before[name]).is_file():
                    self.lab.load(name)
        except BaseException as error:
            self.lab.forget()
            sys.modules.update(before)
            if not isinstance(error, InputError):  # such as Ctrl-C; the next cell tries again
                raise
            self._last_states = now
            self.fault = str(error).rstrip(".")
            print(f"{self.fault}. Until you correct this, the code from before stays in use.")
            return
        self.fault = ""
        after = self._imported()
        for name, value in list((namespace or {}).items()):
            _replace(namespace, name, value, before, after)
        self._last_states = now

    def before_cell(self, *_info: Any) -> None:
        """Reload changed files; IPython calls this before each cell."""
        self.reload_changed(sys.modules["IPython"].get_ipython().user_ns)

    def _imported(self) -> dict[str, ModuleType]:
        """Return the modules that were imported from the lab's folders."""
        of_labs = [item for item in list(sys.modules.items()) if item[0].partition(".")[0] in PACKAGES]
        return {name: module for name, module in of_labs if _file_of(module).is_relative_to(self.lab.folder)}


def watch_cells(lab: Any) -> None:
    """Register the reload of a lab's code before every cell of the notebook that runs here, if any. Only one lab is watched at a time."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None:
        return
    for callback in list(shell.events.callbacks["pre_run_cell"]):
        if type(getattr(callback, "__self__", None)).__qualname__ == Autoreload.__qualname__:
            shell.events.unregister("pre_run_cell", callback)
    code = Autoreload.for_lab(lab)
    code.reload_changed()
    shell.events.register("pre_run_cell", code.before_cell)


def file_states(folder: Path) -> FileStates:
    """Return the modification time and size of every Python file of a lab."""
    found: FileStates = {}
    for package in PACKAGES:
        for path in (folder / package).rglob("*.py"):
            with contextlib.suppress(OSError):  # an editor may be replacing the file
                found[path] = (path.stat().st_mtime_ns, path.stat().st_size)
    return found


def _file_of(module: ModuleType) -> Path:
    return Path(getattr(module, "__file__", None) or "")


def _replace(
    names: Any, name: str, value: Any, before: MutableMapping[str, ModuleType], after: MutableMapping[str, ModuleType]
) -> None:
    """Bind a name to the new version of its value, if the value comes from the lab."""
    if isinstance(value, ModuleType):
        if value is before.get(value.__name__) and value.__name__ in after:
            names[name] = after[value.__name__]
        return
    with contextlib.suppress(Exception):  # an object may raise anything, or refuse a new class
        kind = type(value)
        new_kind = _new_version(kind, before, after)
        new_value = _new_version(value, before, after)
        if new_value is not None:
            names[name] = new_value
        elif isinstance(new_kind, type):
            value.__class__ = new_kind


def _new_version(value: Any, before: MutableMapping[str, ModuleType], after: MutableMapping[str, ModuleType]) -> Any:
    """Return the class or function that now has the place of an old one in its module; None if it is gone or not from the lab."""
    module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if not (isinstance(module, str) and isinstance(name, str) and module in before and module in after):
        return None
    return vars(after[module]).get(name)
