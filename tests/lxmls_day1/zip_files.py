"""Zip files with any names, modes and links, whose bytes do not depend on the time."""

import io
import stat
import zipfile


def make_zip(files, compression=zipfile.ZIP_DEFLATED):
    """Return a zip file; keys are names or ZipInfos, which allows any name, any mode and duplicate names."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        for name, data in files.items() if isinstance(files, dict) else files:
            archive.writestr(name if isinstance(name, zipfile.ZipInfo) else dated(name, compression), data)
    return content.getvalue()


def dated(name, compression):
    """Return a member with zip's earliest date."""
    info = zipfile.ZipInfo(name)
    info.compress_type = compression
    info.external_attr = 0o600 << 16
    return info


def link(name, target=b"/etc/passwd", mode=stat.S_IFLNK | 0o777):
    """Return a symbolic link, or another special file, as a member for `make_zip`."""
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return {info: target}


def write_zip(path, content):
    """Write a zip file of these files, or of these bytes, and return its path."""
    path.write_bytes(content if isinstance(content, bytes) else make_zip(content))
    return path
