"""The files below a folder."""


def tree(folder):
    """Return the content of every file below a folder, by its path."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
