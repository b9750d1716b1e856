"""The exercises in pages of the book: their contents, and a verdict in a real browser."""

import ast
import hashlib
import io
import json
import re
import shutil
import subprocess
import textwrap
import zipfile
import zlib
from pathlib import PurePosixPath

import pytest

from lxmls_day1.course.markers import functions_with_exercise, remove_markers
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.source_functions import function_text
from lxmls_day1.course.workspaces.generation import reference_text
from lxmls_day1.course.workspaces.student_bundle import require_no_leaks
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.demos.pages import export
from lxmls_day1.lab import Lab, reference_folder
from tests.lxmls_day1.file_trees import tree
from tests.lxmls_day1.html_elements import Elements
from tests.wording import wording
from tools import exercise_pages as module
from tools.page_checks import starter_source

ROOT = reference_folder()
CODED = ["1.2", "1.3", "1.4", "1.5", "1.6", "1.7"]
CORE = ["1.1", *CODED, "1.8"]
MOST_BYTES = 19e6  # until the first verdict
PAGE = """<!DOCTYPE html><html lang="en" data-content_root="./"><head><meta charset="utf-8"><title>An exercise</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><link rel="stylesheet" href="_static/exercise.css">
<script defer src="_static/exercise.js"></script></head><body><main>{cell}</main></body></html>"""
RIGHT = "y_hat = np.argmax(scores)\nif y_hat != label:\n    d[label] = step\n    d[y_hat] = -step"
#: Whether asyncio, which Python itself imports, was kept by the browser; and whether it came in the memory, with what help() shows of Python and NumPy.
KEPT = "import start_sooner; any('/asyncio/' in name for name in start_sooner.codes)"
CAME_IN_MEMORY = """import asyncio, gc, numpy, os, random, sys
'Gaussian' in random.gauss.__doc__ and 'norm' in numpy.linalg.norm.__doc__ and not os.path.exists(asyncio.__file__) and gc.isenabled()
"""
#: What Python says of a module that comes later, in a file that the site may lack.
IMPORTED = """try:
    import statistics
    said = statistics.__name__
except ImportError as error:
    said = str(error)
said"""
#: Those of the modules that come later which Python does not find.
NOT_FOUND = "from importlib.util import find_spec; str([name for name in {} if not find_spec(name)])"
#: Whether Python has checked something before it was asked, and cleared up.
REHEARSED = "import os, sys; 'classifiers.perceptron' in sys.modules and not os.path.exists('/tmp/lab')"
#: The content of a file of the site, or None where it is missing; and what the page says of it.
FAULTY_FILES = [(None, "is missing from the site"), (b"PK", "is not the file that belongs to this site")]
#: Archives that come some seconds after the start.
SOON = {"ma.zip", "random.zip"}
RUN = "program => ready.then((python) => python.runPython(program))"
#: What Python answers to a request of a page.
HANDLED = "request => ready.then((python) => python.pyimport('page_checks').handle_request('/lab', request))"
DONE = "() => !document.querySelector('.check').disabled && document.querySelector('.report').childElementCount"


@pytest.fixture(scope="module")
def pages():
    return module.exercise_pages(ROOT)


def test_each_core_exercise_has_a_page(pages):
    assert [name for name in pages if re.match(r"\d.*\.md", name)] == [f"{id}.md" for id in CORE]
    for id, after in zip(CORE, [*CORE[1:], None], strict=True):
        text = pages[f"{id}.md"]
        assert text.startswith(f"# Exercise {id}: ") and (f":file: {id}.html" in text) == (id in CODED)
        assert 60 < len(text.split("```")[0].split()) < 900 and "$" in text  # an idea and an equation
        assert after is None or (f"[Exercise {after}: " in text and f"]({after}.md)" in text)
        # The page says nothing of cells, pictures and commands that it has not.
        assert not re.search(r"next cell|picture below|`lab\.|\*Further\*|^[2-9]\. ", text, re.MULTILINE)
        assert text.count(" data-cell=") == text.count("**One answer.**") == {"1.1": 1, "1.8": 3}.get(id, 0)


