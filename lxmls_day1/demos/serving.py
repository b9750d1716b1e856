"""The demonstrations in the browser: Voilà over a lab's ``notebooks/demos/``.

Voilà has a process of its own (a Jupyter kernel) for every window, so windows do not disturb one another, and shows
the outputs of the notebook's cells; one such process is kept warm for the next window (`lxmls_day1.demos.warm_kernels`).
What is set here: pages that ask nothing of the network (the template in ``jupyter/``), the list of the demonstrations, the
browser extensions that they need and no others, and this machine only as listener.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lxmls_day1 import library_path
from lxmls_day1.demos.environment import DARK_VARIABLE, SCALE_VARIABLE, WINDOW_VARIABLE, require_widgets
from lxmls_day1.demos.export import DEMONSTRATIONS, demonstration_class
from lxmls_day1.demos.index_page import Entry, index_page, thumbnail
from lxmls_day1.errors import InputError, how_to_install
from lxmls_day1.waiting import Wait
from lxmls_day1.whole_files import temporary_folder

FOLDER = Path("notebooks") / "demos"
HOST = "127.0.0.1"
PORT = 8417  # unless something listens there
EXTENSIONS = ("@jupyter-widgets/jupyterlab-manager", "@voila-dashboards/widgets-manager8", "jupyter-matplotlib")
_FORSAKEN = (
    120  # seconds after which the kernel of a window that is gone ends; one that is open, or still loads, keeps its own
)
_KERNEL_ANSWERS = 3600  # seconds: one that has died is seen at once, and one on a busy machine takes its time
_TEMPLATE = "lxmls-day1"


def demos_folder(lab_folder: Path) -> Path:
    """The folder of a lab's demonstrations.

    Raises
    ------
    InputError
        If the lab has none.
    """
    folder = lab_folder / FOLDER
    if not any(folder.glob("*.ipynb")):
        raise InputError(
            f"{lab_folder} has no demonstrations in {FOLDER.as_posix()}/; a workspace made by this version of "
            "`lxmls-day1 start` has them, and anywhere outside of a lab the reference lab's are opened."
        )
    return folder


def names(folder: Path) -> dict[str, str]:
    """The demonstrations of a folder: their names, such as ``perceptron``, and the files they stand in, in order.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "3_mira_step.ipynb").touch()
    ...     names(Path(folder))
    {'mira_step': '3_mira_step.ipynb'}
    """
    return {path.stem.partition("_")[2]: path.name for path in sorted(folder.glob("[0-9]_*.ipynb"))}


def require_voila() -> None:
    """Raise an `InputError` that says how to get Voilà and the widgets if they are not there."""
    require_widgets()
    if find_spec("voila") is None:
        raise InputError(
            f"demonstrations are shown by Voilà, which is not installed here. Install it with {how_to_install('demo')} "
            "(in a checkout `make demo` does it), or open notebooks/demos/ in JupyterLab."
        )


def command_of(folder: Path, port: int) -> list[str]:
    """The command that serves a folder of notebooks to browsers of this machine."""
    return [
        sys.executable,
        "-P",
        "-m",
        "voila",
        str(folder),
        "--no-browser",
        f"--Voila.ip={HOST}",
        f"--port={port}",
        "--Voila.port_retries=0",
        f"--VoilaConfiguration.template={_TEMPLATE}",
        "--VoilaConfiguration.classic_tree=True",
        *(f"--VoilaConfiguration.extension_allowlist={extension}" for extension in EXTENSIONS),
        "--VoilaConfiguration.show_tracebacks=True",
        "--VoilaConfiguration.multi_kernel_manager_class=lxmls_day1.demos.warm_kernels.WarmKernels",
        f"--MappingKernelManager.cull_idle_timeout={_FORSAKEN}",
        "--MappingKernelManager.cull_interval=30",
        f"--VoilaExecutor.startup_timeout={_KERNEL_ANSWERS}",
        f"--VoilaExecutor.iopub_timeout={_KERNEL_ANSWERS}",
        "--Voila.log_level=ERROR",
    ]


def environment_of(templates: Path, dark: bool = False, scale: float | None = None) -> dict[str, str]:
    """The environment for that command: where its template lies, and how the demonstrations are to look."""
    environment = library_path.environment()
    own = str(templates)
    others = environment.get("JUPYTER_PATH", "")
    environment["JUPYTER_PATH"] = own + (os.pathsep + others if others else "")
    environment.pop("MPLBACKEND", None)
    environment[WINDOW_VARIABLE] = "1"
    if dark:
        environment[DARK_VARIABLE] = "1"
    if scale is not None:
        environment[SCALE_VARIABLE] = f"{scale:g}"
    return environment


def write_templates(folder: Path, notebooks: Path, dark: bool = False) -> None:
    """Write the template of the pages, and the list of the demonstrations of a folder, for Voilà to find."""
    shutil.copytree(Path(__file__).with_name("jupyter"), folder, dirs_exist_ok=True)
    entries = []
    for name, file in names(notebooks).items():
        title, summary = name.replace("_", " ").capitalize(), ""
        if name in DEMONSTRATIONS:
            found = demonstration_class(name)
            title, summary = found.title, found.summary
        pictures = thumbnail(name, dark=False), thumbnail(name, dark=True)
        entries.append(Entry(title, summary, page_of("", file), *pictures))
    page = index_page(entries, True if dark else None, "Each window that you open one in is on its own.")
    path = folder / "voila" / "templates" / _TEMPLATE / "tree.html"
    path.write_text(f"{{% raw %}}{page}{{% endraw %}}", encoding="utf-8")


def preferred_port() -> int:
    """Where demonstrations are served if nobody asks for another port: the same each time, so that a link stays good, if it is free."""
    return free_port() if _is_taken(PORT) else PORT


def free_port() -> int:
    """A port that nobody listens at just now."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])


