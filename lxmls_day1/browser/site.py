"""A site of the lab: JupyterLite, a student's workspace as its content, and all packages that Python needs in the page.

index.html            the exercises, with links to the notebooks
lab/, build/, …       JupyterLite, as its own builder writes it
files/, api/          the workspace, and the lists of its folders
static/lxmls-day1/    what runs in the page besides, and the table of packages
static/wheels/        our wheel without solutions, and the pure Python packages that it needs
static/pyodide/       the runtime, if it is to come from the site itself
"""

import importlib.metadata
import json
import os
import site as site_packages
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.base.atomic_files import temporary_folder
from lxmls_day1.base.errors import InputError, check_path, nearest
from lxmls_day1.browser import runtime
from lxmls_day1.browser.front_page import front_page
from lxmls_day1.browser.packages import INSTALLED, Wheel, installed_wheel
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.workspaces.archives import source_date, zipped
from lxmls_day1.course.workspaces.generation import Files
from lxmls_day1.course.workspaces.student_bundle import refuse_leaks, student_lab
from lxmls_day1.course.workspaces.workspace import new_folder, with_workspace_files, write_files
from lxmls_day1.engine.text.corpora import CORPORA, DATA_VARIABLE
from lxmls_day1.lab import reference_folder

#: Those that go together, and with `runtime.VERSION`. Later widgets want a later JupyterLab than the one of this JupyterLite.
BUILDERS = {"jupyterlite-core": "0.6.4", "jupyterlite-pyodide-kernel": "0.6.1", "jupyterlab-widgets": "3.0.15"}
#: The parts of JupyterLab that the page shows beside its own: from which package, and under which name.
EXTENSIONS = {
    "@jupyterlite/pyodide-kernel-extension": "jupyterlite-pyodide-kernel",
    "@jupyter-widgets/jupyterlab-manager": "jupyterlab-widgets",
    "anywidget": "anywidget",
}
KERNEL = "@jupyterlite/pyodide-kernel-extension"
#: What the kernel's extension brings as wheels, as the page loads them: name -> modules, and what it needs.
OF_KERNEL: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ipykernel": (("ipykernel",), ()),
    "piplite": (("piplite",), ("micropip",)),
    "pyodide-kernel": (("pyodide_kernel",), ("ipython", "comm")),
}
#: Names that the kernel asks for although all is there: the module of a package, and what only network connections need.
UNNEEDED = ("pyodide_kernel", "ssl")
OURS = "lxmls-day1"
PAGE = PurePosixPath("static/lxmls-day1")
OF_SERVICE_WORKER = Path(__file__).parent / "page/one_at_a_time.js"  # put into that of JupyterLite
WHEELS = PurePosixPath("static/wheels")
RUNTIME = PurePosixPath("static/pyodide")
REVIEWS = PurePosixPath("static/reviews.zip")
DATA = "/data"  # where a page has the reviews
SETTINGS = {
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 20},
    "@jupyterlab/filebrowser-extension:browser": {"showLastModifiedColumn": False},  # names are cut off beside it
}


@dataclass(frozen=True)
class Site:
    """What was made: the folder, its size, the exercises to solve in it, the domains of real reviews, whose runtime."""

    folder: Path
    n_files: int
    n_bytes: int
    stubbed: tuple[str, ...]
    domains: tuple[str, ...]
    runtime: str


