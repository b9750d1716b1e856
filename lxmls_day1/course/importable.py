"""What the code of a lab can import while its exercises are checked: Python's library, its own files, and what the files
that were given out need. None of it answers an exercise.

The refusal is a finder in front of Python's own. It tells students at their own check what grading will refuse; it is no
wall, since their code runs in the same process. In a sandbox the files of `answer_paths` are out of reach as well.
"""

import contextlib
import functools
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from importlib.machinery import ModuleSpec, PathFinder
from itertools import accumulate
from pathlib import Path

from lxmls_day1.library_path import MOVED

PACKAGE = __name__.partition(".")[0]

#: Modules of this package that the given files import, those of `ANSWERS` left out.
NEEDED = (
    "checks",
    "comparison",
    "engine.compiled.batch",
    "engine.compiled.class_sums",
    "engine.examples",
    "engine.learners",
    "engine.objectives",
    "engine.online_training",
    "engine.rows",
    "engine.word_counting",
    "engine.compiled.svm_sweeps",
    "engine.compiled.max_ent_sweeps",
    "engine.compiled.online_steps",
    "engine.compiled.primitives",
    "engine.compiled.sparse_rows",
    "errors",
    "figures.plotting",
    "model_file",
    "result_table",
    "settings",
    "engine.streaming.shards",
    "engine.text.corpora",
    "engine.text.labelled_files",
    "engine.text.packed_texts",
    "engine.text.review_files",
    "engine.text.svmlight",
    "engine.text.token_matrix",
    "engine.text.tokens",
)

#: Modules that these import only where numba can be imported.
WITH_NUMBA = ("engine.compiled.intrinsics", "engine.compiled.machine_code")

#: Modules that compute what an exercise asks for, and those that import them. No check trains what needs them.
ANSWERS = (
    "engine.compiled.chain_search",  # the search of 1.13, which taggers need
    "engine.chains",
    "engine.compiled.chain_sums",  # the sums of 1.17
    "engine.compiled.chains",
    "gaussians",  # the weights of 1.3, which Gaussian naive Bayes needs
    "engine.compiled.hashing",  # the buckets and signs of 1.14, and rows made of them: corpora on disk
    "engine.compiled.token_rows",
    "engine.text.token_batches",
    "engine.compiled.tree_reduce",  # the mixing of 1.15: training in parts, by threads or on a cluster
    "engine.streaming.mixed_steps",
    "engine.cluster.online",
    "engine.cluster.parts",
    "engine.cluster.sums",
)

#: Installed libraries that the given files import, and what these need in turn.
LIBRARIES = frozenset(
    [
        "PIL",
        "contourpy",
        "cycler",
        "dateutil",
        "fontTools",
        "kiwisolver",
        "llvmlite",
        "markdown_it",
        "matplotlib",
        "mdurl",
        "mpl_toolkits",
        "numba",
        "numpy",
        "packaging",
        "platformdirs",
        "pygments",
        "pyparsing",
        "rich",
        "scipy",
        "six",
        "threadpoolctl",
        "tqdm",
    ]
)
LIBRARIES_OF_ANSWERS = ("sklearn",)  # naive Bayes, exercise 1.2

# A list of names in parentheses may take several lines; any other ends with its line, after which the next import begins.
_AT_THE_HEAD = re.compile(rf"^(?:from|import) {PACKAGE}(?:\.([\w.]+))?(?: import (\([\w, \n]+|[\w, ]+))?", re.MULTILINE)


@contextlib.contextmanager
def only_what_labs_need(imported: Iterable[str] | None = None) -> Iterator[None]:
    """Within this context other modules cannot be imported, and modules of this package that were imported before are hidden.

    Parameters
    ----------
    imported : iterable of str, optional
        The modules of this package that were imported already; looked for unless given.

    Examples
    --------
    >>> with only_what_labs_need():
    ...     from lxmls_day1.engine.compiled.chains import best_paths
    Traceback (most recent call last):
    ...
    ModuleNotFoundError: lxmls_day1.engine.compiled.chains cannot be imported while exercises are checked: the files that ...
    """
    finder = _Refusing(importable_modules())
    imported = imported_modules() if imported is None else imported
    hidden = {name: sys.modules.pop(name) for name in imported if finder.refuses_module(name)}
    attributes = [  # a package has its modules as attributes, where `from package import module` looks first
        (package, stem, vars(package).pop(stem))
        for name, module in hidden.items()
        for parent, _, stem in [name.rpartition(".")]
        if (package := hidden.get(parent) or sys.modules.get(parent)) and vars(package).get(stem) is module
    ]
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)
        sys.modules.update(hidden)
        for package, stem, module in attributes:
            setattr(package, stem, module)


def imported_modules() -> list[str]:
    """The modules of this package that this process has imported."""
    return [name for name in list(sys.modules) if name.startswith(f"{PACKAGE}.")]


@functools.cache
def importable_modules() -> frozenset[str]:
    """The modules of this package that can be imported: those that given files need, and what these need at their heads."""
    folder = Path(__file__).parents[1]
    found: set[str] = set()
    pending = [*NEEDED, *WITH_NUMBA]
    while pending:
        name = pending.pop()
        path = folder.joinpath(*name.split(".")).with_suffix(".py")
        if name in found or name in ANSWERS or not path.is_file():
            continue
        found |= set(accumulate(name.split("."), "{}.{}".format))
        for module, names in _AT_THE_HEAD.findall(path.read_text(encoding="utf-8")):
            pending += [module, *(".".join(filter(None, (module, part))) for part in re.findall(r"\w+", names))]
    return frozenset(f"{PACKAGE}.{name}" for name in found)


def answer_paths() -> list[Path]:
    """Files and folders on this machine that compute what an exercise asks for: they must not be seen in a sandbox."""
    folder = Path(__file__).parents[1]
    sources = [folder.joinpath(*name.split(".")).with_suffix(".py") for name in ANSWERS]
    paths = [path for source in sources for path in (source, *source.parent.glob(f"__pycache__/{source.stem}.*.pyc"))]
    for name in LIBRARIES_OF_ANSWERS:
        spec = PathFinder.find_spec(name, _installed())
        paths += map(Path, spec.submodule_search_locations or () if spec else ())
    return [path for path in paths if path.exists()]


class _Refusing:
    """A finder that knows no module, and refuses those that are not needed."""

    def __init__(self, modules: Collection[str]):
        self._modules = modules

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Nothing for a module that the other finders may look for."""
        if self.refuses_module(name) or self._refuses_library(name):
            raise ModuleNotFoundError(
                f"{name} cannot be imported while exercises are checked: the files that were given out do not need it, or it "
                "holds an answer. Python's own library, numpy, scipy, numba and matplotlib are there"
            )
        return None

    def refuses_module(self, name: str) -> bool:
        """Whether it belongs to this package, and no given file needs it."""
        package, _, rest = name.partition(".")
        first, dot, inner = rest.partition(".")
        return (
            package == PACKAGE
            and bool(rest)
            and f"{package}.{MOVED.get(first, first)}{dot}{inner}" not in self._modules
        )

    def _refuses_library(self, name: str) -> bool:
        if "." in name or name == PACKAGE or name in LIBRARIES or name in sys.stdlib_module_names:
            return False  # what is inside a library can be imported where the library itself can
        return PathFinder.find_spec(name, _installed()) is not None


def _installed() -> list[str]:
    """Where libraries are installed."""
    return [entry for entry in sys.path if Path(entry).name.endswith("-packages")]
