"""Kernels ahead of pages: which one a page gets, and that there is another behind it. No kernel is started here."""

import asyncio
from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from traitlets import Dict
from traitlets.config import LoggingConfigurable

if find_spec("jupyter_server") is None:
    pytest.skip("jupyter_server is not installed", allow_module_level=True)

from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager

from lxmls_day1.demos import warm_kernels
from lxmls_day1.demos.warm_kernels import WARM_UP, WarmKernels


class Server(LoggingConfigurable):
    """What Voilà is to its kernel manager."""

    tornado_settings = Dict()


class Numbered(WarmKernels):
    """Kernels that are only numbers; some die while they wait, or cannot be warmed up."""

    dead, broken = frozenset(), False

    async def _start(self, **settings):
        self.started = [*getattr(self, "started", []), settings]
        return str(len(self.started))

    async def _warmed(self):
        kernel = await self._start(path="")
        if self.broken:
            raise RuntimeError("no such kernel")
        return kernel

    def get_kernel(self, kernel_id):
        async def is_alive():
            return kernel_id not in self.dead

        return SimpleNamespace(is_alive=is_alive)


@pytest.fixture
def given(monkeypatch):
    """A function: what each of several pages gets that are opened one after the other."""
    monkeypatch.setattr(warm_kernels, "_REST", 0.0)

    def pages(number, kind=Numbered):
        async def open_them():
            manager = kind(parent=Server())
            found = []
            for _ in range(number):
                await asyncio.sleep(0.02)
                found.append(await manager.start_kernel(path="", env={}))
            await asyncio.sleep(0.02)
            return found, len(manager.started), manager.parent.tornado_settings

        return asyncio.run(open_them())

    return pages


def test_each_page_gets_the_kernel_that_was_started_before_it_and_one_more_is_ready(given):
    found, nr_started, settings = given(3)
    assert found == ["1", "2", "3"] and nr_started == 4
    assert settings == {"ws_ping_interval": 0}  # a browser on a busy machine answers a ping after minutes


def test_a_kernel_that_died_or_was_never_warm_is_not_given_out(given):
    assert given(2, type("Dying", (Numbered,), {"dead": {"1"}}))[0] == ["2", "3"]
    assert given(1, type("Broken", (Numbered,), {"broken": True}))[0] == ["2"]


def test_only_a_kernel_whose_window_is_gone_is_ended(monkeypatch):
    """Not one that is warm, nor one whose page has been loading for long: another page may be there before."""
    asked = []

    async def cull(self, kernel_id):
        asked.append(kernel_id)

    monkeypatch.setattr(AsyncMappingKernelManager, "cull_kernel_if_idle", cull)

    async def ended(*connected):
        asked.clear()
        manager = Numbered(parent=Server())
        manager._started = ["1", "2", "3"]
        for kernel in connected:
            manager.notify_connect(kernel)
        for kernel in manager._started:
            await manager.cull_kernel_if_idle(kernel)
        return list(asked)

    assert asyncio.run(ended()) == []
    assert asyncio.run(ended("1")) == ["1"]
    assert asyncio.run(ended("2")) == ["1", "2"]  # nobody waits for the page of 1 any more, and 3 is warm


def test_what_warms_up_is_python_that_names_all_demonstrations():
    compile(WARM_UP, "warm-up", "exec")
    assert "export.DEMONSTRATIONS" in WARM_UP and "close_all" in WARM_UP
