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


def room_counts(room, id="1.5"):
    """The counts of an exercise in a room: trying, solved, tries, and the number of each mistake."""
    found = next(one for one in room.counts()["exercises"] if one["id"] == id)
    return found["trying"], found["solved"], found["tries"], {name: n for name, _, n in found["mistakes"]}
