"""The Sphinx configuration of the book; `make docs` writes the book to ``out/docs``.

The sources are files with other uses as well: this folder, the notebooks and the changelog. So Sphinx's source folder is the root of the
repository, and the patterns below select the pages. The site loads nothing from other hosts: MathJax is a file in it.
"""

import html
import importlib.metadata
import inspect
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

project = "The day-1 lab"
author = "The day-1 lab developers"
copyright = author
release = version = importlib.metadata.version("lxmls-day1")

extensions = [
    *("myst_nb", "numpydoc", "sphinx_gallery.gen_gallery"),
    *(f"sphinx.ext.{name}" for name in ("autodoc", "autosummary", "mathjax", "viewcode")),
]
root_doc = "docs/index"
include_patterns = ["docs/**", "notebooks/*.ipynb", "notebooks/*.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
exclude_patterns = [".venv", "build", "my-lab", "out"]
exclude_patterns += ["docs/gallery", "docs/gallery_pages/*.ipynb", "docs/site_templates"]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}  # autosummary writes .rst pages.

# Markdown and notebooks. A notebook is shown with its stored outputs, which the tests compare.
nb_execution_mode = "off"
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nb_merge_streams = True
suppress_warnings = ["mystnb.unknown_mime_type"]  # A figure has its data in an additional MIME type, for the tests.

# Mathematics: one file without fonts, so that it works from a local folder in every browser.
MATHJAX = "mathjax/tex-svg.js"
mathjax_path = MATHJAX
mathjax3_config = {"options": {"enableMenu": False}}

# Reference.
# Otherwise links back lead to the importing module, which does not list its imports.
viewcode_follow_imported_members = False
autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True  # Show the name of a constant, not its value.
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Gallery. A script that fails ends the build.
sphinx_gallery_conf = {
    "examples_dirs": "docs/gallery",
    "gallery_dirs": "docs/gallery_pages",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "capture_repr": (),  # The page must not show the value of a script's last line.
    "min_reported_time": 5,
    "write_computation_times": False,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "remove_config_comments": True,
    "reset_modules": ("matplotlib", "seaborn", "gallery_style.set_style"),
}

