"""A reader in a page of an exercise, in a real browser: by keyboard alone, on a phone, in the dark, and after faults.

Python is played by a worker with two answers; `test_exercise_pages` has the real one.
"""

import hashlib
import json
import re

import pytest

from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.file_trees import tree
from tests.wording import wording
from tools import exercise_pages as module

ROOT = reference_folder()
FILES = ROOT / "docs/site_files"
CODED = ["1.2", "1.3", "1.4", "1.5", "1.6", "1.7"]
SIZES = [(390, 844), (1280, 900)]
#: The part of the theme that the style of an exercise uses.
PAGE = """<!DOCTYPE html><html lang="en" data-content_root="../../" data-theme="{theme}"><head><meta charset="utf-8"><title>An exercise</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><link rel="stylesheet" href="../../_static/exercise.css">
<style>html {{ --pst-color-border: #888; --pst-color-primary: #0a7d91; --pst-color-surface: #f3f4f6; --pst-color-background: #fff;
--pst-color-text-base: #1b1f24; --pst-font-family-monospace: monospace; }}
html[data-theme="dark"] {{ --pst-color-surface: #22272e; --pst-color-background: #15181c; --pst-color-text-base: #e6e9ed; }}
body {{ background: var(--pst-color-background); color: var(--pst-color-text-base); margin: .5rem; }} * {{ box-sizing: border-box; }}</style>
<script defer src="../../_static/exercise.js"></script></head><body><main><h1>Exercise</h1>{cell}
<ul><li><a style="color: inherit" href="1.4.html">1.4</a></li></ul></main></body></html>"""
QUESTION = {
    "exercise": "1.4",
    "mistake": "one",
    "question": "By how much does `d` move?",
    "attempt": "d = 0",
    "text": "",
}
WRONG = {
    "passed": False, "todo": False, "label": "A known mistake", "headline": "Only the true class moves.", "about": ["The *predicted* one must go down."],
    "lines": [["", "your line 2"], ["source", "d[label] = step"], ["known", "`d` is wrong."], ["bad", "5 more checks fail (below)"]],
    "marked": [[0, 2]], "caption": "3 of 4 small inputs get a wrong answer. The smallest of them:",
    "rows": [["scores", "[0, 0]"], ["expected", "[-1, 1]"], ["yours", "[0, 1]"]],
    "bars": {"what": "score", "names": ["class 0", "class 1"], "series": [["before", [0, 0]], ["expected after", [-1, 1]], ["yours after", [0, 1]]]},
    "all": [["bad", "  ✗ Small inputs"], ["", "      a very long line " + "x" * 200]], "question": QUESTION,
    "hint": "Which class moves?\nLook at `d`: your line 2.", "trace": None,
}  # fmt: skip
RIGHT = {"passed": True, "todo": False, "label": "", "headline": "✓ 6 of 6 public checks pass", "about": [], "lines": [], "marked": [],
         "caption": "", "rows": [], "bars": None, "all": [], "question": None, "hint": "", "trace": None}  # fmt: skip
WORKER = f"""self.postMessage({{ kind: "ready" }});
let broken = false;
self.onmessage = ({{ data }}) => {{
  const {{ kind, exercise }} = data;
  if (kind === "because") return self.postMessage({{ kind, exercise, lines: [], kept: {{ ...data.question, text: data.text }} }});
  const text = data.written[exercise].join();
  broken ||= text.includes("too deep");
  if (broken) return self.postMessage({{ kind: "broken", text: "Maximum call stack size exceeded" }});
  if (text.includes("while True")) return self.postMessage({{ kind: "line", line: "your line 1" }});
  const answer = text.includes("right") ? {json.dumps(RIGHT)} : {json.dumps(WRONG)};
  self.postMessage({{ ...answer, kind, exercise, verdict: answer.passed ? "passed" : "failed", mistakes: answer.passed ? [] : [text.trim()] }});
}};"""
DIGESTS = {
    "codejar.js": "faccc44189de38c2e36288749e2c4db73d7c3a4322ea3c42704388fccd82f96e",
    "prism-core.min.js": "6caad316dd991f24f8004e0b9c19c055cb5829ff65e973fbee406f96d81b8e7e",
    "prism-python.min.js": "ed4385685bcf2d4935c8dbbab4bde16603da1329e092d2bf36c3dadd67e9a85c",
}
FITS = "document.documentElement.scrollWidth <= innerWidth"
MOST_BYTES = 200e3  # scripts and style of an exercise's page


