"""A disk cache for compiled functions that never returns the machine code of another function or version.

numba's own cache was written for packages. A lab is not a package: its files are imported flat (``import mira``) or as
``classifiers.mira``, from several folders, in one process or in several, and students edit them. Therefore

* a cache file contains one function. Its name is made of the function, its module, its types and the processor. The file
  begins with a checksum over the machine code and everything that the code depends on (:func:`_dependencies`). A
  damaged or stale file, or a file of another function, is thus detected, ignored and rewritten;
* the name by which LLVM finds a function is globally unique. numba numbers the functions per process, so a cached and a
  newly compiled version of a function could have the same name, and a loop that receives one would run the other;
* a problem of the cache is never an error. Files that are readable but not writable are used. If no folder is writable,
  functions are compiled for this process only, with one warning (without a warning if Python writes no bytecode either,
  as in the boxes of the grader).

Files are read and written in the folder of the environment variable ``NUMBA_CACHE_DIR``, then in ``__pycache__`` next to the
source, then in numba's folder in the user's cache. Functions without a source file (in a notebook cell or standard input)
are always compiled.
"""

import contextlib
import functools
import gc
import hashlib
import logging
import os
import pickle
import re
import secrets
import sys
import tempfile
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

from lxmls_day1.base.atomic_files import rewrite_cache_file

# These names of numba are not public, and a release may remove them (docs/dev/numba.md). Then functions are compiled in
# every process and nothing is cached.
try:
    from llvmlite.binding import parse_bitcode
    from numba.core.caching import NullCache
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder, _LowerResult, compile_result
    from numba.core.compiler_machinery import register_pass
    from numba.core.dispatcher import Dispatcher
    from numba.core.serialize import dumps
    from numba.core.typed_passes import NativeLowering
    from numba.extending import _Intrinsic
    from numba.misc.appdirs import AppDirs

    MISSING_NUMBA_NAME = ""
except ImportError as error:
    NullCache: Any = object  # type: ignore[no-redef]
    MISSING_NUMBA_NAME = str(error)

_VERSIONS = f"numba {numba.__version__}, llvmlite {llvmlite.__version__}, Python {sys.version}, format 2"
_CONFIG: Any = numba.config  # The attributes are set from environment variables at run time.
_CHECKSUM_BYTES = 32  # bytes
_LOG = logging.getLogger(__name__)


