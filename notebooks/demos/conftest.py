"""The demonstrations are for the browser, which is where they are tested; their notebooks have no outputs to compare."""

collect_ignore_glob = ["*.ipynb", "*.py"]