def test_the_editor_holds_the_published_files_unchanged_and_their_licences():
    found = {path.name: path.read_bytes() for path in (FILES / "editor").iterdir()}
    licences = found.pop("LICENSE.txt").decode()
    assert {name: hashlib.sha256(content).hexdigest() for name, content in found.items()} == DIGESTS
    assert all(name in licences for name in DIGESTS) and "MIT License" in licences and "WITHOUT WARRANTY" in licences
    own = sum((FILES / name).stat().st_size for name in ("exercise.js", "exercise_editor.js", "exercise.css"))
    assert own + sum(map(len, found.values())) < MOST_BYTES


@pytest.fixture(scope="module")
def cells():
    pages = module.exercise_pages(ROOT)
    return {id: pages[f"{id}.html"] for id in CODED}


@pytest.fixture(scope="module")
def address(cells, served, tmp_path_factory):
    folder = write_book(tmp_path_factory.mktemp("book"), cells)
    with served(folder) as address:
        yield address


def write_book(folder, cells):
    """Write the pages of exercises, light and dark, whose Python is played by the worker."""
    files = {f"_static/{name}": content for name, content in tree(FILES).items()}
    files["_static/exercises/exercise_worker.js"] = WORKER.encode()
    for id, cell in cells.items():
        files[f"docs/exercises/{id}.html"] = PAGE.format(theme="light", cell=cell).encode()
        dark = PAGE.format(theme="dark", cell=cell).replace("../../", "../../../")
        files[f"docs/exercises/dark/{id}.html"] = dark.encode()
    write_files(folder, files)
    return folder


@pytest.fixture
def open_page(chromium, address):
    """A function that opens a page of an exercise in a browser of its own, or in a given one; errors of scripts fail the test."""
    contexts, errors = [], []

    def opened(name="1.4", size=SIZES[1], context=None, script="", aborted="", **settings):
        if context is None:
            context = chromium.new_context(viewport={"width": size[0], "height": size[1]}, **settings)
            contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        if script:
            page.add_init_script(script)
        if aborted:
            page.route(aborted, lambda route: route.abort())
        page.goto(f"{address}/docs/exercises/{name}.html")
        if "editor" not in aborted:
            page.wait_for_selector(".jar")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not errors


def check(page, text):
    page.wait_for_selector(".jar")
    page.get_by_label("Your lines").first.fill(text)
    page.locator(".report").evaluate("report => report.replaceChildren()")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector(".report .headline")


@pytest.mark.slow(10)
@pytest.mark.one_in(3)  # Each page, and each size in both themes.
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("id", CODED)
def test_each_page_by_keyboard_on_every_screen(open_page, serious, id, theme, size):
    page = open_page(id if theme == "light" else f"dark/{id}", size)
    assert page.evaluate(FITS)
    keys = page.keyboard
    keys.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the exercise"
    keys.press("Enter")
    name = page.evaluate("document.activeElement.ariaLabel")
    assert name.startswith("Your lines of") and page.evaluate("document.activeElement.role") == "textbox"
    keys.type("if label:\nd = (1)\n")
    keys.press("Backspace")
    keys.type("e = 2")
    written = page.locator(".editor textarea").first
    # One level more after a colon, which Backspace takes away whole.
    assert written.input_value() == "if label:\n    d = (1)\ne = 2"
    keys.press("Control+Enter")
    page.wait_for_selector(".report .headline")
    assert page.evaluate("document.activeElement.ariaLabel") == name  # one goes on writing
    assert page.locator(".numbers .wrong").inner_text() == "2"
    page.locator(".report details > summary").click()
    page.locator(".head summary").first.click()
    page.get_by_role("button", name="Hint").click()
    assert page.evaluate(FITS)
    assert serious(page) == []
    page.get_by_label("Your lines").first.focus()
    if theme == "light":
        assert "Tab leaves" in page.locator(".jar").first.get_attribute("aria-description")
    keys.press("Tab")  # leaves the editor, to the next gap or to the first button
    focused = page.evaluate("document.activeElement.role === 'textbox' ? document.activeElement.ariaLabel : 'button'")
    assert focused != name