html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["site_files"]
html_favicon = "site_files/favicon.svg"
html_css_files = ["book.css", "exercise.css"]
#: The address of the browser lab, which `lxmls-day1 browser` writes; an exercise's page then leads there with what was written. A relative
#: address begins in the folder of the site.
LAB_ADDRESS = os.environ.get("BROWSER_LAB", "").rstrip("/") + "/" if os.environ.get("BROWSER_LAB") else ""
html_js_files = [
    (None, {"body": f"document.documentElement.dataset.lab = {json.dumps(LAB_ADDRESS)};"}),
    "book.js",
    "exercise.js",
]
#: The address of the site; only with it can other sites show a link's picture, and search engines find all pages.
html_baseurl = os.environ.get("BASE_URL", "").rstrip("/") + "/" if os.environ.get("BASE_URL") else ""
html_copy_source = False
html_search_scorer = str(ROOT / "docs/search_scorer.js")
html_show_search_summary = False  # Excerpts are read from the other pages, which a browser cannot do in a local folder.
html_show_sourcelink = False
#: The front page does without the theme, which is half a megabyte.
html_additional_pages = {"index": "front.html", "404": "not_found.html"}
templates_path = [str(ROOT / "docs" / "site_templates")]
# It has no other pages to list, and its demonstrations need the width.
html_sidebars: dict[str, list[str]] = {"docs/demonstrations": []}
html_theme_options = {
    "logo": {"text": project},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["links.html"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
#: What a link to any page shows in a chat.
SUMMARY = (
    "Write naive Bayes, the perceptron, MIRA, maximum entropy and the SVM yourself. The check shows the smallest input for which "
    "your lines are wrong, and names the mistake."
)
html_context = {
    "default_mode": "auto",
    "repository": os.environ.get("REPOSITORY", ""),
    "lab": LAB_ADDRESS,
    "summary": SUMMARY,
    "base": html_baseurl,
}


def write_commands(app: Any) -> None:
    """Write the page of the command line: each command with its help text."""
    import click

    from lxmls_day1.commands.command_line import COMMANDS, command_group

    parts = [
        "# Commands",
        "`lxmls-day1 --help` lists them; each explains itself with `--help`, which is what stands here.",
    ]
    with click.Context(command_group, info_name="lxmls-day1", max_content_width=100) as context:
        for name in COMMANDS:
            command = command_group.get_command(context, name)
            assert command is not None
            with click.Context(command, info_name=name, parent=context, max_content_width=100) as inner:
                parts.append(f"## {name}\n\n```text\n{command.get_help(inner)}\n```")
    _write_page(app, "reference/commands.md", "\n\n".join(parts) + "\n")


def write_benchmark_results(app: Any, config: object) -> None:
    """Write the page of all results of the benchmarks."""
    from tools.benchmarks.results import results_page

    _write_page(app, "dev/benchmark-results.md", results_page())  # type: ignore[no-untyped-call]


def draw_boundaries(app: Any) -> None:
    """Draw the picture of the front page and README, as `lxmls-day1 run` does."""
    from classifiers.run_all_classifiers import run_all_classifiers
    from lxmls_day1.commands.output import png_bytes
    from lxmls_day1.commands.run import POINTS
    from lxmls_day1.figures.plotting import detached_axes
    from readers.simple_data_set import SimpleDataSet

    figure, axis = detached_axes(figsize=(14.0, 8.0))
    run_all_classifiers(SimpleDataSet(**POINTS), ax=axis)
    picture, drawn = Path(app.srcdir, "docs/boundaries.png"), png_bytes(figure)
    if not picture.is_file() or picture.read_bytes() != drawn:
        picture.write_bytes(drawn)


def draw_check(app: Any) -> None:
    """Draw the moving picture of README: a wrong line that `check` names."""
    from tools.check_picture import write_picture

    write_picture()


CARD = "_static/card.png"  # the picture of a link, 1200 x 630


def draw_card(app: Any, exception: Exception | None) -> None:
    """Draw the picture that a chat shows for a link to the site."""
    if exception is not None or app.builder.format != "html":
        return
    from classifiers.mira import Mira
    from lxmls_day1.figures.plotting import add_boundary, detached_axes, plot_points
    from readers.simple_data_set import SimpleDataSet

    points = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])
    figure, axis = detached_axes(figsize=(12.0, 6.3))
    axis.set_position((0.54, 0.08, 0.42, 0.84))
    plot_points(points.train_X, points.train_y, ax=axis)
    add_boundary(axis, Mira(regularizer=1.0).train(points.train_X, points.train_y), "MIRA", "black")
    axis.set(xticks=[], yticks=[], xlabel="", ylabel="", title="")
    if axis.get_legend():
        axis.get_legend().remove()
    summary = "A day, eight exercises, in your browser.\nThe check names your mistake."
    for height, size, text in (
        (0.74, 37, "Linear classifiers,\nwritten by you"),
        (0.42, 20, summary),
        (0.12, 20, "The day-1 lab"),
    ):
        figure.text(0.04, height, text, fontsize=size, va="center", weight="bold" if size > 30 else "normal")
    figure.savefig(Path(app.outdir, CARD), dpi=100)


