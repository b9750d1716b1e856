"""How a process ends together with all that it has started."""

import contextlib
import os
import signal
import subprocess
import sys


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all of its group, whether it has ended by itself or not."""
    if os.name == "nt":
        if process.poll() is None:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    elif hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        process.kill()
    process.wait()


def end_with_parent() -> None:
    """Have this process killed when its parent ends. This does nothing where the system has no such call."""
    if sys.platform.startswith("linux"):
        import ctypes  # here, as nothing else needs it

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
