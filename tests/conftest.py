"""What all tests share: no network, no cache of the user's own, no window; and real data where it is at hand."""

import gc
import importlib
import os
import signal
import sys
from pathlib import Path

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


#: Files that take longest, the longest first: begun first, they leave no process to work alone at the end.
LONGEST = (
    *(
        "test_in_the_page.py",
        "test_run.py",
        "test_hostile_submissions.py",
        "test_notebooks.py",
        "test_box.py",
        "test_sklearn_adapter.py",
    ),
    *("test_worker.py", "test_safe_start.py", "test_standard_streams.py", "test_online_classifier.py"),
    *("test_structured_on_treebank.py", "test_machine_code.py", "test_authors_check.py", "test_packaging.py"),
    *("test_importing_answers.py", "test_hidden_stays_hidden.py", "test_sandbox.py", "test_worthless_answers.py"),
    *("3_maxent_svm.ipynb", "test_cluster.py", "test_record.py", "test_guide.py", "test_stochastic_gradient.py"),
    *("test_same_marks.py", "4_comparison.ipynb", "test_in_a_browser.py", "2_online.ipynb", "test_checking.py"),
    *("1_generative.ipynb", "test_hostile_answers.py", "test_library_path.py", "test_review_explorer.py"),
    *("5_structured.ipynb", "test_importable.py", "test_max_ent_batch.py"),
)


#: Folders of tests that each draw figures or run cells: all of them take seconds.
SLOW = (Path(__file__).parent / "lxmls_day1" / "demos", Path(__file__).parents[1] / "notebooks")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Files of tests hold no doctests; looking for some takes as long as importing a file."""
    return [collector for collector in (yield) if not isinstance(collector, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection():
    """Look for no garbage while thousands of tests and their modules are collected: all of that stays."""
    gc.disable()


def pytest_collection_modifyitems(items):
    """Mark what is slow as a whole; put the longest files first, the order within a file stays."""
    slow = {path: any(folder in path.parents for folder in SLOW) for path in {item.path for item in items}}
    for item in items:
        if slow[item.path]:
            item.add_marker(pytest.mark.slow)
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


#: Path and modules of labs as they are when all tests have been collected.
IMPORTS: dict[str, dict] = {}


def pytest_collection_finish(session):
    """Take down what is imported of labs: the classes that the tests have at their heads."""
    gc.freeze()
    gc.enable()
    IMPORTS["path"] = dict.fromkeys(sys.path)
    IMPORTS["modules"] = {name: module for name, module in sys.modules.items() if of_a_lab(name)}


def of_a_lab(name):
    return name.partition(".")[0] in ("readers", "classifiers")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    """Save what coverage has measured in a worker before the worker says that it is done: pytest-xdist waits ten seconds
    for its end, and then kills it; on a busy machine a worker has taken longer, and its data were lost.
    """
    if "PYTEST_XDIST_WORKER" in os.environ and "coverage" in sys.modules:
        measuring = sys.modules["coverage"].Coverage.current()
        if measuring is not None:
            measuring.stop()
            measuring.save()


@pytest.fixture(scope="module", autouse=True)
def imports_of_the_collection():
    """Opening a lab changes the imports of a process. No file of tests meets those that another one has left."""
    sys.path[:] = IMPORTS["path"]
    for name in [name for name in sys.modules if of_a_lab(name)]:
        del sys.modules[name]
    sys.modules.update(IMPORTS["modules"])
    importlib.invalidate_caches()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Two processes more than there are cores, because a third of the time slow tests wait for processes of their own or for a
    browser. Fast ones only compute, and each process takes ten seconds to collect them.
    """
    return (os.cpu_count() or 1) + 2 * ("not slow" not in config.getoption("markexpr"))


@pytest.fixture(scope="session")
def folder_of_the_run(tmp_path_factory) -> Path:
    """A folder that all processes of this run of pytest share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"
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
        pytest.skip('real data wanted: set LXMLS_DAY1_DATA to its folder (README, section "Real data")')
    if not Path(folder).is_dir():
        pytest.skip(f'LXMLS_DAY1_DATA={folder} is no folder (README, section "Real data")')
    return Path(folder)
