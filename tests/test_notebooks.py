"""The notebooks: equal to their scripts, clean, and suitable for students.

``pytest --nbval notebooks``, which is part of the same test run, compares their outputs with the recorded ones.
"""

import ast
import base64
import io
import os
import re
import shutil
from pathlib import Path, PurePosixPath

import nbformat
import numpy as np
import pytest
from PIL import Image

from lxmls_day1.course.workspaces.generation import solved_files
from lxmls_day1.course.workspaces.student_bundle import add_colab_cell
from lxmls_day1.course.workspaces.workspace import start_workspace, write_files
from tests.python_runs import run_python
from tests.wording import wording
from tools.authoring import notebook_building

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks"
SCRIPTS = notebook_building.scripts(FOLDER)
NAMES = [script.stem for script in SCRIPTS]


@pytest.fixture(scope="module", autouse=True)
def kernels_find_the_package():
    """Let kernels import the package, installed or not; figures are shown as in a notebook, not as elsewhere in the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.delenv("MPLBACKEND", raising=False)
        patch.delenv("JPY_SESSION_NAME", raising=False)  # The tests may have been started in a notebook.
        yield


def read(name):
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def codes(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tags(cell):
    return cell.metadata.get("tags", [])


def printed(notebook):
    return "".join(output.text for cell in codes(notebook) for output in cell.outputs if output.output_type == "stream")


class TestRecorded:
    @pytest.mark.parametrize("script", SCRIPTS, ids=NAMES)
    def test_notebook_and_script_are_in_step(self, script):
        assert notebook_building.check(script), f"run: python -m tools.authoring.notebook_building build {script.stem}"

    @pytest.mark.parametrize("name", NAMES)
    def test_it_was_run_from_the_top_and_without_errors(self, name):
        run = [cell for cell in codes(read(name)) if "skip-execution" not in tags(cell)]
        assert [cell.execution_count for cell in run] == list(range(1, len(run) + 1))
        assert not [output for cell in run for output in cell.outputs if output.output_type == "error"]

    @pytest.mark.parametrize("name", NAMES)
    def test_it_was_recorded_on_real_reviews_without_local_paths(self, name):
        assert "toy corpus" not in printed(read(name))
        for cell in codes(read(name)):
            assert "reviews" not in cell.source or "real-data" in tags(cell), cell.source[:200]
        text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
        checkout = re.escape(f"/{Path(__file__).resolve().parts[1]}/")
        assert not re.findall(checkout + r"|/home/|/Users/|/tmp/|site-packages|0x[0-9a-f]{8}|ipykernel_", text)

    @pytest.mark.parametrize("name", NAMES)
    def test_figures_are_small_and_have_few_colours(self, name):
        notebook = read(name)
        sizes = notebook_building.figures(notebook)
        assert sizes and max(sizes) <= notebook_building.MAX_FIGURE_BYTES
        for data in (output.get("data", {}) for cell in codes(notebook) for output in cell.outputs):
            if "image/png" in data:
                with Image.open(io.BytesIO(base64.b64decode(data["image/png"]))) as picture:
                    assert picture.mode == "P" and picture.width <= notebook_building.MAX_FIGURE_WIDTH


def test_fewer_colours_change_no_pixel_by_much():
    across = np.linspace(0, 255, 200).astype(np.uint8)
    pixels = np.stack(np.broadcast_arrays(across, across[:100, None], np.uint8(40)), axis=-1)
    drawn = io.BytesIO()
    Image.fromarray(pixels).save(drawn, "PNG")
    figure = nbformat.v4.new_output("display_data", {"image/png": base64.b64encode(drawn.getvalue()).decode()})
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[figure])])
    notebook_building.quantize_figures(notebook)
    stored = base64.b64decode(notebook.cells[0].outputs[0].data["image/png"])
    with Image.open(io.BytesIO(stored)) as picture:
        after = np.asarray(picture.convert("RGB")).astype(int)
    assert after.shape == pixels.shape
    assert np.abs(after - pixels).mean() < 8


@pytest.fixture(scope="module")
def first_cell():
    sources = {next(cell.source for cell in codes(read(name)) if "open-lab" in tags(cell)) for name in NAMES}
    (source,) = sources  # All notebooks have the same cell.
    return source


class TestFirstCell:
    """The cell that opens the lab, run without the rest of its notebook."""

    def run(self, source, folder, before="", after="print(lab.folder)"):
        return run_python("-c", f"{before}\n{source}\n{after}", cwd=folder).stdout.strip()

    def test_it_is_two_lines(self, first_cell):
        assert first_cell.splitlines() == ["from lxmls_day1.lab_api import open_lab", "lab = open_lab()"]

    @pytest.mark.slow
    @pytest.mark.parametrize("inside", ["", "notebooks", "notebooks/demos/deep"])
    def test_it_finds_the_lab_around_the_working_directory(self, first_cell, tmp_path, inside):
        for name in ("readers", "classifiers"):
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        folder = tmp_path / inside
        folder.mkdir(parents=True, exist_ok=True)
        after = "from classifiers.mira import Mira; import inspect; print(lab.folder, inspect.getfile(Mira))"
        said = self.run(first_cell, folder, after=after)
        assert said == f"{tmp_path.resolve()} {tmp_path.resolve() / 'classifiers' / 'mira.py'}"

    @pytest.mark.parametrize("variable", ["__vsc_ipynb_file__ = {}", "import os; os.environ['JPY_SESSION_NAME'] = {}"])
    def test_it_asks_the_editor_where_the_notebook_is(self, first_cell, tmp_path, variable):
        """A notebook outside every lab uses the lab around the working directory."""
        for name in ("lab/readers/__init__.py", "lab/classifiers/__init__.py", "lab/notebooks/2_online.ipynb"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()
        for name, lab in {"lab/notebooks/2_online.ipynb": tmp_path / "lab", "notes.ipynb": ROOT}.items():
            before = variable.format(repr(str(tmp_path / name)))
            assert self.run(first_cell, FOLDER, before) == str(lab.resolve())

    def test_in_a_checkout_nothing_need_be_installed(self, first_cell):
        """The checkout's folder on Python's path is enough."""
        assert self.run(first_cell, FOLDER, wording("package.import_sys_sys_path")) == str(ROOT)

    def test_elsewhere_it_opens_the_lab_of_the_package(self, first_cell, tmp_path):
        assert self.run(first_cell, tmp_path) == str(ROOT)


@pytest.fixture(scope="module")
def colab_cell():
    files = {PurePosixPath("notebooks/1.ipynb"): (FOLDER / "1_generative.ipynb").read_bytes()}
    (made,) = add_colab_cell(files, "https://example.org/day-1.git").values()
    return next(cell.source for cell in codes(nbformat.reads(made.decode(), 4)) if "open-lab" in tags(cell))


class TestOnColab:
    """The first cell as ``release --course`` writes it. Colab has neither the package nor the lab."""

    COLAB = """
