"""Exercises in the pages of the book: each core exercise has a page with its idea, a gap for code, and the button Check.

The page of an experiment has no gap, but a demonstration, questions, and the answers of the notebook for comparison. ``make docs`` calls
`exercise_pages` for the text of the pages, which comes from the notebooks, and `runtime_files` for the files that run in them. Nothing
is loaded before a reader uses a gap. Then Python starts in a worker (``page/exercise_worker.js``).
"""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from html import escape
from pathlib import Path, PurePosixPath

from lxmls_day1.browser import runtime
from lxmls_day1.browser.packages import Wheel, installed_wheel
from lxmls_day1.course.markers import functions_with_exercise, remove_markers
from lxmls_day1.course.registry import Exercise, Registry
from lxmls_day1.course.reports.page_checks import ANSWER_LABEL, drawn_points, find_gaps, starter_source
from lxmls_day1.course.source_functions import function_lines
from lxmls_day1.course.workspaces.archives import zipped
from lxmls_day1.course.workspaces.generation import Files, answers_in_notebooks
from lxmls_day1.course.workspaces.lab_parts import core_exercises, files_for_exercises
from lxmls_day1.course.workspaces.student_bundle import student_lab
from lxmls_day1.course.workspaces.workspace import with_workspace_files
from lxmls_day1.lab import reference_folder
from lxmls_day1.library_path import find_lab_file

#: Packages that a check imports and Pyodide lacks; their wheels are made from the installed packages.
WHEELS = ("iniconfig", "pluggy", "pytest")
PYODIDE_PACKAGES = ("numpy", "packaging", "pygments")
#: Parts of the package that no check of the core imports.
UNUSED_FILES = re.compile(
    r"lxmls_day1/(classifiers|readers|demos|grading|commands|browser|box|engine/cluster|reference_lab/notebooks)/|.*\.dist-info/RECORD$"
    r"|lxmls_day1/reference_lab/tests/(?!exercises/exercises\.toml)"
)
#: Parts of a notebook's text that are not shown: comments, and the head of the function, which the gap shows.
HIDDEN_TEXT = re.compile(r"<!--.*?-->\n?|^```.*?^```\n+", re.DOTALL | re.MULTILINE)
#: Further packages that demonstrations import: from Pyodide, and from the installed packages. ``exercise_worker.js`` loads them.
DEMO_PACKAGES, DEMO_WHEELS = ("matplotlib", "scipy", "threadpoolctl"), ("platformdirs", "tqdm")
#: The experiments: the instructions for the page, and the beginnings of the notebook's questions that can be answered from the page.
EXPERIMENTS = {
    "1.1": (
        'Do both experiments here, in `lab.demo("gaussian_playground")`. *Start Python for every setting*, below its sliders, '
        "brings those of all means and variances.",
        ("Why does the boundary hardly move",),
    ),
    "1.8": (
        'Do the experiment on points here, in `lab.demo("comparison")`. The one on reviews is in the lesson.',
        ("Naive Bayes has the true model", "Which learners have the largest excess", "How can the perceptron beat"),
    ),
}
TAKE_BUTTON = '<button type="button" class="take" hidden>Take it with you</button>'
BOOK_FOLDER = PurePosixPath("_static/exercises")  # the folder in the book
LAB_FOLDER = "/lab"  # the folder of the lab in a page


def exercise_pages(root: Path) -> dict[str, str]:
    """Return the pages in Markdown, and the exercises in HTML, as a dictionary from file name to text.

    Parameters
    ----------
    root : Path
        A checkout, whose notebooks contain the text.
    """
    registry = Registry.from_folder(reference_folder())
    core = [exercise for exercise in registry if exercise.is_core]
    pages = {}
    for place, exercise in enumerate(core):
        after = core[place + 1] if place + 1 < len(core) else None
        notebook = exercise.notebook.removesuffix(".ipynb")
        script = (root / f"{notebook}.py").read_text(encoding="utf-8")
        if exercise.files:
            text = f"{notebook_text(script, exercise.id)}\n\n```{{raw}} html\n:file: {exercise.id}.html\n```"
            pages[f"{exercise.id}.html"] = exercise_html(exercise)
        else:
            text = experiment_markdown(exercise, script)
        onward = [f"[Exercise {after.id}: {after.title}]({after.id}.md)"] if after else []
        onward += [
            f"[all of this lesson](../../{exercise.notebook})",
            "[the lab on your own machine](../start/student.md)",
        ]
        pages[f"{exercise.id}.md"] = (
            f"# Exercise {exercise.id}: {exercise.title}\n\n{text}\n\nGo on: {' · '.join(onward)}.\n"
        )
    listed = "\n".join(exercise.id for exercise in core)
    pages["index.md"] = INDEX.format(pages=listed)
    return pages


