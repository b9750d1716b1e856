"""Pages that need no Python: their contents, and data that cannot end their script."""

import json
import re
from pathlib import Path

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.demos.confidence import DemoConfidence
from lxmls_day1.demos.demonstration_list import DEMONSTRATIONS
from lxmls_day1.demos.pages import export, page, page_description, script

ROOT = Path(__file__).resolve().parents[3]


def data_of(text):
    """Return the data that a page's script receives."""
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)[1])


def test_a_page_has_the_scenes_of_its_grid_and_needs_no_network(lab, tmp_path):
    paths = export(lab, tmp_path / "out", ["confidence"], dark=True, scale=1.5)
    assert [path.name for path in paths] == ["confidence.html", "index.html"]
    text, index = (path.read_text(encoding="utf-8") for path in paths)
    assert len(data_of(index)["scenes"]) == 1 and 'href="confidence.html"' in index
    assert data_of(text)["dark"] is True and "--demo-scale: 1.5" in text
    assert data_of(text)["scenes"][0]["settings"] == {"rare": 0.2, "regularizer": 1}
    assert len(data_of(text)["scenes"]) == 6 and not re.search(r"(src|href)=\"(?!data:)", text)


def test_data_cannot_end_the_script():
    hostile = page_description(DemoConfidence) | {"title": "</script><script>alert(1)</script><!--"}
    text = page(hostile, scene_address="scene/x")
    assert "<script>alert" not in text and data_of(text)["title"] == hostile["title"]


def test_the_script_fits_in_a_page():
    assert "</script" not in script() and "</style" not in script()


def test_an_unknown_name_writes_nothing(lab, tmp_path):
    with pytest.raises(InputError, match="no demonstration"):
        export(lab, tmp_path / "out", ["confidense"])
    assert not (tmp_path / "out").exists()


def test_a_notebook_gets_a_widget_that_answers(lab):
    pytest.importorskip("anywidget")
    from lxmls_day1.demos.notebook import demo_widget

    widget, sent = demo_widget(lab, "confidence"), []
    widget.send = sent.append
    widget._handle_custom_msg({"settings": {"rare": 1}}, [])
    assert "run this cell" in str(widget._repr_mimebundle_())
    assert widget.description["title"] == DemoConfidence.title and sent[-1]["scene"]["steps"]["label"] == "documents"


def test_the_texts_name_existing_demonstrations():
    paths = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("notebooks/*.md"), *ROOT.glob("notebooks/*.py")]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    named = {name for text in texts for name in re.findall(r'lab\.demo\("(\w+)"\)', text)}
    assert named and named <= set(DEMONSTRATIONS)
