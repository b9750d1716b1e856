"""The contents of an installation, the pinned versions, and the Makefile's set-up."""

import ast
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.python_runs import ROOT, run_python
from tests.wording import wording

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def pins():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def canonical(requirement):
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


class TestPins:
    @pytest.mark.slow
    @pytest.mark.parametrize("extra", [None, "fast", "test", "dev"])
    def test_pins_cover_all_direct_and_indirect_requirements(self, extra):
        project = PROJECT["project"]
        wanted = [(r, "") for r in (project["optional-dependencies"][extra] if extra else project["dependencies"])]
        seen = set()
        while wanted:
            requirement, parent = wanted.pop()
            requirement, _, marker = requirement.partition(";")
            if "extra ==" in marker:
                continue
            name = canonical(requirement)
            try:
                requires = importlib.metadata.requires(name) or []
            # For another system or Python, or `make check` has not run.
            except importlib.metadata.PackageNotFoundError:
                pinned = extra == "dev" and name in pins()
                assert marker or pinned, (
                    f"{name}, which {parent or 'the project'} needs, is not installed or has no pin"
                )
                continue
            if name not in seen:
                assert name in pins(), f"{name}, which {parent or 'the project'} needs, has no line in constraints.txt"
                seen.add(name)
                wanted += [(r, name) for r in requires]

    def test_the_lock_has_them_with_hashes_for_every_set_up(self):
        lock = (ROOT / "lock.txt").read_text(encoding="utf-8")
        entry = r"^# (.+)\n([\w.-]+)==(\S+).*(?:\n    --hash=sha256:[0-9a-f]{64}.*)+$"
        entries = re.findall(entry, lock, re.MULTILINE)
        assert len(entries) == len(re.findall(r"^[\w.-]+==", lock, re.MULTILINE))
        assert {name: version for _, name, version in entries} == pins()
        extras = PROJECT["project"]["optional-dependencies"]
        extras_of = {"run": [], "test": ["test"], "check": ["dev", "test"], "lab": ["notebook"], "docs": ["docs"]}
        for set_up, own in extras_of.items():
            locked = {name for set_ups, name, _ in entries if set_up in set_ups.split()}
            wanted = PROJECT["project"]["dependencies"] + extras["fast"] + [r for extra in own for r in extras[extra]]
            assert {canonical(requirement) for requirement in wanted} | {"hatchling"} <= locked

    def test_every_imported_library_is_declared(self):
        extras = PROJECT["project"]["optional-dependencies"]
        declared = {canonical(r) for r in sum(extras.values(), PROJECT["project"]["dependencies"])}
        packages = importlib.metadata.packages_distributions()
        found = {}
        for file in (file for top in ("lxmls_day1", "readers", "classifiers") for file in (ROOT / top).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_bytes())):
                modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                found.update(dict.fromkeys((module.partition(".")[0] for module in modules), file))
        own = {"lxmls_day1", "readers", "classifiers"}
        hosts = {"IPython", "js", "pyodide", "pyodide_js"}  # The calling notebook or page has these libraries.
        for module in sorted(found.keys() - own - hosts - sys.stdlib_module_names):
            names = {canonical(name) for name in packages.get(module, [module])}
            assert names & declared, f"{module}, which {found[module]} imports, is not declared in pyproject.toml"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run_python("-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory):
    """Return the unpacked wheel, shared by all tests, with the machine code that this checkout has of the same sources."""
    folder = tmp_path_factory.mktemp("wheel") / "site"
    zipfile.ZipFile(wheel).extractall(folder)
    for place, its_place in (
        ("lxmls_day1/engine/kernels", ""),
        ("classifiers", "lxmls_day1/reference_lab"),
        ("classifiers", "lxmls_day1"),
    ):
        kept = folder / its_place / place / "__pycache__"
        kept.mkdir()
        for file in (ROOT / place / "__pycache__").glob("*.nbc"):
            shutil.copy(file, kept)
    return folder


@pytest.mark.slow
class TestWheel:
    def test_only_the_package_goes_on_the_import_path(self, wheel):
        tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
        assert {top for top in tops if not top.endswith(".dist-info")} == {"lxmls_day1"}

    def test_it_holds_every_source_file_and_the_lab_as_data(self, wheel):
        names = set(zipfile.ZipFile(wheel).namelist())
        package = ROOT / "lxmls_day1"
        files = [package / "py.typed", *package.rglob("*.py"), *package.glob("engine/text/toy_corpus/*.review")]
        files += [*package.glob("grading/reports/templates/*"), *package.glob("grading/autograder_files/**/*")]
        wanted = {file.relative_to(ROOT).as_posix() for file in files if file.is_file()}
        for folder in ("readers", "classifiers", "notebooks", "tests/exercises"):
            for file in (ROOT / folder).rglob("*"):
                hidden = {"__pycache__", ".ipynb_checkpoints"} & set(file.parts)
                if file.is_file() and not hidden:
                    wanted.add(f"lxmls_day1/reference_lab/{file.relative_to(ROOT).as_posix()}")
        assert {
            "lxmls_day1/reference_lab/classifiers/mira.py",
            "lxmls_day1/engine/text/toy_corpus/positive.review",
            "lxmls_day1/grading/reports/templates/student.html.j2",
            "lxmls_day1/grading/autograder_files/gradescope/setup.sh",
        } <= wanted
        assert wanted <= names

    def test_it_has_no_files_that_runs_leave_behind(self, wheel):
        left = r"__pycache__|\.pyc$|\.nb[ic]$|ipynb_checkpoints|\.hypothesis|\.part$"
        assert not [name for name in zipfile.ZipFile(wheel).namelist() if re.search(left, name)]

    def test_its_command_works_far_from_the_repository(self, site, tmp_path):
        """Only the unpacked wheel is used: no repository, no network, no pyplot, the reference lab inside the package."""
        (tmp_path / "elsewhere").mkdir()
        code = (
            "import sys\nfrom lxmls_day1.commands.command_line import main\n"
            "try: main(['run', '--domain', 'toy'])\nexcept SystemExit as end: assert not end.code\n"
            "assert 'matplotlib.pyplot' not in sys.modules"
        )
        variables = {"PYTHONPATH": str(site), "LXMLS_DAY1_CACHE": str(tmp_path / "cache")}
        result = run_python("-P", "-c", code, cwd=tmp_path / "elsewhere", **variables)
        assert "MIRA" in result.stdout
        out = tmp_path / "elsewhere/out"
        assert sorted(os.listdir(out)) == ["accuracies.png", "boundaries.png", "results.csv", "results.json"]
        rows = json.loads((out / "results.json").read_text(encoding="utf-8"))["rows"]
        points, reviews = rows[:6], rows[6:]
        assert {row["data_set"] for row in points} == {wording("package.simple_data_set_points")}
        assert all("toy" in row["data_set"].lower() for row in reviews)
        assert {row["classifier"] for row in points} < {row["classifier"] for row in reviews}
        assert all(0.5 <= row["test_accuracy"] <= 1 and row["seconds"] > 0 for row in rows)
        from_inside = site / "lxmls_day1/reference_lab/classifiers/__pycache__"
        assert any(from_inside.glob("mira.*.pyc")) or os.environ.get("PYTHONDONTWRITEBYTECODE")


@pytest.mark.slow
class TestReferenceLabInTheWheel:
    """``lxmls_day1.classifiers`` if only the wheel and the libraries are installed."""

    def run(self, code, site, cwd):
        """Run code with a search path that does not include this checkout."""
        libraries = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
        code = f"import sys; sys.path[:0] = [{str(site)!r}]; sys.path += {libraries!r}\n{code}"
        return run_python("-I", "-S", "-W", "error", "-c", code, cwd=cwd).stdout

    def test_train_here_and_load_there(self, site, tmp_path):
        train = """
import pickle
import lxmls_day1.classifiers
from lxmls_day1 import Lab
from lxmls_day1.classifiers import Mira
from lxmls_day1.readers import SimpleDataSet
assert {"Mira", "SVM", "Perceptron"} <= set(dir(lxmls_day1.classifiers))
data = SimpleDataSet(nr_examples=20, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])
mira = Mira(regularizer=0.1)
params = mira.train(data.train_X, data.train_y)
with open("mira.pickle", "wb") as file:
    pickle.dump((mira, params, data), file)
print(mira.test(data.test_X, params).tolist(), Lab.open().folder)
"""
        load = """
import pickle
with open("mira.pickle", "rb") as file:
    mira, params, data = pickle.load(file)
print(mira.test(data.test_X, params).tolist(), sys.modules["lxmls_day1.classifiers.mira"].__file__)
assert not {"readers", "classifiers"} & set(sys.modules)
try:
    import classifiers
except ModuleNotFoundError:
    pass
else:
    raise SystemExit("a top-level package was installed")
"""
        by_both_names = """
import lxmls_day1.classifiers.crf as flat, lxmls_day1.classifiers.structured.crf as full
from lxmls_day1.classifiers import CRF
assert flat is full and CRF is flat.CRF
"""
        self.run(by_both_names, site, tmp_path)
        trained, lab = self.run(train, site, tmp_path).rsplit(" ", 1)
        loaded, file = self.run(load, site, tmp_path).rsplit(" ", 1)
        assert trained == loaded and trained.startswith("[")
        reference = site / "lxmls_day1/reference_lab"
        assert (Path(lab.strip()), Path(file.strip())) == (reference, site / "lxmls_day1/classifiers/mira.py")

    def test_its_modules_match_a_checkout_under_the_same_names(self, site, tmp_path):
        """The wheel has real files, with the same content as the modules that a checkout makes from the lab's files at run time."""
        for package in ("readers", "classifiers"):
            made = {file.relative_to(site / "lxmls_day1") for file in (site / "lxmls_day1" / package).rglob("*.py")}
            assert made == {file.relative_to(ROOT) for file in (ROOT / package).rglob("*.py")}
        top_level_import = re.compile(r"^[ \t>]*(from|import) classifiers\b", re.MULTILINE)
        assert not [file for file in made if top_level_import.search((site / "lxmls_day1" / file).read_text())]
        code = """
import pkgutil, importlib, lxmls_day1.classifiers, lxmls_day1.readers
for package in (lxmls_day1.classifiers, lxmls_day1.readers):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    assert set(package.__all__) <= set(vars(package)) | set(dir(package))
print(sorted({name.partition(".")[0] for name in sys.modules} & {"classifiers", "readers"}))
"""
        assert self.run(code, site, tmp_path) == "[]\n"

    def test_grading_boxes_cannot_see_its_modules(self, site, tmp_path):
        code = "from lxmls_day1.grading.running.lab_boxes import lab_program\nprint(*lab_program().hidden, sep='\\n')"
        hidden = set(self.run(code, site, tmp_path).splitlines())
        assert {str(site / "lxmls_day1" / name) for name in ("reference_lab", "readers", "classifiers")} <= hidden

    @pytest.mark.campaign
    def test_a_type_checker_knows_them(self, site, tmp_path):
        pytest.importorskip("mypy")
        (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
        # The cache of library types. The wheel has another path each time and is read again.
        cache = ROOT / ".pytest_cache/mypy"
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), "script.py"]
        environment = {**os.environ, "MYPYPATH": str(site)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert not re.findall(r"^script\.py:\d+: error: .*$", done.stdout, re.MULTILINE), done.stdout
        types = re.findall(
            r'^script\.py:\d+: note: Revealed type is "(?:builtins\.)?([\w.]+)', done.stdout, re.MULTILINE
        )
        assert types == ["lxmls_day1.classifiers.mira.Mira", "numpy.ndarray", "float"]


SCRIPT = """\
from lxmls_day1.classifiers import SVM, LinearClassifier, Mira
from lxmls_day1.readers import SentimentCorpus, SimpleDataSet

data = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])
fig, axis = data.plot_data()
mira = Mira(regularizer=1.0)
params = mira.train(data.train_X, data.train_y)
accuracy = mira.evaluate(data.test_y, mira.test(data.test_X, params))
data.add_line(fig, axis, params, "MIRA", "green")
mira.save("mira.npz", params)
model = LinearClassifier.load("mira.npz")
books = SentimentCorpus("toy")
weights = SVM(regularizer=0.1).train(books.train_X, books.train_y)
reveal_type(mira)
reveal_type(params)
reveal_type(accuracy)
"""

FAKE_PYTHON = """#!/bin/sh
# Stands in for Python in a set-up: writes down what it is asked for, and makes a .venv that holds itself.
echo "$0 $*" >> "$LOG"
case "$*" in
    -V) echo "Python 3.12.0" ;;
    -c*) exit 0 ;;
    '-m venv --clear .venv') rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
    '-m pip '*) [ ! -e fail-pip ] ;;
    *) echo "ran: $*" ;;
esac
"""


@pytest.mark.skipif(os.name == "nt" or not shutil.which("make"), reason="needs make")
class TestMakefile:
    @pytest.fixture
    def project(self, tmp_path):
        """Return a folder with a space in its name that holds the files for a set-up, and a path with our `python3`."""
        folder = tmp_path / "a copy"
        folder.mkdir()
        for name in ("Makefile", "pyproject.toml", "lock.txt"):
            shutil.copy(ROOT / name, folder)
        self.programs, self.log = tmp_path / "bin", tmp_path / "log"
        self.programs.mkdir()
        for tool in ("sh", "make", "awk", "cksum", "cat", "rm", "mkdir", "cp", "echo", "find"):
            (self.programs / tool).symlink_to(shutil.which(tool))
        self.program("python3", FAKE_PYTHON)
        return folder

    @pytest.fixture
    def ready(self, project):
        """Return the project after its first set-up."""
        self.make(project, "run")
        return project

    def program(self, name, text):
        path = self.programs / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def make(self, folder, *arguments, status=0):
        """Run make; return its output, and the calls of the fake Python."""
        self.log.write_text("")
        command = [str(self.programs / "make"), *arguments]
        variables = {"PATH": str(self.programs), "LOG": str(self.log)}
        result = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
        assert result.returncode == status, result.stdout + result.stderr
        return result.stdout + result.stderr, self.log.read_text()

    def test_sets_up_once_and_runs(self, project):
        said, asked = self.make(project, "run", "ARGS=--domain toy")
        assert wording("package.ran_p_m_lxmls") in said
        assert wording("package.m_pip_install_quiet_require") in asked
        assert wording("package.m_pip_install_quiet_deps") in asked
        locked = (project / ".venv/lock-run.txt").read_text()
        assert "numba==" in locked and "jupyterlab==" not in locked and "# run" in locked
        said, asked = self.make(project, "run")
        assert "Setting up" not in said
        assert "-m venv" not in asked and "-m pip" not in asked

    @pytest.mark.parametrize(
        ("target", "brings", "runs"),
        [
            ("test", "hypothesis", "-m pytest"),
            ("check", "mypy", "-m ruff check ."),
            ("lab", "jupyterlab", "-P -m lxmls_day1 lab --start a lab"),
        ],
    )
    def test_a_target_adds_its_own_requirements_to_any_set_up(self, ready, target, brings, runs):
        said, asked = self.make(ready, target, "LAB=a lab")
        assert f"ran: {runs}" in said
        assert f"-r .venv/lock-{target}.txt\n" in asked and "-m venv" not in asked
        assert f"\n{brings}==" in (ready / f".venv/lock-{target}.txt").read_text()
        assert "-m pip" not in self.make(ready, "run")[1] + self.make(ready, target)[1]

    @pytest.mark.parametrize("name", ["pyproject.toml", "lock.txt"])
    def test_a_changed_requirement_leads_to_a_new_set_up(self, ready, name):
        with (ready / name).open("a") as file:
            file.write("# changed\n")
        assert "-m venv --clear .venv" in self.make(ready, "run")[1]

    def test_an_interrupted_set_up_is_done_again(self, project):
        (project / "fail-pip").touch()
        said, _ = self.make(project, "run", status=2)
        assert "ran: -P -m lxmls_day1" not in said
        (project / "fail-pip").unlink()
        said, asked = self.make(project, "run")
        assert "-m venv --clear .venv" in asked and "ran: -P -m lxmls_day1" in said

    def test_a_copy_with_its_venv_gets_its_own(self, ready):
        shutil.copytree(ready, ready.with_name("another"))
        assert "-m venv --clear .venv" in self.make(ready.with_name("another"), "run")[1]

    def test_a_venv_whose_python_was_removed_is_made_again(self, ready):
        (ready / ".venv/bin/python").unlink()
        assert "-m venv --clear .venv" in self.make(ready, "run")[1]

    def test_a_shim_that_fails_and_a_python_that_is_too_old_are_passed_over(self, project):
        self.program("python3.13", "#!/bin/sh\necho 'python3.13: command not found' >&2\nexit 127\n")
        self.program("python3.12", "#!/bin/sh\nexit 1\n")
        said, asked = self.make(project, "run")
        assert "not found" not in said
        assert f"{self.programs / 'python3'} -m venv" in asked

    def test_uv_is_used_if_available(self, project):
        fake = FAKE_PYTHON.replace("'-m venv --clear .venv')", "venv*)").replace('cp "$0"', 'cp "$PYTHON_OF_UV"')
        self.program("uv", fake.replace("$PYTHON_OF_UV", str(self.programs / "python3")))
        said, asked = self.make(project, "run")
        assert "uv venv --quiet --seed --python >=3.11,<3.15 .venv" in asked and "-m venv" not in asked
        assert wording("package.uv_pip_install_python") in asked
        assert wording("package.ran_p_m_lxmls_day") in said and "-m pip" not in asked
        (project / ".venv/ready-run").unlink()
        assert wording("package.python_m_venv_clear") in self.make(project, "run", "UV=")[1]

    def test_no_python_is_one_clear_sentence(self, project):
        (self.programs / "python3").unlink()
        said, _ = self.make(project, "run", status=2)
        assert wording("package.python_newer_venv_module") in said
        assert not (project / ".venv").exists()

    def test_a_chosen_python_is_used_and_remembered(self, ready):
        chosen = self.program("my python", FAKE_PYTHON.replace("3.12.0", "3.13.1"))
        _, asked = self.make(ready, "run", f"PYTHON={chosen}")
        assert f"{chosen} -m venv --clear .venv" in asked
        assert "-m venv" not in self.make(ready, "run", f"PYTHON={chosen}")[1]
        assert "-m venv" not in self.make(ready, "run")[1]

    def test_help_and_clean_need_no_python(self, ready):
        (self.programs / "python3").unlink()
        assert "make test" in self.make(ready, "help")[0]
        self.make(ready, "clean")
        assert not (ready / ".venv").exists()
