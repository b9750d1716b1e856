"""While an exercise is checked nobody calls what answers it, in whatever way it was imported; the given files may call what answers another one."""

import contextlib
import importlib
import sys
from pathlib import Path

import pytest

from lxmls_day1.course.checking import run_checks
from lxmls_day1.course.generation import student_files
from lxmls_day1.course.refusals import libraries_refused, refusals
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.workspace import write_files
from lxmls_day1.lab import PACKAGES, Lab, reference_folder
from lxmls_day1.refused_calls import calls_refused

EXERCISES = [exercise for exercise in Registry.of(reference_folder()) if refusals(exercise)]
FILES = sorted({name for exercise in EXERCISES for name in exercise.files})
#: How a lab file comes to a function: {module} and {path}, of which {head} is the first part; {package} holds the module {stem}.
WAYS = {
    "import": "import {module}\nfound = {module}.{path}",
    "import as": "import {module} as mine\nfound = mine.{path}",
    "from import": "from {module} import {head}\nfound = {path}",
    "from the package": "from {package} import {stem}\nfound = {stem}.{path}",
    "importlib": "import importlib\nfound = importlib.import_module('{module}').{path}",
    "getattr": "import {module}, {package}\nfound = getattr({package}, '{stem}').{path}",
    "sys.modules": "import sys, {module}\nfound = sys.modules['{module}'].{path}",
    "another module": "from classifiers.borrowed import {head}\nfound = {path}",
    "older name": "import importlib\nfound = importlib.import_module('{module}'.replace('.engine', '')).{path}",
    "copied": "import types\nfrom {module} import {head}\nfound = {path}\n"
    "if isinstance(found, types.FunctionType):\n    found = types.FunctionType(found.__code__, {{}}, closure=found.__closure__)",
}


def module_of(name):
    """Module and path of attributes of a full name."""
    parts = name.split(".")
    for n in range(len(parts) - 1, 0, -1):
        with contextlib.suppress(ImportError):
            return importlib.import_module(".".join(parts[:n])), ".".join(parts[n:])
    raise AssertionError(name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A student's lab."""
    folder = tmp_path_factory.mktemp("lab")
    files = student_files(reference_folder())
    write_files(folder, {path: text for path, text in files.items() if path.parts[0] in PACKAGES})
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_every_answer_refuses_from_every_file_with_a_gap_in_every_way(exercise, folder):
    lab = Lab(folder)
    messages = refusals(exercise)
    for name in messages:
        module, path = module_of(name)
        package, _, stem = module.__name__.rpartition(".")
        words = {
            "module": module.__name__,
            "path": path,
            "head": path.partition(".")[0],
            "package": package,
            "stem": stem,
        }
        (folder / "classifiers" / "borrowed.py").write_text(f"from {module.__name__} import {words['head']}\n")
        lab.forget()
        lab.load("classifiers.borrowed")
        codes = {way: code.format(**words) for way, code in WAYS.items()}
        with calls_refused(messages):
            for file in FILES:
                for way, code in codes.items():
                    namespace = {"__name__": file.removesuffix(".py").replace("/", "."), "__file__": str(folder / file)}
                    exec(compile(code, namespace["__file__"], "exec"), namespace)
                    with pytest.raises(RuntimeError, match=f"answers exercise {exercise.id} "):
                        pytest.fail(f"{way}: {namespace['found']()}")


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_a_reference_from_before_refuses_and_works_again(exercise):
    def called(function):
        try:
            function()
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    messages = refusals(exercise)
    saved = {}
    for name in messages:
        found, path = module_of(name)
        for part in path.split("."):
            found = getattr(found, part)
        saved[name] = found
    before = {name: called(found) for name, found in saved.items()}
    assert not any("answers exercise" in said for said in before.values())
    with calls_refused(messages):
        assert {name: called(found) for name, found in saved.items()} == {
            n: f"RuntimeError: {m}" for n, m in messages.items()
        }
    assert {name: called(found) for name, found in saved.items()} == before


def test_what_is_imported_later_refuses(monkeypatch):
    """And the module is the same one as without."""
    name = "lxmls_day1.engine.compiled.chains"
    before = sys.modules.pop(name, None)
    try:
        with calls_refused({f"{name}.best_paths": "no"}):
            module = importlib.import_module(name)
            with pytest.raises(RuntimeError, match="no"):
                module.best_paths()
        with pytest.raises(TypeError):
            module.best_paths()
        assert Path(module.__file__).name == "chains.py"
    finally:
        if before is not None:
            sys.modules[name] = before
            importlib.import_module("lxmls_day1.engine.compiled").chains = before


@pytest.mark.slow
def test_a_check_says_what_to_do_instead_and_given_files_go_on(tmp_path):
    files = student_files(reference_folder(), ["1.13"])
    write_files(tmp_path, files)
    path = tmp_path / "classifiers" / "viterbi.py"
    text = path.read_text(encoding="utf-8")
    stub = next(line for line in text.split("\n") if "raise NotImplementedError" in line)
    code = "from lxmls_day1.engine.compiled.chain_search import k_best; return k_best(*scores, 1)[0]"
    path.write_text(text.replace(stub.strip(), code), encoding="utf-8")
    (report,) = run_checks(tmp_path, ["1.13"]).reports
    assert {result.outcome for result in report.results} == {"error"}
    wanted = (
        "chain_search.k_best answers exercise 1.13 and cannot be called while that is checked: write what it does in "
    )
    assert all(wanted + "classifiers/viterbi.py" in result.text for result in report.results)
    (report,) = run_checks(tmp_path, ["1.3"]).reports  # whose answer a given file calls
    assert report.all_passed


def test_the_libraries_that_hold_an_answer():
    assert libraries_refused(EXERCISES) == {"sklearn"}
