import logging
import sys

import pytest

from lxmls_day1.commands import first_compilation

COMPILED = logging.getLogger("lxmls_day1.engine.kernels.machine_code")


@pytest.mark.parametrize("somebody_waits", [True, False])
def test_compiling_is_announced_once_on_a_terminal(somebody_waits, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: somebody_waits)
    with first_compilation.report_compilation():
        assert capsys.readouterr().err == ""
        COMPILED.info("compiling %s", "one")
        COMPILED.info("compiling %s", "another")
    COMPILED.info("compiling %s", "a third")
    assert capsys.readouterr().err == (first_compilation.MESSAGE + "\n") * somebody_waits
    assert not logging.getLogger("lxmls_day1.engine.kernels").handlers
