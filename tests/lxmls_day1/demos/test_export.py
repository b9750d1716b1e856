"""An export: files for every demonstration that was asked for, and a page that links all of them."""

import re
from pathlib import Path

import nbformat
import pytest

from lxmls_day1.course import notebook_building
from lxmls_day1.demos import export as export_module
from lxmls_day1.demos import notebook_pairs, serving
from lxmls_day1.demos.export import DEMONSTRATIONS, demonstration_class, export
from lxmls_day1.demos.online_steps import DemoOnlineSteps
from lxmls_day1.errors import InputError

pytestmark = pytest.mark.usefixtures("imports_as_before_the_module")

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = notebook_building.scripts(ROOT / serving.FOLDER)


@pytest.fixture
def short_steps(monkeypatch):
    """A stepper of seven frames in the place of the long one."""

    class DemoFewSteps(DemoOnlineSteps):
        def __init__(self, lab, **settings):
            super().__init__(lab, nr_points=6, nr_rounds=1, **settings)

    monkeypatch.setattr("lxmls_day1.demos.online_steps.DemoOnlineSteps", DemoFewSteps)


def test_a_stepwise_one_gives_animations_and_the_index_links_what_is_there(lab, tmp_path, short_steps):
    files = export(lab, tmp_path / "new" / "out", ["online_steps", "gaussian_playground"], dark=True)
    names = {path.name for path in files}
    stepwise = {f"online_steps{which}.{kind}" for which in ("", "_all_four") for kind in ("png", "gif", "html")}
    assert {"gaussian_playground.png", "index.html"} | stepwise <= names
    assert names == {path.name for path in (tmp_path / "new" / "out").iterdir()}
    index = files[-1].read_text(encoding="utf-8")
    linked = set(re.findall(r'(?:href|src)="([^"]+)"', index)) - {"data:,"}
    assert linked == names - {"index.html"} and "://" not in index
    assert '<a href="index.html">' in (tmp_path / "new" / "out" / "online_steps.html").read_text(encoding="utf-8")


def test_an_unknown_one_is_refused_before_anything_is_written(lab, tmp_path):
    with pytest.raises(InputError, match="did you mean mira_step"):
        export(lab, tmp_path / "out", ["online_steps", "mira_stp"])
    assert not (tmp_path / "out").exists()


def test_one_that_cannot_be_shown_is_left_out_with_a_reason(lab, tmp_path, monkeypatch):
    def contents(*arguments):
        raise InputError("no light.")

    monkeypatch.setattr(export_module, "_contents", contents)
    said = []
    assert [path.name for path in export(lab, tmp_path, ["gaussian_playground"], tell=said.append)] == ["index.html"]
    assert said[0].startswith(f"Writing 1 demonstration into {tmp_path}: ") and "takes about ten seconds" in said[0]
    assert said[1:] == ["gaussian_playground is left out: no light."]


@pytest.mark.campaign
def test_two_processes_write_the_same_files(lab, tmp_path):
    names, said = ["gaussian_playground", "beyond_a_line"], []
    alone, together = (export(lab, tmp_path / str(n), names, scale=0.6, tell=said.append, processes=n) for n in (1, 2))
    assert {path.name: path.read_bytes() for path in alone if path.suffix != ".mp4"} == {
        path.name: path.read_bytes() for path in together if path.suffix != ".mp4"
    }
    assert "2 of 2: beyond_a_line.png, beyond_a_line.html" in said[2]


class TestNotebooks:
    def test_there_is_one_for_each_demonstration(self):
        assert list(serving.names(ROOT / serving.FOLDER)) == list(DEMONSTRATIONS)

    @pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
    def test_it_is_in_step_with_its_script_and_opens_its_demonstration(self, script):
        assert notebook_building.check(script), "run: python -m lxmls_day1.demos.notebook_pairs"
        words, code = nbformat.read(script.with_suffix(".ipynb"), as_version=4).cells
        found = demonstration_class(script.stem.partition("_")[2])
        assert words.source.startswith("# ") and not code.outputs
        assert f"from {found.__module__} import {found.__name__}" in code.source
        assert code.source.endswith("demo.show()")

    def test_they_are_built_without_outputs(self, tmp_path):
        (tmp_path / SCRIPTS[0].name).write_bytes(SCRIPTS[0].read_bytes())
        (made,) = notebook_pairs.build(tmp_path)
        assert made.read_bytes() == SCRIPTS[0].with_suffix(".ipynb").read_bytes()

    def test_a_student_receives_them(self, workspace):
        assert list(serving.names(serving.demos_folder(workspace.folder))) == list(DEMONSTRATIONS)
