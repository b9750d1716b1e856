"""Submissions that import an answer instead of writing it are refused in a box, at every level.

Each run tests one level.
"""

import contextlib
import sys
import textwrap
from pathlib import Path, PurePosixPath

import pytest

from classifiers import Perceptron
from lxmls_day1.box.fork_server import PROCESS
from lxmls_day1.box.levels import LEVELS, SAFE_LEVELS, Level, reason_unavailable
from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.engine import kernels
from lxmls_day1.engine.kernels.primitives import COMPILES
from lxmls_day1.grading.intake.submissions import Submission
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.one_submission import Grader
from lxmls_day1.grading.running.plan import make_plan
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.grading.labs import code_of
from tests.wording import wording

pytestmark = [
    pytest.mark.slow(20),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="boxes are forked on Linux"),
]

CALL = """
emissions, transitions, start, stop = scores
path, best = np.zeros(len(emissions), dtype=np.int64), np.zeros(emissions.shape)
best_path(np.uint64(len(emissions)), emissions, np.ascontiguousarray(transitions.T), start, stop, best, path)
return path
"""
READ = """
import importlib.machinery, sys
import lxmls_day1
for place in lxmls_day1.__path__:
    source = open(place + "/engine/kernels/chain_search.py").read()
namespace = {"__name__": "mine", "__file__": __file__}
exec(source.replace("@kernel(**CHAIN_PRIMITIVE)", ""), namespace)
best_path = namespace["best_path"]
"""
OF_THE_REFERENCE = """
def best_path(n_words, emissions, from_tag, start, stop, best, path):
    path[:] = reference((emissions, from_tag.T, start, stop))
"""
# Way of importing the search -> the levels that stop it: all (the import is refused), or only those with a sandbox.
PACKAGE = "lxmls_day1.engine.kernels"
IMPORT = f"from {PACKAGE}.chain_search import best_path"
NO_REFUSAL = (
    "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if 'solution_blocking' not in type(f).__module__]\n"
)
FROM_REFERENCE = f"from lxmls_day1.classifiers.viterbi import viterbi as reference\n{OF_THE_REFERENCE}"
BY_ATTRIBUTE = f"import lxmls_day1\nreference = lxmls_day1.classifiers.viterbi.viterbi\n{OF_THE_REFERENCE}"
WAYS = {
    "from_import": (IMPORT, LEVELS),
    "from_the_package": (f"from {PACKAGE} import chain_search\nbest_path = chain_search.best_path", LEVELS),
    "by_name": (f"import importlib\nbest_path = importlib.import_module('{PACKAGE}.chain_search').best_path", LEVELS),
    "of_all_objects": (
        "import gc\nbest_path = next(o for o in gc.get_objects() if getattr(o, '__name__', '') == 'best_path')",
        LEVELS,
    ),
    "of_a_given_file": (
        "from classifiers.structured.k_best import k_best_paths\n"
        "def best_path(n_words, emissions, from_tag, start, stop, best, path):\n"
        "    path[:] = k_best_paths((emissions, from_tag.T, start, stop), 1)[0]",
        LEVELS,
    ),
    "without_the_finder": (NO_REFUSAL + IMPORT, SAFE_LEVELS),
    "from_the_disk": (READ, SAFE_LEVELS),
    "of_the_reference_lab": (FROM_REFERENCE, LEVELS),
    "of_the_reference_lab_by_attribute": (BY_ATTRIBUTE, LEVELS),
    "of_the_reference_lab_without_the_refusal": (NO_REFUSAL + FROM_REFERENCE, SAFE_LEVELS),
}
SKLEARN = """
from sklearn.naive_bayes import MultinomialNB
model = MultinomialNB(alpha=1.0).fit(X, y)
return np.vstack([model.class_log_prior_, model.feature_log_prob_.T])
"""
MACHINE_CODE = """
import ctypes, glob, pickle, sys, types
import lxmls_day1.engine.kernels as kernels
name = "lxmls_day1.engine.kernels.rules_in_place"
sys.modules[name] = types.ModuleType(name)
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
cpu_target.target_context.refresh()
(file,) = glob.glob(kernels.__path__[0] + "/__pycache__/rules_in_place._perceptron_in_place-*.nbc")
built = CompileResult._rebuild(cpu_target.target_context, *pickle.loads(open(file, "rb").read()[32:]))
real, whole, at = ctypes.c_double, ctypes.c_int64, ctypes.c_void_p
code = ctypes.CFUNCTYPE(ctypes.c_int32, at, at, whole, at, whole, real, real, at, at)(
    built.library.get_pointer_to_function(built.fndesc.llvm_func_name)
)
d, moved, error = np.zeros(len(scores)), ctypes.c_int8(), ctypes.c_void_p()
places = [array.ctypes.data for array in (np.ascontiguousarray(scores), np.ascontiguousarray(cost), d)]
code(ctypes.addressof(moved), ctypes.addressof(error), len(d), places[0], label, sq_norm, step, *places[1:])
return d if moved.value else np.zeros(len(d))
"""


