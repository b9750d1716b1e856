"""The names that can be imported from ``classifiers``, ``readers`` and ``lxmls_day1`` themselves."""

import ast
import inspect
import sys
from itertools import chain
from pathlib import Path

import pytest

import classifiers
import lxmls_day1
import readers

PACKAGES = [classifiers, readers]


def by_name(package):
    return package.__name__


@pytest.mark.parametrize("package", PACKAGES, ids=by_name)
class TestPackages:
    def test_each_name_is_that_of_its_file(self, package):
        for name in package.__all__:
            assert getattr(package, name) is getattr(sys.modules[getattr(package, name).__module__], name)

    def test_completion_and_star_see_them(self, package):
        assert set(package.__all__) <= set(dir(package))
        bound = {}
        exec(f"from {package.__name__} import *", bound)
        assert set(package.__all__) <= set(bound)

    def test_public_functions_declare_their_types(self, package):
        named = [getattr(package, name) for name in package.__all__]
        methods = [vars(cls).values() for cls in named if inspect.isclass(cls)]
        public = [f for f in chain(named, *methods) if inspect.isfunction(f) and not f.__name__.startswith("_")]
        assert public
        for function in public:
            signature = inspect.signature(function)
            types = [p.annotation for p in signature.parameters.values() if p.name != "self"]
            assert inspect.Signature.empty not in [*types, signature.return_annotation], function.__qualname__

    def test_other_names_are_modules_or_errors(self, package):
        module = getattr(package, package.__all__[-2]).__module__.rpartition(".")[2]
        bound = {}
        exec(f"from {package.__name__} import {module}", bound)
        assert inspect.ismodule(bound[module])
        with pytest.raises(ImportError, match="cannot import name 'Mria'"):
            exec(f"from {package.__name__} import Mria", {})
        assert not hasattr(package, "Mria")


def test_the_package_offers_a_lab():
    from lxmls_day1.lab import Lab

    assert lxmls_day1.Lab is Lab
    assert {"Lab", "classifiers", "readers"} <= set(dir(lxmls_day1))
    with pytest.raises(ImportError, match="cannot import name 'Leb'"):
        exec("from lxmls_day1 import Leb", {})


def test_functions_have_few_parameters():
    """Compiled kernels are exempt because they take arrays one by one; ``self`` and ``cls`` do not count."""
    numbers = {}
    for path in chain.from_iterable(Path(part.__file__).parent.rglob("*.py") for part in (*PACKAGES, lxmls_day1)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.Lambda)) and "kernels" not in path.parts:
                given = node.args
                parts = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
                names = [part.arg for part in parts if part is not None]
                numbers[f"{path}:{node.lineno}"] = len({*names} - {"self", "cls"})
    many = {place: number for place, number in numbers.items() if number >= 8}
    assert len(numbers) > 2000 and len(many) <= 8 and max(many.values()) <= 10, many
