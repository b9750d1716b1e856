"""The site as files: what is in it, what must not be, and what is refused before anything is written."""

import hashlib
import importlib.metadata
import io
import json
import re
import zipfile
from pathlib import PurePosixPath

import pytest
from click.testing import CliRunner

from lxmls_day1.base.errors import InputError
from lxmls_day1.browser import runtime, site
from lxmls_day1.commands.browser import command
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.workspaces.generation import AUTHORS_ONLY, student_files
from lxmls_day1.course.workspaces.leaks import find_code_leaks, find_solution_leaks, solution_lines
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.file_trees import tree
from tests.wording import wording

ASSIGNED = ("1.2", "1.5", "1.9")


@pytest.fixture(scope="module")
def reviews(tmp_path_factory):
    """Somebody's copy of the reviews: two domains, one of them incomplete."""
    folder = tmp_path_factory.mktemp("data")
    for name in ("books/positive", "books/negative", "dvd/positive"):
        path = folder / "sentiment" / f"{name}.review"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("good:1 #label#:positive\n")
    return folder


@pytest.fixture(scope="module")
def made(builders, reviews, tmp_path_factory):
    """A site with two exercises, its runtime elsewhere."""
    return site.make_site(tmp_path_factory.mktemp("made") / "site", ASSIGNED, reviews)


@pytest.mark.slow
class TestSite:
    def test_the_workspace_is_what_a_student_gets(self, made):
        files = {PurePosixPath(name): content for name, content in tree(made.folder / "files").items()}
        wanted = student_files(reference_folder(), ASSIGNED)
        assert {name: files[name] for name in wanted} == wanted
        assert not any(name.name in AUTHORS_ONLY or ".vscode" in name.parts for name in files)
        assert made.stubbed == ASSIGNED and PurePosixPath(".lab-state.json") in files

    def test_no_line_of_a_solution_is_anywhere_in_it(self, made):
        reference = reference_folder()
        readable = (".py", ".json", ".ipynb", ".md", ".toml", ".whl", ".txt", ".zip", ".html")
        files = {PurePosixPath(name): text for name, text in tree(made.folder).items() if name.endswith(readable)}
        assert find_solution_leaks(files, solution_lines(reference, ASSIGNED)) == []
        assert find_code_leaks(files, reference, ASSIGNED) == []
        lines = solution_lines(reference, ["1.4"])  # that of 1.4 is given: the search would find something
        assert find_solution_leaks(files, lines)

    def test_every_folder_is_listed_with_its_files(self, made):
        for folder in [made.folder / "files", *filter(lambda path: path.is_dir(), (made.folder / "files").rglob("*"))]:
            place = folder.relative_to(made.folder / "files")
            listing = json.loads((made.folder / "api/contents" / place / "all.json").read_text())
            assert {entry["name"] for entry in listing["content"]} == {path.name for path in folder.iterdir()}
            for entry in listing["content"]:
                assert entry["path"] == (place / entry["name"]).as_posix()
                assert (entry["type"] == "directory") == (folder / entry["name"]).is_dir()

    def test_its_first_page_leads_to_the_notebooks_of_the_core_and_to_the_others(self, made):
        page = (made.folder / "index.html").read_text()
        core, further = page.split("<h2>Further</h2>")
        assert "<h2>Core</h2>" in core
        for notebook in re.findall(r'href="lab/index.html\?path=([^"]+)"', page):
            assert (made.folder / "files" / notebook).is_file()
        for exercise in Registry.from_folder(reference_folder()).select(ASSIGNED):
            row = f'<li data-exercise="{exercise.id}">'
            assert row in (core if exercise.is_core else further)
        assert (made.folder / "lab/index.html").is_file()
        assert "../static/lxmls-day1/page.js" in (made.folder / "lab/index.html").read_text()

    def test_the_service_worker_of_jupyterlite_has_our_part_behind_its_own(self, made):
        text = (made.folder / "service-worker.js").read_text()
        ours = site.SERVICE_WORKER_PATCH.read_text()
        assert text.endswith(f'self.addEventListener("fetch",onFetch);\n{ours}')
        assert not (made.folder / site.PAGE / site.SERVICE_WORKER_PATCH.name).exists()

    def test_the_runtime_is_asked_of_the_documented_address_in_its_version(self, made):
        table = json.loads((made.folder / site.PAGE / "packages.json").read_text())
        assert table["runtime"] == f"https://cdn.jsdelivr.net/pyodide/v{runtime.VERSION}/full/"
        assert made.runtime == table["runtime"] and not (made.folder / site.RUNTIME).exists()

    def test_every_package_that_python_loads_is_there_as_the_table_says(self, made):
        table = json.loads((made.folder / site.PAGE / "packages.json").read_text())
        assert {"lxmls-day1", "comm", "piplite", "pyodide-kernel", "ipywidgets"} <= set(table["packages"])
        for entry in table["packages"].values():
            content = (made.folder / site.PAGE / entry["file_name"]).read_bytes()
            assert hashlib.sha256(content).hexdigest() == entry["sha256"]
        settings = json.loads((made.folder / "jupyter-lite.json").read_text())["jupyter-config-data"]
        settings = settings["litePluginSettings"][f"{site.KERNEL}:kernel"]
        assert settings["disablePyPIFallback"] and not settings["pipliteUrls"]
        assert set(table["load"]) == {*table["packages"], *runtime.PACKAGES}
        # the kernel looks for these in that list, by these names, and asks the network for those that are not there
        asked = {"ssl", "sqlite3", "ipykernel", "comm", "pyodide_kernel", "jedi", "ipython", "micropip", "piplite"}
        assert asked <= set(settings["loadPyodideOptions"]["packages"])

    def test_reviews_are_those_that_are_complete(self, made, reviews):
        assert made.domains == ("books",)
        with zipfile.ZipFile(io.BytesIO((made.folder / site.REVIEWS).read_bytes())) as archive:
            assert archive.namelist() == ["sentiment/books/negative.review", "sentiment/books/positive.review"]
            assert archive.read("sentiment/books/positive.review") == b"good:1 #label#:positive\n"