import sys, types, subprocess, importlib.util as u
from pathlib import Path
sys.modules["google"] = types.ModuleType("google"); sys.modules["google.colab"] = types.ModuleType("google.colab")
real = u.find_spec
u.find_spec = lambda name: None if name == "lxmls_day1" else real(name)
def run(command, check):
    print(*command[1:])
    if command[:2] == ["git", "clone"]:
        for name in ("readers", "classifiers"):
            Path(command[-1], name).mkdir(parents=True)
            Path(command[-1], name, "__init__.py").touch()
subprocess.run = run
"""

    def test_it_clones_the_course_installs_it_and_opens_it(self, colab_cell, tmp_path):
        said = TestFirstCell().run(colab_cell, tmp_path, self.COLAB).splitlines()
        lab = (tmp_path / "lab").resolve()
        assert said == [wording("package.clone_quiet_depth_lab"), wording("package.m_pip_install_quiet", lab), str(lab)]

    @pytest.mark.parametrize("wheel", ["", "lxmls_day1-1.0-py3-none-any.whl"])
    def test_it_installs_a_clone_or_a_bundle_that_lies_there(self, colab_cell, tmp_path, wheel):
        for name in ("readers", "classifiers"):
            shutil.copytree(ROOT / name, tmp_path / "lab" / name, ignore=shutil.ignore_patterns("__pycache__"))
        (tmp_path / "lab" / (wheel or "no-wheel")).touch()
        lab = (tmp_path / "lab").resolve()
        said = TestFirstCell().run(colab_cell, tmp_path, self.COLAB).splitlines()
        assert said == [wording("package.m_pip_install_quiet", lab / wheel if wheel else lab), str(lab)]

    def test_elsewhere_it_only_opens_the_lab(self, colab_cell, tmp_path):
        assert TestFirstCell().run(colab_cell, tmp_path) == str(ROOT)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return start_workspace(tmp_path_factory.mktemp("student") / "my-lab")


@pytest.mark.slow
class TestStudents:
    @pytest.mark.one_in(10)
    @pytest.mark.parametrize("name", NAMES)
    def test_without_solutions_it_runs_to_the_end(self, workspace, name):
        """Each cell of a code exercise ends in one line that names the exercise; no cell ends in a traceback."""
        notebook = nbformat.read(workspace / "notebooks" / f"{name}.ipynb", as_version=4)
        notebook_building.run(notebook, workspace / "notebooks")  # An exception in a cell would end this.
        reports = re.findall(r"^Still to be done – Exercise (1\.\d+): .+$", printed(notebook), flags=re.MULTILINE)
        wanted = {"1_generative": "1.2 1.3", "2_online": "1.4 1.5 1.9 1.10 1.12", "3_maxent_svm": "1.6 1.7 1.11"}
        wanted |= {"6_beyond_memory": "1.14 1.15", "7_second_order": "1.5 1.16"}
        assert set(wanted.get(name, "").split()) <= set(reports)

    def test_with_the_solutions_it_equals_the_reference(self, tmp_path):
        """The programs in the lab and in the notebooks differ only in comments, so the reference's results hold for the student's lab."""
        files = solved_files(ROOT)
        write_files(tmp_path / "solved", files)
        for path in sorted((tmp_path / "solved").rglob("*.py")):
            relative = path.relative_to(tmp_path / "solved")
            if relative.parts[0] in ("readers", "classifiers"):
                assert program(path.read_text("utf-8")) == program((ROOT / relative).read_text("utf-8"))
        for name in NAMES:
            solved = nbformat.read(tmp_path / "solved/notebooks" / f"{name}.ipynb", as_version=4)
            for cell, of_reference in zip(codes(solved), codes(read(name)), strict=True):
                assert program(cell.source) == program(of_reference.source)

    @pytest.mark.campaign
    def test_with_the_solutions_it_passes(self, tmp_path):
        """One notebook with code exercises is run as a sample: its outputs are those of the reference.

        In every run the previous test shows that both have the same programs.
        """
        write_files(tmp_path / "solved", solved_files(ROOT))
        folder = tmp_path / "solved/notebooks"
        solved = nbformat.read(folder / "1_generative.ipynb", as_version=4)
        for cell, of_reference in zip(codes(solved), codes(read("1_generative")), strict=True):
            cell.outputs, cell.execution_count = of_reference.outputs, of_reference.execution_count
        for path in folder.glob("*.ipynb"):
            path.unlink()
        nbformat.write(solved, folder / "1_generative.ipynb")
        for name in ("conftest.py", "sanitize.cfg"):
            shutil.copy(FOLDER / name, folder)
        options = ["--nbval", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(folder), str(folder)]
        run_python("-m", "pytest", *options, cwd=folder)


def program(source):
    """Return a source's syntax tree, without comments."""
    return ast.dump(ast.parse(source))
