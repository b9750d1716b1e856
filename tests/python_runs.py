"""Python in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run_python(*arguments, cwd=ROOT, stdin=None, encoding=None, timeout=None, **variables):
    """Run Python with these arguments and additional environment variables, and return its result; it must end with status 0."""
    command, environment = [sys.executable, *map(str, arguments)], os.environ | variables
    streams = {"input": stdin, "capture_output": True, "text": True, "encoding": encoding}
    done = subprocess.run(command, cwd=cwd, env=environment, timeout=timeout, **streams)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done
