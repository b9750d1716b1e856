"""A window on the lab's site in a real browser: what tests do in it as a student would."""

import json
from pathlib import Path

from playwright.sync_api import Error

ROOT = Path(__file__).resolve().parents[3]
SCREENSHOTS = ROOT / "out" / "browser"
PATIENCE = 600  # seconds for the longest: a loaded machine is no mistake

READY = """async (path) => {
    if (!window.jupyterapp) return false;
    await jupyterapp.restored;
    const widget = jupyterapp.shell.currentWidget;
    return !!widget?.context?.isReady && (!path || widget.context.path === path); }"""
KERNEL_READY = """() => {
    const session = window.jupyterapp?.shell.currentWidget?.sessionContext;
    return !!session?.session?.kernel && session.isReady; }"""
OPEN = "path => { jupyterapp.commands.execute('docmanager:open', { path }); }"
RUN_CODE = """code => new Promise(resolve => {
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const future = kernel.requestExecute({ code });
    const outputs = [];
    future.onIOPub = message => outputs.push({ type: message.header.msg_type, ...message.content });
    future.done.then(reply => resolve({ status: reply.content.status, outputs })); })"""
RUN_CELL = """async place => {
    const content = jupyterapp.shell.currentWidget.content;
    content.deselectAll();
    content.activeCellIndex = place;
    await jupyterapp.commands.execute('notebook:run-cell'); }"""
BEGIN = """code => { jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute({ code }); }"""
UPLOADED = """async name => {
    const { content } = await jupyterapp.serviceManager.contents.get('notebooks', { content: true });
    return content.some(entry => entry.name === name); }"""
CELLS = "() => jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.toJSON())"
SET_SOURCE = """async text => {
    const widget = jupyterapp.shell.currentWidget;
    widget.context.model.sharedModel.setSource(text);
    await jupyterapp.commands.execute('docmanager:save'); }"""
SAVE = """async ([path, content]) => {
    await jupyterapp.serviceManager.contents.save(path, { type: 'file', format: 'text', content }); }"""
CONTENTS = "async path => (await jupyterapp.serviceManager.contents.get(path, { content: true })).content"


class LabPage:
    """One window.

    Attributes
    ----------
    page : playwright Page
    foreign : list of str
        Addresses of other hosts that the page has asked for.
    errors : list of str
        Errors that no code caught.
    unfitting : list of str
        What the browser's log says of parts whose versions do not go together.
    """

    def __init__(self, context, address: str, allowed: tuple[str, ...] = (), routed: bool = True):
        self.context, self.address = context, address
        self.foreign: list[str] = []
        self.errors: list[str] = []
        self.unfitting: list[str] = []
        if routed:  # every request waits for a decision, and the browser's cache is off
            context.route("**/*", self._route)
        self.allowed = (address, "data:", "blob:", *allowed)
        self.new_window()

    def _route(self, route) -> None:
        if route.request.url.startswith(self.allowed):
            route.continue_()
        else:
            self.foreign.append(route.request.url)
            route.abort()

    def new_window(self) -> None:
        """Go on in a new tab of the same browser."""
        self.page = self.context.new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._logged)

    def _logged(self, message) -> None:
        if "Unsatisfied version" in message.text:
            self.unfitting.append(message.text)

    def visit(self) -> None:
        """Open the site as its address is typed, and begin."""
        self.page.goto(self.address)
        self.page.click("a.begin")

    def start(self, path: str = "notebooks/1_generative.ipynb") -> None:
        """Open the site, and wait for the notebook that this opens."""
        self.visit()
        self.wait(READY, path)

    def wait_for_lab(self) -> None:
        """Wait until the lab has come up, with whatever was open in it."""
        self.wait("async () => { if (!window.jupyterapp) return false; await jupyterapp.restored; return true; }")

    def wait(self, condition: str, *arguments) -> None:
        """Wait until a function of the page says yes, over reloads too."""
        for _ in range(4 * PATIENCE):
            try:
                if self.page.evaluate(condition, *arguments):
                    return
            except Error as error:  # the page is only just coming
                if "navigation" not in str(error):
                    raise
            self.page.wait_for_timeout(250)
        self.screenshot("waited_in_vain")
        raise AssertionError(f"waited in vain for {condition} of {arguments}; the line says {self.line()!r}")

    def open(self, path: str) -> None:
        """Open a notebook or a file as by a double click; again if a tab that JupyterLab restores comes to the front."""
        self.wait(f"async (path) => {{ await ({OPEN})(path); return ({READY})(path); }}", path)

    def run(self, code: str) -> str:
        """Run code in the kernel of the notebook in front; what it prints and shows, as text."""
        self.wait(KERNEL_READY)
        reply = self.page.evaluate(RUN_CODE, code)
        texts = []
        for output in reply["outputs"]:
            data = output.get("data", {})
            texts.append(output.get("text") or data.get("text/plain") or "\n".join(output.get("traceback", ())))
        text = "".join(filter(None, texts))
        assert reply["status"] == "ok", text
        return text

    def begin(self, code: str) -> None:
        """Begin to run code, and do not wait for its end."""
        self.wait(KERNEL_READY)
        self.page.evaluate(BEGIN, code)

    def upload(self, path: Path) -> None:
        """Upload a file beside the notebook, by the button for it."""
        with self.page.expect_file_chooser() as chooser:
            self.page.click('[data-command="filebrowser:upload"], jp-button[title^="Upload"], button[title^="Upload"]')
        chooser.value.set_files(str(path))
        dialog = self.page.locator(".jp-Dialog button.jp-mod-accept")  # the page requests permission for a large file
        self.page.wait_for_timeout(2000)
        if dialog.count():
            dialog.click()
        self.wait(UPLOADED, path.name)

    def cells(self) -> list[dict]:
        """The cells of the notebook in front, as its file would hold them."""
        return self.page.evaluate(CELLS)

    def run_cells(self, n_cells: int | None = None) -> list[dict]:
        """Run the cells from the top, all or the first `n` with code; return the cells with their output.

        A cell with an error ends it.
        """
        self.wait(KERNEL_READY)
        code = [place for place, cell in enumerate(self.cells()) if cell["cell_type"] == "code"]
        for place in code[:n_cells]:
            self.page.evaluate(RUN_CELL, place)
            failed = [output for output in self.cells()[place]["outputs"] if output["output_type"] == "error"]
            assert not failed, (self.cells()[place]["source"], "\n".join(failed[0]["traceback"]))
        return [self.cells()[place] for place in code[:n_cells]]

    def write(self, path: str, text: str) -> None:
        """Open a file in the editor, put a text in, save."""
        self.open(path)
        self.page.evaluate(SET_SOURCE, text)

    def put(self, path: str, text: str) -> None:
        """Put a file into the workspace without opening it, new or in place of the one that is there."""
        self.page.evaluate(SAVE, [path, text])

    def read(self, path: str) -> str:
        """The content of a file of the workspace as the browser keeps it."""
        content = self.page.evaluate(CONTENTS, path)
        return content if isinstance(content, str) else json.dumps(content)

    def line(self) -> str:
        """Return the lines at the foot of the page."""
        return self.page.evaluate("() => document.querySelector('#lxmls-day1-lines')?.innerText || ''")

    def screenshot(self, name: str) -> None:
        """Keep a picture in ``out/browser``."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(SCREENSHOTS / f"{name}.png"))
