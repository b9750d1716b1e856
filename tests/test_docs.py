"""The pages of docs/: their commands and programs run, and the files that they name exist."""

import contextlib
import importlib
import importlib.util
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest

from classifiers.passive_aggressive import PassiveAggressive2
from lxmls_day1.commands.command_line import command_group
from lxmls_day1.course.registry import Registry

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PEOPLE = ["student", "instructor", "practitioner", pytest.param("lecturer", marks=pytest.mark.campaign)]


def commands_of(page):
    """Return the lines of a page that a user types, in their order."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the pages show a Unix shell")
@pytest.mark.one_in(4, by="person")
@pytest.mark.parametrize("person", PEOPLE)
def test_the_commands_of_five_minutes_run(person, tmp_path):
    commands = commands_of(DOCS / "start" / f"{person}.md")
    assert len(commands) >= 2
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    script = "set -euo pipefail\n" + "\n".join(commands)
    variables = {**os.environ, "PATH": path}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    if person == "instructor":
        assert (tmp_path / "marks/summary.html").is_file()
        ada, alan = (tmp_path / "marks/grades.csv").read_text(encoding="utf-8").splitlines()[1:]
        assert "ada" in ada.lower() and "alan" in alan.lower()
    if person == "practitioner":
        programs = programs_of(DOCS / "start/practitioner.md")
        with contextlib.chdir(tmp_path):
            run("start/practitioner.md", programs)


def programs_of(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def run(name, programs):
    names = {}
    for program in programs:
        exec(compile(program, name, "exec"), names)
    return names


def test_the_programs_of_how_to_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{label},{text}\n" for label, text in [("+", "a good film"), ("-", "a bad film")] * 10)
    for name in ("train.csv", "test.csv"):
        Path(name).write_text("category,text\n" + rows, encoding="utf-8")
    corpus = run("corpus.md", programs_of(DOCS / "how-to/corpus.md"))["corpus"]
    assert corpus.train_X.shape[0] == 20 and capsys.readouterr().out == "['yes']\n"


def test_programs_with_dictionaries_and_of_an_installed_package(capsys):
    _, dictionaries, installed = programs_of(DOCS / "how-to/python.md")
    run("python.md", [dictionaries])
    assert capsys.readouterr().out == "".join(line + "\n" for line in re.findall(r"# (\[.*\])", dictionaries))
    assert {"Lab", "Mira", "SentimentCorpus"} <= set(run("python.md", [installed]))


@pytest.mark.slow
def test_programs_with_scikit_learn(capsys):
    search, report = programs_of(DOCS / "how-to/estimators.md")
    names = run("estimators.md", [search])
    assert capsys.readouterr().out.endswith("['+']\n")
    exec(compile(report, "estimators.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "precision    recall  f1-score" in printed and printed.endswith("[[10  0]\n [ 0 10]]\n")


@pytest.mark.slow
def test_programs_of_pipelines_and_of_models(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run("scikit-learn.md", programs_of(DOCS / "how-to/scikit-learn.md"))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["counts", "tf-idf", "letters", "both"]
    assert lines[4] == lines[-1].replace("]", " '-']") == "['+' '-']"
    assert "on 4 held-out examples" in lines[5]
    shown = programs_of(DOCS / "how-to/models.md")
    run("models.md", shown)
    printed = capsys.readouterr().out.splitlines()
    assert [printed[0], printed[-1]] == re.findall(r"# (\[.*\])$", "".join(shown), re.MULTILINE)


(OWN_RULE,) = programs_of(DOCS / "how-to/rule.md")


@pytest.fixture
def own_rule(tmp_path):
    """Return the learner of the page on rules, as a module in its own file."""
    path = tmp_path / "passive_aggressive_2.py"
    path.write_text(OWN_RULE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("passive_aggressive_2", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_pages_own_rule_learns_like_the_labs_rule(own_rule, n_classes):
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % n_classes
    own, of_lab = (kind(nr_rounds=2).train(X, y) for kind in (own_rule.PassiveAggressive2, PassiveAggressive2))
    np.testing.assert_allclose(own, of_lab, atol=1e-9)


def test_the_first_example_of_a_boundary(capsys):
    run("python.md", programs_of(DOCS / "how-to/python.md")[:1])
    assert 0.9 <= float(capsys.readouterr().out) <= 1


def commands_shown(text):
    """Return the words of each `lxmls-day1` command on a page, in a block or within a sentence, without shell syntax."""
    lines = re.findall(r"`lxmls-day1 ([^`\n]+)`|^(?: {4}|\$ )lxmls-day1 (.+)$", text, re.MULTILINE)
    return [shlex.split(re.split(r"\s[|#>(]|  |\|\|", block or inline)[0]) for inline, block in lines]


def test_commands_on_pages_have_existing_options():
    """Other tests run most commands; here all commands are parsed by the command line."""
    shown = 0
    for page in [ROOT / "README.md", *(DOCS / page for page in PAGES), *(ROOT / "notebooks").glob("*.md")]:
        for name, *words in commands_shown(page.read_text(encoding="utf-8")):
            if name.startswith("-"):
                continue
            with click.Context(command_group) as context:
                command = command_group.get_command(context, name)
                assert command is not None, f"{page.name}: {name}"
                try:
                    command.make_parser(click.Context(command, parent=context)).parse_args(words)
                except click.NoSuchOption as error:
                    raise AssertionError(f"{page.name}: {name}: {error.message}") from error
                except click.BadOptionUsage:
                    pass  # The sentence names an option without its value.
            shown += 1
    assert shown > 60


PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if "generated" not in path.parts)


def test_exercises_are_in_the_order_of_the_notebooks():
    """`status`, `check`, marks and feedback follow the registry's order; an exercise need not have a section in its notebook."""
    notebooks = sorted((ROOT / "notebooks").glob("[1-9]_*.py"))
    texts = "\n".join(book.read_text(encoding="utf-8") for book in notebooks)
    in_order = re.findall(r"^# ## Exercise ([\w.]+)", texts, re.MULTILINE)
    assert [id for id in Registry.from_folder(ROOT).ids if id in in_order] == in_order


