"""Kernels for Voilà, one of which is always warm: started, with all that demonstrations import and compile, before a page asks for it.

A page that is opened takes the warm kernel, and another is started behind it. Voilà's own preheated kernels are one for each
notebook, which takes the memory of as many Pythons; this one fits any page. Only the server's process imports this module.
"""

import asyncio
import os
from collections.abc import Coroutine
from typing import Any

from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado.ioloop import IOLoop

from lxmls_day1.waiting import LOOK_SECONDS, Wait

_REST = 2.0  # seconds: the page that took the warm kernel comes first
_PATIENCE = 120  # seconds that a kernel may sleep while it warms up
_QUIET = [
    "--IPKernelApp.log_level=ERROR"
]  # that it listens on this machine without encryption is no news to a lecturer
#: What a warm kernel has behind it. Closed widgets are not sent to the page that comes.
WARM_UP = """
def _warm_up():
    import ipywidgets, lxmls_day1.demos.export as export
    from lxmls_day1.lab import Lab

    for name in export.DEMONSTRATIONS:
        demonstration = export.demonstration_class(name)
        if demonstration.is_quick:
            demonstration(Lab.open(), live=True).stage.figure.canvas.draw()
    ipywidgets.Widget.close_all()
_warm_up()
del _warm_up
"""


class WarmKernels(AsyncMappingKernelManager):
    """Starts kernels for pages, each but the first one ahead of time."""

    def __init__(self, **settings: Any):
        super().__init__(**settings)  # type: ignore[no-untyped-call]
        server: Any = self.parent
        # No pings: a window that is gone closes its connection, and one on a busy machine answers late. The server reads it next.
        server.tornado_settings |= {"ws_ping_interval": 0}
        self._warm: asyncio.Task[str] | None = None
        self._started: list[str] = []
        self._opened: set[str] = set()  # kernels whose windows have been there
        IOLoop.current().add_callback(self._warm_another)

    async def start_kernel(  # type: ignore[override]
        self, *, kernel_id: str | None = None, path: str | None = None, **settings: Any
    ) -> str:
        """The warm kernel if there is one, or a new one."""
        warm, self._warm = self._warm, None
        IOLoop.current().call_later(_REST, self._warm_another)
        if kernel_id is None and warm is not None:
            try:
                found = await warm
                kernel: Any = self.get_kernel(found)
                if await kernel.is_alive():
                    return found
            except Exception:
                self.log.debug("the warm kernel cannot be used", exc_info=True)
        return await self._start(kernel_id=kernel_id, path=path, **settings)

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        """End a kernel whose window is gone. One whose window was never there stays: it is warm, or its page loads.

        That a page is not loaded any more is known when a window has come that was opened after it.
        """
        later = self._started[self._started.index(kernel_id) :] if kernel_id in self._started else []
        if self._opened & set(later):
            await super().cull_kernel_if_idle(kernel_id)  # type: ignore[no-untyped-call]

    def notify_connect(self, kernel_id: str) -> None:
        """A window is there."""
        self._opened.add(kernel_id)
        super().notify_connect(kernel_id)  # type: ignore[no-untyped-call]

    async def _start(self, **settings: Any) -> str:
        started: str = await super()._async_start_kernel(extra_arguments=_QUIET, **settings)
        self._started.append(started)
        return started

    def _warm_another(self) -> None:
        if self._warm is None:
            self._warm = asyncio.ensure_future(self._warmed())
            self._warm.add_done_callback(lambda task: task.cancelled() or task.exception())  # the next page will see

    async def _warmed(self) -> str:
        kernel_id = await self._start(path="", env=dict(os.environ))
        client: Any = self.get_kernel(kernel_id).client()
        client.start_channels()
        try:
            await self._unless_asleep(kernel_id, self._warmed_up(client))
        finally:
            client.stop_channels()
        return kernel_id

    async def _warmed_up(self, client: Any) -> None:
        await client.wait_for_ready(timeout=None)
        await client.execute(WARM_UP, silent=True, store_history=False, reply=True, timeout=None)

    async def _unless_asleep(self, kernel_id: str, work: Coroutine[Any, Any, None]) -> None:
        """Wait for what a kernel does; on a busy machine that takes as long as it takes."""
        kernel: Any = self.get_kernel(kernel_id)
        wait = Wait("a kernel", kernel.provisioner.pid, _PATIENCE, asleep=True)
        task = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait([task], timeout=LOOK_SECONDS))[0]:
                if wait.is_over() or not await kernel.is_alive():
                    raise wait.too_long("a kernel did not start")
            await task
        finally:
            task.cancel()
