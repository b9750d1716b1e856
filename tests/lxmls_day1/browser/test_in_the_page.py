"""The lab in the page, in a real browser: what a student does in it, and what can go wrong.

Every run does one student's path; the rest, which takes a quarter of an hour, is ``make test-browser``.
"""

import base64
import csv
import json
import re
import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import pytest

from lxmls_day1.course.workspaces.packed_work import collect_submission, pack_submission
from lxmls_day1.course.workspaces.workspace import start_workspace
from lxmls_day1.lab import reference_folder
from tests.python_runs import run_python
from tests.tools.test_exercise_pages import FAULTY_FILES
from tests.wording import wording

ELSEWHERE = pytest.mark.skipif(sys.platform == "win32", reason="the browser is looked for elsewhere")
pytestmark = [pytest.mark.slow, ELSEWHERE]
ROOT = reference_folder()
STUB = re.compile(r"    raise NotImplementedError\(\"Exercise 1\.5[^\n]*\n")
WRONG = """\
    predicted = np.argmax(scores)
    if predicted != label:
        loss = scores[predicted] - scores[label] + cost[predicted]
        tau = min(step, loss / sq_norm)
        d[label] = tau
        d[predicted] = -tau
"""
RIGHT = WRONG.replace("loss / sq_norm", "loss / (2 * sq_norm)")
ENDLESS = "    while True:\n        pass\n"
OPEN_LAB = "from lxmls_day1.lab_api import open_lab\nlab = open_lab()\n"
#: The page's limit counts wall-clock time, so a busy machine needs a longer one.
PATIENT = """
from lxmls_day1.course.running.time_limit import TimeLimit
limited = TimeLimit.limit_to
TimeLimit.limit_to = lambda self, seconds: limited(self, 60 * seconds)
"""
NOTEBOOKS = tuple(path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb")))
COMPLETE = """async code => {
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    return (await kernel.requestComplete({ code, cursor_pos: code.length })).content.matches; }"""
PICTURE = "() => [...document.querySelectorAll('.demo-canvas canvas')].map(canvas => canvas.toDataURL()).join()"
#: Things that a browser may refuse: a script -> the line of the page that reports it, and its text.
REFUSED = {
    "indexedDB.open = () => { throw new DOMException('no', 'SecurityError'); };": ("storage", "keeps no files"),
    "Object.defineProperty(navigator, 'serviceWorker', { get: () => undefined });": ("files", "access to your files"),
    "ServiceWorkerContainer.prototype.register = async () => { throw Error('refused'); };": ("files", "(refused)"),
}
READ_OVER_AND_OVER = """
import os
os.makedirs("/drive/notebooks/{name}", exist_ok=True)
path = "/drive/notebooks/{name}/own.txt"
with open(path, "w") as file:
    file.write("{name}" * 10)
wrong = 0
for _ in range(100):
    with open(path) as file:
        wrong += file.read() != "{name}" * 10
"""


def with_solution(source: str, solution: str) -> str:
    """A file of a student in which exercise 1.5 is written so."""
    changed, n_places = STUB.subn(lambda _: solution, source)
    assert n_places == 1
    return changed


def report(said: str) -> str:
    """Return what a check prints, without a first line that names the folder of the lab."""
    place, _, text = said.partition("\n")
    return text if place.startswith("Lab: ") else said


@pytest.fixture
def window(open_lab_page):
    """Return a window with the lab, in which the first notebook is open."""
    window = open_lab_page()
    window.start()
    return window


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    """A function: what `lxmls-day1 check 1.5` says of a solution outside of a browser."""
    workspace = start_workspace(tmp_path_factory.mktemp("native") / "my-lab")
    file = workspace / "classifiers/mira.py"
    given = file.read_text()

    def checked(solution: str) -> str:
        file.write_text(with_solution(given, solution))
        code = OPEN_LAB + 'print(lab.check("1.5"))'
        return report(run_python("-P", "-c", code, cwd=workspace / "notebooks").stdout)

    return checked


@pytest.mark.campaign  # continuous integration runs it
def test_a_student_opens_the_lab_goes_wrong_is_told_so_solves_it_comes_back_and_hands_it_in(window, native, tmp_path):
    (first,) = window.run_cells(1)
    assert not [output for output in first["outputs"] if output["output_type"] == "error"]
    window.screenshot("first_cell")

    given = window.read("classifiers/mira.py")
    window.write("classifiers/mira.py", with_solution(given, WRONG))
    window.screenshot("editor")
    window.open("notebooks/1_generative.ipynb")
    window.run(PATIENT)
    said = report(window.run('print(lab.check("1.5"))'))
    assert said == native(WRONG) and "twice as long" in said
    window.run('display(lab.check("1.5"))')
    window.write("classifiers/mira.py", with_solution(given, RIGHT))
    window.open("notebooks/1_generative.ipynb")
    assert report(window.run('print(lab.check("1.5"))')) == native(RIGHT)
    trained = window.run("from classifiers.mira import Mira\nprint(Mira().train([[2.0], [-1.0]], [0, 1]).shape)")
    assert trained == "(2, 2)\n"

    window.page.reload()
    window.wait_for_lab()
    window.open("notebooks/1_generative.ipynb")
    window.run("import numpy as np")
    (worker,) = window.page.workers  # that Python which was started while JupyterLab was loading
    assert worker.url == f"{window.address}/static/lxmls-day1/start.js"
    assert window.run("import fontTools.ttLib, scipy.stats\nprint(scipy.stats.norm.cdf(0))") == "0.5\n"  # unpacked now
    assert "linspace" in window.page.evaluate(COMPLETE, "np.linsp") and not window.errors
    assert wording("browser.loss_sq_norm") in window.read("classifiers/mira.py")
    window.run(OPEN_LAB)
    assert re.search(r"1\.5 .*", window.run("print(lab.status())"))

    with window.page.expect_download() as download:
        window.run('lab.submit("Ada Lovelace")')
    packed = tmp_path / download.value.suggested_filename
    download.value.save_as(packed)
    assert packed.suffix == ".zip"
    run_python("-P", "-m", "lxmls_day1", "grade", packed, "--exercises", "1.5", "--out", "marks", cwd=tmp_path)
    assert marks(tmp_path / "marks") == [100.0]
    assert not window.errors


def marks(folder: Path) -> list[float]:
    """The percentages of a run of grading."""
    with (folder / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    return [100 * float(row["points"]) / float(row["out of"]) for row in rows]


@pytest.mark.campaign
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_from_top_to_bottom_as_it_is_handed_out(window, name):
    run_notebook(window, name)


@pytest.mark.campaign
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_from_top_to_bottom_when_all_is_solved(window, name):
    solve_all(window)
    assert "Still to be done" not in run_notebook(window, name)


def solve_all(window) -> None:
    """Write the solutions into the files of the page."""
    for path in sorted((ROOT / "classifiers").rglob("*.py")):
        window.put(path.relative_to(ROOT).as_posix(), path.read_text())


def run_notebook(window, name: str) -> str:
    """Run a notebook; all that it prints."""
    window.open(f"notebooks/{name}.ipynb")
    outputs = [output for cell in window.run_cells() for output in cell["outputs"]]
    assert [output for output in outputs if "image/png" in output.get("data", {})], f"{name} shows no picture"
    window.screenshot(f"notebook_{name}")
    return "".join("".join(output.get("text", "")) for output in outputs)


@pytest.mark.campaign
def test_a_demonstration_in_a_notebook_answers_to_its_controls(window):
    solve_all(window)
    code = OPEN_LAB + 'lab.demo("mira_step")'
    notebook = json.loads(window.read("notebooks/2_online.ipynb"))
    cell = {"cell_type": "code", "execution_count": None, "id": "demo", "metadata": {}, "outputs": [], "source": code}
    notebook["cells"] = [cell]
    window.put("notebooks/demo.ipynb", json.dumps(notebook))
    window.open("notebooks/demo.ipynb")
    window.run_cells()
    window.page.wait_for_selector(".demo-legend li")
    picture = window.page.evaluate(PICTURE)
    window.page.get_by_role("slider", name="λ").press("ArrowRight")  # a frame, which needs no Python
    window.wait(f"before => ({PICTURE})() !== before", picture)
    window.page.get_by_role("slider", name="classes K").press("ArrowRight")
    three = "document.querySelectorAll('.demo-panel').length === 3"
    window.wait(f"() => {three} && !document.querySelector('.demo-alert:not([hidden])')")
    window.wait(f"before => ({PICTURE})() !== before", window.page.evaluate(PICTURE))
    window.screenshot("demo")


#: The lab as if an older site had given out exercise 1.5 with another first line.
OLDER = """
from lxmls_day1.course.workspaces.workspace import record_origin
from lxmls_day1.course.workspace_state import WorkspaceState
from pathlib import PurePosixPath
state = WorkspaceState.from_folder(lab.folder)
given = GIVEN.replace('MIRA, the margin', 'MIRA, the old margin')
state.origin.files.update(record_origin({PurePosixPath('classifiers/mira.py'): given.encode()}).files)
state.save()
"""


@pytest.mark.campaign
def test_the_lab_is_renewed_and_an_exercise_emptied_and_both_are_taken_back(window):
    given = window.read("classifiers/mira.py")
    own = with_solution(given, RIGHT).replace("MIRA, the margin", "MIRA, the old margin")
    window.write("classifiers/mira.py", own)
    window.open("notebooks/1_generative.ipynb")
    window.run(OPEN_LAB + f"GIVEN = {given!r}\n" + OLDER)
    assert "Renewed: classifiers/mira.py" in window.run("print(lab.update())")
    window.open("classifiers/mira.py")  # as text
    assert window.read("classifiers/mira.py") == with_solution(given, RIGHT)
    window.open("notebooks/1_generative.ipynb")
    assert "`update` is undone" in window.run("print(lab.undo())") and window.read("classifiers/mira.py") == own
    window.run('lab.reset("1.5")')
    assert "raise NotImplementedError" in window.read("classifiers/mira.py")
    assert "`reset 1.5` is undone" in window.run("print(lab.undo())") and window.read("classifiers/mira.py") == own


@pytest.mark.campaign
def test_two_notebooks_that_ask_for_files_at_once_each_get_their_own(window):
    window.run("1")
    first = window.page.evaluate_handle("() => jupyterapp.shell.currentWidget.sessionContext.session.kernel")
    window.open("notebooks/2_online.ipynb")
    window.run("1")
    begin = "([kernel, code]) => ({ future: kernel.requestExecute({ code }) })"
    begun = window.page.evaluate_handle(begin, [first, READ_OVER_AND_OVER.format(name="ada")])
    assert window.run(READ_OVER_AND_OVER.format(name="bob") + "print(wrong)") == "0\n"
    status = window.page.evaluate("async ({ future }) => (await future.done).content.status", begun)
    assert status == "ok"
    window.open("notebooks/1_generative.ipynb")
    assert window.run("print(wrong)") == "0\n"


@pytest.mark.campaign
@pytest.mark.parametrize(("size", "colours"), [((1280, 900), "dark"), ((1024, 768), "light")])
def test_it_can_be_read_on_other_screens(open_lab_page, size, colours):
    window = open_lab_page(size, color_scheme=colours)
    window.start()
    window.run_cells(4)
    window.screenshot(f"screen_{size[0]}_{colours}")
    widths = "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    assert window.page.evaluate(widths) <= list(size)
    is_dark = "() => document.body.className.includes('jp-mod-dark') || document.body.dataset.jpThemeLight === 'false'"
    assert colours == "light" or window.page.evaluate(is_dark)


@pytest.mark.campaign
class TestFaults:
    def test_two_tabs_are_told_of_each_other_and_the_second_one_is_free_when_the_first_is_closed(self, window):
        first = window.page
        assert "another tab" not in window.line()
        window.new_window()
        window.visit()
        window.wait_for_lab()
        window.wait("() => document.querySelector('#lxmls-day1-tabs')?.textContent.includes('open in another tab')")
        window.screenshot("two_tabs")
        first.close()
        window.wait("() => !document.querySelector('#lxmls-day1-tabs')")

    def test_an_endless_loop_is_stopped_from_the_page_and_the_work_is_there(self, window):
        window.run("print(1)")
        window.put("classifiers/notes.py", "x = 1\n")
        window.begin("while True:\n    pass")
        window.write("classifiers/notes.py", "x = 2\n")  # the page is alive
        window.open("notebooks/1_generative.ipynb")
        window.wait("() => document.querySelector('#lxmls-day1-long button')")
        window.screenshot("endless_loop")
        window.page.click("#lxmls-day1-long button")
        window.wait("() => !document.querySelector('#lxmls-day1-long')")
        code = "import sys\nsys.path.insert(0, '/drive')\nimport classifiers.notes as n\nprint(n.x)"
        assert window.run(code) == "2\n"

    def test_an_endless_loop_in_a_rule_is_ended_by_the_check_and_python_goes_on(self, window):
        window.run("kept = 3")
        window.write("classifiers/mira.py", with_solution(window.read("classifiers/mira.py"), ENDLESS))
        window.open("notebooks/1_generative.ipynb")
        assert "did not end within" in window.run(OPEN_LAB + 'print(lab.check("1.5"))')
        assert window.run("print(kept)") == "3\n"
        assert ENDLESS in window.read("classifiers/mira.py")

    @pytest.mark.parametrize("refused", REFUSED)
    def test_what_the_browser_refuses_is_said_before_work_is_lost(self, open_lab_page, refused):
        window = open_lab_page()
        window.page.add_init_script(refused)
        window.visit()
        line, said = REFUSED[refused]
        window.wait(f"() => document.querySelector('#lxmls-day1-{line}')?.textContent.includes({said!r})")

    def test_it_is_said_where_work_is_kept_until_one_has_understood(self, open_lab_page):
        window = open_lab_page()  # Playwright's contexts are private windows
        window.start()
        window.wait("() => document.querySelector('#lxmls-day1-storage')?.textContent.includes('private window')")
        window.screenshot("private_window")
        lab, lines = (f"document.querySelector('#{id}').getBoundingClientRect()" for id in ("main", "lxmls-day1-lines"))
        window.wait(f"() => {lab}.bottom <= {lines}.top + 1")  # It covers nothing.
        window.page.click("#lxmls-day1-storage button")
        window.page.reload()
        window.wait_for_lab()
        window.page.wait_for_timeout(2000)
        assert "private window" not in window.line()

    @pytest.mark.parametrize(("found", "said"), FAULTY_FILES)
    def test_a_wheel_missing_from_the_site_or_changed_is_named(self, open_lab_page, site, request, found, said):
        """And it stays said: Python does not start without it."""
        (wheel,) = (site.folder / "static/wheels").glob("lxmls_day1-*.whl")
        content = wheel.read_bytes()
        request.addfinalizer(lambda: wheel.write_bytes(content))
        if found is None:
            wheel.unlink()
        else:
            wheel.write_bytes(found)
        window = open_lab_page()
        window.visit()
        window.wait_for_lab()
        window.wait("said => document.body.innerText.includes(said)", f"{wheel.name} {said}")
        window.page.wait_for_timeout(3000)
        assert said in window.line()
        window.screenshot("missing_wheel")

    def test_too_little_memory_is_said(self, open_lab_page, site, request):
        start = site.folder / "static/lxmls-day1/start.js"
        content = start.read_text()
        request.addfinalizer(lambda: start.write_text(content))
        throws = "constructor() { throw new RangeError('could not allocate memory'); }"
        start.write_text(f"WebAssembly.Memory = class {{ {throws} }};\n{content}")
        window = open_lab_page()
        window.visit()
        window.wait_for_lab()
        window.wait("() => document.body.innerText.includes('too little memory')")
        window.page.wait_for_timeout(5000)
        assert "too little memory" in window.line()  # still, although files have arrived since

    def test_a_corpus_of_ones_own_is_uploaded_read_and_a_wrong_encoding_is_told(self, window, tmp_path):
        rows = "".join(f"{label},{word} film\n" for label, word in [("good", "schön"), ("bad", "öde")] * 20)
        for name, encoding in (("mine.csv", "utf-8"), ("latin.csv", "latin-1")):
            (tmp_path / name).write_text("label,text\n" + rows, encoding=encoding)
            window.upload(tmp_path / name)
        read = "from readers.text_reader import TextCorpus\n"
        window.run(OPEN_LAB)
        assert window.run(read + "print(TextCorpus('/drive/notebooks/mine.csv').train_X.shape[0] > 10)") == "True\n"
        # JupyterLite keeps texts in UTF-8, with U+FFFD for what it cannot decode.
        said = window.run(
            read
            + "import warnings\nwith warnings.catch_warnings(record=True) as caught:\n    warnings.simplefilter('always')\n"
            + "    TextCorpus('/drive/notebooks/latin.csv')\nprint(*[warning.message for warning in caught])"
        )
        assert wording("browser.line_got_u_fffd") in said and wording("browser.save_original_utf") in said

    def test_a_progress_bar_needs_no_thread_and_warns_of_none(self, window):
        window.run(OPEN_LAB)
        train = "PassiveAggressive(nr_rounds=2, progress=True).train([[2.0], [-1.0]], [0, 1])"
        code = f"import warnings\nfrom classifiers.passive_aggressive import PassiveAggressive\nwith warnings.catch_warnings(record=True) as caught:\n    {train}\n"
        assert window.run(code + wording("browser.print_str_warning_message")).endswith("[]\n")

    def test_an_upload_of_50_megabytes_arrives_or_is_refused_in_a_sentence(self, window, tmp_path):
        (tmp_path / "large.txt").write_text("good film\n" * 5_000_000)
        window.upload(tmp_path / "large.txt")
        assert window.run("import os\nprint(os.path.getsize('/drive/notebooks/large.txt'))") == "50000000\n"
        assert window.run("print(1 + 1)") == "2\n"


@pytest.mark.campaign  # continuous integration runs it
def test_what_was_written_in_the_book_goes_on_in_the_lab_and_the_first_page_has_ticks(open_lab_page, tmp_path):
    lab = start_workspace(tmp_path / "lab", core_only=True)
    mira = lab / "classifiers/mira.py"
    mira.write_text(with_solution(mira.read_text(), RIGHT))
    files = {PurePosixPath("classifiers/mira.py"): mira.read_bytes()}
    _, content = pack_submission(lab, replace(collect_submission(lab), files=files), "book")
    work = quote(base64.b64encode(content).decode(), safe="")
    window = open_lab_page()
    window.page.goto(f"{window.address}/lab/index.html?path=notebooks/2_online.ipynb#work={work}")
    window.wait("() => !!document.querySelector('#lxmls-day1-work button')")
    assert "#" not in window.page.url and "loss / (2 * sq_norm)" not in window.read("classifiers/mira.py")
    shown = "() => [...document.querySelectorAll('.lxmls-day1-line')].filter(line => line.offsetHeight).length"
    assert window.page.evaluate(shown) == 1  # the most urgent line only
    window.page.click("text=Put it into my files")
    work = "document.querySelector('#lxmls-day1-work')"
    window.wait(f"() => {work}?.textContent.includes('is now in classifiers/mira.py')")
    window.screenshot("from_the_book")
    assert "loss / (2 * sq_norm)" in window.read("classifiers/mira.py")
    window.run(PATIENT + OPEN_LAB + 'lab.check("1.5")')
    window.wait("() => Object.keys(localStorage).some(key => key.startsWith('lxmls-day1 done'))")
    window.page.goto(window.address)
    assert window.page.locator("li.done").get_attribute("data-exercise") == "1.5"
    assert "1.1 " in window.page.locator("a.begin").inner_text()
    window.screenshot("first_page")
    assert not window.errors