def add_card(app: Any, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Add title, summary and picture of a page for other sites that show a link to it."""
    title = context.get("title") if name not in (root_doc, "index") else f"{project}: linear classifiers, hands on"
    title = html.escape(re.sub("<.*?>", "", title or project))
    values = {"title": title, "description": SUMMARY, "type": "website", "site_name": project}
    if html_baseurl:
        values |= {"url": html_baseurl + app.builder.get_target_uri(name), "image": html_baseurl + CARD}
    tags = "".join(f'<meta property="og:{key}" content="{value}">\n' for key, value in values.items())
    context["metatags"] = (
        f'{context.get("metatags", "")}{tags}<meta name="twitter:card" content="summary_large_image">\n'
    )


def write_exercises(app: Any, config: object) -> None:
    """Write the pages of the exercises."""
    from tools.exercise_pages import exercise_pages

    (Path(app.srcdir) / "docs/exercises").mkdir(exist_ok=True)
    pages = exercise_pages(ROOT)
    for name, text in pages.items():
        _write_page(app, f"exercises/{name}", text)
    html_context["first_exercise"] = pages["1.4.html"]


def crop_thumbnails(app: Any) -> None:
    """Make the thumbnails of wide pictures of the gallery again."""
    import gallery_style

    gallery_style.crop_thumbnails(Path(app.srcdir, "docs/gallery_pages/images"))


LESSONS: dict[str, Any] = {}  # page name -> the part of a notebook that it shows


def write_lessons(app: Any, config: object) -> None:
    """Write the further parts of long notebooks. The first part replaces its notebook when Sphinx reads that."""
    from lesson_parts import parts

    folder = Path(app.srcdir, "docs/lessons")
    folder.mkdir(exist_ok=True)
    LESSONS.update(parts(ROOT, {page.stem for page in (ROOT / "docs/exercises").glob("1.*.md")}))
    further = {f"{name}.ipynb": notebook for name, notebook in LESSONS.items() if name.startswith("docs/")}
    for page in folder.iterdir():
        if f"docs/lessons/{page.name}" not in further:
            page.unlink()
    for name, notebook in further.items():
        _write_page(app, name.removeprefix("docs/"), json.dumps(notebook, ensure_ascii=False))


def read_first_part(app: Any, name: str, source: list[str]) -> None:
    """Replace a notebook by its first part, and add a section for each demonstration to the page of the demonstrations."""
    if name in LESSONS:
        source[0] = json.dumps(LESSONS[name])
    elif name == "docs/demonstrations":
        from lxmls_day1.demos.demonstration_list import DEMONSTRATIONS

        rows = DEMONSTRATIONS.items()
        source[0] += "".join(f'\n## {row.title}\n\n{row.summary} `lab.demo("{demo}")`\n' for demo, row in rows)


def insert_limits(app: Any, name: str, source: list[str]) -> None:
    """Put the table of limits, which the code has, into the page about them."""
    if name == "docs/reference/limits":
        from grading_tables import with_limits

        source[0] = with_limits(source[0])


def write_runtime(app: Any, exception: Exception | None) -> None:
    """Write the files that run in the pages; also the Python runtime, if the variable PYODIDE names its folder."""
    if exception is not None or app.builder.format != "html":
        return
    from lxmls_day1.course.workspaces.workspace import write_files
    from tools.exercise_pages import BOOK_FOLDER, runtime_files

    folder = os.environ.get("PYODIDE")
    write_files(Path(app.outdir), runtime_files(Path(folder) if folder else None))
    if folder and (node := shutil.which("node")):  # Without it, Python starts in the page itself.
        command = [node, str(ROOT / "docs/write_python_memory.js"), str(Path(app.outdir, BOOK_FOLDER))]
        subprocess.run(command, check=True)


def describe_pictures(app: Any, tree: Any) -> None:
    """Give the pictures of a notebook the alternative texts stored in its file."""
    if app.env.docname not in LESSONS:
        return
    cells = LESSONS[app.env.docname]["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ()) if "image/png" in output.get("data", {})]
    shown = [image for image in tree.findall(lambda node: node.tagname == "image") if "jupyter_execute" in image["uri"]]
    for image, output in zip(shown, outputs, strict=True):
        image["alt"] = output["metadata"].get("image/png", {}).get("alt", "A figure of the cell above")


DEMONSTRATION_PAGES = "demonstrations"  # a folder of the site


def place_demonstrations(app: Any, tree: Any) -> None:
    """Insert a demonstration after the paragraph with its call, such as ``lab.demo("mira_step")``. Pages about the project are skipped."""
    from docutils import nodes

    from lxmls_day1.demos.demonstration import demonstration_class

    if app.env.docname == "CHANGELOG" or app.env.docname.startswith("docs/dev/"):
        return
    for literal in list(tree.findall(nodes.literal)):
        if call := re.fullmatch(r'lab\.demo\("(\w+)"\)', literal.astext()):
            title = html.escape(demonstration_class(call[1]).title)
            address = f"{'../' * app.env.docname.count('/')}{DEMONSTRATION_PAGES}/{call[1]}.html"
            frame = (
                f'<iframe class="demonstration" src="{address}" title="Demonstration: {title}" loading="lazy"></iframe>'
            )
            paragraph = literal.parent
            while not isinstance(paragraph, nodes.paragraph):
                paragraph = paragraph.parent
            paragraph.parent.insert(paragraph.parent.index(paragraph) + 1, nodes.raw("", frame, format="html"))


def write_demonstrations(app: Any, exception: Exception | None) -> None:
    """Write each demonstration as a page, with the scenes that it can show without Python."""
    if exception is None and app.builder.format == "html":
        from lxmls_day1.demos.pages import export
        from lxmls_day1.lab import Lab

        export(Lab(ROOT), Path(app.outdir, DEMONSTRATION_PAGES), python="../_static/exercises/")


def check_links(app: Any, exception: Exception | None) -> None:
    """Fail the build if a link leads to a page, or to a place in a page, that does not exist."""
    if exception is None and app.builder.format == "html":
        from site_checks import broken_links

        if broken := broken_links(Path(app.outdir)):
            raise RuntimeError(f"{len(broken)} links lead nowhere: " + "; ".join(broken[:20]))


INTRODUCTIONS = {
    "classifiers": """`from classifiers import Mira` in a lab, `from lxmls_day1.classifiers import Mira` where the package is installed.
One file, one idea. Topics beyond the day have folders of their own, and their modules are found without these, too:
`from classifiers.crf import CRF`.""",
    "readers": """`from readers import SimpleDataSet` in a lab, `from lxmls_day1.readers import SimpleDataSet` where the package
is installed.""",
}


def write_modules(app: Any, config: object) -> None:
    """Write the reference pages that list all modules of a package."""
    for package, introduction in INTRODUCTIONS.items():
        names = sorted(module.name for module in pkgutil.walk_packages([str(ROOT / package)], f"{package}."))
        listed = "\n".join(f"   {name}" for name in names)
        block = f"```{{eval-rst}}\n.. autosummary::\n   :toctree: generated\n\n{listed}\n```"
        _write_page(app, f"reference/{package}.md", f"# {package.capitalize()}\n\n{introduction}\n\n{block}\n")


def _write_page(app: Any, name: str, text: str) -> None:
    """Write a page of docs. An unchanged page is not written, so that Sphinx does not build it again."""
    page = Path(app.srcdir, "docs", name)
    if not page.is_file() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def show_class_signature(
    app: Any, what: str, name: str, obj: Any, options: object, signature: str, returned: str
) -> Any:
    """Show the settings of a classifier, taken from its constructor, instead of its metaclass's signature."""
    if what == "class" and signature and "*_arguments" in signature:
        own = inspect.signature(obj.__init__)
        named = [
            parameter.replace(annotation=inspect.Parameter.empty)
            for name, parameter in own.parameters.items()
            if name != "self"
        ]
        return str(own.replace(parameters=named, return_annotation=inspect.Signature.empty)), returned
    return None


def skip_foreign(app: Any, what: str, name: str, obj: Any, skip: bool, options: object) -> bool | None:
    """Skip members of scikit-learn, which has its own documentation, and `deque`, whose signature Python 3.13 cannot read."""
    return True if (getattr(obj, "__module__", None) or "").partition(".")[0] in ("collections", "sklearn") else None


def format_docstring(app: Any, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Turn indented formulae before the first section into literal blocks. Escape bars, which are absolute values, not substitutions."""
    laid_out: list[str] = []
    in_block = in_sections = False
    for number, line in enumerate(lines):
        in_sections = in_sections or (number + 1 < len(lines) and bool(re.fullmatch(r"-{4,}", lines[number + 1])))
        indented = line.startswith("    ")
        if not in_sections and indented and not in_block and not (laid_out and laid_out[-1].strip()):
            laid_out += ["::", ""]
            in_block = True
        elif line.strip() and not indented:
            in_block = False
        literal = in_block or line.lstrip().startswith((">>>", "..."))
        laid_out.append(line if literal else "".join(_escaped(part) for part in re.split(r"(``.*?``|`.*?`)", line)))
    lines[:] = laid_out


def _escaped(part: str) -> str:
    return part if part.startswith("`") else part.replace("|", r"\|")


def copy_files(app: Any, exception: Exception | None) -> None:
    """Copy the one MathJax file that the pages load, and the licence, into the site."""
    if exception is None and app.builder.format == "html":
        package = importlib.metadata.distribution("sphinx-mathjax-offline")
        target = Path(app.outdir, "_static", MATHJAX)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(package.locate_file(f"sphinx-mathjax-offline/static/{MATHJAX}")), target)
        shutil.copyfile(ROOT / "LICENSE", Path(app.outdir, "LICENSE.txt"))


def setup(app: Any) -> None:
    """Register the functions of this file with Sphinx."""
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("autodoc-process-signature", show_class_signature)
    app.connect("autodoc-process-docstring", format_docstring, priority=100)  # runs before numpydoc
    app.connect("builder-inited", write_commands)
    app.connect("builder-inited", draw_boundaries)
    app.connect("builder-inited", draw_check)
    app.connect("builder-inited", crop_thumbnails, priority=900)  # Runs after the gallery is written.
    app.connect("config-inited", write_modules)  # Sphinx collects the pages afterwards.
    app.connect("config-inited", write_benchmark_results)
    app.connect("config-inited", write_exercises)
    app.connect("config-inited", write_lessons)  # The lessons link to the exercise pages.
    app.connect("source-read", read_first_part)
    app.connect("source-read", insert_limits)
    app.connect("html-page-context", add_card)
    app.connect("build-finished", copy_files)
    app.connect("build-finished", draw_card)
    app.connect("build-finished", write_demonstrations)
    app.connect("doctree-read", describe_pictures)
    app.connect("doctree-read", place_demonstrations)
    app.connect("build-finished", write_runtime)
    app.connect("build-finished", check_links, priority=900)  # Runs after all files are written.
