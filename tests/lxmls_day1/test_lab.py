import re
import shutil
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

import lxmls_day1.lab
from lxmls_day1.base.errors import InputError, current_folder
from lxmls_day1.commands.command_line import describe_os_error
from lxmls_day1.lab import Lab
from tests.lxmls_day1.small_labs import make_lab
from tests.wording import wording

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.usefixtures("imports_as_before")


MIRA = """
from classifiers.loop import WHERE


class Mira:
    def __init__(self, regularizer=1.0):
        self.regularizer = regularizer
        self.where = WHERE
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a current folder cannot be deleted")
def test_a_deleted_folder_is_reported(tmp_path, monkeypatch):
    lab, gone = make_lab(tmp_path / "lab", mira=MIRA), tmp_path / "gone"
    shutil.rmtree(lab.folder)
    with pytest.raises(InputError, match=re.escape(wording("lab.folder_is_gone", lab.folder))):
        lab.load("classifiers.mira")
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setenv("PWD", str(gone))
    gone.rmdir()
    for call in (Lab.open, lambda: Lab("lab"), current_folder):
        with pytest.raises(InputError, match=re.escape(wording("lab.current_folder_gone_change", gone))):
            call()
    missing = FileNotFoundError(2, "No such file or directory")
    assert describe_os_error(missing).startswith(wording("lab.current_folder_is", gone))
    monkeypatch.chdir(tmp_path)
    assert describe_os_error(missing) == "no such file or directory."


class TestOpening:
    def test_the_nearest_lab_at_or_above(self, tmp_path):
        outer, inner = make_lab(tmp_path / "outer"), make_lab(tmp_path / "outer" / "notebooks" / "inner")
        deep = inner.folder / "notebooks" / "demos"
        deep.mkdir(parents=True)
        assert Lab.open(deep).folder == inner.folder
        assert Lab.open(inner.folder).folder == inner.folder
        assert Lab.open(inner.folder.parent).folder == outer.folder

    def test_the_checkout_is_the_reference_lab_elsewhere(self, tmp_path):
        assert Lab.open(tmp_path).folder == ROOT

    def test_an_installed_package_brings_its_reference_lab(self, tmp_path, monkeypatch):
        package = tmp_path / "site" / "lxmls_day1"
        make_lab(package / "reference_lab")
        monkeypatch.setattr(lxmls_day1.library_path, "__file__", str(package / "library_path.py"))
        assert Lab.open(tmp_path).folder == package / "reference_lab"

    def test_a_folder_that_is_not_a_lab_is_refused(self, tmp_path):
        (tmp_path / "readers").mkdir()
        with pytest.raises(InputError, match=wording("lab.lab_folder_holds")):
            Lab(tmp_path)
        with pytest.raises(InputError, match=wording("browser.is_not_folder")):
            Lab(tmp_path / "nothing")


class TestLoading:
    def test_absolute_imports_inside_resolve_to_the_same_folder(self, tmp_path):
        one = make_lab(tmp_path / "one", mira=MIRA, loop="WHERE = 'one'")
        two = make_lab(tmp_path / "two", mira=MIRA, loop="WHERE = 'two'")
        for lab, where in [(one, "one"), (two, "two"), (one, "one")]:
            assert lab.classifier("mira", "Mira").where == where

    def test_objects_of_another_lab_keep_working(self, tmp_path):
        one = make_lab(tmp_path / "one", mira="OFFSET = 1\nclass Mira:\n    def test(self): return OFFSET")
        mira = one.classifier("mira", "Mira")
        make_lab(tmp_path / "two", mira="OFFSET = 2").load("classifiers.mira")
        assert mira.test() == 1

    def test_the_folder_is_behind_the_libraries_once(self, tmp_path, monkeypatch):
        lab = make_lab(tmp_path / "mine", mira="", svm="")
        monkeypatch.syspath_prepend(str(lab.folder))
        monkeypatch.syspath_prepend("")
        libraries = [entry for entry in sys.path if entry not in ("", str(lab.folder))]
        lab.load("classifiers.mira")
        lab.load("classifiers.svm")
        assert sys.path == [*libraries, "", str(lab.folder), str(lab.folder / "notebooks")]

    def test_the_packages_are_found_though_another_lab_is_first_on_the_path(self, tmp_path, monkeypatch):
        other = make_lab(tmp_path / "other", mira="WHERE = 'other'")
        lab = make_lab(tmp_path / "mine", mira="WHERE = 'mine'")
        monkeypatch.syspath_prepend(str(other.folder))
        assert lab.load("classifiers.mira").WHERE == "mine"
        from classifiers.mira import WHERE

        assert WHERE == "mine"

    def test_no_file_of_a_lab_replaces_a_library(self, tmp_path):
        lab = make_lab(tmp_path / "mine", mira="import own, wsgiref\nFOUND = (own, wsgiref)")
        (lab.folder / "notebooks").mkdir()
        for name in ("wsgiref.py", "own.py", "notebooks/wsgiref.py"):
            (lab.folder / name).write_text("WHOSE = 'mine'")
        sys.modules.pop("wsgiref", None)
        own, wsgiref = lab.load("classifiers.mira").FOUND
        assert own.WHOSE == "mine" and not hasattr(wsgiref, "WHOSE")

    def test_a_file_that_was_just_written_is_found(self, tmp_path):
        lab = make_lab(tmp_path / "mine", mira="")
        lab.load("classifiers.mira")
        (lab.folder / "classifiers" / "svm.py").write_text("NEW = True")
        assert lab.load("classifiers.svm").NEW

    def test_modules_of_another_lab_are_not_found(self, tmp_path):
        make_lab(tmp_path / "one", loop="").load("classifiers.loop")
        with pytest.raises(InputError, match=r"has no classifiers/loop\.py; there are: svm\.py\."):
            make_lab(tmp_path / "two", svm="").load("classifiers.loop")

    def test_a_package_without_init_is_not_replaced_by_the_reference(self, tmp_path):
        lab = make_lab(tmp_path / "mine", linear_classifier="")
        (lab.folder / "classifiers" / "__init__.py").unlink()
        with pytest.raises(InputError, match=wording("lab.make_empty_file")):
            lab.load("classifiers.linear_classifier")

    @pytest.mark.parametrize("name", ["mira", "os.path", "classifiers", "classifiers.", "classifiers.../secret", ""])
    def test_names_that_are_not_modules_of_a_lab_are_refused(self, tmp_path, name):
        with pytest.raises(InputError, match=wording("lab.is_not_module_of")):
            make_lab(tmp_path).load(name)


class TestThreads:
    """A demonstration computes in its own thread while another demonstration is opened, or an exercise's cell runs."""

    @pytest.fixture
    def gate(self, monkeypatch):
        """Return a gate at which a file of the lab waits while it is imported."""
        gate = SimpleNamespace(reached=threading.Event(), opened=threading.Event())
        monkeypatch.setitem(sys.modules, "gate", gate)
        return gate

    @pytest.mark.slow
    @pytest.mark.parametrize("same", [True, False])
    def test_an_import_is_not_disturbed_by_opening_another_lab(self, tmp_path, gate, same):
        slow = "import gate\ngate.reached.set()\ngate.opened.wait(60)\nfrom classifiers.loop import WHERE\n"
        lab = make_lab(tmp_path / "mine", slow=slow, loop="WHERE = 'here'")
        other = lab if same else make_lab(tmp_path / "other")
        found = []
        importing = threading.Thread(target=lambda: found.append(lab.load("classifiers.slow").WHERE))
        importing.start()
        assert gate.reached.wait(60)
        disturbing = threading.Thread(target=lab.forget if same else lambda: Lab.open(other.folder))
        disturbing.start()
        disturbing.join(0.3)  # Long enough to do harm if nothing prevented it.
        gate.opened.set()
        importing.join()
        disturbing.join()
        assert found == ["here"] and "classifiers.slow" not in sys.modules


