"""The bundle for students, made from the tiny lab with this package, and from the real lab."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.course.workspaces.leaks import find_solution_leaks, solution_lines
from lxmls_day1.course.workspaces.student_bundle import add_colab_cell, release
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.file_trees import tree
from tests.python_runs import run_python
from tests.wording import wording

ROOT = Path(__file__).resolve().parents[4]

pytestmark = pytest.mark.slow


@pytest.fixture
def checkout(reference):
    """Return a checkout of the tiny lab with this package around it."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "constraints.txt"):
        shutil.copy(ROOT / name, reference)
    ignored = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    shutil.copytree(ROOT / "lxmls_day1", reference / "lxmls_day1", ignore=ignored)
    return reference


def test_the_address_of_the_course_goes_into_every_notebook():
    files = student_files(reference_folder())
    changed = add_colab_cell(files, "https://example.org/day-1.git")
    paths = [path for path in files if changed[path] != files[path]]
    assert {path.stem[:2] for path in paths} == {f"{n}_" for n in range(1, 8)} and len(paths) == 7
    for path in paths:
        cells = json.loads(changed[path])["cells"]
        text = "".join("".join(cell["source"]) + "\n" for cell in cells)
        opening = next(cell for cell in cells if "open-lab" in cell["metadata"].get("tags", []))
        compile("".join(opening["source"]), str(path), "exec")
        assert text.count('"https://example.org/day-1.git"') == 1
    with pytest.raises(InputError, match=wording("course.address_git_repository")):
        add_colab_cell(files, 'x"; import os')


class TestBundle:
    def test_folder_and_zip_have_the_same_expected_files(self, checkout, tmp_path):
        made = release(tmp_path / "out")
        files = tree(made.folder)
        (wheel,) = [name for name in files if name.endswith(".whl")]
        assert {str(name) for name in student_files(checkout)} | {wheel, "README.md", "constraints.txt"} <= set(files)
        assert made.stubbed == ("1.1", "1.2", "1.3")
        with zipfile.ZipFile(made.archive) as archive:
            assert {name.partition("/")[2]: archive.read(name) for name in archive.namelist()} == files
        assert wheel in (made.folder / "README.md").read_text()
        names = zipfile.ZipFile(made.folder / wheel).namelist()
        assert "lxmls_day1/reference_lab/classifiers/steps.py" in names
        assert not [name for name in names if "mistakes/" in name or "pycache" in name]
        contents = {Path(name): content for name, content in files.items()}
        assert find_solution_leaks(contents, solution_lines(checkout, ["1.1", "1.2"])) == []

    def test_the_same_checkout_gives_the_same_bytes(self, checkout, tmp_path):
        first = release(tmp_path / "one").archive.read_bytes()
        for path in checkout.rglob("*"):
            os.utime(path, (2e9, 2e9))
        umask = os.umask(0o077)
        try:
            (checkout / "classifiers/__pycache__").mkdir()
            (checkout / "classifiers/__pycache__/steps.cpython-311.pyc").write_bytes(b"x")
            second = release(tmp_path / "two").archive.read_bytes()
        finally:
            os.umask(umask)
        assert first == second

    def test_a_leaked_solution_stops_the_build(self, checkout, tmp_path):
        with (checkout / "README.md").open("a") as file:
            file.write("\nThe answer is `tau = min(cap, tau)`.\n")
        with pytest.raises(InputError, match=wording("course.nothing_released_metadata_line")):
            release(tmp_path / "out")
        assert not (tmp_path / "out").exists()


USE_OF_THE_WHEEL = """
import sys; sys.path.insert(0, "site")
import numpy as np
from lxmls_day1.classifiers.viterbi import viterbi
from lxmls_day1.classifiers import Mira
from lxmls_day1.readers import SimpleDataSet
print(sys.modules["lxmls_day1.classifiers.viterbi"].__file__)
scores = np.zeros((2, 2)), np.zeros((2, 2)), np.zeros(2), np.zeros(2)
for answer in (lambda: viterbi(scores), lambda: Mira().rule([-1.0, 2.0], 0, 5.0, 0.25, [0.0, 1.0])):
    try:
        answer()
    except NotImplementedError:
        continue
    raise SystemExit("solved")
"""


class TestFromBeginningToEnd:
    def test_a_student_unpacks_checks_solves_and_submits(self, checkout, tmp_path):
        """Only with the contents of the bundle: its package from the wheel, its workspace, another folder."""
        made = release(tmp_path / "out")
        (wheel,) = made.folder.glob("*.whl")
        zipfile.ZipFile(wheel).extractall(tmp_path / "site")
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
        environment["PYTHONIOENCODING"] = "utf-8"

        def run(*arguments, status=0, cwd=made.folder / "notebooks"):
            command = [sys.executable, "-P", "-m", "lxmls_day1", *arguments]
            result = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8")
            assert result.returncode == status, result.stdout + result.stderr
            return result.stdout + result.stderr

        assert wording("course.still_to_be_written_2", "classifiers/steps.py") in run("check", "1.1", status=1)
        assert wording("course.is_not_part_of") in run("solve", "1.1", status=1)
        path = made.folder / "classifiers/steps.py"
        source = path.read_text(encoding="utf-8")
        line = next(line for line in source.splitlines() if "raise NotImplementedError" in line)
        path.write_text(source.replace(line, "    tau = min(cap, loss / sq_norm / 2)"), encoding="utf-8")
        assert wording("course.public_checks_pass_more") in run("check", "1.1")
        assert "1 of 3 exercises done" in run("status")
        assert wording("course.empty_exercise_now") in run("reset", "1.1")
        assert "`reset 1.1` is undone" in run("undo")
        assert "tau = min(cap" in path.read_text(encoding="utf-8")
        assert "Packed:" in run("submit", "--name", "Ada")
        assert (made.folder / "submission-ada.zip").is_file()
        assert wording("course.is_your_lab_with") in run("start", str(tmp_path / "second"))

    @pytest.mark.campaign  # tests/lxmls_day1/browser/test_site.py has a shorter test with the same files.
    def test_no_line_of_a_solution_is_in_the_real_bundle_or_the_wheel_in_it(self, tmp_path):
        made = release(tmp_path / "out")
        lines = solution_lines(ROOT, Registry.from_folder(ROOT).ids)
        assert len(lines) > 20
        assert find_solution_leaks({Path(name): content for name, content in tree(made.folder).items()}, lines) == []
        (wheel,) = made.folder.glob("*.whl")
        zipfile.ZipFile(wheel).extractall(tmp_path / "site")
        # Otherwise the loops of this copy would be compiled.
        place = run_python("-P", "-c", USE_OF_THE_WHEEL, cwd=tmp_path, NUMBA_DISABLE_JIT="1").stdout
        assert Path(place.strip()).is_relative_to(tmp_path / "site")
