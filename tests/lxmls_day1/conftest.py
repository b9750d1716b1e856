import importlib
import sys

import pytest


def lab_modules():
    return [name for name in sys.modules if name.partition(".")[0] in ("readers", "classifiers")]


@pytest.fixture
def imports_as_before():
    """What opening a lab does to the imports must not outlive a test."""
    path, modules = list(sys.path), {name: sys.modules[name] for name in lab_modules()}
    yield
    sys.path[:] = path
    for name in lab_modules():
        del sys.modules[name]
    sys.modules.update(modules)
    importlib.invalidate_caches()
