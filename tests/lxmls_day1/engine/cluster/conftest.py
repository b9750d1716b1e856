import gc
import warnings

import pytest


@pytest.fixture(scope="module")
def cluster():
    """Two workers of one thread each, in processes that are started again when they die."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers:
        yield workers
    with warnings.catch_warnings():  # sockets that the cluster has left open would be complained about in the next test
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
