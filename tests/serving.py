"""A server of this process for tests."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager


@contextmanager
def running(server):
    """A server that answers until the end of the block."""
    with server, ThreadPoolExecutor(1) as pool:
        pool.submit(server.serve_forever, 0.02)
        try:
            yield server
        finally:
            server.shutdown()
