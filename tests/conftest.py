"""What all tests share: no network, no cache of the user's own, no window; real data where it is at hand; which cases are left to campaigns."""

import importlib
import os
import re
import signal
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

settings.register_profile("any machine", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

os.environ["MPLBACKEND"] = "Agg"  # before anything imports matplotlib; subprocesses inherit it
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell; subprocesses would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Path, finders of modules and modules of labs as they are when all tests have been collected.
IMPORTS: dict[str, dict] = {}
OF_A_LAB = re.compile(r"(readers|classifiers)(\.|$)")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Files of tests hold no doctests; looking for some takes as long as importing a file."""
    return [collector for collector in (yield) if not isinstance(collector, DoctestModule)]


def pytest_collection_modifyitems(items, config):
    """Files that take longest begin, so that none of them is left to the end; the order within a file stays."""
    if not any("::" in argument for argument in config.args):  # whoever names a test wants all its cases
        leave_to_campaigns(items)
    slow = [(item.path, marker.args) for item in items if (marker := item.get_closest_marker("slow"))]
    seconds = Counter(path for path, _ in slow)  # about one for each, and what the mark of the file says
    seconds += Counter({path: said[0] for path, said in slow if said})
    items.sort(key=lambda item: -seconds[item.path])


def leave_to_campaigns(items):
    """Of a test marked ``one_in(n)``, keep every n-th case (with `by`, every n-th value of that parameter); mark the others ``campaign``."""
    numbers = defaultdict(dict)  # of the cases of each test, or of the values of each parameter
    for item in items:
        if marker := item.get_closest_marker("one_in"):
            by, values = marker.kwargs.get("by"), item.callspec.indices if hasattr(item, "callspec") else {}
            known = numbers[item.path, by or item.nodeid.partition("[")[0]]
            if known.setdefault(values.get(by, 0) if by else item.nodeid, len(known)) % marker.args[0]:
                item.add_marker(pytest.mark.campaign)


def pytest_collection_finish():
    """Take down what is imported of labs: the classes that the tests have at their heads."""
    IMPORTS["path"] = dict.fromkeys(sys.path)
    IMPORTS["finders"] = dict.fromkeys(sys.meta_path)
    IMPORTS["modules"] = {name: module for name, module in sys.modules.items() if OF_A_LAB.match(name)}


@pytest.fixture(scope="module", autouse=True)
def imports_of_the_collection():
    """Opening a lab changes the imports of a process. No file of tests meets those that another one has left."""
    sys.path[:] = IMPORTS["path"]
    sys.meta_path[:] = IMPORTS["finders"]
    for name in [name for name in sys.modules if OF_A_LAB.match(name)]:
        del sys.modules[name]
    sys.modules.update(IMPORTS["modules"])
    importlib.invalidate_caches()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Two processes more than there are cores: much of the time slow tests wait for processes of their own or for a browser."""
    return (os.cpu_count() or 1) + 2


@pytest.fixture(scope="session", autouse=True)
def own_cache_and_no_network():
    """Keep the tests away from the user's cache and from the network; a test may set the variables anew.

    The cache of the tests is kept from run to run, as a user's is: compiling what boxes need takes twenty seconds.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LXMLS_DAY1_CACHE", str(Path(__file__).parents[1] / ".pytest_cache" / "lxmls-day1"))
        patch.setenv("LXMLS_DAY1_OFFLINE", "1")
        yield


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real corpora, laid out as ``sentiment/<domain>/{positive,negative}.review`` and so on."""
    folder = os.environ.get("LXMLS_DAY1_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip(f'real data wanted: LXMLS_DAY1_DATA is {folder!r} (docs/how-to/corpus.md, "Real data")')
    return Path(folder)
