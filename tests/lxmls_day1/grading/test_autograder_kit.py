"""The autograders' zip files: the required contents, and contents that must not be in them."""

import importlib.metadata
import io
import json
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from click.testing import CliRunner

from lxmls_day1.base.errors import InputError
from lxmls_day1.commands.autograder import command
from lxmls_day1.course.workspaces.leaks import find_solution_leaks, solution_lines
from lxmls_day1.course.workspaces.student_bundle import build_wheel
from lxmls_day1.grading import autograder_kit as module
from lxmls_day1.grading.autograder_kit import PLATFORMS, Settings, autograder
from lxmls_day1.lab import reference_folder
from tests.wording import wording

pytestmark = pytest.mark.slow  # Each of these builds a wheel.
IDS = ("1.4", "1.5")


@pytest.fixture(scope="module")
def made():
    """Return the kits; two of them hold the same wheel, which is built once."""
    wheels = []

    def once(*arguments):
        wheels.append(wheels[0] if wheels else build_wheel(*arguments))
        return wheels[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "build_wheel", once)
        return {platform: autograder(platform, IDS, seed=7) for platform in PLATFORMS}


@pytest.fixture(scope="module")
def files(made):
    """Return platform -> path -> content."""
    return {platform: of_archive(one.archive) for platform, one in made.items()}


def of_archive(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def wheel_in(files):
    ((name, content),) = [(name, content) for name, content in files.items() if name.endswith(".whl")]
    return PurePosixPath(name), of_archive(content)


def test_each_kit_has_the_files_of_its_platform(files):
    wheel = wheel_in(files["gradescope"])[0].name
    assert set(files["gradescope"]) == {"setup.sh", "run_autograder", "settings.json", "constraints.txt", wheel}
    assert set(files["classroom50"]) == {"autograder.py", "runtime.json", "settings.json", "constraints.txt", wheel}
    question = {"info.json", "question.html", "tests/run.sh", "tests/settings.json", f"tests/{wheel}"}
    image = {"Dockerfile", "requirements.txt", "constraints.txt"}
    assert set(files["prairielearn"]) == {f"day-1/{name}" for name in question} | image


@pytest.mark.parametrize("platform", PLATFORMS)
def test_programs_can_be_run_and_have_the_line_ends_of_unix(made, files, platform, tmp_path):
    with zipfile.ZipFile(io.BytesIO(made[platform].archive)) as archive:
        modes = {info.filename: stat.S_IMODE(info.external_attr >> 16) for info in archive.infolist()}
    for name, content in files[platform].items():
        path = PurePosixPath(name)
        assert modes[name] == (0o755 if path.name in ("setup.sh", "run_autograder", "run.sh") else 0o644)
        assert path.suffix == ".whl" or b"\r" not in content
        if content.startswith(b"#!/usr/bin/env bash") and shutil.which("bash"):
            (tmp_path / path.name).write_bytes(content)
            subprocess.run(["bash", "-n", str(tmp_path / path.name)], check=True)
        if path.suffix == ".py":
            compile(content, name, "exec")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_settings_of_grading_are_in_the_kit(made, files, platform, tmp_path):
    (name,) = [name for name in files[platform] if name.endswith("settings.json")]
    (tmp_path / "settings.json").write_bytes(files[platform][name])
    assert Settings.read(tmp_path / "settings.json") == made[platform].settings == Settings(IDS, 7, False)


def test_private_autograders_contain_hidden_checks(files):
    for platform in ("gradescope", "prairielearn"):
        _, wheel = wheel_in(files[platform])
        assert any("/mistakes/" in name for name in wheel)
        (checks,) = [text for name, text in wheel.items() if "tests/exercises/test_1_05" in name]
        assert b"@pytest.mark.hidden" in checks


def test_published_autograders_contain_no_solution_and_no_hidden_check(made, files):
    assert not made["classroom50"].hidden
    _, wheel = wheel_in(files["classroom50"])
    checks = {name: text for name, text in wheel.items() if "/tests/exercises/" in name}
    assert len(checks) > 5
    assert not [name for name, text in checks.items() if "/mistakes/" in name or b"mark.hidden" in text]
    contents = {PurePosixPath(name): content for name, content in {**files["classroom50"], **wheel}.items()}
    assert find_solution_leaks(contents, solution_lines(reference_folder(), IDS)) == []


def test_equal_seeds_make_equal_bytes_and_the_default_is_a_new_seed(made, monkeypatch):
    monkeypatch.setattr(module, "build_wheel", lambda *_: ("lxmls_day1-0-py3-none-any.whl", b"wheel"))
    first, second = (autograder("gradescope", IDS, seed=7).archive for _ in range(2))
    assert first == second
    assert autograder("gradescope", IDS).settings.seed != autograder("gradescope", IDS).settings.seed


def test_the_image_has_all_libraries_that_grading_needs(files):
    """PrairieLearn's image has the libraries, but not this package."""
    required = files["prairielearn"]["requirements.txt"].decode().splitlines()
    names = {line.partition(">")[0] for line in required}
    assert {"numpy", "numba", "jinja2", "pytest", "click"} <= names and not names & {"lxmls-day1", "hatchling", "voila"}
    assert not [line for line in required if ";" in line]
    given = {line.partition("==")[0] for line in files["prairielearn"]["constraints.txt"].decode().splitlines()}
    assert {name.lower() for name in names} <= {name.lower() for name in given}
    info = json.loads(files["prairielearn"]["day-1/info.json"])
    assert info["gradingMethod"] == "External" and info["externalGradingOptions"]["entrypoint"] == "/grade/tests/run.sh"


def test_the_version_of_the_wheel_is_ours(files):
    assert f"-{importlib.metadata.version('lxmls-day1')}-" in wheel_in(files["gradescope"])[0].name


def test_invalid_requests_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=wording("grading.autograder_moodle_platforms_gradescope")):
        autograder("moodle")
    with pytest.raises(InputError, match="no exercise '9.9'"):
        autograder("gradescope", ["9.9"])
    checkout = tmp_path / "checkout"
    (checkout / "tests" / "exercises").mkdir(parents=True)
    monkeypatch.setattr(module, "find_checkout", lambda: checkout)
    with pytest.raises(InputError, match=wording("grading.this_checkout_is_one")):
        autograder("gradescope")


