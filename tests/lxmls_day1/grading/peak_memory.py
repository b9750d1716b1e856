"""How much memory a piece of work takes."""

import tracemalloc


def peak_of(work):
    """Return the maximum of additional bytes in use while `work` runs."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
