"""Exercises in the pages of the book: each core exercise has a page with its idea, a gap for code, and the button Check.

The page of an experiment has no gap, but a demonstration, questions, and the answers of the notebook for comparison. ``make docs`` calls
`exercise_pages` for the text of the pages, which comes from the notebooks, and `runtime_files` for the files that run in them. Nothing
is loaded before a reader uses a gap. Then Python starts in a worker (``exercise_worker.js``), which asks `page_checks`.
"""

import ast
import io
import json
import re
import textwrap
import tomllib
import zipfile
from collections.abc import Iterator
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.browser import runtime
from lxmls_day1.browser.packages import Wheel, installed_wheel
from lxmls_day1.course.markers import functions_with_exercise, remove_markers
from lxmls_day1.course.registry import Exercise, Registry
from lxmls_day1.course.source_functions import function_text
from lxmls_day1.course.workspaces.archives import zipped
from lxmls_day1.course.workspaces.generation import Files, answers_in_notebooks, reference_text
from lxmls_day1.course.workspaces.lab_parts import core_exercises, files_for_exercises
from lxmls_day1.course.workspaces.student_bundle import student_lab
from lxmls_day1.course.workspaces.workspace import with_workspace_files
from lxmls_day1.demos.demonstration import demonstration_class
from lxmls_day1.lab import reference_folder
from tools import page_checks
from tools.page_checks import ANSWER_LABEL, drawn, find_gaps, starter_source

#: Packages that a check imports and Pyodide lacks; their wheels are made from the installed packages.
WHEELS = ("iniconfig", "pluggy", "pytest")
PYODIDE_PACKAGES = ("numpy", "packaging")
#: Parts of the package that no check of the core imports.
UNUSED_FILES = re.compile(
    r"lxmls_day1/(classifiers|readers|demos|grading|commands|browser|box|sklearn|engine/cluster|reference_lab/notebooks)/|.*\.dist-info/RECORD$"
    r"|lxmls_day1/reference_lab/tests/(?!exercises/exercises\.toml)"
)
#: Parts of a notebook's text: comments, and the head of the function, which the gap shows.
HIDDEN_TEXT = re.compile(r"<!--.*?-->\n?|^```.*?^```\n+", re.DOTALL | re.MULTILINE)
#: What demonstrations import besides: of Pyodide, and of what is installed here. ``exercise_worker.js`` loads these.
DEMO_PACKAGES, DEMO_WHEELS = ("matplotlib", "scipy", "threadpoolctl"), ("platformdirs", "tqdm")
#: What the pages say otherwise than the notebooks: how one does the experiments, and sentences about what stands elsewhere.
TEXTS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
TAKE_BUTTON = '<button type="button" class="take" hidden>Take it with you</button>'
BOOK_FOLDER = PurePosixPath("_static/exercises")  # in the book
LAB_FOLDER = "/lab"  # where a page has the lab


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
        about = about_line(exercise, core)
        notebook = exercise.notebook.removesuffix(".ipynb")
        script = (root / f"{notebook}.py").read_text(encoding="utf-8")
        if exercise.files:
            text = f"{page_text(script, exercise)}\n\n```{{raw}} html\n:file: {exercise.id}.html\n```"
            pages[f"{exercise.id}.html"] = exercise_html(exercise, about)
        else:
            text = experiment_markdown(exercise, script, about)
        onward = [f"[Exercise {after.id}: {after.title}]({after.id}.md)"] if after else []
        onward.append(f"[all of this lesson](../../{exercise.notebook})")
        onward.append("[the lab on your own machine](../start/student.md)")
        pages[f"{exercise.id}.md"] = (
            f"# Exercise {exercise.id}: {exercise.title}\n\n{text}\n\nGo on: {' · '.join(onward)}.\n"
        )
    listed = "\n".join(f"- [{one.id} {one.title}]({one.id}.md), {effort(one)}" for one in core)
    pages["index.md"] = INDEX.format(listed=listed, pages="\n".join(exercise.id for exercise in core))
    return pages


