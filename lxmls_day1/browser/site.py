"""The site of the lab: JupyterLite, a student's workspace as its content, and all packages that Python needs in the page.

index.html            the exercises, with links to the notebooks
lab/, build/, …       JupyterLite, written by its own builder
files/, api/          the workspace, and the lists of its folders
static/lxmls-day1/    our scripts for the page, and the table of packages
static/wheels/        our wheel without solutions, and the pure Python packages that it needs
static/pyodide/       the runtime, if the site provides it
"""

import importlib.metadata
import json
import os
import site as site_packages
import subprocess
import sys
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from lxmls_day1.base.atomic_files import temporary_folder
from lxmls_day1.base.errors import InputError, check_path, did_you_mean
from lxmls_day1.browser import runtime
from lxmls_day1.browser.front_page import front_page
from lxmls_day1.browser.packages import INSTALLED_PACKAGES, Wheel, installed_wheel
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.workspaces.archives import source_date, zipped
from lxmls_day1.course.workspaces.generation import Files
from lxmls_day1.course.workspaces.student_bundle import require_no_leaks, student_lab
from lxmls_day1.course.workspaces.workspace import new_folder, with_workspace_files, write_files
from lxmls_day1.engine.text.corpora import CORPORA, DATA_VARIABLE
from lxmls_day1.lab import reference_folder

#: Versions that fit each other and `runtime.VERSION`. Later widgets need a later JupyterLab than this JupyterLite contains.
BUILDERS = {"jupyterlite-core": "0.6.4", "jupyterlite-pyodide-kernel": "0.6.1", "jupyterlab-widgets": "3.0.15"}
#: Extensions of JupyterLab in the page: from the name of the extension to its package.
EXTENSIONS = {
    "@jupyterlite/pyodide-kernel-extension": "jupyterlite-pyodide-kernel",
    "@jupyter-widgets/jupyterlab-manager": "jupyterlab-widgets",
    "anywidget": "anywidget",
}
KERNEL = "@jupyterlite/pyodide-kernel-extension"
#: The wheels in the kernel's extension: from the name to its modules and its dependencies.
KERNEL_WHEELS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ipykernel": (("ipykernel",), ()),
    "piplite": (("piplite",), ("micropip",)),
    "pyodide-kernel": (("pyodide_kernel",), ("ipython", "comm")),
}
#: Names that the kernel requests although it does not need them: a module of a loaded package, and a package for network connections.
UNNEEDED_NAMES = ("pyodide_kernel", "ssl")
#: The packages that a page loads with our wheel: all packages, so that no cell waits for one.
LOADED_PACKAGES = ("numpy", "scipy", "matplotlib", "threadpoolctl", *INSTALLED_PACKAGES)
OUR_PACKAGE = "lxmls-day1"
PAGE = PurePosixPath("static/lxmls-day1")
SERVICE_WORKER_PATCH = Path(__file__).parent / "page/one_at_a_time.js"  # appended to JupyterLite's service worker
WHEELS = PurePosixPath("static/wheels")
RUNTIME = PurePosixPath("static/pyodide")
REVIEWS = PurePosixPath("static/reviews.zip")
DATA_FOLDER = "/data"  # the folder of the reviews in a page
SETTINGS = {
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 20},
    "@jupyterlab/filebrowser-extension:browser": {"showLastModifiedColumn": False},  # it truncates names
}


