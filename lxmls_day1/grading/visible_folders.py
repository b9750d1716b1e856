"""The folders of this machine that boxes are shown, those that they must not see, and those that fork servers keep."""

import contextlib
import functools
import hashlib
import os
import site
import stat
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from importlib.machinery import PathFinder
from importlib.util import cache_from_source
from pathlib import Path

import lxmls_day1
from lxmls_day1.course.refusals import PACKAGE, libraries_refused, refusals_of_package
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.source_functions import replace_function
from lxmls_day1.engine.text.corpora import cache_folder
from lxmls_day1.errors import InputError
from lxmls_day1.lab import reference_folder
from lxmls_day1.whole_files import temporary_folder

SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")


def python_folders() -> list[str]:
    """The folders of this Python and its libraries, without any that holds another one of them."""
    places = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, os.path.dirname(sys.executable)}
    places |= {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    places |= {os.path.dirname(os.path.realpath(sys.executable))}
    places |= {path for path in [*site.getsitepackages(), site.getusersitepackages()] if path in sys.path}
    real = sorted({path for place in places for path in (place, os.path.realpath(place)) if os.path.isdir(path)})
    return [
        path
        for path in real
        if path not in ("/", "/usr") and not any(path != other and Path(path).is_relative_to(other) for other in real)
    ]


def secret_folders() -> list[str]:
    """The folders that hold solutions and hidden checks."""
    reference = reference_folder()
    if (reference / "__init__.py").is_file() or reference.name == "reference_lab":
        return [str(reference)]
    return [str(path) for path in reference.iterdir() if path.name in ("classifiers", "notebooks", "readers", "tests")]


def numba_cache_folder() -> Path:
    """Where the fork servers keep compiled kernels: a folder that no box can write to."""
    folder = cache_folder() / "numba-of-boxes"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def require_cache() -> None:
    """Raise an error if that folder cannot be written to: without this, numba would fail later and with another message.

    Also if another user can write there: fork servers run what they find in it, with the rights of the grader.

    Raises
    ------
    InputError
    """
    try:
        with tempfile.TemporaryFile(dir=numba_cache_folder()) as file:
            file.write(b"room for a little")
    except OSError as error:
        raise InputError(
            f"the cache folder {cache_folder()} cannot be written to ({error.strerror}); name another one in the "
            "environment variable LXMLS_DAY1_CACHE."
        ) from error
    for folder in (cache_folder(), numba_cache_folder(), machinery_folder().parent, machinery_folder()):
        about = folder.stat()
        if hasattr(os, "geteuid") and (about.st_uid not in (0, os.geteuid()) or about.st_mode & stat.S_IWOTH):
            raise InputError(
                f"other users can write to the cache folder {folder}, and grading would run what they put there; name one "
                "of your own in the environment variable LXMLS_DAY1_CACHE."
            )


def machinery_folder(with_answers: bool = False) -> Path:
    """A folder with this package in it and nothing else: its own would show the reference lab around it.

    The package in it is made of links. A module with functions that answer an exercise is another file, in which these functions do
    nothing but raise an error, and has no bytecode. It is the same folder every time for the same sources.

    Parameters
    ----------
    with_answers : bool
        Whether the modules are as they are: for notebooks, which may train with everything.
    """
    package = Path(lxmls_day1.__file__).parent
    cut = {} if with_answers else sources_without_answers()
    parents = sorted(
        {parent for place in cut for parent in (package / place).parents if parent.is_relative_to(package)}
    )
    inside = [sorted(entry.name for entry in parent.iterdir()) for parent in parents]
    digest = hashlib.sha256(os.fsencode(package) + repr((sorted(cut.items()), inside)).encode())
    folder = numba_cache_folder().with_name("machinery-of-boxes") / digest.hexdigest()[:12]
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with temporary_folder("machinery-", folder.parent) as temporary:
            made = temporary / folder.name
            made.mkdir()
            made.chmod(0o755)
            _link(package, made / PACKAGE, {package / place: text for place, text in cut.items()})
            with contextlib.suppress(OSError):  # another grader has just made it
                made.rename(folder)
    return folder


@functools.cache
def sources_without_answers() -> dict[str, str]:
    """The modules of this package that hold functions which answer an exercise, without these: path in the package -> text."""
    package = Path(lxmls_day1.__file__).parent
    sources: dict[str, str] = {}
    for name, message in refusals_of_package(Registry.of(reference_folder())).items():
        parts = name.split(".")[1:]
        n = next((n for n in range(len(parts), 0, -1) if package.joinpath(*parts[:n]).with_suffix(".py").is_file()), 0)
        place = "/".join(parts[:n]) + ".py"
        source = sources.get(place) or (package / place).read_text(encoding="utf-8")
        error = f"def {parts[-1]}(*_, **__):\n    raise RuntimeError({message!r})"
        without = replace_function(source, ".".join(parts[n:]), error)
        if without is None:
            raise InputError(f"answered_by in exercises.toml names {name}, and there is no such function.")
        sources[place] = without
    return sources


def answer_paths() -> list[Path]:
    """Files and folders that hold an answer, whether they are there yet or not: no box may see them, but those of notebooks."""
    package = Path(lxmls_day1.__file__).parent
    sources = [package / place for place in sources_without_answers()]
    libraries = [PathFinder.find_spec(n, _packages()) for n in libraries_refused(Registry.of(reference_folder()))]
    folders = [Path(place) for spec in libraries if spec for place in spec.submodule_search_locations or ()]
    return [*sources, *(Path(cache_from_source(source)) for source in sources), *folders]


def _link(source: Path, target: Path, cut: Mapping[Path, str]) -> None:
    """Make a folder of links to all that is in another one; where something in it is cut, folders and files of their own."""
    target.mkdir()
    target.chmod(0o755)  # boxes may belong to another user
    compiled = {Path(cache_from_source(path)) for path in cut}
    for entry in source.iterdir():
        if entry in cut:
            (target / entry.name).write_text(cut[entry], encoding="utf-8")
            (target / entry.name).chmod(0o644)
        elif any(path.is_relative_to(entry) for path in {*cut, *compiled}):
            if entry.is_dir():
                _link(entry, target / entry.name, cut)
        else:
            (target / entry.name).symlink_to(entry, target_is_directory=entry.is_dir())


def _packages() -> list[str]:
    """Where libraries are installed."""
    return [entry for entry in sys.path if Path(entry).name.endswith("-packages")]
