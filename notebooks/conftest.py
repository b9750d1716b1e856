"""How ``pytest --nbval`` compares the outputs of a notebook with the recorded ones.

* Numbers in texts may differ by a little in the last digit shown; words and whole numbers may not.
* A figure is compared by its description (see `lxmls_day1.figures.figure_data`), not by its image.
* Cells tagged ``real-data`` were recorded on the real reviews. Where those are not at hand they run on the toy corpus,
  and are then reported as skipped; all other cells are compared all the same.
* Cells tagged ``skip-execution`` are for the reader, and not run.
* A notebook runs in this Python, without the network, and away from the user's cache.
"""

import tempfile
from pathlib import Path

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from tools.authoring import notebook_building
from tools.authoring.number_tolerance import same_text

collect_ignore_glob = ["*.py"]  # the scripts of the notebooks: --doctest-modules would run them


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Put notebooks of ours in the place of nbval's."""
    collectors = yield
    return [
        NotebookFile.from_parent(parent, path=file_path) if isinstance(collector, IPyNbFile) else collector
        for collector in collectors
    ]


def pytest_collection_modifyitems(items):
    """`make test` runs one of the notebooks; all are for campaigns."""
    for item in items:
        if isinstance(item, NotebookCell) and item.path.stem != "2_online":
            item.add_marker(pytest.mark.campaign)


class NotebookFile(IPyNbFile):
    """A notebook; it starts its kernel where nothing of the user's gets in."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.skip_compare += ("text/html",)  # the text beside it says the same
        self.config.option.nbval_current_env = True

    def collect(self):
        for cell in super().collect():
            yield NotebookCell.from_parent(
                self, name=cell.name, cell_num=cell.cell_num, cell=cell.cell, options=cell.options
            )

    def get_sanitize_files(self):
        return [Path(__file__).with_name("sanitize.cfg"), *super().get_sanitize_files()]

    def setup(self):
        self.cache = tempfile.TemporaryDirectory()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LXMLS_DAY1_CACHE", self.cache.name)
            patch.setenv("LXMLS_DAY1_OFFLINE", "1")
            patch.delenv("MPLBACKEND", raising=False)
            self.has_real_data = notebook_building.has_real_data()
            super().setup()

    def teardown(self):
        super().teardown()
        self.cache.cleanup()


class NotebookCell(IPyNbCell):
    """A cell; what is not equal in its outputs may still be the same."""

    def runtest(self):
        tags = self.cell.metadata.get("tags", [])
        if notebook_building.SKIP_EXECUTION in tags:
            pytest.skip("for the reader to run")
        only_real = notebook_building.REAL_DATA in tags and not self.parent.has_real_data
        if only_real:
            self.options["check"] = False
        super().runtest()
        if only_real:
            pytest.skip("ran on the toy corpus; its outputs are of real reviews: set LXMLS_DAY1_DATA to their folder")

    def sanitize(self, value):
        return Text(super().sanitize(value)) if isinstance(value, str) else value


class Text(str):
    """A text that equals another if only the last digits of its numbers differ."""

    def __eq__(self, other):
        return same_text(str(self), str(other))

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__