INDEX = """# Exercises

The core of the day as pages: read the idea, fill in the gap, and check it here. Python runs in this browser; nothing is installed, and what
you write stays on this machine. The first and the last are experiments, which you do with a demonstration.

```{{toctree}}
:maxdepth: 1

{pages}
```
"""


def notebook_text(script: str, exercise: str, has_code: bool = True) -> str:
    """Return the text of a notebook before an exercise: the first text of its section, and the exercise's own text.

    Parameters
    ----------
    script : str
        The notebook as a script of cells.
    exercise : str
    has_code : bool
        True for an exercise with code, False for an experiment.

    Examples
    --------
    >>> script = '''# %% [markdown]
    ... # ## B. Doubling
    ... #
    ... # $y = 2x$.
    ... #
    ... # ### By hand
    ... # %% [markdown]
    ... # ## Exercise 1.1: double
    ... #
    ... # Write it.
    ... '''
    >>> print(notebook_text(script, "1.1"))
    $y = 2x$.
    <BLANKLINE>
    Write it.
    """
    cells = re.findall(r"^# %% \[markdown\][^\n]*\n((?:#[^\n]*\n)*)", script, re.MULTILINE)
    blocks: list[str] = []
    for cell_text in cells:
        text = re.sub(r"^# ?", "", cell_text, flags=re.MULTILINE)
        for block in re.split(r"^(?=## )", HIDDEN_TEXT.sub("", text), flags=re.MULTILINE):
            if block.startswith("## "):
                blocks.append(block)
                if block.startswith(f"## Exercise {exercise}:"):
                    # The own text of an experiment is about the cells below it.
                    visible = blocks[-2:] if has_code else blocks[-2:-1]
                    parts = (re.split(r"^### ", part, flags=re.MULTILINE)[0] for part in visible)
                    return _linked("\n\n".join(part.partition("\n")[2].strip() for part in parts))
    raise ValueError(f"the notebook has no heading for exercise {exercise}")


def _linked(text: str) -> str:
    """Return a text of a notebook with links adapted to the page."""
    return re.sub(r"\]\((?=[\w.]+(?:\)|#|/))", "](../../notebooks/", text)


def experiment_markdown(exercise: Exercise, script: str) -> str:
    """Return an experiment in Markdown: the text from the notebook ``script``, a demonstration, and a text area below each question."""
    how, questions = EXPERIMENTS[exercise.id]
    parts = [
        notebook_text(script, exercise.id, has_code=False),
        _raw(f"{_section(exercise, ' experiment')}\n{_task(exercise.task)}"),
        how,
    ]
    known = list(answers_in_notebooks(reference_folder(), exercise.notebook))
    for number, beginning in enumerate(questions, 1):
        (one,) = (answer for answer in known if beginning in answer.question)
        label = f"Your answer to question {number}" if len(questions) > 1 else "Your answer"
        parts += [
            _linked(one.question.partition(ANSWER_LABEL)[0].strip()),
            _raw(
                f'<textarea aria-label="{label}" data-cell="{one.cell}" rows="5"></textarea>\n<div class="solutions" hidden>'
            ),
            _linked(one.text),
            _raw("</div>"),
        ]
    names = ("Check", "Hint", "Reset")
    buttons = " ".join(f'<button type="button" class="{name.lower()}">{name}</button>' for name in names)
    below = f'<p class="state" role="status"></p>\n{_hints(exercise)}\n</section>'
    parts.append(_raw(f'<p class="buttons">{buttons} {TAKE_BUTTON}</p>\n{below}'))
    return "\n\n".join(parts)


def _section(exercise: Exercise, more: str = "") -> str:
    return f'<section class="exercise{more}" data-exercise="{exercise.id}" aria-label="Exercise {exercise.id}">'


def _raw(text: str) -> str:
    return f"```{{raw}} html\n{text}\n```"


def _hints(exercise: Exercise) -> str:
    return f'<ol class="hints">{"".join(f"<li hidden><pre>{escape(hint)}</pre></li>" for hint in exercise.hints)}</ol>'