@pytest.mark.slow
def test_a_solved_exercise_has_its_tick_and_the_next_one_its_link(open_page):
    page = open_page()
    assert page.locator(".about").inner_text() == wording("browser.about_minutes", "45", "5")
    check(page, "right")
    assert page.locator(".exercise.passed, h1.solved, li a.solved, .about.solved").count() == 4
    assert page.locator(".next").inner_text().startswith(wording("browser.done_of_day", "1", "8"))
    page.get_by_label("Your lines").fill("right and more")
    assert page.locator(".exercise.passed").count() == 0 and page.locator("h1.solved").count()
    page.get_by_label("Your lines").fill("right")
    page.reload()
    assert page.locator(".exercise.passed").count() == 1
    check(page, "right")
    page.get_by_role("link", name="Next exercise: 1.5 MIRA").click()
    page.wait_for_url("**/1.5.html")
    assert page.locator("li a.solved").count() == 1 and page.locator("h1.solved").count() == 0


@pytest.mark.slow
def test_hints_are_below_the_buttons_that_of_the_mistake_first_and_stay_open(open_page):
    page = open_page()
    hint, shown = page.get_by_role("button", name="Hint"), page.locator(".hints > li:not([hidden])")
    hint.click()
    check(page, "wrong")
    hint.click()
    assert shown.count() == 2 and "your line 2" in shown.first.inner_text()
    below, buttons = shown.first.bounding_box(), page.locator(".buttons").bounding_box()
    assert 0 <= below["y"] - buttons["y"] - buttons["height"] < 40
    hint.click()
    page.reload()
    assert shown.count() == 2  # that of the mistake goes with the verdict


@pytest.mark.slow
def test_nothing_of_an_answer_outlives_it_and_reset_can_be_undone(open_page):
    page = open_page()
    editor, undo = page.get_by_label("Your lines"), page.get_by_role("button", name="Undo")
    check(page, "a\nb")
    assert page.locator(".picture canvas").count() == 1
    assert page.locator("tr.yours").inner_text().split() == ["yours", "[0,", "1]"]
    editor.fill("a\nb\nc")
    assert page.locator(".picture, .numbers .wrong").count() == 0
    page.get_by_role("button", name="Reset").click()
    assert editor.inner_text().strip() == "" and page.locator(".report").inner_text() == ""
    page.reload()
    page.wait_for_selector(".jar")
    undo.click()
    assert editor.inner_text().rstrip() == "a\nb\nc" and undo.count() == 0
    page.reload()
    page.wait_for_selector(".jar")
    assert editor.inner_text().rstrip() == "a\nb\nc"


@pytest.mark.slow
def test_the_question_after_a_mistake_has_its_field_and_the_answer_stays(open_page):
    page = open_page()
    check(page, "wrong")
    keep = page.get_by_role("button", name="Keep my answer")
    keep.click()
    assert "sentence of your own" in page.locator(".because .answer").inner_text()
    page.get_by_label("By how much").fill("By one norm.")
    keep.click()
    page.wait_for_function("document.querySelector('.because .answer').textContent.startsWith('Kept')")
    kept = json.loads(page.evaluate("localStorage['lxmls-day1 progress 1.4']"))["explained"]
    assert kept == [QUESTION | {"text": "By one norm."}]


