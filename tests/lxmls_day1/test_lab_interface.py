"""Lab files call what the interface lists and nothing else, and what it lists is as it was recorded for its version."""

import ast
import importlib
import inspect
import os
from pathlib import Path

import pytest

from lxmls_day1.lab_interface import NAMES, VERSION

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_name(
    "lab_interface.txt"
)  # LXMLS_DAY1_RECORD=1 pytest …/test_lab_interface.py writes it anew
PLAIN = (bool, int, float, str, tuple, type(None))  # kinds of defaults that are recorded as they are
MODULES = {f"lxmls_day1.{name}" for name in NAMES}
LAB_FILES = sorted(path for package in ("readers", "classifiers") for path in (ROOT / package).rglob("*.py"))


def used_names(path):
    """(module, name) of all that a file takes from the package, by import or as an attribute of an imported module."""
    tree, modules, used = ast.parse(path.read_text(encoding="utf-8")), {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "lxmls_day1":
            for alias in node.names:
                if node.module == "lxmls_day1" or f"{node.module}.{alias.name}" in MODULES:
                    modules[alias.asname or alias.name] = f"{node.module}.{alias.name}".removeprefix("lxmls_day1.")
                else:
                    used.add((node.module.removeprefix("lxmls_day1."), alias.name))
        elif isinstance(node, ast.Import):
            used |= {(alias.name, "") for alias in node.names if alias.name.startswith("lxmls_day1.")}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            used.add((modules[node.value.id], node.attr))
    return used


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


def description(module, name):
    """What an older lab file relies on: kind, arguments, and of a class its bases, fields and public methods."""
    value = getattr(importlib.import_module(f"lxmls_day1.{module}"), name)
    if not inspect.isclass(value):
        return [f"{module}.{name}{signature(value)}" if callable(value) else f"{module}.{name}: {type(value).__name__}"]
    bases = [base.__name__ for base in value.__mro__[1:-1]]
    lines = [
        f"{module}.{name}{'' if issubclass(value, Exception) else signature(value)} <- {', '.join(bases) or 'object'}"
    ]
    methods = sorted(key for key in vars(value) if not key.startswith("__") and not key.startswith("_abc"))
    return lines + [f"    {key}{signature(inspect.getattr_static(value, key))}" for key in methods]


@pytest.mark.parametrize("path", LAB_FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_lab_file_takes_nothing_else_from_the_package(path):
    assert {(module, name) for module, name in used_names(path) if name not in NAMES.get(module, ())} == set()


def test_the_interface_is_as_it_was_recorded():
    lines = [f"version {VERSION}"]
    for module, names in NAMES.items():
        for name in names:
            lines += description(module, name)
    text = "\n".join(lines) + "\n"
    if os.environ.get("LXMLS_DAY1_RECORD"):
        RECORD.write_text(text, encoding="utf-8")
    assert text == RECORD.read_text(encoding="utf-8"), (
        "what lab files call has changed: keep the old calls working, or raise VERSION in lxmls_day1/lab_interface.py; then "
        "record it anew with LXMLS_DAY1_RECORD=1"
    )
