"""Features that macOS and Windows lack are removed from Python here (`os.fork`, `fcntl`, `resource`, process groups); the rest must work.

For a student's core day, more is as on Windows: text goes to a console of the code page 1252, symbolic links are refused, an open file cannot
be replaced or removed, and text files have CRLF line ends; no text file is opened without its encoding.

docs/dev/platforms.md lists what cannot be tested on Linux.
"""

import functools

import pytest

from tests.python_runs import run_python

#: A `sitecustomize` that removes the same features in started Python processes.
POORER = """
import os, sys
for name in ("fork", "forkpty", "killpg", "mkfifo"):
    if hasattr(os, name):
        delattr(os, name)
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "resource"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
for name in ("fcntl", "resource"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Missing())
"""
#: Added to it for a core day.
AS_ON_WINDOWS = """
import warnings
def refused(*arguments, **options):
    raise OSError(1314, "A required privilege is not held by the client")
os.symlink = os.link = refused
def only_closed(function):
    def called(source, *others, **options):
        if not options:
            for path in (source, *others):
                for descriptor in os.listdir("/proc/self/fd"):
                    try:
                        if os.path.samestat(os.fstat(int(descriptor)), os.lstat(path)):
                            raise PermissionError(13, "Another process uses the file", str(path))
                    except (OSError, ValueError) as error:
                        if isinstance(error, PermissionError):
                            raise
        return function(source, *others, **options)
    return called
for name in ("replace", "rename", "remove", "unlink"):
    setattr(os, name, only_closed(getattr(os, name)))
warnings.filterwarnings("error", category=EncodingWarning, module="lxmls_day1|readers|classifiers")
"""
IMPORT_ALL = """
import importlib, os, pkgutil
import lxmls_day1
assert not hasattr(os, "fork")
for module in pkgutil.walk_packages(lxmls_day1.__path__, "lxmls_day1."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""
#: Imports every module that a student imports, on a Python without numba, system threads, processes or network.
IMPORT_A_STUDENT_S = """
import importlib, pkgutil, sys
import classifiers, readers, lxmls_day1
import numpy, scipy.sparse, scipy.optimize, scipy.special, matplotlib.figure
blocked = ("numba", "llvmlite", "fcntl", "resource", "_posixsubprocess", "subprocess", "multiprocessing", "requests")
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError("blocked: " + name, name=name)
for name in [name for name in sys.modules if name.partition(".")[0] in blocked]:
    del sys.modules[name]
sys.meta_path.insert(0, Blocked())
folders = ["compiled", "text", "streaming", "cluster", "figures"]
packages = [classifiers, readers] + [importlib.import_module(f"lxmls_day1.{folder}") for folder in folders]
for package in packages:
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if not module.name.endswith((".intrinsics", ".machine_code", ".rules_in_place")):  # numba's own parts
            importlib.import_module(module.name)
import lxmls_day1.notebook_lab
"""
LAB = ["tests/lxmls_day1/course", "tests/lxmls_day1/commands", "tests/lxmls_day1/test_lab.py"]
LAB += ["tests/lxmls_day1/base/test_atomic_files.py", "tests/lxmls_day1/test_library_path.py"]


@pytest.fixture
def poorer(tmp_path):
    """Return a function that runs a Python without features that other systems lack."""
    (tmp_path / "sitecustomize.py").write_text(POORER, encoding="utf-8")
    return functools.partial(run_python, PYTHONPATH=str(tmp_path))


@pytest.mark.slow
@pytest.mark.campaign
def test_a_core_day(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(POORER + AS_ON_WINDOWS, encoding="utf-8")
    texts = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "PYTHONWARNDEFAULTENCODING": "1"}
    ran = run_python(".ci/core_day.py", encoding="cp1252", PYTHONPATH=str(tmp_path), **texts)
    assert "The day is done." in ran.stdout


@pytest.mark.slow
def test_every_module_can_be_imported(poorer):
    poorer("-c", IMPORT_ALL)


@pytest.mark.slow
def test_importing_a_student_s_module_needs_no_threads_processes_or_network():
    run_python("-c", IMPORT_A_STUDENT_S)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("paths", "marked"),
    [
        (["tests/lxmls_day1/course/test_workspace_state.py", "tests/lxmls_day1/base/test_atomic_files.py"], "not slow"),
        pytest.param(LAB, "not slow", marks=pytest.mark.campaign),
        pytest.param(["tests/lxmls_day1/course/running/test_checking.py"], "slow", marks=pytest.mark.campaign),
        pytest.param(["tests/lxmls_day1/course/test_exercise_commands.py"], "slow", marks=pytest.mark.campaign),
    ],
    ids=["a few", "the lab", "checks", "commands"],
)
def test_the_lab_works(poorer, paths, marked):
    poorer("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", f"{marked} and not campaign", *paths)