def effort(exercise: Exercise) -> str:
    """Return how long an exercise takes and what it counts: ``about 40 minutes, 10 points``."""
    return f"about {exercise.minutes} minutes, {exercise.points:g} points"


def about_line(exercise: Exercise, core: list[Exercise]) -> str:
    """Return the first line of an exercise, which also tells the page's script the exercises of the day in their order."""
    day = escape(json.dumps([[one.id, one.title, one.minutes] for one in core], ensure_ascii=False))
    return f'<p class="about" data-day="{day}">{effort(exercise).capitalize()}</p>'


INDEX = """# Exercises

The core of the day as pages: read the idea, fill in the gap, and check it here. Python runs in this browser; nothing is installed, and what
you write stays on this machine. The first and the last are experiments, which you do with a demonstration.

By keyboard alone: the first Tab and Enter lead to the gap, Ctrl+Enter checks what stands there, and Tab leaves it.

{listed}

```{{toctree}}
:maxdepth: 1
:hidden:

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


def page_text(script: str, exercise: Exercise) -> str:
    """Return the text of a notebook before an exercise, with links to the notebook for everything that only the notebook shows.

    Raises
    ------
    ValueError
        If the notebook no longer has a sentence that the page replaces.
    """
    text = notebook_text(script, exercise.id, has_code=bool(exercise.files))
    lesson = f"[the lesson](../../{exercise.notebook})"
    for before, after in TEXTS["elsewhere"].get(exercise.id, ()):
        if before not in text:
            raise ValueError(
                f"exercise {exercise.id}: the notebook does not say {before!r}; correct `exercise_pages.toml`"
            )
        after = after.format(lesson=lesson, Lesson=lesson.replace("the", "The", 1)) if after else ""
        text = text.replace(before, after)
    idea, _, tasks = text.partition("\n1. ")
    first, *others = re.split(r"^\d\. ", tasks, flags=re.MULTILINE)
    if others:  # The first task is the code; the others need the notebook's data and pictures.
        first = textwrap.dedent(f"   {first}").strip()
        listed = "".join(f"- {task.replace(chr(10) + '   ', chr(10) + '  ').strip()}\n" for task in others)
        text = f"{idea}\n{first}\n\nAfterwards, in {lesson}:\n\n{listed}"
    return text.strip()


def _linked(text: str) -> str:
    """Return a text of a notebook with links adapted to the page."""
    return re.sub(r"\]\((?=[\w.]+(?:\)|#|/))", "](../../notebooks/", text)


def experiment_markdown(exercise: Exercise, script: str, about: str) -> str:
    """Return an experiment in Markdown: the text from the notebook ``script``, a demonstration, and a text area below each question."""
    experiment = TEXTS["experiments"][exercise.id]
    demonstration, questions = experiment["demonstration"], experiment["questions"]
    title = escape(f"Demonstration: {demonstration_class(demonstration).title}")
    address = f"../../demonstrations/{demonstration}.html"
    parts = [
        page_text(script, exercise),
        _raw(f"{_section(exercise, ' experiment')}\n{about}\n{_task(exercise.task)}"),
        experiment["how"],
        _raw(f'<iframe class="demonstration" src="{address}" title="{title}" loading="lazy"></iframe>'),
    ]
    known = list(answers_in_notebooks(reference_folder(), exercise.notebook))
    for number, beginning in enumerate(questions, 1):
        (one,) = (answer for answer in known if beginning in answer.question)
        label = f"Your answer to question {number}" if len(questions) > 1 else "Your answer"
        area = f'<textarea aria-label="{label}" data-cell="{one.cell}" rows="5"></textarea>'
        parts.append(_linked(one.question.partition(ANSWER_LABEL)[0].strip()))
        parts += [_raw(f'{area}\n<div class="solutions" hidden>'), _linked(one.text), _raw("</div>")]
    names = ("Check", "Hint", "Reset")
    buttons = " ".join(f'<button type="button" class="{name.lower()}">{name}</button>' for name in names)
    below = f'{_hints(exercise)}\n<p class="state" role="status"></p>\n<div class="report"></div>\n</section>'
    parts.append(_raw(f'<p class="buttons">{buttons} {TAKE_BUTTON}</p>\n{below}'))
    return "\n\n".join(parts)


def _section(exercise: Exercise, more: str = "") -> str:
    return f'<section class="exercise{more}" data-exercise="{exercise.id}" aria-label="Exercise {exercise.id}">'


def _raw(text: str) -> str:
    return f"```{{raw}} html\n{text}\n```"


def _hints(exercise: Exercise) -> str:
    return f'<ol class="hints">{"".join(f"<li hidden>{_prose(hint)}</li>" for hint in exercise.hints)}</ol>'


def _prose(text: str) -> str:
    """Return a hint as paragraphs. Formulae, which are indented, and sketches of code keep their lines.

    Examples
    --------
    >>> _prose("Add `b`\\nto it:\\n\\n    a + b")
    '<p>Add <code>b</code> to it:</p><pre>a + b</pre>'
    """
    blocks = re.split(r"\n[ ]*\n", text.strip("\n"))
    return "".join(
        f"<pre>{escape(textwrap.dedent(block))}</pre>" if re.search(r"^ |←|<-", block, re.MULTILINE) else _task(block)
        for block in blocks
    )


def exercise_html(exercise: Exercise, about: str) -> str:
    """Return an exercise as HTML: its functions with a text area in each gap, buttons, hints, and an element for the verdict."""
    name, source = starter_source(exercise.id)
    rows = []
    for function in functions_with_exercise(source, exercise.id, name):
        text = textwrap.dedent(function_text(source, function)) + "\n"
        row, end = _head(text)
        for gap in find_gaps(text, exercise.id):
            label = escape(f"Your lines of {function}")
            row += _given(text[end : gap.start()])
            row += (
                f'<div class="editor" style="--indent: {len(gap["indent"])}ch"><div class="numbers" aria-hidden="true"></div>'
                f'<textarea aria-label="{label}" rows="6" wrap="off" spellcheck="false" autocapitalize="off" autocomplete="off">'
                "</textarea></div>"
            )
            end = gap.end()
        rows.append(row + _given(text[end:]))
    solution = escape("\n\n".join(_solutions(exercise)))
    return f"""{_section(exercise)}
{about}
{_task(exercise.task)}
<div class="code" title="{escape(name)}">{"".join(rows)}</div>
<p class="buttons"><button type="button" class="check">Check</button> <button type="button" class="stop" hidden>Stop</button>
<button type="button" class="hint">Hint</button>
<button type="button" class="solution" disabled title="After your first attempt">Solution</button>
<button type="button" class="reset">Reset</button> {TAKE_BUTTON}</p>
{_hints(exercise)}
<div class="solutions" hidden><p>One solution:</p><pre class="python">{solution}</pre></div>
<p class="state" role="status"></p>
<div class="report" aria-live="polite"></div>
{_canvas(exercise, source)}
</section>"""


def _given(text: str) -> str:
    """Return given lines of code as HTML; empty if there are none."""
    return f'<pre class="python">{escape(text.rstrip())}</pre>' if text.strip() else ""


def _head(text: str) -> tuple[str, int]:
    """Return the head of a function in one line, which opens to its types and its docstring, and where these end in its text."""
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    first = function.body[0]
    lines = text.splitlines(keepends=True)
    end = len("".join(lines[: first.end_lineno if ast.get_docstring(function) else first.lineno - 1]))
    given = function.args
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        argument.annotation = None
    short = ast.FunctionDef(function.name, given, [ast.Pass()], [], None, lineno=1)
    line = ast.unparse(short).partition("\n")[0]
    return (
        f'<details class="head"><summary><code class="python">{escape(line)}</code> <span>types and description</span></summary>'
        f"{_given(text[:end])}</details>",
        end,
    )


def _canvas(exercise: Exercise, source: str) -> str:
    """Return the figure in which a rule moves boundaries between points; empty if the exercise has no rule."""
    if not any(function.endswith("_rule") for function in functions_with_exercise(source, exercise.id)):
        return ""
    data = escape(json.dumps(drawn(exercise.id), separators=(",", ":")))
    return (
        f'<figure data-drawn="{data}"><canvas width="1120" height="840" role="img" aria-label="Points of three classes, the boundaries '
        'of the right rule between them, and yours"></canvas><figcaption></figcaption></figure>'
    )


def _task(task: str) -> str:
    """Return a task in paragraphs, with the names in it set as code, and text between asterisks emphasised."""
    paragraphs = (escape(" ".join(paragraph.split())) for paragraph in re.split(r"\n\s*\n", task.strip()))
    marked = (re.sub(r"\*(\w[^*]*\w)\*", r"<em>\1</em>", text) for text in paragraphs)
    return "\n".join("<p>" + re.sub(r"`(.+?)`", r"<code>\1</code>", text) + "</p>" for text in marked)


def _solutions(exercise: Exercise) -> Iterator[str]:
    """Yield the functions of the reference that solve an exercise."""
    for name in exercise.files:
        text = reference_text(name)
        for function in functions_with_exercise(text, exercise.id, name):
            yield function_text(remove_markers(text, name), function)


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
    workspace = with_workspace_files(day, Path("lab"), "", editor_files=False)
    package = Wheel("lxmls-day1", lab.wheel_name.split("-")[1], lab.wheel_name, lab.wheel, ("lxmls_day1",), ())
    checks = {PurePosixPath("page_checks.py"): Path(page_checks.__file__).read_bytes()}
    wheels = [_stripped(package, checks), *(_stripped(installed_wheel(name)) for name in (*WHEELS, *DEMO_WHEELS))]
    with_runtime = runtime.runtime_files(pyodide, (*PYODIDE_PACKAGES, *DEMO_PACKAGES)) if pyodide is not None else {}
    own = ("tools/exercise_worker.js", "tools/python_memory.js")
    scripts = (Path(runtime.__file__).parent / "page/start.js", *(Path(__file__).parents[1] / name for name in own))
    files: Files = {PurePosixPath(script.name): script.read_bytes() for script in scripts}
    files |= {PurePosixPath("wheels", wheel.file_name): wheel.content for wheel in wheels}
    files |= {PurePosixPath("pyodide", name): content for name, content in with_runtime.items()}
    files[PurePosixPath("lab.zip")] = zipped(workspace, "")
    load = {*(wheel.name for wheel in wheels), *PYODIDE_PACKAGES} - {*DEMO_WHEELS}
    packages = {wheel.name: wheel.lock_entry("wheels/") for wheel in wheels}
    table = runtime.start_table(packages, load, LAB_FOLDER, "lab.zip", "pyodide/" if with_runtime else None)
    files[PurePosixPath("packages.json")] = json.dumps(table).encode()
    return {BOOK_FOLDER / name: content for name, content in files.items()}


def _stripped(wheel: Wheel, more: Files | None = None) -> Wheel:
    """Return the wheel without the files that no check imports, and with more files."""
    with zipfile.ZipFile(io.BytesIO(wheel.content)) as archive:
        used = [name for name in archive.namelist() if not UNUSED_FILES.match(name)]
        names = [name for name in used if not name.endswith((".png", ".jpg"))]
        content = zipped({**{PurePosixPath(name): archive.read(name) for name in names}, **(more or {})}, "")
    return wheel._replace(content=content)