class TestRefusals:
    @pytest.fixture(autouse=True)
    def never_built(self, builders, monkeypatch):
        monkeypatch.setattr(site, "_build_jupyterlite", lambda folder: pytest.fail("it was built all the same"))

    def refused(self, *arguments):
        result = CliRunner().invoke(command, [str(argument) for argument in arguments])
        assert isinstance(result.exception, InputError), result.output
        return str(result.exception)

    def test_a_folder_with_something_in_it(self, tmp_path):
        (tmp_path / "mine.txt").write_text("mine")
        assert wording("browser.empty_nothing_changed") in self.refused(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]

    @pytest.mark.parametrize("found", [None, "0.7.6"])
    def test_a_builder_missing_or_of_another_version(self, found, tmp_path, monkeypatch):
        def version(name):
            if found is None:
                raise importlib.metadata.PackageNotFoundError(name)
            return found

        monkeypatch.setattr(importlib.metadata, "version", version)
        said = self.refused(tmp_path / "site")
        assert "jupyterlite-core" in said and "[browser]" in said and (found or "not installed") in said
        assert not (tmp_path / "site").exists()

    def test_a_folder_of_pyodide_without_it(self, tmp_path):
        assert "has no pyodide-lock.json" in self.refused(tmp_path / "site", "--pyodide", tmp_path)
        assert not (tmp_path / "site").exists()

    def test_no_reviews(self, tmp_path):
        assert "holds no reviews" in self.refused(tmp_path / "site", "--with-reviews", tmp_path)
        (tmp_path / "books").mkdir()  # the folder of the reviews, and not the one that it is in
        assert "there are: books." in self.refused(tmp_path / "site", "--with-reviews", tmp_path)
        assert ".." not in self.refused(tmp_path / "site", "--with-reviews", tmp_path).replace(str(tmp_path), "")
        assert "is not a folder" in self.refused(tmp_path / "site", "--with-reviews", tmp_path / "not-there")

    @pytest.mark.slow
    def test_an_exercise_that_is_not_there_and_a_wheel_that_is_missing_leave_nothing(self, tmp_path, monkeypatch):
        assert "1.99" in self.refused(tmp_path / "site", "--exercises", "1.99")
        monkeypatch.setitem(site.INSTALLED_PACKAGES, "no-such-package", ())
        assert "no-such-package" in self.refused(tmp_path / "site")
        assert list(tmp_path.iterdir()) == []