@pytest.mark.slow
def test_a_check_can_be_stopped(open_page):
    page = open_page()
    page.get_by_label("Your lines").fill("while True:\n    pass")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Stop").click()
    assert "your line 1 ran last" in page.locator(".notice.stopped").inner_text()
    check(page, "right")
    assert page.locator(".notice, .stop:visible").count() == 0


@pytest.mark.slow
def test_python_starts_again_after_it_broke_off(open_page):
    page = open_page()
    page.get_by_label("Your lines").fill("too deep")
    page.get_by_role("button", name="Check", exact=True).click()
    assert "Maximum call stack" in page.locator(".notice.stopped").inner_text()
    if not page.workers:
        page.wait_for_event("worker")  # The browser reports it a moment after the page has started it.
    assert len(page.workers) == 1
    check(page, "right")
    assert page.locator(".notice").count() == 0


@pytest.mark.slow
def test_two_tabs_show_one_text_and_say_so(open_page):
    first = open_page()
    second = open_page(context=first.context)
    second.wait_for_selector(".notice.tabs")
    first.get_by_label("Your lines").fill("from the first")
    second.wait_for_function("document.querySelector('.jar').textContent.includes('from the first')")
    second.close()
    first.wait_for_function("!document.querySelector('.notice.tabs')")


@pytest.mark.slow
def test_messages_say_what_to_do(open_page):
    refusal = "get() { throw new DOMException('no', 'SecurityError'); }"
    page = open_page(script=f"Object.defineProperty(window, 'localStorage', {{ {refusal} }})")
    assert "Take it with you" in page.locator(".notice.storage").inner_text()
    assert page.get_by_role("button", name="Take it with you").is_visible()
    check(page, "right")
    assert page.locator(".exercise.passed").count() == 1
    page = open_page(aborted="**/exercise_worker.js")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_function("document.querySelector('.state').textContent.includes('Press Check to try again')")
    page.context.set_offline(True)
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_function("document.querySelector('.state').textContent.startsWith('You are offline')")
    assert "undefined" not in page.locator(".state").inner_text() and page.locator(".check").is_enabled()


@pytest.mark.slow
def test_without_the_editor_a_text_area_does_it_all_and_older_texts_are_read(open_page):
    older = "localStorage['lxmls-day1 exercise 1.4'] ??= JSON.stringify(['y = 1\\nif y:'])"
    page = open_page(aborted="**/editor/codejar.js", script=older)
    area = page.get_by_label("Your lines")
    assert area.input_value() == "y = 1\nif y:"
    area.press("Control+End")
    area.press("Enter")
    page.keyboard.type("d = 2")
    assert area.input_value().endswith("if y:\n    d = 2")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".report .headline")
    assert page.locator(".numbers .wrong").inner_text() == "2"
    assert open_page(script=older).get_by_label("Your lines").inner_text().rstrip() == "y = 1\nif y:"


@pytest.mark.slow
def test_the_editor_pastes_undoes_and_marks_brackets(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    editor, written = page.get_by_label("Your lines"), page.locator(".editor textarea")
    editor.click()
    page.evaluate("navigator.clipboard.writeText('if (a):\\r\\n    b[0] = (1)\\r\\n')")
    page.keyboard.press("Control+v")
    assert re.fullmatch(r"if \(a\):\n    b\[0\] = \(1\)\n?", written.input_value())
    # As the book does.
    page.evaluate("document.addEventListener('keydown', event => event.key === '/' && event.preventDefault())")
    page.keyboard.type("c / 2")
    assert "c / 2" in written.input_value()
    for _ in "c / 2":
        page.keyboard.press("Backspace")
    page.keyboard.press("Control+Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("[...CSS.highlights.get('bracket')].map(String).join('') === '()'")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.press("Control+z")
    page.wait_for_timeout(100)
    assert "b[0]" in written.input_value()
    assert page.locator(".jar .keyword").inner_text() == "if"
