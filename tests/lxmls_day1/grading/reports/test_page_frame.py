import base64
import hashlib
import re
import subprocess
import sys

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from lxmls_day1.figures.style import luminance
from lxmls_day1.grading.reports.page_frame import TEMPLATES, class_script, environment, render
from lxmls_day1.grading.verdicts import VERDICTS
from tests.wording import wording

STYLE = (TEMPLATES / "style.css").read_text(encoding="utf-8")
PARTS = environment().get_template("parts.html.j2").module


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_in_both_themes(theme):
    """The contrast is at least 4.5 to 1, the WCAG's minimum for text."""
    block = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)[theme]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    for text in ("text", "quiet", "good", "bad", "known"):
        assert contrast(colours[text], colours["page"]) >= 4.5
    for text in ("text", "quiet"):
        assert contrast(colours[text], colours["soft"]) >= 4.5
    for text in ("text", "known"):
        assert contrast(colours[text], colours["known-soft"]) >= 4.5


def test_every_verdict_has_a_sign_and_words_of_its_own():
    for column in zip(*VERDICTS.values(), strict=True):
        assert len(set(column)) == len(VERDICTS)


def test_a_page_allows_no_script_and_no_resource():
    text = render("page.html.j2", title="<title>")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy and "script" not in policy
    assert '<html lang="en">' in text and "<title>&lt;title&gt;</title>" in text
    assert "prefers-color-scheme: dark" in text and "@media print" in text
    assert "url(" not in STYLE and "@import" not in STYLE


def test_the_script_of_the_class_pages_is_allowed_by_its_digest():
    """No other script runs: neither a script in a text nor the same script with one character more."""
    text = render("page.html.j2", title="Class", script=class_script())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith(wording("grading.default_src_none_script", digest))
    assert "unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    harmful = r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(|https?:|fetch|import"
    assert not re.search(harmful, script)


class TestTemplateOutput:
    def printed(self, template, value):
        return environment().from_string(template).render(value=value)

    def test_a_text_is_escaped_and_made_readable_without_any_filter(self):
        assert self.printed("{{ value }}", "<b>\x1b[31m\u202e\x00") == "&lt;b&gt;⟨U+202E⟩␀"
        assert self.printed('<a title="{{ value }}">', '"') == '<a title="&#34;">'

    def test_a_text_is_not_evaluated_as_a_template(self):
        assert self.printed("{{ value }}", "{{ 7 * 7 }}{% raw %}") == "{{ 7 * 7 }}{% raw %}"

    def test_the_prose_filter_allows_only_code_and_emphasis(self):
        assert self.printed("{{ value | prose }}", "*no* `<b>` <i>") == "<em>no</em> <code>&lt;b&gt;</code> &lt;i&gt;"

    def test_markup_is_not_escaped(self):
        assert self.printed("{{ value }}", Markup("<b>")) == "<b>"

    def test_a_value_that_is_not_given_is_an_error(self):
        with pytest.raises(UndefinedError, match="nothing_such"):
            self.printed("{{ nothing_such }}", "")


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.j2")), ids=lambda path: path.name)
def test_no_template_bypasses_the_escaping(path):
    """Markup comes only from templates, `prose` and `markdown`, scripts from one place; event handlers and links do not occur."""
    text = path.read_text(encoding="utf-8")
    if path.name == "page.html.j2":
        assert text.count("<script>{{ script.text }}</script>") == 1
        text = text.replace("<script>{{ script.text }}</script>", "")
    assert not re.search(r"\|\s*safe\b|autoescape|<script|\son\w+=|javascript:|https?:", text)


@pytest.mark.parametrize("missing", ["jinja2", "latex2mathml.converter"])
def test_a_missing_library_is_reported_before_grading(missing, tmp_path):
    (tmp_path / "ada").mkdir()
    code = f"""import sys
sys.modules[{missing!r}] = None
from lxmls_day1.commands.command_line import main
main(["grade", "ada", "--out", "marks"])"""
    result = subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1
    assert wording("grading.python_m_pip_install") in result.stderr
    assert "Traceback" not in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["ada"]