@pytest.mark.parametrize("out", ["", "autograder", "autograder.tar"])
def test_the_command_requires_the_name_of_a_zip_file(tmp_path, out):
    ended = CliRunner().invoke(command, ["--for", "gradescope", "--out", str(tmp_path / out)])
    assert isinstance(ended.exception, InputError) and wording("grading.name_zip_file") in str(ended.exception)
    assert list(tmp_path.iterdir()) == []


def test_the_command_reports_the_kit_it_wrote(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "build_wheel", lambda *_: ("lxmls_day1-0-py3-none-any.whl", b"wheel"))
    path = Path(tmp_path, "new", "Grader.ZIP")
    options = ["--for", "gradescope", "--out", str(path), "--exercises", "1.4, 1.5", "--seed", "3"]
    ended = CliRunner().invoke(command, options)
    assert ended.exit_code == 0, ended.output
    assert "for gradescope: 1.4, 1.5" in ended.output and "--seed 3" in ended.output
    assert "not for students" in ended.output and zipfile.is_zipfile(path)


def test_classroom50s_script_reports_the_python_version_it_needs(files, tmp_path):
    (tmp_path / "autograder.py").write_bytes(files["classroom50"]["autograder.py"])
    old = f"import runpy, sys; sys.version_info = (3, 15); runpy.run_path({str(tmp_path / 'autograder.py')!r})"
    ended = subprocess.run([sys.executable, "-c", old], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ended.returncode == 1 and "from 3.11 to 3.14" in ended.stderr
