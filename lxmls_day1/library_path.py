"""Which folders libraries are imported from: neither the current folder nor a lab's.

A student's ``numpy.py`` or ``random.py`` at the top of a workspace must not take the place of the library, neither in
this process nor in one that it starts. So the command line calls `use_library_path` before it imports anything else,
other programs start as `command_of` and `environment` say, and a `Lab` serves its own packages by a finder.

Only what Python has frozen is imported here: no folder can put another file in its place.
"""

import os
import sys

PACKAGES = ("readers", "classifiers")


def is_lab_folder(folder: str | os.PathLike[str]) -> bool:
    """Whether `folder` holds all that makes a lab; a folder of tests, which mirrors it, has no packages."""
    return all(os.path.isfile(os.path.join(folder, name, "__init__.py")) for name in PACKAGES)


def reference_place() -> str:
    """Where the reference lab stands: inside the installed package, or around it in a checkout."""
    package = os.path.dirname(os.path.realpath(__file__))
    installed = os.path.join(package, "reference_lab")
    return installed if is_lab_folder(installed) else os.path.dirname(package)


def library_path(entries: list[str] | None = None) -> list[str]:
    """A search path without the current folder, relative entries, and folders of a lab.

    Parameters
    ----------
    entries : list of str, optional
        ``sys.path`` unless given.

    Returns
    -------
    list of str
        What is left, in the same order.

    Examples
    --------
    >>> library_path(["", "classifiers/", os.getcwd(), os.path.dirname(os.__file__)]) == [os.path.dirname(os.__file__)]
    True
    """
    return [entry for entry in (sys.path if entries is None else entries) if _may_hold_libraries(entry)]


def use_library_path() -> None:
    """Take the current folder and those of labs off ``sys.path``: for the start of a program that is ours.

    The ``""`` or the folder that ``python -m`` puts there goes, and so does what ``PYTHONPATH`` names by mistake.
    """
    sys.path[:] = library_path()


def command_of(
    module: str, arguments: tuple[str, ...] | list[str] = (), options: tuple[str, ...] | list[str] = ()
) -> list[str]:
    """The command that runs a module as ``python -m`` does, with the libraries and the package of this process.

    Parameters
    ----------
    module : str
    arguments : sequence of str
        Of the program.
    options : sequence of str
        Of Python itself.

    Returns
    -------
    list of str
        For `subprocess`. Neither the folder that it starts in nor ``PYTHONPATH`` nor a ``usercustomize`` counts.
    """
    code = (
        f"import sys; sys.path[:] = [{_package_parent()!r}]; import lxmls_day1; sys.path[:] = {library_path()!r}; "
        f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return [sys.executable, "-P", "-s", *options, "-c", code, *arguments]


def environment(variables: dict[str, str] | None = None) -> dict[str, str]:
    """The environment for a program that starts Pythons of its own, such as JupyterLab its kernels.

    Parameters
    ----------
    variables : dict of str to str, optional
        Those of this process unless given.

    Returns
    -------
    dict of str to str
        With ``PYTHONSAFEPATH``, and with only those entries of ``PYTHONPATH`` that `library_path` leaves.
    """
    variables = dict(os.environ if variables is None else variables)
    given = variables.pop("PYTHONPATH", "")
    if kept := library_path(given.split(os.pathsep)):
        variables["PYTHONPATH"] = os.pathsep.join(kept)
    variables["PYTHONSAFEPATH"] = "1"
    return variables


def _may_hold_libraries(entry: str) -> bool:
    if not os.path.isabs(entry):
        return False
    standard = os.path.dirname(os.__file__)
    if entry in (standard, os.path.join(standard, "lib-dynload")) or os.path.basename(entry) in (
        "site-packages",
        "dist-packages",
    ):
        return True
    try:
        is_current = os.path.samefile(entry, os.curdir)
    except OSError:  # one of them is not there
        is_current = False
    if is_current:
        return False
    parent = os.path.dirname(entry)
    return not any(is_lab_folder(folder) for folder in (entry, parent, os.path.dirname(parent)))


def _package_parent() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
