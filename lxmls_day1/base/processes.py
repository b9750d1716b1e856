"""Ending a process together with all processes that it has started."""

import contextlib
import os
import signal
import subprocess
import sys


def kill_process_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its whole process group, even if the process itself has already exited."""
    if os.name == "nt":
        if process.poll() is None:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    elif hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        process.kill()
    process.wait()


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends. On systems other than Linux, do nothing."""
    if sys.platform.startswith("linux"):
        import ctypes  # Imported here because only this function needs it.

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
