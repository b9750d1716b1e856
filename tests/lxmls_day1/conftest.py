import contextlib
import importlib
import sys

import pytest


def lab_modules():
    return [name for name in sys.modules if name.partition(".")[0] in ("readers", "classifiers")]


@contextlib.contextmanager
def imports_kept():
    """What opening a lab does to the imports must not outlive a test."""
    path, modules = list(sys.path), {name: sys.modules[name] for name in lab_modules()}
    yield
    sys.path[:] = path
    for name in lab_modules():
        del sys.modules[name]
    sys.modules.update(modules)
    importlib.invalidate_caches()


@pytest.fixture
def imports_as_before():
    with imports_kept():
        yield


@pytest.fixture(scope="module")
def imports_as_before_the_module():
    with imports_kept():
        yield