def exercise_html(exercise: Exercise) -> str:
    """Return an exercise as HTML: its functions with a text area in each gap, buttons, hints, and an element for the verdict."""
    name, source = starter_source(exercise.id)
    lines = source.split("\n")
    rows = []
    for function in functions_with_exercise(source, exercise.id, name):
        place = function_lines(source, function)
        assert place is not None
        text = "\n".join(lines[place]) + "\n"
        end = 0
        for gap in find_gaps(text, exercise.id):
            label = escape(f"Your lines of {function}")
            rows.append(f"<pre>{escape(text[end : gap.start()].rstrip())}</pre>")
            rows.append(
                f'<textarea aria-label="{label}" rows="6" spellcheck="false" autocapitalize="off" autocomplete="off" '
                f'style="--indent: {len(gap["indent"])}ch"></textarea>'
            )
            end = gap.end()
        rows.append(f"<pre>{escape(text[end:].rstrip())}</pre>")
    solution = escape("\n\n".join(_solutions(exercise)))
    return f"""{_section(exercise)}
{_task(exercise.task)}
<div class="code" title="{escape(name)}">{"".join(row for row in rows if row != "<pre></pre>")}</div>
<p class="buttons"><button type="button" class="check">Check</button> <button type="button" class="hint">Hint</button>
<button type="button" class="solution" disabled title="After your first attempt">Solution</button>
<button type="button" class="reset">Reset</button> {TAKE_BUTTON}</p>
<p class="state" role="status"></p>
<div class="report" aria-live="polite"></div>
{_canvas(exercise, source)}
{_hints(exercise)}
<div class="solutions" hidden><p>One solution:</p><pre>{solution}</pre></div>
</section>"""


def _canvas(exercise: Exercise, source: str) -> str:
    """Return the canvas on which a rule moves a boundary between points; empty if the exercise has no rule."""
    if not any(function.endswith("_rule") for function in functions_with_exercise(source, exercise.id)):
        return ""
    points = json.dumps(drawn_points(), separators=(",", ":"))
    return (
        f'<figure data-points="{points}"><canvas width="560" height="420" role="img" aria-label="Points of two classes, and the boundary '
        'between them"></canvas><figcaption>Your rule will move a boundary between these points.</figcaption></figure>'
    )


def _task(task: str) -> str:
    """Return a task in paragraphs, with the names in it set as code."""
    paragraphs = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", task.strip()))
    return "\n".join("<p>" + re.sub(r"`(.+?)`", r"<code>\1</code>", escape(text)) + "</p>" for text in paragraphs)


def _solutions(exercise: Exercise) -> Iterator[str]:
    """Yield the functions of the reference that solve an exercise."""
    reference = reference_folder()
    for name in exercise.files:
        text = (reference / find_lab_file(reference, name)).read_text(encoding="utf-8")
        source = remove_markers(text, name)
        for function in functions_with_exercise(text, exercise.id, name):
            place = function_lines(source, function)
            assert place is not None
            yield "\n".join(source.split("\n")[place])


def runtime_files(pyodide: Path | None = None) -> Files:
    """Return the files that run in the pages: scripts, the lab, wheels, the table of packages, and the runtime if its folder is given.

    Parameters
    ----------
    pyodide : Path, optional
        An unpacked release of Pyodide. Default: pages load it from the address that Pyodide documents.

    Raises
    ------
    InputError
        If a package is not installed, or the folder lacks a file of this version.
    """
    lab, registry = student_lab(), Registry.from_folder(reference_folder())
    day = files_for_exercises(lab.files, core_exercises(registry), registry)
    workspace = with_workspace_files(day, Path("lab"), installation="")
    package = Wheel(
        "lxmls-day1", lab.wheel_name.split("-")[1], lab.wheel_name, _strip_wheel(lab.wheel), ("lxmls_day1",), ()
    )
    wheels = [package, *map(installed_wheel, (*WHEELS, *DEMO_WHEELS))]
    with_runtime = runtime.runtime_files(pyodide, (*PYODIDE_PACKAGES, *DEMO_PACKAGES)) if pyodide is not None else {}
    page = Path(__file__).parent / "page"
    files: Files = {PurePosixPath(name): (page / name).read_bytes() for name in ("start.js", "exercise_worker.js")}
    files |= {PurePosixPath("wheels", wheel.file_name): wheel.content for wheel in wheels}
    files |= {PurePosixPath("pyodide", name): content for name, content in with_runtime.items()}
    files[PurePosixPath("lab.zip")] = zipped(workspace, "")
    load = {*(wheel.name for wheel in wheels), *PYODIDE_PACKAGES} - {*DEMO_WHEELS}
    packages = {wheel.name: wheel.lock_entry("wheels/") for wheel in wheels}
    table = runtime.start_table(packages, load, LAB_FOLDER, "lab.zip", "pyodide/" if with_runtime else None)
    files[PurePosixPath("packages.json")] = json.dumps(table).encode()
    return {BOOK_FOLDER / name: content for name, content in files.items()}


def _strip_wheel(wheel: bytes) -> bytes:
    """Return the wheel without the files that no check imports."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        names = [
            name for name in archive.namelist() if not UNUSED_FILES.match(name) and not name.endswith((".png", ".jpg"))
        ]
        return zipped({PurePosixPath(name): archive.read(name) for name in names}, "")
