"""Machine code from the cache is correct or is not used, however a module is imported and whatever the files contain."""

import gc
import importlib.util
import shutil
import sys

import numba
import pytest

from lxmls_day1.engine.kernels import machine_code
from lxmls_day1.engine.kernels.machine_code import cached_jit
from tests.python_runs import run_python
from tests.wording import wording


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Yield an empty cache folder; the folders of the source and of the user are not used."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(machine_code, "_cache_folders", lambda source: iter([folder]))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    machine_code._warn_once.cache_clear()
    yield folder
    machine_code._warn_once.cache_clear()


@pytest.fixture
def module_of(tmp_path):
    """Yield a function (text, name) -> module that is written to a file of that name and imported."""
    names = []

    def load(text, name="learner_in_test"):
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        names.append(name)
        path.with_name("__pycache__").exists() and shutil.rmtree(path.with_name("__pycache__"))
        spec.loader.exec_module(module)
        return module

    yield load
    for name in names:
        sys.modules.pop(name, None)


NUMBER = numba.float64(numba.float64)
TWICE = "def scaled(x):\n    return 2 * x\n"


def compiled(module, name="scaled"):
    """Return the compiled function, and whether its machine code came from the cache."""
    function = cached_jit(NUMBER, no_cfunc_wrapper=False)(getattr(module, name))
    return function, sum(function.stats.cache_hits.values()) == 1


def test_machine_code_is_cached_and_found_again(cache, module_of, caplog):
    caplog.set_level("INFO", "lxmls_day1.engine.kernels")
    module = module_of(TWICE)
    first, from_cache = compiled(module)
    assert not from_cache and first(4.0) == 8.0
    assert caplog.messages == ["compiling scaled"]  # A terminal shows a message.
    second, from_cache = compiled(module)
    assert from_cache and second(4.0) == 8.0
    assert len(caplog.messages) == 1
    assert len(list(cache.iterdir())) == 1


INLINED = """from lxmls_day1.engine.kernels.machine_code import cached_jit
@cached_jit(forceinline=True)
def doubled(x):
    return 2 * x
def scaled(x):
    return doubled(x)
def shifted(x):
    return doubled(x) + 1
"""


def test_an_inlined_function_is_found_again_by_another_caller_and_runs_as_python(cache, module_of):
    function, from_cache = compiled(module_of(INLINED))
    assert not from_cache and function(4.0) == 8.0
    assert len(list(cache.iterdir())) == 2
    module = module_of(INLINED)
    function, from_cache = compiled(module, "shifted")
    assert not from_cache and function(4.0) == 9.0
    assert sum(module.doubled.stats.cache_hits.values()) == 1
    assert module.doubled(4) == 8 and module.doubled("ab") == "abab"  # Numba would know no such text.


def test_a_function_without_a_wrapper_runs_as_python(cache, module_of):
    function = cached_jit(NUMBER, no_cpython_wrapper=True)(module_of(TWICE).scaled)
    assert function("ab") == "abab"
    assert machine_code.address_of(function)


