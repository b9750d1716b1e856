"""Machine code from the cache is the right one, or is not used: whatever is imported how, and whatever the files hold."""

import errno
import importlib.util
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from lxmls_day1.engine.compiled import machine_code
from lxmls_day1.engine.compiled.machine_code import cached_jit
from lxmls_day1.whole_files import temporary_folder

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder of its own; the source's and the user's folder take nothing."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(machine_code, "_folders", lambda source: iter([folder]))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    machine_code._warn_once.cache_clear()
    yield folder
    machine_code._warn_once.cache_clear()


@pytest.fixture
def module_of(tmp_path, request):
    """A function (text, name) -> module that stands in a file of that name and is imported under it."""
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
    """The compiled function, and whether its machine code came from the cache."""
    function = cached_jit(NUMBER)(getattr(module, name))
    return function, sum(function.stats.cache_hits.values()) == 1


def test_machine_code_is_kept_and_found_again(cache, module_of, caplog):
    caplog.set_level("INFO", "lxmls_day1.engine.compiled")
    module = module_of(TWICE)
    first, from_cache = compiled(module)
    assert not from_cache and first(4.0) == 8.0
    assert caplog.messages == ["compiling scaled"]  # a terminal is told of it
    second, from_cache = compiled(module)
    assert from_cache and second(4.0) == 8.0
    assert len(caplog.messages) == 1
    assert len(list(cache.iterdir())) == 1