def make_site(
    out: str | os.PathLike[str],
    assigned: Collection[str] | None = None,
    reviews: str | os.PathLike[str] | None = None,
    pyodide: str | os.PathLike[str] | None = None,
) -> Site:
    """Write the lab as a site that any web server, or a folder of one, can offer.

    Parameters
    ----------
    out : path
        A folder that is not there yet, or empty. It is written whole or not at all.
    assigned : collection of str, optional
        The exercises that students are to solve; the others come with their solutions. All unless given.
    reviews : path, optional
        A data folder with the reviews of Blitzer et al., laid out as ``sentiment/books/positive.review``. Everybody who
        opens the site gets them; their licence decides whether you may do that.
    pyodide : path, optional
        An unpacked release of Pyodide. The page then asks no other host for anything. Unless given, the runtime comes
        from the address that Pyodide documents, in its version.

    Returns
    -------
    Site

    Raises
    ------
    InputError
        If the folder holds anything, this is no checkout, a package that builds the site is missing or of another
        version, Pyodide's folder is incomplete or changed, there are no reviews in their folder, or a line of a
        solution would be in the site.
    """
    folder = check_path("out", out).expanduser().resolve()
    _require_builders()
    runtime_content = runtime.runtime_files(check_path("pyodide", pyodide).expanduser()) if pyodide is not None else {}
    review_files = _reviews(check_path("reviews", reviews).expanduser()) if reviews is not None else {}
    with new_folder(folder) as made:
        lab = student_lab(assigned)
        workspace = with_workspace_files(lab.files, folder, "", editor_files=False)
        wheels = [Wheel(OURS, _version(lab.wheel_name), lab.wheel_name, lab.wheel, ("lxmls_day1",), _needs())]
        wheels += [installed_wheel(name) for name in INSTALLED]
        refuse_leaks({**workspace, WHEELS / lab.wheel_name: lab.wheel}, lab.stubbed)
        _build_jupyterlite(made)
        files: Files = {PurePosixPath("files", name): content for name, content in workspace.items()}
        files |= _listings(workspace)
        files |= {WHEELS / wheel.file_name: wheel.content for wheel in wheels}
        files |= {RUNTIME / name: content for name, content in runtime_content.items()}
        if review_files:
            files[REVIEWS] = zipped(review_files, "")
        for source in sorted((Path(__file__).parent / "page").iterdir()):
            if source.is_file() and source != OF_SERVICE_WORKER:
                files[PAGE / source.name] = source.read_bytes()
        table = _packages_table(made, wheels, bool(runtime_content), bool(review_files))
        files[PAGE / "packages.json"] = json.dumps(table, indent=1, sort_keys=True).encode()
        files[PurePosixPath("index.html")] = front_page(Registry.of(reference_folder()), lab.stubbed).encode()
        write_files(made, files)
        _configure(made, table["load"])
        written = [path for path in made.rglob("*") if path.is_file()]
        n_bytes = sum(path.stat().st_size for path in written)
    domains = tuple(sorted({name.parts[1] for name in review_files}))
    of_runtime = f"Pyodide {runtime.VERSION} in the site" if runtime_content else runtime.ADDRESS
    return Site(folder, len(written), n_bytes, lab.stubbed, domains, of_runtime)


def _require_builders() -> None:
    for name, version in BUILDERS.items():
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError as error:
            raise InputError(
                f"{name}, which builds the site, is not installed: python -m pip install -e '.[browser]'"
            ) from error
        if found != version:
            raise InputError(
                f"{name} {found} is installed; the site is built with {version}, which goes with Pyodide "
                f"{runtime.VERSION}: python -m pip install -e '.[browser]'"
            )


