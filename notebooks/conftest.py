"""How ``pytest --nbval`` compares the outputs of a notebook with the recorded ones.

* Numbers in texts may differ by a little in the last digit shown; words and whole numbers may not.
* A figure is compared by the data that it plots (see `lxmls_day1.figures.figure_data`), not by its image.
* Cells tagged ``real-data`` were recorded on the real reviews. Where those are not at hand they run on the toy corpus,
  and are then reported as skipped; all other cells are compared all the same.
* Cells tagged ``skip-execution`` are for the reader, and not run.
* A notebook runs in this Python, without the network, and away from the user's cache.
"""

import tempfile
from pathlib import Path

import nbformat
import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from lxmls_day1.course import notebook_building
from lxmls_day1.figures.figure_data import MIME_TYPE, differences
from lxmls_day1.figures.number_tolerance import same_text

collect_ignore_glob = ["*.py"]  # the scripts of the notebooks: --doctest-modules would run them


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Put notebooks of ours in the place of nbval's."""
    collectors = yield
    return [
        NotebookFile.from_parent(parent, path=file_path) if isinstance(collector, IPyNbFile) else collector
        for collector in collectors
    ]


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
            self.has_real_data = notebook_building.real_data_at_hand()
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
        if isinstance(value, str):
            return Text(super().sanitize(value))
        return Figure(value) if isinstance(value, dict) and "axes" in value else value

    def compare_outputs(self, test, ref, skip_compare=None):
        return super().compare_outputs(_without_descriptions(test), _without_descriptions(ref), skip_compare)

    def format_output_compare(self, key, left, right):
        if key != MIME_TYPE:
            return super().format_output_compare(key, left, right)
        self.comparison_traceback.append("The figure does not show what was recorded:")
        self.comparison_traceback += [f"  {line}" for line in differences(left, right)]


class Text(str):
    """A text that equals another if only the last digits of its numbers differ."""

    def __eq__(self, other):
        return same_text(str(self), str(other))

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__


class Figure(dict):
    """The data of a figure, which equal other data if the eye could not tell."""

    def __eq__(self, other):
        return not differences(self, other)

    def __ne__(self, other):
        return not self == other

    __hash__ = None


def _without_descriptions(outputs):
    """A figure's description in words follows from its data, and need not be compared as well."""
    outputs = [nbformat.from_dict(output) for output in outputs]
    for output in outputs:
        if MIME_TYPE in output.get("data", {}):
            output.data.pop("text/plain", None)
    return outputs
