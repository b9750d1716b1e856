"""A disk that can be full."""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """Yield a small disk, which only root may mount."""
    with tempfile.TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", folder]
        if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("no disk can be mounted here")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)
