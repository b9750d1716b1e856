"""The tests of readers, classifiers and checks in Pyodide, the Python of the browser, under Node; `make test-pyodide` runs this.

Pyodide has another version of Python and of NumPy, 32 bits, neither processes nor threads, and no numba. Tests that start a process or a
thread are skipped there. The arguments are those of pytest.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/lxmls_day1/browser")]

from pyodide_files import cached_folder, fetch, is_complete

from lxmls_day1.browser.packages import installed_wheel

TESTS = ("tests/readers", "tests/classifiers", "tests/exercises")
DOCTESTS = ("readers", "classifiers")
#: Pure packages that the tests import, from those that are installed here; hypothesis in a version that is pure as well.
INSTALLED = ("attrs", "click", "iniconfig", "platformdirs", "pluggy", "pytest", "sortedcontainers", "tqdm")
#: One test compares with L-BFGS at a tolerance that the mathematics library of WebAssembly does not reach; the examples show an integer type.
DESELECTED = (
    "tests/classifiers/solvers/test_newton_l1.py::test_it_ends_at_the_optimum_of_owl_qn[0.001-True-True]",
    "readers/sentiment_reader.py::readers.sentiment_reader.cut_rare_tokens",
    "classifiers/structured/k_best.py::classifiers.structured.k_best.k_best_paths",
    "classifiers/structured/tag_features.py::classifiers.structured.tag_features.EncodedSentences",
    "classifiers/structured/viterbi.py",
)
HYPOTHESIS = "hypothesis==6.122.3"
OPTIONS = ("-q", "-ra", "-p", "no:cacheprovider", "-p", "lxmls_day1.course.running.pytest_plugin")
OPTIONS += ("--override-ini", "addopts=", "--capture=sys", "--import-mode=importlib", "--doctest-modules")
OPTIONS += ("-m", "not slow and not campaign", "-W", "ignore:tqdm")


def main() -> int:
    """Fetch what is missing, and run pytest; return its exit status."""
    folder = cached_folder()
    if not is_complete(folder):
        fetch(folder)
    kept = folder.with_name("wheels-for-pyodide")
    if not list(kept.glob("*.whl")):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*pip, "--dest", str(kept), HYPOTHESIS], check=True)
    with tempfile.TemporaryDirectory() as wheels:
        for wheel in map(installed_wheel, INSTALLED):
            Path(wheels, wheel.file_name).write_bytes(wheel.content)
        for path in kept.glob("*.whl"):
            Path(wheels, path.name).write_bytes(path.read_bytes())
        named = sys.argv[1:]
        if not any((ROOT / word.partition("::")[0]).exists() for word in named):
            named += [*TESTS, *DOCTESTS]
        command = ["node", str(Path(__file__).with_suffix(".js")), str(folder), str(ROOT), wheels, *OPTIONS, *named]
        command += [f"--deselect={name}" for name in DESELECTED]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
