"""What all tests share: no network, no cache of the user's own, no window; real data where it is at hand; which cases of dear tests a
run takes, and what each file of tests costs.
"""

import datetime
import functools
import gc
import importlib
import os
import random
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

# No test depends on the clock: a slow machine gives the same verdicts.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

if "PYTEST_XDIST_WORKER" in os.environ:  # `make coverage` measures this process, and none that a test starts
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)
os.environ["MPLBACKEND"] = "Agg"  # before anything imports matplotlib; subprocesses inherit it
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell; subprocesses would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


#: Files that take longest, the longest first: begun first, they leave no process to work alone at the end. Those that run a copy of the
#: package come last among them, when most kernels are compiled.
LONGEST = """
    test_in_the_page.py test_run.py test_box.py test_crf.py test_check_here.py test_worker.py test_hostile_submissions.py test_authors_check.py
    test_sklearn_adapter.py
    test_online.py test_cache.py test_hidden_stays_hidden.py test_mixed_steps.py test_online_classifier.py
    test_drafts.py test_sandbox.py test_cluster.py test_same_marks.py test_standard_streams.py
    test_streamed_steps.py test_corpus_making.py test_notebooks.py test_importable.py test_importing_answers.py
    test_record.py test_streamed_training.py test_command_line.py test_checkpoint.py test_in_a_browser.py
    test_review_explorer.py test_machine_code.py test_checking.py test_release.py test_hostile_answers.py
    test_worthless_answers.py 3_maxent_svm.ipynb test_stochastic_gradient.py test_safe_start.py 4_comparison.ipynb
    2_online.ipynb test_sums.py test_primitives.py test_fuzz.py 1_generative.ipynb test_structured_on_treebank.py
    test_library_path.py 5_structured.ipynb 6_beyond_memory.ipynb 7_second_order.ipynb
    test_packaging.py test_guide.py test_export.py test_exercise_commands.py
    test_toy_stream.py test_mira_step.py
"""


#: Folders of tests that each draw figures or run cells: all of them take seconds.
ROOT = Path(__file__).resolve().parents[1]
SLOW = (ROOT / "tests" / "lxmls_day1" / "demos", ROOT / "notebooks")