DAMAGES = {
    "emptied": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "cut to its checksum": lambda content: content[:32],
    "another's": lambda content: b"\x80\x04N." * 100,
    "one bit": lambda content: content[:-1000] + bytes([content[-1000] ^ 1]) + content[-999:],
    "longer": lambda content: content + b"\0",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_costs_a_compilation_and_is_mended(cache, module_of, damage):
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


def test_machine_code_for_other_types_is_not_used(cache, module_of):
    module = module_of(TWICE)
    compiled(module)
    function = cached_jit(numba.int64(numba.int64))(module.scaled)
    assert not function.stats.cache_hits and function(4) == 8 and len(list(cache.iterdir())) == 2


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


def test_other_options_are_other_machine_code(cache, module_of):
    module = module_of("def quotient(x):\n    return 1 / x\n")
    cached_jit(NUMBER)(module.quotient)
    strict = cached_jit(NUMBER, error_model="python")(module.quotient)
    assert not strict.stats.cache_hits
    with pytest.raises(ZeroDivisionError):
        strict(0.0)


def test_the_order_in_a_set_of_options_is_none(cache, module_of):
    one, other = (
        {0, 8},
        {8, 0},
    )  # numbers, whose hashes no process changes, of one place in a small set: the first comes first
    assert list(one) != list(other)
    module = module_of(TWICE)
    digests = {machine_code.MachineCodeCache(module.scaled, {"fastmath": flags})._digest for flags in (one, other)}
    assert len(digests) == 1
    assert machine_code.MachineCodeCache(module.scaled, {"fastmath": {0}})._digest not in digests


CHANGES = {
    "its code": (TWICE, TWICE.replace("2", "5")),
    "a constant of its module": (
        "F = 2\ndef scaled(x):\n    return F * x\n",
        "F = 5\ndef scaled(x):\n    return F * x\n",
    ),
    "an array of its module": tuple(
        f"import numpy as np\nF = np.array([{n}.0])\ndef scaled(x):\n    return F[0] * x\n" for n in (2, 5)
    ),
    "a function that it calls": tuple(
        f"from lxmls_day1.engine.compiled.machine_code import cached_jit\n@cached_jit()\ndef f(x):\n    return {n} * x\n"
        "def scaled(x):\n    return f(x)\n"
        for n in (2, 5)
    ),
    "a function in another file": tuple(
        (
            f"from lxmls_day1.engine.compiled.machine_code import cached_jit\n@cached_jit()\ndef f(x):\n    return {n} * x\n",
            call,
        )
        for n, call in itertools.product(
            (2, 5), ["import helper_in_test\ndef scaled(x):\n    return helper_in_test.f(x)\n"]
        )
    ),
    "a constant of another file": tuple(
        (f"F = {n}\n", "from helper_in_test import F\ndef scaled(x):\n    return F * x\n") for n in (2, 5)
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_was_edited_is_compiled_anew(cache, module_of, change):
    for text, expected in zip(change, (2.0, 5.0), strict=True):
        helper, text = text if isinstance(text, tuple) else ("", text)
        module_of(helper, "helper_in_test")
        module = module_of(text)
        function, from_cache = compiled(module)
        assert not from_cache and function(1.0) == expected
        assert compiled(module)[1]


def test_a_constant_that_was_set_anew_is_not_taken_from_the_cache(cache, module_of):
    module = module_of("F = 2\ndef scaled(x):\n    return F * x\n")
    compiled(module)
    module.F = 5
    function, from_cache = compiled(module)
    assert not from_cache and function(1.0) == 5.0


def test_two_names_of_one_file_have_machine_code_of_their_own(cache, module_of):
    for name in ("learner_in_test", "flat_learner_in_test"):
        assert not compiled(module_of(TWICE, name))[1]
    sys.modules.pop("learner_in_test")  # in another process it cannot be imported
    function, from_cache = compiled(sys.modules["flat_learner_in_test"])
    assert from_cache and function(1.0) == 2.0


def test_what_stands_in_no_file_is_not_kept(cache):
    scope = {"__name__": __name__}
    exec(TWICE, scope)
    function = cached_jit(NUMBER)(scope["scaled"])
    assert function(1.0) == 2.0 and not cache.exists()


class TestNoPlace:
    @pytest.fixture
    def full(self, monkeypatch):
        def renew_file(path, content):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))

        monkeypatch.setattr(machine_code, "renew_file", renew_file)

    def test_is_said_once_and_all_works(self, cache, module_of, full, recwarn):
        module = module_of(TWICE)
        for _ in range(3):
            function, from_cache = compiled(module)
            assert not from_cache and function(1.0) == 2.0
        (warning,) = recwarn
        assert "No space left on device" in str(warning.message) and "NUMBA_CACHE_DIR" in str(warning.message)

    def test_is_not_said_where_no_bytecode_is_wanted_either(self, cache, module_of, full, monkeypatch, recwarn):
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        assert compiled(module_of(TWICE))[0](1.0) == 2.0 and not list(recwarn)

    def test_machine_code_that_is_there_is_used(self, cache, module_of, monkeypatch):
        module = module_of(TWICE)
        compiled(module)
        monkeypatch.setattr(machine_code, "renew_file", None)
        assert compiled(module)[1]

    def test_another_process_that_writes_the_same_at_once_is_no_failure(self, cache, module_of, monkeypatch, recwarn):
        write = machine_code.renew_file

        def written_and_refused(path, content):
            write(path, content)
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(machine_code, "renew_file", written_and_refused)
        module = module_of(TWICE)
        compiled(module)
        assert compiled(module)[1] and not list(recwarn)

    def test_a_file_where_the_folder_should_be(self, cache, module_of):
        cache.write_text("not a folder")
        with pytest.warns(UserWarning, match="machine code cannot be kept"):
            function, _ = compiled(module_of(TWICE))
        assert function(1.0) == 2.0

    def test_a_folder_where_the_file_should_be(self, cache, module_of):
        module = module_of(TWICE)
        compiled(module)
        (file,) = cache.iterdir()
        file.unlink()
        file.mkdir()
        with pytest.warns(UserWarning, match="machine code cannot be kept"):
            function, _ = compiled(module)
        assert function(1.0) == 2.0


def test_the_next_folder_is_taken_where_the_first_is_not_writable(cache, module_of, monkeypatch, tmp_path):
    tmp_path.joinpath("file").write_text("")
    folders = [tmp_path / "file" / "beneath it", tmp_path / "second"]
    monkeypatch.setattr(machine_code, "_folders", lambda source: iter(folders))
    module = module_of(TWICE)
    compiled(module)
    assert len(list(folders[1].iterdir())) == 1 and compiled(module)[1]


@pytest.mark.slow
def test_a_version_from_the_cache_and_one_that_was_just_compiled_stay_apart(cache, module_of):
    """Both are the first function that some process has compiled: as numba numbers them they have the same name."""
    rule = numba.types.FunctionType(NUMBER)
    call = numba.njit(numba.float64(rule, numba.float64))(lambda function, x: function(x))
    save = f"""
import importlib.util, sys
from pathlib import Path
from lxmls_day1.engine.compiled import machine_code
import numba
machine_code._folders = lambda source: iter([Path({str(cache)!r})])
spec = importlib.util.spec_from_file_location("learner_in_test", sys.argv[1])
module = sys.modules["learner_in_test"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
machine_code.cached_jit(numba.float64(numba.float64))(module.scaled)
"""
    functions = []
    for text in (TWICE, TWICE.replace("2", "5")):
        module = module_of(text)
        subprocess.run([sys.executable, "-B", "-c", save, module.__file__], check=True, cwd=ROOT)
        function, from_cache = compiled(module)
        assert from_cache
        functions.append(function)
    assert [call(function, 1.0) for function in functions] == [2.0, 5.0]


# ----------------------------------------------------------------------------------------- a user who may do very little

AS_NOBODY = """
import importlib.util, json, os, shutil, sys, traceback, warnings
from pathlib import Path

import numba
from lxmls_day1.engine.compiled import machine_code

place, nobody = Path(sys.argv[1]), 65534
spec = importlib.util.spec_from_file_location("learner_in_test", place / "learner_in_test.py")
module = sys.modules["learner_in_test"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

def compiled(name):
    return machine_code.cached_jit(numba.float64(numba.float64))(getattr(module, name))

def swapped(cache, one, other):
    contents = one.read_bytes(), other.read_bytes()
    one.write_bytes(contents[1]), other.write_bytes(contents[0])

def replaced(path, make):
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    make(path)

def given_to_root(cache, mode):
    for path in (cache, *cache.rglob("*")):
        os.chown(path, 0, 0)
    cache.chmod(mode)

DAMAGES = {  # of the cache folder and the files of two functions in it
    "nothing": lambda cache, *files: None,
    "a file is emptied": lambda cache, one, other: one.write_bytes(b""),
    "a file is cut": lambda cache, one, other: os.truncate(one, 1000),
    "a file holds garbage": lambda cache, one, other: one.write_bytes(b"\\x80\\x04N." * 100),
    "a file is longer": lambda cache, one, other: one.write_bytes(one.read_bytes() + b"more"),
    "files are swapped": swapped,
    "files are of tomorrow": lambda cache, *files: [os.utime(path, (4e9, 4e9)) for path in files],
    "one file is gone": lambda cache, one, other: one.unlink(),
    "an index of numba's is alone": lambda cache, one, other: one.rename(one.with_suffix(".nbi")),
    "data of numba's are alone": lambda cache, one, other: shutil.copy(one, cache / "learner.scaled-1.py311.1.nbc"),
    "a file cannot be read": lambda cache, one, other: one.chmod(0),
    "a file may only be read": lambda cache, one, other: one.chmod(0o444),
    "a file is a folder": lambda cache, one, other: replaced(one, Path.mkdir),
    "a file is a link to itself": lambda cache, one, other: replaced(one, lambda path: path.symlink_to(path.name)),
    "a file is a pipe": lambda cache, one, other: replaced(one, os.mkfifo),
    "the folder cannot be read": lambda cache, *files: cache.chmod(0),
    "the folder may only be read": lambda cache, *files: cache.chmod(0o555),
    "the folder is another user's": lambda cache, *files: given_to_root(cache, 0o755),
    "the folder is another user's, and closed": lambda cache, *files: given_to_root(cache, 0o700),
    "the folder is a file": lambda cache, *files: replaced(cache, Path.touch),
}

def as_nobody():
    # What each call returns, how many came from the cache, and the warnings: of two uses of both functions.
    os.setgroups([])
    os.setresgid(nobody, nobody, nobody)
    os.setresuid(nobody, nobody, nobody)
    uses = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(2):
            functions = [compiled(name) for name in ("scaled", "thrice")]
            uses.append([[function(4.0) for function in functions], sum(sum(f.stats.cache_hits.values()) for f in functions)])
    return uses, [str(one.message) for one in said]

for number, (title, damage) in enumerate(DAMAGES.items()):
    numba.config.CACHE_DIR = str(place / str(number))
    compiled("scaled"), compiled("thrice")
    (cache,) = Path(numba.config.CACHE_DIR).iterdir()
    for path in (cache.parent, cache, *cache.iterdir()):
        os.chown(path, nobody, nobody)
    damage(cache, *sorted(cache.iterdir()))
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            print(json.dumps([title, *as_nobody()]), flush=True)
        except BaseException:
            print(json.dumps([title, [], [traceback.format_exc()]]), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
UNHARMED = ["nothing", "files are of tomorrow", "data of numba's are alone", "a file may only be read"]
UNHARMED += ["the folder may only be read", "the folder is another user's"]
MENDED = ["a file is emptied", "a file is cut", "a file holds garbage", "a file is longer", "files are swapped"]
MENDED += ["one file is gone", "an index of numba's is alone", "a file cannot be read", "a file is a link to itself"]
MENDED += ["a file is a pipe"]
CANNOT_BE_MENDED = ["a file is a folder", "the folder cannot be read", "the folder is a file"]
CANNOT_BE_MENDED += ["the folder is another user's, and closed"]


@pytest.fixture(scope="module")
def as_nobody():
    """What the user 65534 finds of each damage: two uses of two functions, and what was said."""
    with temporary_folder("lxmls-day1-test-", mode=0o755) as place:  # pytest's own folders are closed to others
        (place / "learner_in_test.py").write_text(TWICE + "def thrice(x):\n    return 3 * x\n")
        (place / "home").mkdir(mode=0o700)
        homes = dict.fromkeys(["HOME", "XDG_CACHE_HOME"], str(place / "home"))
        environment = {**os.environ, **homes, "PYTHONDONTWRITEBYTECODE": ""}
        command = [sys.executable, "-c", AS_NOBODY, str(place)]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        lines = map(json.loads, done.stdout.splitlines())
        return {title: (uses, said) for title, uses, said in lines}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")
class TestAsNobody:
    @pytest.mark.parametrize("damage", MENDED + UNHARMED + CANNOT_BE_MENDED)
    def test_all_works_and_one_sentence_at_most_is_said(self, as_nobody, damage):
        uses, said = as_nobody[damage]
        assert [values for values, _ in uses] == [[8.0, 12.0]] * 2, said
        assert len(said) == (damage in CANNOT_BE_MENDED), said
        assert all("machine code cannot be kept" in sentence for sentence in said)

    @pytest.mark.parametrize("damage", MENDED + UNHARMED)
    def test_the_second_use_is_from_the_cache(self, as_nobody, damage):
        uses, _ = as_nobody[damage]
        assert uses[1][1] == 2 and (uses[0][1] == 2) == (damage in UNHARMED)

    def test_no_damage_is_left_out(self, as_nobody):
        assert sorted(as_nobody) == sorted(MENDED + UNHARMED + CANNOT_BE_MENDED)


# ------------------------------------------------------------------------------------- the ways to import a lab's files

# Runs learners imported in several ways, each job in a fork of this process, which has imported no lab yet.
DRIVER = """
import hashlib, importlib, json, os, sys, warnings

import numba
import numpy as np
from lxmls_day1.engine.compiled import machine_code

folders = machine_code._folders
machine_code._folders = lambda source: iter([next(folders(source))])  # NUMBA_CACHE_DIR, and not beside the sources

from lxmls_day1.engine.compiled import sparse_rows
from lxmls_day1.lab import Lab

root, other, jobs = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
X, y = np.random.default_rng(0).normal(size=(30, 4)), np.arange(30) % 3
numba.config.CACHE_DIR = sys.argv[4]
examples = sparse_rows.as_online_examples(X)
sparse_rows._compiled_steps(examples.indices.dtype, examples.data.dtype, examples.data.ndim)

def first_rule(scores, label, sq_norm, step, cost):
    d = np.zeros(len(scores))
    d[np.argmax(scores)] -= step
    return d

sparse_rows.compile_rule(first_rule)  # most of the first compilation in a process is numba's own preparation: no job needs to repeat it

def learner(way):
    if way == "flat":
        sys.path.append(os.path.join(root, "classifiers"))
        return importlib.import_module("perceptron").Perceptron
    if way == "reference":
        return importlib.import_module("lxmls_day1.classifiers.perceptron").Perceptron
    return Lab(root if way == "package" else other).load("classifiers.perceptron").Perceptron

def job(cache, ways):
    warnings.simplefilter("error")
    learners = [(way, learner(way)) for way in ways]
    for way, Perceptron in [*learners, *reversed(learners)]:
        params = Perceptron(nr_rounds=2, averaged=False).train(X, y)
        code = sparse_rows.compile_rule(Perceptron.rule)
        print(json.dumps([cache, way, hashlib.sha256(params.tobytes()).hexdigest(), sum(code.stats.cache_hits.values())]))

for cache, ways in jobs:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            numba.config.CACHE_DIR = cache
            job(cache, ways)
            sys.stdout.flush()
        except BaseException:
            sys.excepthook(*sys.exc_info())
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit("a job failed")
"""


@pytest.fixture(scope="module")
def other_lab(tmp_path_factory):
    """A lab in a place where an installed one could be, whose perceptron takes steps twice as large."""
    folder = tmp_path_factory.mktemp("site-packages") / "reference_lab"
    for name in ("classifiers", "readers"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "classifiers/perceptron.py"
    text = file.read_text(encoding="utf-8")
    assert text.count("    return d\n") == 1
    file.write_text(text.replace("    return d\n", "    return 2 * d\n"), encoding="utf-8")
    return folder


def drive(other_lab, kernels, jobs):
    """Run jobs (cache folder, ways to import), each in a process; returns (cache folder, way, weights, cache hits)."""
    environment = os.environ | {"PYTHONPATH": "", "NUMBA_CACHE_DIR": str(kernels), "PYTHONDONTWRITEBYTECODE": "1"}
    jobs = json.dumps([(str(cache), ways) for cache, ways in jobs])
    command = [sys.executable, "-W", "error", "-c", DRIVER, str(ROOT), str(other_lab), jobs, str(kernels)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


WAYS = ("flat", "package", "installed")
ORDERS = {
    f"{'-'.join(order)}, {processes}": [list(order)] if processes == "one process" else [[way] for way in order]
    for order in [*itertools.permutations(WAYS), ("reference", *WAYS), (*WAYS[::-1], "reference")]
    for processes in ("one process", "a process each")
}


@pytest.fixture(scope="module")
def warm(tmp_path_factory, other_lab):
    """A cache folder that holds the kernels; and the weights that each way of importing must lead to."""
    folder, of_rules = tmp_path_factory.mktemp("kernels"), tmp_path_factory.mktemp("rules")
    kept = (
        ROOT / "lxmls_day1/engine/compiled/__pycache__"
    )  # what this checkout has compiled already need not be compiled again
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numba.config, "CACHE_DIR", str(folder))
        place = next(machine_code._folders(kept.parent / "sparse_rows.py"))
    shutil.copytree(kept, place, ignore=shutil.ignore_patterns("*.pyc"))
    lines = drive(other_lab, folder, [(of_rules, ["package"]), (of_rules, ["installed"])])
    expected = {way: weights for _, way, weights, _ in lines}
    assert expected["package"] != expected["installed"]
    return folder, {**expected, "flat": expected["package"], "reference": expected["package"]}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each job is a fork")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.one_in(16)
def test_whatever_the_order_of_imports(warm, other_lab, tmp_path, order):
    """The guide's flat imports, those of a package, another folder's, and those of the reference lab, over one cache:
    twice, the second from it.
    """
    kernels, expected = warm
    jobs = ORDERS[order]
    lines = drive(other_lab, kernels, [(tmp_path / "rules", ways) for ways in jobs + jobs])
    found = [line[1:] for line in lines]
    assert {(way, weights) for way, weights, _ in found} == {(way, expected[way]) for ways in jobs for way in ways}
    assert [hits for _, _, hits in found[len(found) // 2 :]] == [1] * (len(found) // 2)


@pytest.mark.slow
@pytest.mark.campaign  # of one file in every run: test_a_damaged_file_costs_a_compilation_and_is_mended
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each job is a fork")
def test_a_whole_cache_that_is_damaged(warm, other_lab, tmp_path):
    kernels, expected = warm
    cache = tmp_path / "cache"
    shutil.copytree(kernels, cache)
    drive(other_lab, cache, [(cache, ["flat"])])
    files = sorted(cache.rglob("*.nbc"))
    assert any(file.name.startswith("sparse_rows._steps-") for file in files)
    contents = [file.read_bytes() for file in files]
    for number, (file, content) in enumerate(zip(files, contents[1:] + contents[:1], strict=True)):
        file.write_bytes((content, content[: len(content) // 2], b"")[number % 3])
    assert drive(other_lab, cache, [(cache, ["flat"])])[0][1:3] == ["flat", expected["flat"]]