def submission(name, path, given, solution):
    """Return a student's files with a text in place of the stub, which is the only statement of its function."""
    text = given[path].decode()
    stub = next(line for line in text.split("\n") if "raise NotImplementedError" in line)
    indent = stub[: len(stub) - len(stub.lstrip())]
    lines = textwrap.indent(solution.strip("\n"), indent)
    return Submission(name, name, name, "", {**given, path: text.replace(stub, lines, 1).encode()})


@pytest.fixture(scope="module")
def given():
    return code_of(student_files(reference_folder()))


@pytest.fixture(scope="module")
def marks(tmp_path_factory):
    """Return one folder for all levels, so that expected answers are computed once."""
    return tmp_path_factory.mktemp("marks")


@pytest.fixture(scope="module", params=LEVELS)
def graded(request, marks, given):
    if reason := reason_unavailable(lab_program(), request.param):
        pytest.skip(f"the sandbox level {request.param} does not work here: {reason}")
    viterbi = PurePosixPath("classifiers/structured/viterbi.py")
    bayes = PurePosixPath("classifiers/multinomial_naive_bayes.py")
    perceptron = PurePosixPath("classifiers/perceptron.py")
    handed_in = {
        "1.13": [submission(name, viterbi, given, head + CALL) for name, (head, _) in WAYS.items()],
        "1.2": [submission("sklearn", bayes, given, SKLEARN)],
        "1.4": [submission("machine code", perceptron, given, MACHINE_CODE)],
    }
    Perceptron(nr_rounds=1).train([[1.0], [2.0]], [0, 1])  # It leaves the machine code of its rule.
    grades, fork_servers = {}, {}
    with contextlib.ExitStack() as stack:
        for exercise, theirs in handed_in.items():
            plan = make_plan(marks, Level(request.param), [exercise], seed=3, trust=request.param == PROCESS)
            grader = stack.enter_context(contextlib.closing(Grader(plan, fork_servers)))
            grades |= {one.student: grader(one).row.exercises[0] for one in theirs}
    return request.param, grades


@pytest.mark.one_in(3, by="graded")
@pytest.mark.parametrize("way", WAYS)
def test_importing_the_kernels_search_earns_nothing(graded, way):
    level, grades = graded
    if level not in WAYS[way][1]:
        pytest.skip(f"the level {level} keeps no files and no trick from a student's code, and is not safe")
    assert {check.verdict for check in grades[way].checks} <= {"error", "missing"}, grades[way].checks[0]
    assert grades[way].points == 0


@pytest.mark.one_in(3, by="graded")
def test_a_library_with_answers_is_refused(graded):
    pytest.importorskip("sklearn")
    grade = graded[1]["sklearn"]
    assert {check.verdict for check in grade.checks} == {"error"}
    assert wording("grading.sklearn_holds_answers_cannot") in grade.checks[0].text
    assert grade.points == 0


@pytest.mark.one_in(3, by="graded")
@pytest.mark.skipif(not COMPILES, reason="needs numba")
def test_machine_code_of_an_answer_cannot_be_read(graded):
    level, grades = graded
    compiled = Path(kernels.__file__).with_name("__pycache__")
    assert [*compiled.glob("rules_in_place._perceptron_in_place-*.nbc")], "there is nothing to read"
    if level not in SAFE_LEVELS:
        pytest.skip(f"the level {level} keeps no files from a student's code, and is not safe")
    assert {check.verdict for check in grades["machine code"].checks} == {"error"}
    assert all("not enough values" in check.text for check in grades["machine code"].checks if not check.hidden)


def test_compiled_code_in_folders_of_the_graders_choice_is_hidden(monkeypatch, tmp_path):
    folders = [tmp_path / "machine code", tmp_path / "bytecode"]
    for folder in folders:
        folder.mkdir()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folders[0]))
    monkeypatch.setattr(sys, "pycache_prefix", str(folders[1]))
    assert {*folders} <= {*lab_program().hidden}
