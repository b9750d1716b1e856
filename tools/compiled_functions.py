"""Print what a command compiles in a new checkout, with the CPU seconds of each function: ``python tools/compiled_functions.py run``.

The seconds of a function are without those of the functions that it calls.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lxmls_day1.commands.command_line import main
from lxmls_day1.engine.kernels import machine_code


class Functions:
    """Records the functions as numba compiles them; a listener for the events of ``numba.core.event``."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, str]] = []
        # For each function: its start, and the seconds of the functions that it calls.
        self._open: list[list[float]] = []

    def notify(self, event: Any) -> None:
        """Begin a function, or add a row for one that is complete."""
        if event.is_start:
            self._open.append([time.process_time(), 0.0])
            return
        start, inside = self._open.pop()
        seconds = time.process_time() - start
        if self._open:
            self._open[-1][1] += seconds
        function, types = event.data["dispatcher"].py_func, ", ".join(map(str, event.data["args"]))
        self.rows.append((seconds - inside, f"{function.__module__}.{function.__name__}({types[:200]})"))


if __name__ == "__main__":
    from numba.core import event

    event.Listener.register(Functions)  # numba is imported late, as everywhere
    functions = Functions()
    with tempfile.TemporaryDirectory() as folder, event.install_listener("numba:compile", functions):
        machine_code._cache_folders = lambda source: iter([Path(folder)])
        try:
            main(sys.argv[1:])
        except SystemExit:
            for seconds, name in sorted(functions.rows, reverse=True):
                print(f"{seconds:6.3f} s  {name}")
            print(f"{sum(seconds for seconds, _ in functions.rows):6.3f} s  all {len(functions.rows)}")
