import ast
import os
import subprocess
import sys

import pytest

from lxmls_day1 import library_path
from lxmls_day1.course.workspaces.workspace import start_workspace
from tests.lxmls_day1.small_labs import make_lab
from tests.python_runs import ROOT, run_python

STANDARD = os.path.dirname(os.__file__)
STRANGERS = ("numpy.py", "random.py", "click.py", "joblib.py", "multiprocessing.py", "typing.py", "collections/__init__.py",
             "pytest.py", "warnings.py", "subprocess.py", "IPython/__init__.py", "ipykernel_launcher.py", "jupyterlab.py",
             "sitecustomize.py", "usercustomize.py", "encodings/__init__.py")  # fmt: skip
HIJACK = "import os\nopen(os.environ['HIJACKED'], 'a').write(__file__ + '\\n')\nraise SystemExit('hijacked')\n"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    folder = start_workspace(tmp_path_factory.mktemp("above") / "my-lab")
    for place in (folder, folder / "notebooks"):
        for name in STRANGERS:
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_text(HIJACK)
    (folder.parent / "beside").mkdir()
    return folder


class TestLibraryPath:
    @pytest.fixture
    def lab(self, tmp_path, monkeypatch):
        (tmp_path / "here").mkdir()
        monkeypatch.chdir(tmp_path / "here")
        return make_lab(tmp_path / "my-lab").folder

    def test_neither_the_current_folder_nor_a_relative_one_nor_one_of_a_lab(self, lab, tmp_path):
        (tmp_path / "link").symlink_to("here")
        strange = ["", ".", "classifiers/", str(tmp_path / "here"), str(tmp_path / "link"), str(lab)]
        strange += [str(lab / name) for name in ("classifiers", "notebooks")]
        assert library_path.library_path([*strange, STANDARD, str(tmp_path)]) == [STANDARD, str(tmp_path)]

    def test_libraries_that_are_installed_in_a_lab_or_below_the_current_folder_stay(self, lab, monkeypatch):
        monkeypatch.chdir(STANDARD)
        in_the_lab = [str(lab / "lib" / "site-packages"), str(lab / ".venv" / "lib" / "python" / "site-packages")]
        assert library_path.library_path([STANDARD, *in_the_lab]) == [STANDARD, *in_the_lab]

    def test_the_environment_keeps_what_else_is_on_pythonpath(self, lab):
        given = os.pathsep.join([str(lab), "", "/modules/scipy", "."])
        kept = "/modules/scipy" if os.name != "nt" else given
        expected = {"PYTHONPATH": kept, "PYTHONSAFEPATH": "1", "A": "1"}
        assert library_path.safe_environment({"PYTHONPATH": given, "A": "1"}) == expected
        assert "PYTHONPATH" not in library_path.safe_environment({"PYTHONPATH": str(lab)})

    @pytest.mark.parametrize("given", ["", ".", "{lab}", "{lab}/classifiers"])
    def test_mistaken_entries_of_pythonpath_are_removed_at_the_start(self, lab, given):
        for place in (lab, lab / "classifiers"):
            (place / "click.py").write_text("raise SystemExit('hijacked')")
        given = os.pathsep.join([given.format(lab=lab), "/modules/scipy"])
        command = ["-P", "-c", "from lxmls_day1.__main__ import main; main()", "--version"]
        assert run_python(*command, cwd=lab, PYTHONPATH=given).stdout.startswith("lxmls-day1, version")

    def test_python_m_in_a_lab(self, lab):
        """Python imports importlib and its dependencies before the module that it runs, so only -P helps."""
        for name in ("click.py", "numpy.py", "random.py", "readers.py"):
            (lab / name).write_text("raise SystemExit('hijacked')")
        for options in ((), ("-P",)):
            done = run_python(*options, "-m", "lxmls_day1", "--version", cwd=lab)
            assert done.stdout.startswith("lxmls-day1, version")

    def test_nothing_but_frozen_modules_is_imported_before_the_path_is_safe(self):
        code = (
            "import sys; before = set(sys.modules)\n"  # Python 3.14 imports these with linecache, for this code itself.
            "sys.path.insert(0, sys.argv[1]); import lxmls_day1.library_path\n"
            "from _imp import is_frozen; names = sys.modules.keys() - before - {*sys.builtin_module_names, 'os.path'}\n"
            "print(sorted(name for name in names if not is_frozen(name)))"
        )
        done = run_python("-I", "-S", "-c", code, ROOT)
        assert set(ast.literal_eval(done.stdout)) == {"lxmls_day1", "lxmls_day1.library_path"}


