"""The files of a workspace import from `lxmls_day1.lab_api` only, and its interface is as recorded for its version."""

import ast
import inspect
import os
from pathlib import Path
from types import ModuleType

import pytest

from lxmls_day1 import lab_api

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_name("lab_api.txt")  # LXMLS_DAY1_RECORD=1 pytest …/test_lab_api.py records it again.
PLAIN = (bool, int, float, str, tuple, type(None))  # These kinds of defaults are recorded unchanged.
FOLDERS = ("readers/**", "classifiers/**", "notebooks/**", "tests/exercises/**")
PYTHON_FILES = [path for folder in FOLDERS for path in ROOT.glob(f"{folder}/*.py")]
WORKSPACE_FILES = sorted(path for path in PYTHON_FILES if path.name != "conftest.py")
MODULES = [name for name in lab_api.__all__ if isinstance(getattr(lab_api, name), ModuleType)]


def imported_names(path):
    """Yield each name that a file takes from the package: by import, or as an attribute of an imported module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "lxmls_day1":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("lxmls_day1."))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in MODULES:
            yield f"lxmls_day1.lab_api.{node.value.id}.{node.attr}"


def promised_names():
    """Yield the names of `lab_api`, and the names of the modules among them."""
    for name in lab_api.__all__:
        yield name, getattr(lab_api, name)
        if name in MODULES:
            module = getattr(lab_api, name)
            functions = inspect.getmembers(module, inspect.isfunction)
            own = [key for key, function in functions if function.__module__ == module.__name__]
            public = getattr(module, "__all__", None) or own
            yield from ((f"{name}.{key}", getattr(module, key)) for key in sorted(public) if key[0] != "_")


def signature(value):
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    empty = inspect.Parameter.empty
    parameters = [
        parameter.replace(
            annotation=empty, default=parameter.default if isinstance(parameter.default, (*PLAIN, type)) else ...
        )
        for parameter in found.parameters.values()
    ]
    return str(found.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def description(name, value):
    """Return the properties that an older workspace relies on: kind, arguments, and a class's bases, fields and public methods."""
    if not inspect.isclass(value):
        return [f"{name}{signature(value)}" if callable(value) else f"{name}: {type(value).__name__}"]
    bases = [base.__name__ for base in value.__mro__[1:-1]]
    arguments = "" if issubclass(value, Exception) else signature(value)
    methods = sorted(key for key in vars(value) if not key.startswith("__") and not key.startswith("_abc"))
    return [f"{name}{arguments} <- {', '.join(bases) or 'object'}"] + [
        f"    {key}{signature(inspect.getattr_static(value, key))}" for key in methods
    ]


@pytest.mark.parametrize("path", WORKSPACE_FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_of_a_workspace_takes_nothing_else_from_the_package(path):
    promised = {f"lxmls_day1.lab_api.{name}" for name, _ in promised_names()}
    assert set(imported_names(path)) <= promised


def test_at_most_twenty_names_are_promised_as_they_were_recorded():
    lines = [f"version {lab_api.VERSION}"]
    for name, value in promised_names():
        lines += description(name, value)
    text = "\n".join(lines) + "\n"
    if os.environ.get("LXMLS_DAY1_RECORD"):
        RECORD.write_text(text, encoding="utf-8")
    assert text == RECORD.read_text(encoding="utf-8"), (
        "what workspaces import has changed: keep the old calls working, or raise VERSION in lxmls_day1/lab_api.py; then "
        "record it anew with LXMLS_DAY1_RECORD=1"
    )
    assert len(lab_api.__all__) <= 20