DAMAGES = {
    "emptied": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "cut to its checksum": lambda content: content[:32],
    "another's": lambda content: b"\x80\x04N." * 100,
    "one bit": lambda content: content[:-1000] + bytes([content[-1000] ^ 1]) + content[-999:],
    "longer": lambda content: content + b"\0",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_costs_a_compilation_and_is_replaced(cache, module_of, damage):
    module = module_of(TWICE)
    compiled(module)
    (file,) = cache.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    function, from_cache = compiled(module)
    assert not from_cache and function(4.0) == 8.0
    assert compiled(module)[1]


@pytest.mark.slow
def test_files_that_were_swapped_are_not_used(cache, module_of):
    module = module_of(TWICE + "def thrice(x):\n    return 3 * x\n")
    compiled(module), compiled(module, "thrice")
    one, other = cache.iterdir()
    contents = one.read_bytes(), other.read_bytes()
    one.write_bytes(contents[1]), other.write_bytes(contents[0])
    (twice, from_cache), (thrice, also) = compiled(module), compiled(module, "thrice")
    assert not from_cache and not also and (twice(1.0), thrice(1.0)) == (2.0, 3.0)


@pytest.mark.parametrize("part", ["name", "features"])
def test_machine_code_for_another_processor_is_not_used(cache, module_of, monkeypatch, part):
    module = module_of(TWICE)
    compiled(module)
    codegen = numba.core.registry.cpu_target.target_context.codegen()
    if part == "name":
        monkeypatch.setattr(numba.config, "CPU_NAME", "another")
    else:
        monkeypatch.setattr(codegen, "_tm_features", "of another")
    function, from_cache = compiled(module)
    assert not from_cache and function(4.0) == 8.0 and len(list(cache.iterdir())) == 2


def test_other_options_need_other_machine_code(cache, module_of):
    module = module_of("def quotient(x):\n    return 1 / x\n")
    cached_jit(NUMBER)(module.quotient)
    strict = cached_jit(NUMBER, error_model="python")(module.quotient)
    assert not strict.stats.cache_hits
    with pytest.raises(ZeroDivisionError):
        strict(0.0)


FACTOR = "from lxmls_day1.engine.kernels.machine_code import cached_jit\n@cached_jit()\ndef f(x):\n    return 2 * x\n"

#: The text of another file and of the module itself; each 2 is then changed into a 5.
CHANGES = {
    "its code": ("", TWICE),
    "a constant of its module": ("", "F = 2\ndef scaled(x):\n    return F * x\n"),
    "an array of its module": ("", "import numpy as np\nF = np.array([2.0])\ndef scaled(x):\n    return F[0] * x\n"),
    "a function that it calls": ("", FACTOR + "def scaled(x):\n    return f(x)\n"),
    "a function in another file": (FACTOR, "import helper_in_test\ndef scaled(x):\n    return helper_in_test.f(x)\n"),
    "a constant of another file": ("F = 2\n", "from helper_in_test import F\ndef scaled(x):\n    return F * x\n"),
}


@pytest.mark.parametrize(("helper", "text"), CHANGES.values(), ids=CHANGES)
def test_edited_code_is_compiled_again(cache, module_of, helper, text):
    for factor in (2, 5):
        module_of(helper.replace("2", str(factor)), "helper_in_test")
        module = module_of(text.replace("2", str(factor)))
        function, from_cache = compiled(module)
        assert not from_cache and function(1.0) == factor
        assert compiled(module)[1]


def test_a_changed_constant_is_not_read_from_the_cache(cache, module_of):
    module = module_of("F = 2\ndef scaled(x):\n    return F * x\n")
    compiled(module)
    module.F = 5
    function, from_cache = compiled(module)
    assert not from_cache and function(1.0) == 5.0


@pytest.mark.parametrize("on", [True, False])
def test_garbage_collection_is_enabled_afterwards_if_it_was_before(cache, module_of, on, request):
    request.addfinalizer(gc.enable)
    (gc.enable if on else gc.disable)()
    with pytest.raises(numba.errors.TypingError):
        compiled(module_of("def scaled(x):\n    return unknown\n"))
    assert gc.isenabled() is on


def test_two_names_of_one_file_have_machine_code_of_their_own(cache, module_of):
    for name in ("learner_in_test", "flat_learner_in_test"):
        assert not compiled(module_of(TWICE, name))[1]
    sys.modules.pop("learner_in_test")  # Another process could not import it.
    function, from_cache = compiled(sys.modules["flat_learner_in_test"])
    assert from_cache and function(1.0) == 2.0


@pytest.mark.slow
def test_a_version_from_the_cache_and_one_that_was_just_compiled_stay_apart(cache, module_of):
    """Both are the first function that some process compiled, so numba gives them the same name."""
    # (A function that is passed to another function needs its C wrapper.)
    rule = numba.types.FunctionType(NUMBER)
    call = numba.njit(numba.float64(rule, numba.float64))(lambda function, x: function(x))
    save = f"""
import importlib.util, sys
from pathlib import Path
from lxmls_day1.engine.kernels import machine_code
import numba
machine_code._cache_folders = lambda source: iter([Path({str(cache)!r})])
spec = importlib.util.spec_from_file_location("learner_in_test", sys.argv[1])
module = sys.modules["learner_in_test"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
machine_code.cached_jit(numba.float64(numba.float64), no_cfunc_wrapper=False)(module.scaled)
"""
    functions = []
    for text in (TWICE, TWICE.replace("2", "5")):
        module = module_of(text)
        run_python("-B", "-c", save, module.__file__)
        function, from_cache = compiled(module)
        assert from_cache
        functions.append(function)
    assert [call(function, 1.0) for function in functions] == [2.0, 5.0]


def test_a_numba_without_a_needed_name_compiles_and_warns_that_nothing_is_cached():
    code = """
import pathlib, sys, warnings, numba, numba.misc.appdirs as appdirs
sys.dont_write_bytecode = False
numba.njit(lambda x: x)(1)  # numba has taken what it needs itself
del appdirs.AppDirs
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    from lxmls_day1.engine.kernels.machine_code import cached_jit, machine_code_folder
    double = cached_jit()(lambda x: 2 * x)
    print(double(4), len(double.overloads))
print(said[0].message)
print(*machine_code_folder(pathlib.Path("x.py")))
"""
    lines = run_python("-c", code).stdout.splitlines()
    assert lines[0] == "8 1"
    assert wording("engine.machine_code_cannot_kept", numba.__version__) in lines[1]
    assert lines[2].startswith(f"None numba {numba.__version__} has changed")