class Site(NamedTuple):
    """The result of `make_site`: the folder, its size, the exercises to solve, the domains of real reviews, and the runtime."""

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
    """Write the lab as a site that any web server can serve.

    Parameters
    ----------
    out : path
        A folder that does not exist yet, or is empty. It is written atomically.
    assigned : collection of str, optional
        The exercises that students are to solve; the others come with their solutions. Default: all.
    reviews : path, optional
        A data folder with the reviews of Blitzer et al., such as ``sentiment/books/positive.review``. Everybody who
        opens the site gets them; check that their licence allows that.
    pyodide : path, optional
        An unpacked release of Pyodide. The page then loads nothing from other hosts. Default: the page loads this version
        from the address that Pyodide documents.

    Returns
    -------
    Site

    Raises
    ------
    InputError
        If the folder is not empty, this is not a checkout, a package that builds the site is missing or of another
        version, Pyodide's folder is incomplete or changed, the folder of the reviews has no reviews, or a line of a
        solution would be in the site.
    """
    folder = check_path("out", out).expanduser().resolve()
    _require_builders()
    runtime_content = runtime.runtime_files(check_path("pyodide", pyodide).expanduser()) if pyodide is not None else {}
    review_files = _reviews(check_path("reviews", reviews).expanduser()) if reviews is not None else {}
    with new_folder(folder) as made:
        lab = student_lab(assigned)
        workspace = with_workspace_files(lab.files, folder, "", editor_files=False)
        own = Wheel(OUR_PACKAGE, _version(lab.wheel_name), lab.wheel_name, lab.wheel, ("lxmls_day1",), LOADED_PACKAGES)
        wheels = [own, *map(installed_wheel, INSTALLED_PACKAGES)]
        require_no_leaks({**workspace, WHEELS / lab.wheel_name: lab.wheel}, lab.stubbed)
        _build_jupyterlite(made)
        files: Files = {PurePosixPath("files", name): content for name, content in workspace.items()}
        files |= _listings(workspace)
        files |= {WHEELS / wheel.file_name: wheel.content for wheel in wheels}
        files |= {RUNTIME / name: content for name, content in runtime_content.items()}
        if review_files:
            files[REVIEWS] = zipped(review_files, "")
        for source in sorted((Path(__file__).parent / "page").iterdir()):
            if source.is_file() and source != SERVICE_WORKER_PATCH:
                files[PAGE / source.name] = source.read_bytes()
        table = _packages_table(made, wheels, bool(runtime_content), bool(review_files))
        files[PAGE / "packages.json"] = json.dumps(table, indent=1, sort_keys=True).encode()
        files[PurePosixPath("index.html")] = front_page(Registry.from_folder(reference_folder()), lab.stubbed).encode()
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
    """Return the reviews of a data folder, with their paths in the data folder of the page."""
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
            f"looked for{did_you_mean('sentiment', [path.name for path in folder.iterdir()])}"
        )
    return found


def _build_jupyterlite(site: Path) -> None:
    """Build JupyterLite with its own builder, without content."""
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
        command = [sys.executable, "-P", *command]
        result = subprocess.run(command, cwd=temporary, capture_output=True, text=True, check=False)
        if result.returncode:
            raise InputError(f"JupyterLite could not be built: {(result.stderr or result.stdout).strip()[-1500:]}")
    for path in (site / "built").iterdir():
        path.rename(site / path.name)
    (site / "built").rmdir()


def _version(wheel_name: str) -> str:
    return wheel_name.split("-")[1]


def _packages_table(site: Path, wheels: list[Wheel], with_runtime: bool, with_reviews: bool) -> dict[str, Any]:
    """Return the table for the start of Python in the page: the address of the runtime, and the packages that the site provides."""
    wheels_folder = os.path.relpath(WHEELS, PAGE).replace(os.sep, "/") + "/"
    packages = {wheel.name: wheel.lock_entry(wheels_folder) for wheel in wheels}
    pypi = PurePosixPath("extensions", KERNEL, "static/pypi")
    for path in sorted((site / pypi).glob("*.whl")):
        name = path.name.split("-")[0].replace("_", "-")
        if name in KERNEL_WHEELS:
            imports, depends = KERNEL_WHEELS[name]
            wheel = Wheel(name, _version(path.name), path.name, path.read_bytes(), imports, depends)
            packages[name] = wheel.lock_entry(os.path.relpath(pypi, PAGE).replace(os.sep, "/") + "/")
    archive = os.path.relpath(REVIEWS, PAGE).replace(os.sep, "/") if with_reviews else None
    pyodide = os.path.relpath(RUNTIME, PAGE).replace(os.sep, "/") + "/" if with_runtime else None
    data = {DATA_VARIABLE: DATA_FOLDER} if with_reviews else {}
    return runtime.start_table(packages, {*packages, *runtime.PACKAGES}, DATA_FOLDER, archive, pyodide, **data)


def _listings(workspace: Mapping[PurePosixPath, bytes]) -> Files:
    """Return the listing that JupyterLite requests for every folder: ``api/contents/FOLDER/all.json``."""
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
        **dict.fromkeys(("content", "format", "hash", "hash_algorithm", "mimetype")),
        **dict.fromkeys(("created", "last_modified"), moment),
        "name": path.name,
        "path": "" if path == PurePosixPath() else str(path),
        "size": size,
        "type": kind,
        "writable": True,
    }


def _configure(site: Path, loaded: list[str]) -> None:
    """Configure JupyterLite to start Python with our script and to load our part of the page.

    The kernel finds the packages that it needs among the packages that are loaded at the start. It would search others on the network.
    """
    path = site / "jupyter-lite.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    data = settings["jupyter-config-data"]
    data |= {"appName": "Day-1 lab", "exposeAppInBrowser": True}
    data["litePluginSettings"][f"{KERNEL}:kernel"] = {
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": [*loaded, *UNNEEDED_NAMES]},
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
        file.write("\n" + SERVICE_WORKER_PATCH.read_text(encoding="utf-8"))
