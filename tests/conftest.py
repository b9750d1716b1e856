"""Fixtures of all tests: no network, no user's cache, no windows; real data if available; cases that are left to campaigns."""

import gc
import importlib
import os
import re
import signal
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, find, settings
from hypothesis.strategies import none

settings.register_profile("any machine", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
gc.disable()  # Until the collection ends: what it makes stays.

os.environ["MPLBACKEND"] = "Agg"  # Set before anything imports matplotlib; subprocesses inherit it.
# Background jobs of a shell ignore it, and subprocesses would inherit this.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: The path, the module finders and the labs' modules after all tests have been collected.
IMPORTS: dict[str, dict] = {}
OF_A_LAB = re.compile(r"(readers|classifiers)(\.|$)")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Collect no doctests, because test files have none, and searching for them takes as long as importing a file."""
    return [collector for collector in (yield) if not isinstance(collector, DoctestModule)]


def pytest_collection_modifyitems(items, config):
    """Run the slowest files and the notebooks first, so that none is left to the end; the order within a file does not change."""
    if not any("::" in argument for argument in config.args):  # If a test is named, all its cases run.
        leave_to_campaigns(items)
    everyday = [item for item in items if not item.get_closest_marker("campaign")]
    slow = [(item.path, marker.args) for item in everyday if (marker := item.get_closest_marker("slow"))]
    seconds = Counter(path for path, _ in slow)  # About one second for each test, plus the seconds in the file's mark.
    seconds += Counter({path: said[0] for path, said in slow if said})
    seconds += Counter({item.path: 20 for item in items if item.path.suffix == ".ipynb"})
    items.sort(key=lambda item: -seconds[item.path])


def leave_to_campaigns(items):
    """Keep every n-th case of a test marked ``one_in(n)`` (with `by`, every n-th value of that parameter); mark the others ``campaign``."""
    numbers = defaultdict(dict)  # Counts the cases of each test, or the values of each parameter.
    for item in items:
        if marker := item.get_closest_marker("one_in"):
            by, values = marker.kwargs.get("by"), item.callspec.indices if hasattr(item, "callspec") else {}
            known = numbers[item.path, by or item.nodeid.partition("[")[0]]
            if known.setdefault(values.get(by, 0) if by else item.nodeid, len(known)) % marker.args[0]:
                item.add_marker(pytest.mark.campaign)


def pytest_collection_finish():
    """Save the imported modules of labs, because test files import classes from them at the top.

    The garbage collector leaves out what lives as long as the process: ten thousand cases and all libraries. Otherwise each full
    collection takes half a second, and copies the memory of the process for each child that it forks.
    """
    IMPORTS["path"] = dict.fromkeys(sys.path)
    IMPORTS["finders"] = dict.fromkeys(sys.meta_path)
    IMPORTS["modules"] = {name: module for name, module in sys.modules.items() if OF_A_LAB.match(name)}
    # Hypothesis makes its generator now: of a frozen one it finds no references, and warns.
    find(none(), lambda _: True)
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def imports_of_the_collection():
    """Restore the imports for every test file, because opening a lab changes the imports of a process."""
    sys.path[:] = IMPORTS["path"]
    sys.meta_path[:] = IMPORTS["finders"]
    for name in [name for name in sys.modules if OF_A_LAB.match(name)]:
        del sys.modules[name]
    sys.modules.update(IMPORTS["modules"])
    importlib.invalidate_caches()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Return the number of cores plus one: slow tests often wait for their own processes, but each worker collects all tests."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session", autouse=True)
def own_cache_and_no_network():
    """Keep the tests away from the user's cache and from the network; a test may set the variables again.

    The cache of the tests is kept from run to run, as a user's is, because compiling for boxes takes twenty seconds.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LXMLS_DAY1_CACHE", str(Path(__file__).parents[1] / ".pytest_cache" / "lxmls-day1"))
        patch.setenv("LXMLS_DAY1_OFFLINE", "1")
        yield


@pytest.fixture
def write(tmp_path):
    """Return a function that writes text or bytes into a file of the test's folder, and returns its path."""

    def write(content, name="mine.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder of real corpora, with files such as ``sentiment/<domain>/{positive,negative}.review``."""
    folder = os.environ.get("LXMLS_DAY1_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip(f'real data needed: LXMLS_DAY1_DATA is {folder!r} (docs/how-to/corpus.md, "Real data")')
    return Path(folder)
