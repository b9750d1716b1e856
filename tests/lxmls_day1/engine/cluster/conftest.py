import gc
import warnings

import pytest


@pytest.fixture(scope="module")
def cluster():
    """Yield a cluster of two workers with one thread each, in processes that restart when they die."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers:
        yield workers
    with warnings.catch_warnings():  # Otherwise the next test would report sockets that the cluster left open.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
