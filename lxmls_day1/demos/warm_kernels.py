"""Kernels for Voilà, one of which is always warm: started, with all that demonstrations import and compile, before a page asks for it.

A page that is opened takes the warm kernel, and another is started behind it. Voilà's own preheated kernels are one for each
notebook, which takes the memory of as many Pythons; this one fits any page. Only the server's process imports this module.
"""

import asyncio
import os
from typing import Any

from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado.ioloop import IOLoop

_REST = 2.0  # seconds: the page that took the warm kernel comes first
_PING = 30_000  # milliseconds, as long as the interval between two: the default is longer, and would be complained of
_PATIENCE = 120  # seconds for warming up
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
        server.tornado_settings |= {"ws_ping_timeout": _PING}  # the server reads it next
        self._warm: asyncio.Task[str] | None = None
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
        """End a kernel that nobody looks at any more; the warm one stays."""
        is_warm = (
            self._warm is not None
            and self._warm.done()
            and not self._warm.cancelled()
            and not self._warm.exception()
            and self._warm.result() == kernel_id
        )
        if not is_warm:
            await super().cull_kernel_if_idle(kernel_id)  # type: ignore[no-untyped-call]

    async def _start(self, **settings: Any) -> str:
        started: str = await super()._async_start_kernel(extra_arguments=_QUIET, **settings)
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
            await client.wait_for_ready(timeout=_PATIENCE)
            await client.execute(WARM_UP, silent=True, store_history=False, reply=True, timeout=_PATIENCE)
        finally:
            client.stop_channels()
        return kernel_id