def cached_jit(signature: Any = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator like ``numba.njit`` that uses the cache of this module.

    Parameters
    ----------
    signature : numba signature, optional
        Compile immediately for these types. Default: compile for the types of each call.
    **options
        The options of ``numba.njit``. With ``forceinline`` (see `_Inlined`) or ``no_cpython_wrapper``, calls from Python run as Python.

    Returns
    -------
    function (Python function) -> compiled function

    Examples
    --------
    >>> @cached_jit()
    ... def double(x):
    ...     return 2 * x
    >>> double(4)
    8
    """
    # Omitting the unused C wrapper saves a seventh of the compile time.
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, **options}

    def decorate(function: Any) -> Any:
        inlined: dict[str, Any] = {}
        if options.get("forceinline") and not MISSING_NUMBA_NAME:
            inlined = {"pipeline_class": _Inlined}
        dispatcher = numba.njit(**options, **inlined)(_with_unique_name(function))
        if MISSING_NUMBA_NAME:
            _warn_once(f"numba {numba.__version__} has changed: {MISSING_NUMBA_NAME}")
        else:
            dispatcher._cache = MachineCodeCache(function, options)
        without_wrapper = bool(inlined or options.get("no_cpython_wrapper"))
        if without_wrapper:
            # A call from Python runs as Python.
            dispatcher.add_overload = functools.partial(_add_hidden_overload, dispatcher)
            dispatcher._compile_for_args = lambda *_arguments, **_settings: function
        dispatcher.compile = _without_collector(dispatcher.compile)
        if signature is not None:
            dispatcher.compile(signature)
            dispatcher.disable_compile(not without_wrapper)  # If disabled, a call from Python would be an error.
        return dispatcher

    return decorate


def _without_collector(compile: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap ``compile`` to run without garbage collection, which saves an eighth of the compile time, and to log its end.

    The compilation of a function includes those of the functions that it calls; only the end of the outermost is logged.
    """

    @functools.wraps(compile)
    def compiled(signature: Any) -> Any:
        was_on = gc.isenabled()
        gc.disable()
        try:
            return compile(signature)
        finally:
            if was_on:
                gc.enable()
                _LOG.debug("compiled or loaded")

    return compiled


@functools.cache
def address_of(function: Any) -> int:
    """Return the address of a function compiled for exactly one signature; it is valid as long as the function exists."""
    (compiled,) = function.overloads.values()
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


# ------------------------------------------------------------------------------------------------------ inlined functions

if not MISSING_NUMBA_NAME:

    class _InlinedLibrary(JITCodeLibrary):
        """The LLVM code of an inlined function: it is optimised and becomes machine code only as a part of its callers."""

        def _optimize_final_module(self) -> None:
            """Leave the code as it is, because the module of the caller is optimised."""

        def _finalize_final_module(self) -> None:
            self._finalized = True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class _InlinedLowering(NativeLowering):
        """Lowering into an `_InlinedLibrary`."""

        _name = "inlined_lowering"

        def run_pass(self, state: Any) -> bool:
            state.library = _InlinedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = state.flags.no_cpython_wrapper = True
            super().run_pass(state)
            state["cr"] = _LowerResult(state["cr"].fndesc, state["cr"].call_helper, cfunc=object(), env=state["cr"].env)
            state.library.finalize()
            state.targetctx.insert_user_function(state["cr"].cfunc, state["cr"].fndesc, [state.library])
            return True

    class _Inlined(CompilerBase):
        """numba's compiler for functions whose machine code only compiled functions need.

        It makes no wrapper for calls from Python and no machine code, which saves half of the compile time of a short function.
        """

        def define_pipelines(self) -> list[Any]:
            manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
            own = {NativeLowering: _InlinedLowering}
            manager.passes[:] = [(own.get(one, one), text) for one, text in manager.passes]
            manager.finalize()
            return [manager]


def _add_hidden_overload(dispatcher: Any, compiled: Any) -> None:
    """Store a compiled function so that calls from Python do not find it, because it has no wrapper for them."""
    dispatcher.overloads[tuple(compiled.signature.args)] = compiled


def _plain_inlined(compiled: Any) -> tuple[Any, ...]:
    """Return a compiled inlined function as objects that can be pickled."""
    fndesc = compiled.fndesc
    fndesc.typemap = fndesc.calltypes = None
    return compiled.library.name, compiled.library._final_module.as_bitcode(), fndesc, compiled.signature


def _rebuilt_inlined(context: Any, name: str, bitcode: bytes, fndesc: Any, signature: Any) -> Any:
    library = _InlinedLibrary(context.codegen(), name)
    library._final_module = parse_bitcode(bitcode)
    library._finalize_final_module()
    return compile_result(
        target_context=context, typing_context=context.typing_context, library=library, entry_point=object(),
        fndesc=fndesc, signature=signature, objectmode=False, lifted=(), reload_init=[], referenced_envs=[],
    )  # fmt: skip


class MachineCodeCache(NullCache):
    """The cache of one function, with numba's interface: compiled code is stored by signature."""

    def __init__(self, function: types.FunctionType, options: dict[str, Any]):
        self._function = function
        self._options = options
        self._source = Path(function.__code__.co_filename)
        self._is_inlined = bool(options.get("forceinline"))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the cached code for a signature, or None if it must be compiled, which is logged."""
        target_context.refresh()
        found = self._load_cached(sig, target_context) if self._is_importable() else None
        if found is None:
            _LOG.info("compiling %s", self._function.__qualname__)
        return found

    def _load_cached(self, sig: Any, target_context: Any) -> Any:
        name, belongs_to = self._file_name_and_key(sig, target_context.codegen())
        for folder in _cache_folders(self._source):
            with contextlib.suppress(Exception):  # unreadable, or written with other modules available: compile
                if (folder / name).is_file():  # Reading a pipe might block forever.
                    content = (folder / name).read_bytes()
                    if content[:_CHECKSUM_BYTES] == _checksum(belongs_to, content[_CHECKSUM_BYTES:]):
                        rebuilt = _rebuilt_inlined if self._is_inlined else CompileResult._rebuild
                        return rebuilt(target_context, *pickle.loads(content[_CHECKSUM_BYTES:]))
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the code compiled for a signature in the first writable folder."""
        if (
            not self._is_importable()
            or data.library.has_dynamic_globals
            or not all(part.can_cache for part in data.lifted)
        ):
            return
        name, belongs_to = self._file_name_and_key(sig, data.codegen)
        try:
            payload = dumps(_plain_inlined(data) if self._is_inlined else data._reduce())
        except Exception as error:  # It refers to objects that cannot be pickled.
            _warn_once(f"{self._function.__name__}: {error}")
            return
        content = _checksum(belongs_to, payload) + payload
        reason = ""
        for folder in _cache_folders(self._source):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                rewrite_cache_file(folder / name, content)
                return
            except OSError as error:
                with contextlib.suppress(OSError):
                    if (folder / name).read_bytes() == content:  # On Windows, another process may just have written it.
                        return
                reason = f"{folder.parent}: {error.strerror or error}"
        _warn_once(reason)  # The last folder is the same for all sources, so this warns only once.

    @functools.cached_property
    def _digest(self) -> bytes:
        """A digest that two functions share only if they have the same machine code."""
        # Sets are sorted, because their order differs between processes.
        options = [(key, sorted(of) if isinstance(of, (set, frozenset)) else of) for key, of in self._options.items()]
        hashed = hashlib.sha256(repr((_VERSIONS, sorted(options, key=str))).encode())
        for part in _dependencies(self._function, set()):
            hashed.update(part.encode(errors="surrogatepass") + b"\0")
        return hashed.digest()

    def _is_importable(self) -> bool:
        """Return True if the function is in a source file, in a module that can be found by its name."""
        return self._source.is_file() and self._function.__module__ in sys.modules

    def _file_name_and_key(self, sig: Any, codegen: Any) -> tuple[str, bytes]:
        """Return the name of the cache file, and the key on which its validity depends."""
        function = self._function
        title = re.sub(r"[^\w.]", "", f"{self._source.stem}.{function.__qualname__}")
        settings = str(_CONFIG.OPT), str(_CONFIG.BOUNDSCHECK), sys.implementation.cache_tag
        key = repr((function.__module__, str(sig), codegen.magic_tuple(), settings)).encode()
        return f"{title[:80]}-{hashlib.sha256(key).hexdigest()[:16]}.nbc", key + self._digest


def _checksum(key: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(key).digest() + payload).digest()


def _cache_folders(source: Path) -> Iterator[Path]:
    """Yield the folders for the machine code of a source file, in order of preference."""
    of_source = f"{source.parent.name}_{hashlib.sha256(os.fsencode(source.parent.absolute())).hexdigest()[:16]}"
    if _CONFIG.CACHE_DIR:
        yield Path(_CONFIG.CACHE_DIR, of_source)
    yield source.parent / "__pycache__"
    yield Path(AppDirs(appname="numba", appauthor=False).user_cache_dir, of_source)


def machine_code_folder(source: Path) -> tuple[Path | None, str]:
    """Return the folder for the machine code of a source file and ""; if no folder is writable, None and the reason."""
    if MISSING_NUMBA_NAME:
        return None, f"numba {numba.__version__} has changed: {MISSING_NUMBA_NAME}"
    reason = ""
    for folder in _cache_folders(source):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder, ""
        except OSError as error:
            reason = f"{folder}: {error.strerror or error}"
    return None, reason


@functools.cache
def _warn_once(reason: str) -> None:
    if sys.dont_write_bytecode:  # With this setting, users expect no files of compiled code.
        return
    warnings.warn(
        f"machine code cannot be kept ({reason}); everything works, but each process compiles the functions again. "
        "To choose another folder, set the environment variable NUMBA_CACHE_DIR",
        stacklevel=2,
    )


def _with_unique_name(function: types.FunctionType) -> types.FunctionType:
    """Return a copy of the function with a globally unique qualified name."""
    twin = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    twin.__doc__, twin.__module__ = function.__doc__, function.__module__
    twin.__qualname__ = f"{function.__qualname__}_{secrets.token_hex(8)}"
    return twin


# ------------------------------------------------------------------------------------------- what machine code depends on


def _dependencies(value: Any, seen: set[int]) -> Iterator[str]:
    """Yield code, file digest and constants of a function, and of all functions that it calls, in any file."""
    if isinstance(value, Dispatcher):
        yield repr(sorted(value.targetoptions.items(), key=str))
        value = value.py_func
    elif isinstance(value, _Intrinsic):
        value = value._defn
    if id(value) in seen:
        return
    if isinstance(value, types.FunctionType):
        seen.add(id(value))
        yield _file_digest(value.__code__.co_filename)
        yield from _code_parts(value.__code__)
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        used = [value.__globals__[name] for name in _global_names(value.__code__) if name in value.__globals__]
        for other in (*cells, *used, *(value.__defaults__ or ())):
            if isinstance(other, types.ModuleType):
                for name in _global_names(value.__code__):
                    attribute = vars(other).get(name)
                    if isinstance(attribute, Dispatcher):
                        yield from _dependencies(attribute, seen)
            else:
                yield from _dependencies(other, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    elif isinstance(value, tuple):
        for item in value:
            yield from _dependencies(item, seen)
    elif isinstance(value, (bool, int, float, complex, str, bytes, type(None), np.generic)):
        yield repr(value)
    else:
        yield f"{type(value).__module__}.{type(value).__qualname__}"


def _global_names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _global_names(constant)


def _code_parts(code: types.CodeType) -> Iterator[str]:
    yield repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code_parts(constant)
        else:
            yield repr(constant)


def _file_digest(path: str) -> str:
    try:
        status = os.stat(path)
        return _digest_of_file(path, status.st_mtime_ns, status.st_size)
    except OSError:
        return path


@functools.cache
def _digest_of_file(path: str, _mtime_ns: int, _size: int) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