def test_a_function_begins_with_its_def_and_its_types_are_folded():
    text = module.exercise_html(Registry.from_folder(ROOT)["1.4"], "")
    summary = re.search(r"<summary><code[^>]*>(.*?)</code>", text)
    assert summary[1] == "def perceptron_rule(scores, label, sq_norm, step, cost):"


@pytest.mark.slow
def test_the_picture_moves_by_itself_once_until_the_exercise_is_touched(pages, served, new_page, tmp_path):
    write_files(tmp_path, page_files(pages))
    page = new_page(viewport={"width": 390, "height": 1600})
    caption, step = page.locator("figcaption"), "() => Number(document.querySelector('figure input').value)"
    with served(tmp_path) as address:
        page.goto(f"{address}/index.html")
        page.wait_for_function(f"({step})() === 18")
        assert caption.inner_text() == wording("browser.right_rule_at_step", 18, 0)
        page.reload()
        page.wait_for_function(f"({step})() > 1")
        page.get_by_role("button", name="Hint").click()
        stopped = page.evaluate(step)
        page.wait_for_timeout(1000)
        assert page.evaluate(step) == stopped < 18
        page.get_by_label("Step of the rule").focus()
        page.keyboard.press("Home")
        assert caption.inner_text() == wording("browser.right_rule_at_step", 0, 12)
        page.emulate_media(reduced_motion="reduce")
        page.reload()
        assert page.evaluate(step) == 18


@pytest.mark.parametrize("id", CODED)
def test_other_sites_and_tests_find_their_way_in_a_cell(pages, id):
    text = pages[f"{id}.html"]
    tags = [(tag, dict(attributes)) for tag, attributes in Elements(text).tags]
    assert tags[0] == ("section", {"class": "exercise", "data-exercise": id, "aria-label": f"Exercise {id}"})
    labels = [attributes["aria-label"] for tag, attributes in tags if tag == "textarea"]
    assert len(labels) == (2 if id == "1.7" else 1) and all(label.startswith("Your lines") for label in labels)
    assert ">Check</button>" in text and ("p", {"class": "state", "role": "status"}) in tags
    assert sum(tag == "li" and "hidden" in attributes for tag, attributes in tags) == 3
    without_answers = re.sub(r'<div class="solutions" hidden>.*?</div>', "", text, flags=re.DOTALL)
    require_no_leaks({PurePosixPath("cell.html"): without_answers.encode()}, [id])
    # The head of each function is one line, without types, that opens to what was given.
    heads = re.findall(r'<summary><code class="python">(.*?)</code>', text)
    assert len(heads) == len(labels) and all(re.fullmatch(r"def \w+\([\w, =]+\):", head) for head in heads)
    assert "NotImplementedError" not in text


@pytest.mark.slow
def test_what_runs_in_the_pages_holds_no_solution_and_is_small(builders):
    files = module.runtime_files()
    require_no_leaks(files, list(Registry.from_folder(ROOT).assigned))
    table = json.loads(files[module.BOOK_FOLDER / "packages.json"])
    assert all(module.BOOK_FOLDER / entry["file_name"] in files for entry in table["packages"].values())
    assert "scipy" not in table["load"] and "matplotlib" not in table["load"]
    (wheel,) = (content for name, content in files.items() if name.name.startswith("lxmls_day1"))
    names = zipfile.ZipFile(io.BytesIO(wheel)).namelist()
    assert "page_checks.py" in names and not any("/grading/" in name for name in names)
    assert sum(map(len, files.values())) < 2e6