#: `make coverage` measures the fast tests, and the slow ones of what the fast ones hardly run: boxes and whole runs of grading among them.
#: What runs in processes that are not measured (workers, kernels of notebooks, browsers, copies of the package) would add next to nothing.
MEASURED_THOUGH_SLOW = (
    *("demos", "commands", "compiled", "figures"),
    *(f"grading/test_{name}.py" for name in ("box", "boxed_lab", "run", "similarity")),
)
UNMEASURED = (
    *("notebooks", "tests/test_notebooks.py", "tests/test_packaging.py", "tests/lxmls_day1/demos/test_in_a_browser.py"),
    *("tests/lxmls_day1/commands/test_standard_streams.py", "tests/lxmls_day1/compiled/test_machine_code.py"),
)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Files of tests hold no doctests; looking for some takes as long as importing a file."""
    return [collector for collector in (yield) if not isinstance(collector, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection():
    """Look for no garbage while thousands of tests and their modules are collected: all of that stays."""
    gc.disable()


#: Processor time in seconds that a file of tests may cost; the summary names those that cost more, and do not say why in their docstring.
DEAR = 15
REASON = f"(More than {DEAR} s: "
COST = "processor seconds"  # a property of each test's report, also in the file of --junitxml


class ProcessorTime:
    """What each test costs with its fixtures: processor time of this process and of those that it started and saw end."""

    def __init__(self):
        self.before = 0.0
        self.of_files: Counter[str] = Counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self):
        self.before = sum(os.times()[:4])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call):
        report = yield
        if call.when == "teardown":
            report.user_properties.append((COST, round(sum(os.times()[:4]) - self.before, 3)))
        return report

    def pytest_runtest_logreport(self, report):
        self.of_files[report.nodeid.partition("::")[0]] += sum(
            seconds for name, seconds in report.user_properties if name == COST and report.when == "teardown"
        )

    def pytest_terminal_summary(self, terminalreporter):
        if len(self.of_files) > 1:
            total = sum(self.of_files.values())
            terminalreporter.section(f"processor time: {total:.0f} s in {len(self.of_files)} files, the dearest")
            for file, seconds in self.of_files.most_common(10):
                more = f"  more than the {DEAR} s of a file" if seconds > DEAR and not says_why(ROOT / file) else ""
                terminalreporter.write_line(f"{seconds:7.1f} s  {file}{more}")


def says_why(file):
    return file.is_file() and REASON in file.read_text(encoding="utf-8")


def pytest_configure(config):
    """Choose the sample of this run, the same in all its processes; measure the tests outside this folder, too."""
    os.environ.setdefault(SAMPLE, str(datetime.date.today().toordinal()))
    config.pluginmanager.register(ProcessorTime())
    if is_worker() and measuring():
        leave_unmeasured(*what_libraries_take_long_for())
    elif not is_worker() and config.getoption("numprocesses", None) and sys.platform.startswith("linux"):
        config.stash[WARMING] = subprocess.Popen([sys.executable, "-c", WARM_UP], cwd=ROOT)


def pytest_unconfigure(config):
    if warming := config.stash.get(WARMING, None):
        warming.wait()


def is_worker():
    return "PYTEST_XDIST_WORKER" in os.environ


def measuring():
    """What measures the coverage of this process, if anything does."""
    return sys.modules["coverage"].Coverage.current() if "coverage" in sys.modules else None


def what_libraries_take_long_for():
    """Classes and the names of their methods: numba compiles, matplotlib draws."""
    from matplotlib.figure import Figure
    from numba.core.dispatcher import _FunctionCompiler

    return (_FunctionCompiler, "compile"), (Figure, "draw")


def leave_unmeasured(*methods):
    """Trace nothing in them: lines of libraries are not counted, and to pass over each takes as long as what they do."""
    for cls, name in methods:
        setattr(cls, name, untraced(getattr(cls, name)))


def untraced(function):
    @functools.wraps(function)
    def call(*arguments, **settings):
        tracer = sys.gettrace()
        sys.settrace(None)
        try:
            return function(*arguments, **settings)
        finally:
            sys.settrace(tracer)

    return call


#: The kernels that most files need are compiled while the processes collect the tests: otherwise each compiles them for itself.
WARM_UP = "from lxmls_day1.grading.fork_server import warm_up; warm_up()"
WARMING = pytest.StashKey[subprocess.Popen]()


#: The environment variable whose value decides which cases of the tests marked ``sampled`` a run takes. By default it is the number of
#: the day: from one day to the next the cases take turns.
SAMPLE = "LXMLS_DAY1_SAMPLE"


def pytest_report_header():
    return f"sample of dear cases: {SAMPLE}={os.environ[SAMPLE]} (make campaigns runs them all)"


def draw(name, cases, share):
    """One case in `share`, at least one: by lot, the same ones in all processes of a run."""
    return random.Random(f"{os.environ[SAMPLE]} {name}").sample(cases, -(-len(cases) // share))


NO_PARAMETERS = SimpleNamespace(indices={})


def leave_to_campaigns(items):
    """Of the tests marked ``sampled``, keep the cases that are drawn. The others are marked ``campaign``."""
    tests = defaultdict(lambda: defaultdict(list))
    for item in items:
        if marker := item.get_closest_marker("sampled"):
            file, (share,), by = item.nodeid.partition("::")[0], marker.args, marker.kwargs.get("by")
            if by is None:
                test, case = item.nodeid.partition("[")[0], item.nodeid
            elif by == "file":
                test, case = file.rpartition("/")[0], file
            elif by not in getattr(item, "callspec", NO_PARAMETERS).indices:  # of a whole file, not all tests have it
                continue
            else:
                test, case = f"{file} {by}", item.callspec.indices[by]
            tests[test, share][case].append(item)
    for (test, share), cases in tests.items():
        kept = draw(test, list(cases), share)
        for item in (item for case, its_items in cases.items() if case not in kept for item in its_items):
            item.add_marker(pytest.mark.campaign)


def pytest_collection_modifyitems(items, config):
    """Mark what is slow as a whole; put the longest files first, the order within a file stays."""
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.sampled(4, by="file"))
    if not any("::" in argument for argument in config.args):  # who names a test wants all its cases
        leave_to_campaigns(items)
    slow = {path: any(folder in path.parents for folder in SLOW) for path in {item.path for item in items}}
    for item in items:
        if slow[item.path]:
            item.add_marker(pytest.mark.slow)
        if is_measured(item):
            item.add_marker(pytest.mark.measured)
    places = {name: place for place, name in enumerate(LONGEST.split())}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


def is_measured(item):
    path = item.nodeid.partition("::")[0]
    too = tuple(f"tests/lxmls_day1/{name}" for name in MEASURED_THOUGH_SLOW)
    return not path.startswith(UNMEASURED) and (item.get_closest_marker("slow") is None or path.startswith(too))


#: Path, finders of modules and modules of labs as they are when all tests have been collected.
IMPORTS: dict[str, dict] = {}


def pytest_collection_finish(session):
    """Take down what is imported of labs: the classes that the tests have at their heads."""
    gc.freeze()
    gc.enable()
    IMPORTS["path"] = dict.fromkeys(sys.path)
    IMPORTS["finders"] = dict.fromkeys(sys.meta_path)
    IMPORTS["modules"] = {name: module for name, module in sys.modules.items() if of_a_lab(name)}


def of_a_lab(name):
    return name.partition(".")[0] in ("readers", "classifiers")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    """Save what coverage has measured in a worker before the worker says that it is done: pytest-xdist waits ten seconds
    for its end, and then kills it; on a busy machine a worker has taken longer, and its data were lost.
    """
    if is_worker() and (coverage := measuring()):
        coverage.stop()
        coverage.save()


@pytest.fixture(scope="module", autouse=True)
def imports_of_the_collection():
    """Opening a lab changes the imports of a process. No file of tests meets those that another one has left."""
    sys.path[:] = IMPORTS["path"]
    sys.meta_path[:] = IMPORTS["finders"]
    for name in [name for name in sys.modules if of_a_lab(name)]:
        del sys.modules[name]
    sys.modules.update(IMPORTS["modules"])
    importlib.invalidate_caches()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """A process more than there are cores, because a third of the time slow tests wait for processes of their own or for a
    browser. Fast ones only compute, and each process takes ten seconds to collect them.
    """
    return (os.cpu_count() or 1) + ("not slow" not in config.getoption("markexpr"))


@pytest.fixture(scope="session")
def drawn():
    """The function `draw`, for a fixture that does the work of many cases at once."""
    return draw


@pytest.fixture(scope="session")
def folder_of_the_run(tmp_path_factory) -> Path:
    """A folder that all processes of this run of pytest share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if is_worker() else base) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def own_cache_and_no_network(folder_of_the_run):
    """Keep the tests away from the user's cache and from the network; a test may set the variables anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LXMLS_DAY1_CACHE", str(folder_of_the_run / "cache"))
        patch.setenv("LXMLS_DAY1_OFFLINE", "1")
        yield


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real corpora, laid out as ``sentiment/<domain>/{positive,negative}.review`` and so on."""
    folder = os.environ.get("LXMLS_DAY1_DATA")
    if not folder:
        pytest.skip('real data wanted: set LXMLS_DAY1_DATA to its folder (docs/how-to/corpus.md, "Real data")')
    if not Path(folder).is_dir():
        pytest.skip(f'LXMLS_DAY1_DATA={folder} is no folder (docs/how-to/corpus.md, "Real data")')
    return Path(folder)