@contextmanager
def served(folder: Path, port: int | None = None, seconds: float = 60.0, **look: Any) -> Iterator[tuple[str, Any]]:
    """Serve a folder of notebooks while the block runs.

    Parameters
    ----------
    folder : Path
        As `demos_folder` finds it.
    port : int, optional
        Any free one unless given.
    seconds : float
        How long the server may sleep before it begins.
    **look
        As in `environment_of`.

    Yields
    ------
    (str, subprocess.Popen)
        The address, without a slash at its end, and the server.

    Raises
    ------
    InputError
        If Voilà is not installed, or the server does not begin.
    """
    require_voila()
    port = free_port() if port is None else port
    address = f"http://{HOST}:{port}"
    if _is_taken(port):
        raise InputError(f"something listens at port {port} already; choose another with --port.")
    with temporary_folder("lxmls-day1-demo-") as templates:
        write_templates(templates, folder, dark=bool(look.get("dark")))
        with _running(command_of(folder, port), environment_of(templates, **look), folder) as process:
            wait, tries = Wait("the server of the demonstrations", process.pid, seconds, asleep=True), 0
            while not _answers(address, 2.0 + tries):  # on a busy machine an answer takes longer than that
                tries += 1
                why = f"the server did not begin at port {port}; what it said stands above"
                if process.poll() is not None:
                    raise InputError(f"{why}.")
                if wait.is_over():
                    raise wait.too_long(why)
                time.sleep(0.1)
            yield address, process


@contextmanager
def _running(command: list[str], environment: dict[str, str], folder: Path) -> Iterator[Any]:
    process = subprocess.Popen(command, env=environment, cwd=folder)
    try:
        yield process
    finally:
        stop(process)


def page_of(address: str, file: str) -> str:
    """The address of one notebook's page."""
    return f"{address}/voila/render/{file}"


def stop(process: Any, seconds: float = 10) -> None:
    """End the server, which ends its kernels."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _is_taken(port: int) -> bool:
    try:
        with socket.create_connection((HOST, port), timeout=2):
            return True
    except OSError:
        return False


def _answers(address: str, seconds: float) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=seconds):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