@pytest.mark.campaign  # continuous integration runs it; `test_page_checks` has the same answers without a browser
def test_a_verdict_in_the_page(pages, pyodide_folder, served, new_page, tmp_path):
    write_files(tmp_path, {**module.runtime_files(pyodide_folder), **page_files(pages)})
    if node := shutil.which("node"):
        put_memory(tmp_path)
    page = new_page(viewport={"width": 390, "height": 844})
    sizes, foreign, errors = [], [], []
    with served(tmp_path) as address:
        page.set_default_timeout(300_000)
        page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
        page.on("request", lambda request: foreign.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{address}/index.html")
        page.wait_for_selector(".jar")
        untouched = len(foreign)

        def verdict(text):
            page.wait_for_selector(".jar")  # The editor takes the place and the label of the text area.
            page.get_by_label("Your lines of perceptron_rule").fill(text)
            page.locator(".report").evaluate("report => report.replaceChildren()")
            page.get_by_role("button", name="Check", exact=True).click()
            page.wait_for_function(DONE)
            return page.locator(".report").inner_text()

        # Style, scripts and the editor; nothing of Python is loaded before a gap is touched.
        assert untouched <= 7 and not any("/exercises/" in url for url in foreign)
        assert wording("browser.public_checks_pass", "6", "6") in verdict(RIGHT)
        assert page.locator(".exercise.passed").count()
        assert sum(sizes) < MOST_BYTES
        page.locator("figure canvas").scroll_into_view_if_needed()  # It moves once it is in view.
        page.wait_for_function("() => document.querySelector('figcaption').textContent.includes(' 0 of 18 points')")
        assert "A known mistake" in verdict(RIGHT.rpartition("\n")[0])
        assert page.locator(".state").inner_text() == "Not yet."
        assert page.locator(".report canvas").count() == 1
        # The browser keeps compiled WebAssembly of its own responses only, and we what the start of Python itself imports, unless it
        # comes in the memory.
        (worker,) = page.workers
        assert worker.evaluate("fetch('packages.json').then(({ url }) => url)").startswith(address)
        assert worker.evaluate(f"ready.then((python) => python.runPython(`{CAME_IN_MEMORY if node else KEPT}`))")
        loaded = {url.rpartition("/")[2] for url in foreign if re.search(r"\.(dat|zip|whl)(\?|$)", url)}
        if node:
            digest = {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in tmp_path.rglob("*.*")}
            at_once, soon = (
                {f"{name}?{digest[name]}" for name in names} for names in (["files.dat", "memory.dat"], SOON)
            )
            assert at_once <= loaded <= at_once | soon
        else:
            assert {"lab.zip", "python_stdlib.zip"} < loaded
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")  # on a phone, too
        assert re.search(wording("browser.line_that_ran_last", "1"), verdict("while True: pass"))
        with page.expect_download() as download:
            page.get_by_role("button", name="Take it with you").click()
        assert download.value.suggested_filename.endswith(".zip")
        page.reload()
        page.wait_for_selector(".jar")
        assert page.get_by_label("Your lines of perceptron_rule").inner_text().rstrip() == "while True: pass"
        hosts = {url.split("/")[2] for url in foreign if url.startswith("http")}
        assert hosts == {address.split("/")[2]} and not errors


@pytest.mark.campaign
@pytest.mark.parametrize("faulty", ["files.dat", "memory.dat"])
@pytest.mark.parametrize(("content", "said"), FAULTY_FILES)
def test_a_file_of_the_memory_that_is_missing_or_changed_is_named(
    content, said, faulty, pages, pyodide_folder, served, new_page, tmp_path
):
    write_files(tmp_path, {**module.runtime_files(pyodide_folder), **page_files(pages)})
    table = tmp_path / module.BOOK_FOLDER / "packages.json"
    started = {"files": "files.dat", "memory": "memory.dat", "size": 0, "extensions": [], "later": []}
    table.write_text(json.dumps(json.loads(table.read_text()) | {"started": started}))
    table.with_name("files.dat").write_bytes(zlib.compress(b"\2\0\0\0[]"))
    table.with_name("memory.dat").write_bytes(zlib.compress(bytes(1 << 16)))
    if content is None:
        table.with_name(faulty).unlink()
    else:
        table.with_name(faulty).write_bytes(content)
    page = new_page()
    with served(tmp_path) as address:
        page.goto(f"{address}/index.html")
        page.locator(".jar").click()
        is_said = "said => document.querySelector('.state').textContent.includes(said)"
        page.wait_for_function(is_said, arg=f"{faulty} {said}")


@pytest.mark.campaign
def test_python_starts_from_its_memory_as_it_would_without(pages, pyodide_folder, served, new_page, tmp_path):
    """Both give the same answers to right code and to code that does nothing; what a check does not need comes when it is imported."""
    write_files(tmp_path, {**module.runtime_files(pyodide_folder), **page_files(pages)})
    put_memory(tmp_path)
    table = tmp_path / module.BOOK_FOLDER / "packages.json"
    made, answers, loaded = json.loads(table.read_text()), [], []
    unfit = json.loads(table.read_text())
    # A browser with a larger table of functions cannot restore the memory.
    unfit["started"]["extensions"][0]["slot"] = 1
    (later,) = table.parent.glob("later.zip")
    content = later.read_bytes()
    later.unlink()
    with served(tmp_path) as address:
        for one in (made, unfit):
            table.write_text(json.dumps(one))
            page = new_page()
            page.set_default_timeout(120_000)
            page.on("requestfinished", lambda request: loaded.append(request.url.rpartition("/")[2].partition("?")[0]))
            page.goto(f"{address}/index.html")
            page.locator(".jar").click()
            page.wait_for_function("document.querySelector('.state').textContent.includes('ready')")
            (worker,) = page.workers

            def ask(id, texts, worker=worker):
                request = json.dumps({"kind": "check", "exercise": id, "written": {id: texts}, "explained": []})
                return json.loads(worker.evaluate(HANDLED, request))

            if one is made:
                # A reader who goes offline soon after the start has what checks need: median in 1.6, random inputs of 1.7.
                while not {*loaded} >= SOON:
                    page.wait_for_timeout(100)
                for name in SOON:
                    table.with_name(name).unlink()
                assert worker.evaluate(RUN, REHEARSED)
            answers.append({id: [ask(id, texts) for texts in answers_to(id)] for id in CODED})
            if one is made:
                assert {name for name in loaded if name.endswith((".zip", ".whl"))} == SOON
                said = [worker.evaluate(RUN, IMPORTED)]
                later.write_bytes(content)
                said.append(worker.evaluate(RUN, IMPORTED))
                assert "later.zip" in said[0] and "(404)" in said[0] and said[1] == "statistics"
                names = [name for entry in made["started"]["later"] for name in entry["names"]]
                assert worker.evaluate(RUN, NOT_FOUND.format(names)) == "[]"
                assert worker.evaluate(RUN, "'é'.encode('cp1252').hex()") == "e9"
    assert "python_stdlib.zip" in loaded
    assert answers[0] == answers[1]
    assert all(right["passed"] and not other["passed"] for right, other in answers[0].values())


def test_an_answer_to_an_experiment_is_kept_and_compared(pages, served, new_page, tmp_path):
    shown = "".join(re.findall(r"```{raw} html\n(.*?)\n```", pages["1.8.md"], re.DOTALL))
    write_files(tmp_path, page_files({"1.4.html": shown}))
    page = new_page()
    with served(tmp_path) as address:
        page.goto(f"{address}/index.html")
        areas = page.get_by_label("Your answer to question")
        check = page.get_by_role("button", name="Check", exact=True)
        state, answers = page.locator(".state"), page.locator(".solutions:not([hidden])")
        for area, text in zip(areas.all(), ("small weights", "its cap", " "), strict=True):
            area.fill(text)
        check.click()
        assert "to every question" in state.inner_text() and not answers.count()
        areas.last.fill("a cost matrix")
        check.click()
        assert "compare yours" in state.inner_text() and answers.count() == 3
        assert page.get_by_role("link", name="Next exercise: 1.1").is_visible()
        assert page.locator(".about.solved").count()
        assert page.get_by_role("button", name="Take it with you").is_visible()
        page.reload()
        assert areas.first.input_value() == "small weights"


@pytest.mark.slow
def test_on_a_phone_a_frame_is_as_high_as_its_demonstration(served, new_page, tmp_path):
    export(Lab(ROOT), tmp_path, ["mira_step"])
    (tmp_path / "book.js").write_bytes((ROOT / "docs/site_files/book.js").read_bytes())
    style = "box-sizing: border-box; width: 350px"
    frame = f'<iframe class="demonstration" style="{style}" src="mira_step.html">'
    (tmp_path / "page.html").write_text(f'<script src="book.js"></script>{frame}')
    page = new_page(viewport={"width": 390, "height": 844})
    with served(tmp_path) as address:
        page.goto(f"{address}/page.html")
        tries, inside = page.frame_locator("iframe").locator("summary"), page.frames[1]
        heights = []
        for _ in range(3):
            inside.wait_for_function("document.querySelector('.demo-page').offsetHeight === innerHeight")
            assert inside.evaluate("document.documentElement.scrollHeight <= innerHeight")
            heights.append(inside.evaluate("innerHeight"))
            tries.click()
    assert heights[1] < heights[0] == heights[2]  # The things to try are open at first.


@pytest.mark.slow
def test_a_demonstration_starts_python_again_after_it_failed(served, new_page, tmp_path):
    export(Lab(ROOT), tmp_path, ["mira_step"], python="./")
    page = new_page()
    said = "said => document.querySelector('.demo-alert').textContent.includes(said)"
    failing = "self.postMessage({ kind: 'failed', text: 'out of memory' })"
    running = "self.onmessage = () => self.postMessage({ kind: 'demo', answer: { error: 'It runs.' } })"
    workers = iter([{"status": 404}, {"body": failing}, {"body": running}])
    page.route("**/exercise_worker.js", lambda route: route.fulfill(content_type="text/javascript", **next(workers)))
    with served(tmp_path) as address:
        page.goto(f"{address}/mira_step.html")
        page.get_by_role("button", name="Start Python").click()
        for text in ("lacks a file", "out of memory", "It runs."):
            page.wait_for_function(said, arg=text)
            page.keyboard.press("n")


@pytest.mark.campaign
@pytest.mark.parametrize("comes_in_memory", [False, True])
def test_python_starts_in_a_page_for_every_setting_of_a_demonstration(
    comes_in_memory, pyodide_folder, served, new_page, tmp_path
):
    write_files(tmp_path, module.runtime_files(pyodide_folder))
    if comes_in_memory:
        put_memory(tmp_path)
    folder = tmp_path / "demonstrations"
    export(Lab(ROOT), folder, ["review_explorer", "optimisation"], python=f"../{module.BOOK_FOLDER}/")
    page, errors = new_page(), []
    page.set_default_timeout(120_000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    start = page.get_by_role("button", name="Start Python")
    with served(tmp_path) as address:
        page.goto(f"{address}/demonstrations/review_explorer.html")
        assert page.locator("textarea").count() == 0  # no page without Python could answer to it
        start.click()
        page.locator("textarea").fill("boring boring boring")
        page.wait_for_function("document.querySelector('.demo-word-against')?.textContent === 'boring'")
        assert page.locator(".demo-alert:visible").count() == 0
        page.goto(f"{address}/demonstrations/optimisation.html")  # It needs more of SciPy.
        start.click()
        page.wait_for_selector("progress", state="visible")
        page.wait_for_function(
            "document.querySelector('progress').hidden || document.querySelector('.demo-alert:not([hidden])')"
        )
        assert page.locator(".demo-alert:visible").all_inner_texts() == [] == errors


def put_memory(site):
    """Write the memory of Python that pages restore, as ``make docs`` does."""
    if not (node := shutil.which("node")):
        pytest.skip("Node.js, which runs the runtime at the build, is not installed")
    subprocess.run([node, ROOT / "docs/write_python_memory.js", site / module.BOOK_FOLDER], check=True)


def answers_to(id):
    """The reference's lines in each gap of an exercise, and lines that do nothing."""
    name, source = starter_source(id)
    right = []
    for function in functions_with_exercise(source, id, name):
        text = textwrap.dedent(function_text(remove_markers(reference_text(name), name), function))
        (tree,) = ast.parse(text).body
        first = tree.body[ast.get_docstring(tree) is not None]
        right.append(textwrap.dedent("\n".join(text.splitlines()[first.lineno - 1 :])))
    return right, ["pass"] * len(right)


def page_files(pages):
    """A page with one exercise."""
    files = tree(ROOT / "docs/site_files").items()
    beside = {f"_static/{name}": content for name, content in files if name.endswith((".js", ".css"))}
    return {"index.html": PAGE.format(cell=pages["1.4.html"]).encode(), **beside}