class TestMistakes:
    def test_a_mistyped_file(self, tmp_path):
        with pytest.raises(InputError, match=wording("lab.has_no_did_you")):
            make_lab(tmp_path, mira=MIRA, svm="").classifier("mria", "Mira")

    def test_a_type_error_inside_the_class_is_not_taken_for_a_wrong_setting(self, tmp_path):
        lab = make_lab(tmp_path, mira="class Mira:\n    def __init__(self):\n        None + 1\n")
        with pytest.raises(TypeError, match="unsupported operand"):
            lab.classifier("mira", "Mira")

    def test_a_syntax_error_is_named_with_its_line(self, tmp_path):
        lab = make_lab(tmp_path, mira="x = 1\nif x\n    pass\n")
        with pytest.raises(InputError, match=wording("lab.this_is_not_python")):
            lab.load("classifiers.mira")

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1", "utf-32"])
    def test_a_wrong_encoding_is_reported(self, tmp_path, encoding):
        lab = make_lab(tmp_path, mira=MIRA)
        (tmp_path / "classifiers/mira.py").write_text('x = "Café"\n', encoding=encoding)
        with pytest.raises(InputError, match=wording("lab.text_utf_save_file")):
            lab.load("classifiers.mira")

    @pytest.mark.parametrize(
        ("line", "wanted"),
        [
            ("np.zeros(3)", "NameError: name 'np' is not defined"),
            ("import no_such_library", "ModuleNotFoundError: No module named 'no_such_library'"),
            ("import json; json.loads('x')", "JSONDecodeError: Expecting value"),
            ("raise SystemExit('bye')", "SystemExit: bye"),
            (  # As in a workspace that is older than the package.
                "from lxmls_day1.base.checks import gone",
                "ImportError: cannot import name 'gone' from 'lxmls_day1.base.checks'",
            ),
        ],
    )
    def test_a_file_that_fails_on_import_is_named_with_its_own_line(self, tmp_path, line, wanted):
        lab = make_lab(tmp_path, mira=f"x = 1\n{line}\n")
        with pytest.raises(InputError) as caught:
            lab.load("classifiers.mira")
        assert str(caught.value).startswith(wording("lab.importing_file_ends", wanted))
        assert ("`lxmls-day1 update` replaces it" in str(caught.value)) == ("lxmls_day1" in wanted)

    def test_a_corrected_file_can_be_loaded_again(self, tmp_path):
        lab = make_lab(tmp_path, mira="1 / 0")
        with pytest.raises(InputError):
            lab.load("classifiers.mira")
        (tmp_path / "classifiers" / "mira.py").write_text("MENDED = True  # of another size")
        assert lab.load("classifiers.mira").MENDED