def _reviews(folder: Path) -> Files:
    """The reviews of a data folder, as they are to lie in the data folder of the page."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; --with-reviews takes one with sentiment/books/positive.review.")
    found: Files = {}
    for corpus in CORPORA.values():
        places = [PurePosixPath(corpus.folder, file.name) for file in corpus.files]
        if corpus.kind == "sentiment" and corpus.name != "toy" and all((folder / place).is_file() for place in places):
            found |= {place: (folder / place).read_bytes() for place in places}
    if not found:
        raise InputError(
            f"{folder} holds no reviews: sentiment/books/positive.review and negative.review, or another domain, were "
            f"looked for{nearest('sentiment', [path.name for path in folder.iterdir()])}"
        )
    return found


def _build_jupyterlite(site: Path) -> None:
    """Have JupyterLite written by its own builder, with no content."""
    share = [Path(prefix, "share/jupyter/labextensions") for prefix in (sys.prefix, site_packages.getuserbase())]
    extensions = []
    for name, package in EXTENSIONS.items():
        place = next((path / name for path in share if (path / name / "package.json").is_file()), None)
        if place is None:
            raise InputError(
                f"{package} is installed without {name}, the part of it that the page shows: install it again."
            )
        extensions.append(str(place))
    with temporary_folder("lxmls-day1-site-") as temporary:
        settings = {
            "ignore_sys_prefix": ["federated_extensions"],
            "federated_extensions": extensions,
            "apps": ["lab"],
            "no_sourcemaps": True,
            "source_date_epoch": source_date(),
        }
        Path(temporary, "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": settings}))
        Path(temporary, "overrides.json").write_text(json.dumps(SETTINGS))
        command = ["-m", "jupyterlite_core", "build", "--lite-dir", str(temporary), "--output-dir", str(site / "built")]
        result = subprocess.run(
            [sys.executable, "-P", *command], cwd=temporary, capture_output=True, text=True, check=False
        )
        if result.returncode:
            raise InputError(f"JupyterLite could not be built: {(result.stderr or result.stdout).strip()[-1500:]}")
    for path in (site / "built").iterdir():
        path.rename(site / path.name)
    (site / "built").rmdir()


def _needs() -> tuple[str, ...]:
    """What a page loads together with our wheel: all of it, so that no cell waits for a package."""
    return ("numpy", "scipy", "matplotlib", "threadpoolctl", *INSTALLED)


def _version(wheel_name: str) -> str:
    return wheel_name.split("-")[1]


def _packages_table(site: Path, wheels: list[Wheel], with_runtime: bool, with_reviews: bool) -> dict[str, Any]:
    """What the start of Python in the page has to know: where the runtime is, and which packages come from the site."""
    wheels_folder = os.path.relpath(WHEELS, PAGE).replace(os.sep, "/") + "/"
    packages = {wheel.name: wheel.lock_entry(wheels_folder) for wheel in wheels}
    pypi = PurePosixPath("extensions", KERNEL, "static/pypi")
    for path in sorted((site / pypi).glob("*.whl")):
        name = path.name.split("-")[0].replace("_", "-")
        if name in OF_KERNEL:
            imports, depends = OF_KERNEL[name]
            wheel = Wheel(name, _version(path.name), path.name, path.read_bytes(), imports, depends)
            packages[name] = wheel.lock_entry(os.path.relpath(pypi, PAGE).replace(os.sep, "/") + "/")
    archive = os.path.relpath(REVIEWS, PAGE).replace(os.sep, "/") if with_reviews else None
    pyodide = os.path.relpath(RUNTIME, PAGE).replace(os.sep, "/") + "/" if with_runtime else None
    data = {DATA_VARIABLE: DATA} if with_reviews else {}
    return runtime.start_table(packages, {*packages, *runtime.PACKAGES}, DATA, archive, pyodide, **data)


def _listings(workspace: Mapping[PurePosixPath, bytes]) -> Files:
    """What JupyterLite asks for every folder: ``api/contents/FOLDER/all.json``."""
    moment = datetime.fromtimestamp(source_date(), UTC).isoformat().replace("+00:00", "Z")
    folders: dict[PurePosixPath, list[dict[str, Any]]] = {PurePosixPath(): []}
    for name in sorted(workspace, key=str):
        for parent in [*name.parents][::-1]:
            if parent not in folders:
                folders[parent] = []
                folders[parent.parent].append(_entry(parent, "directory", None, moment))
        is_notebook = name.suffix == ".ipynb"
        entry = _entry(name, "notebook" if is_notebook else "file", len(workspace[name]), moment)
        folders[name.parent].append(entry)
    files: Files = {}
    for path, entries in folders.items():
        listing = {**_entry(path, "directory", None, moment), "content": entries, "format": "json"}
        files[PurePosixPath("api/contents", path, "all.json")] = json.dumps(listing, indent=1).encode()
    return files


def _entry(path: PurePosixPath, kind: str, size: int | None, moment: str) -> dict[str, Any]:
    return {
        "content": None,
        "created": moment,
        "format": None,
        "hash": None,
        "hash_algorithm": None,
        "last_modified": moment,
        "mimetype": None,
        "name": path.name,
        "path": "" if path == PurePosixPath() else str(path),
        "size": size,
        "type": kind,
        "writable": True,
    }


def _configure(site: Path, loaded: list[str]) -> None:
    """Tell JupyterLite to start Python our way, and have its page load our part of it.

    The kernel looks for the packages that it needs among those that are loaded at the start, and on the network for the others.
    """
    path = site / "jupyter-lite.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    data = settings["jupyter-config-data"]
    data |= {"appName": "Day-1 lab", "exposeAppInBrowser": True}
    data["litePluginSettings"][f"{KERNEL}:kernel"] = {
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": [*loaded, *UNNEEDED]},
        "pipliteUrls": [],
        "pyodideUrl": f"./{PAGE}/start.js",
    }
    path.write_text(json.dumps(settings, indent=1), encoding="utf-8")
    page = site / "lab/index.html"
    text = page.read_text(encoding="utf-8")
    if "</head>" not in text:
        raise InputError(f"JupyterLite's {page.name} is not as expected; install the extra browser again.")
    script = f'<script src="../{PAGE}/page.js"></script>\n  </head>'
    page.write_text(text.replace("</head>", script, 1), encoding="utf-8")
    worker = site / "service-worker.js"
    if "async function broadcastOne(" not in worker.read_text(encoding="utf-8"):
        raise InputError(f"JupyterLite's {worker.name} is not as expected; install the extra browser again.")
    with worker.open("a", encoding="utf-8") as file:
        file.write("\n" + OF_SERVICE_WORKER.read_text(encoding="utf-8"))