@pytest.mark.slow
@pytest.mark.one_in(6, by="script")
@pytest.mark.parametrize("script", sorted((DOCS / "gallery").glob("plot_*.py")), ids=lambda path: path.stem)
def test_a_picture_of_the_gallery_cuts_nothing_off(script):
    """A title beside a plot of equal scales was once drawn above the edge of the picture."""
    plt = pytest.importorskip("matplotlib.pyplot")
    with plt.rc_context({"backend": "agg"}):
        plt.close("all")
        runpy.run_path(str(script))
        figures = [plt.figure(number) for number in plt.get_fignums()]
        plt.close("all")
    assert figures  # Only figures that pyplot knows are shown.
    for figure in figures:
        figure.savefig(io.BytesIO(), format="png")
        box, size = figure.get_tightbbox(), figure.get_size_inches()  # Sizes are in inches.
        assert box.min.min() >= -0.02 and (box.max <= size + 0.02).all(), box


@pytest.mark.parametrize("page", ["../README.md", "../CONTRIBUTING.md", "../SECURITY.md", *PAGES])
def test_files_and_lines_that_a_page_names_exist(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    paths = re.findall(r"`((?:lxmls_day1|readers|classifiers|notebooks|tests|docs)/[\w./-]*)`", text)
    missing = [path for path in paths if not (ROOT / path).exists() and "NAME" not in path]
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if ":" not in link]
    missing += [link for link in links if not (DOCS / page).parent.joinpath(made_from(link)).exists()]
    for name, options in re.findall(r"\{literalinclude\} (.+)\n((?::.*\n)*)", text):
        source = (DOCS / page).parent.joinpath(name).read_text(encoding="utf-8")
        quoted = re.findall(r':(?:start|end)-(?:at|after|before): "(.+)"', options)
        missing += [f"{name}: {lines}" for lines in quoted if lines not in source]
    assert not missing


def made_from(link):
    """Return the source of a page of the gallery, the reference, an exercise or the results; return other links unchanged."""
    if written := re.fullmatch(r"(.*)(?:reference/(?:commands|classifiers|readers)|exercises/index)\.md", link):
        return written[1] + "conf.py"
    if written := re.fullmatch(r"(.*?)(dev/)?benchmark-results\.md", link):
        return f"{written[1]}{'..' if written[2] else '../..'}/tools/benchmarks/results.toml"
    made = re.fullmatch(r"(.*)gallery_pages/(\w+)\.rst", link)
    if made is None:
        return link
    return f"{made[1]}gallery/{'README.rst' if made[2] == 'index' else made[2] + '.py'}"


def test_the_changelog_has_each_kind_of_change_once_and_in_order():
    kinds = ["Added", "Changed", "Fixed", "Removed", "Performance"]
    versions = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for version in versions[: next(n for n, text in enumerate(versions) if text.startswith("[0.2.0]"))]:
        found = re.findall(r"^### (.+)$", version, re.MULTILINE)
        assert found == [kind for kind in kinds if kind in found], version.partition("\n")[0]
