"""What all tests share: no network, no cache of the user's own, no window; and real data where it is at hand."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test depends on the clock: a slow machine gives the same verdicts.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

os.environ["MPLBACKEND"] = "Agg"  # before anything imports matplotlib; subprocesses inherit it


@pytest.fixture(scope="session", autouse=True)
def own_cache_and_no_network(tmp_path_factory):
    """Keep the tests away from the user's cache and from the network; a test may set the variables anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LXMLS_DAY1_CACHE", str(tmp_path_factory.mktemp("cache")))
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