@pytest.mark.slow
class TestWorkspaceOfStrangers:
    """A workspace whose files have names of libraries: no command, kernel or server imports them."""

    @pytest.fixture
    def start(self, workspace, tmp_path):
        def start(command, place, environment=os.environ, **settings):
            log = tmp_path / "hijacked"
            environment = {**environment, "HIJACKED": str(log), "LXMLS_DAY1_CACHE": str(tmp_path / "cache")}
            settings = {"capture_output": True, "text": True, "check": False, **settings}
            done = subprocess.run([sys.executable, *command], cwd=place, env=environment, **settings)
            assert not log.exists(), log.read_text()
            return done

        return start

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize("place", ["inside", "above", "beside"])
    @pytest.mark.parametrize("arguments", [("status",), ("check", "1.5"), ("lab", "--print"), ("demo", "--only", "no")])
    def test_commands_import_no_file_of_a_workspace(self, workspace, start, place, arguments):
        folder = {"inside": workspace, "above": workspace.parent, "beside": workspace.parent / "beside"}[place]
        if folder == workspace:
            lab = []
        elif arguments[0] in ("lab", "demo"):
            lab = [str(workspace)]
        else:
            lab = ["--lab", str(workspace)]
        done = start(["-P", "-m", "lxmls_day1", *arguments, *lab], folder)
        status, wanted = {
            "status": (0, "1.5"),
            "check": (1, "still to be written"),
            "lab": (0, "jupyterlab"),
            "demo": (1, "there is no demonstration"),
        }[arguments[0]]
        assert done.returncode == status and wanted in (done.stdout + done.stderr).lower(), done.stdout + done.stderr

    @pytest.mark.parametrize("module", ["jupyterlab", "ipykernel_launcher"])
    def test_a_server_or_a_kernel(self, workspace, start, module):
        pytest.importorskip({"ipykernel_launcher": "ipykernel"}.get(module, module))
        done = start(["-m", module, "--version"], workspace / "notebooks", library_path.safe_environment())
        assert done.returncode == 0 and done.stdout.strip()[0].isdigit(), done.stderr

    def test_a_program_with_the_libraries_of_this_process(self, workspace, start):
        environment = {**os.environ, "PYTHONPATH": ""}
        command = library_path.python_command("pytest", ["--version"])[1:]
        done = start(command, workspace, environment)
        assert done.returncode == 0 and done.stdout.startswith("pytest "), done.stderr


OLDER_NAMES = {
    "compiled.class_sums": "engine.kernels.class_sums",
    "text.tokens": "engine.text.tokens",
    "engine.compiled.threads": "engine.kernels.threads",
    "course.recorded_answers": "course.diagnosis.answer_shapes",
    "errors": "base.errors",
    "estimators": "sklearn.estimators",
}


def test_a_module_has_its_older_name_too():
    """A student's functions in an older workspace import this name; it is the same module."""
    code = "".join(
        f"import lxmls_day1.{name} as older, lxmls_day1.{today} as today; from {f'lxmls_day1.{name}'.rpartition('.')[0]} "
        f"import {name.rpartition('.')[2]} as found; print(older is today is found, today.__spec__.name, today.__name__)\n"
        for name, today in OLDER_NAMES.items()
    )
    printed = run_python("-c", code).stdout
    expected = [["True", f"lxmls_day1.{today}", f"lxmls_day1.{today}"] for today in OLDER_NAMES.values()]
    assert [line.split() for line in printed.splitlines()] == expected
