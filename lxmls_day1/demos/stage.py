"""What all demonstrations stand on: sizes and colours for the projector, a page, and a net under every click.

A demonstration parts computing from showing. What is computed stands in functions and dataclasses of its module, which
know nothing of widgets; what is shown is a class derived from `Demonstration` with four methods::

    class DemoCoin(Demonstration):
        name, title = "coin", "A coin"
        summary = "How often heads comes up."                  # a line for the index of an export

        def controls(self):                                    # once: widgets, and the page's parts from top to bottom
            self.throws = widgets.IntSlider(value=10, min=1, max=100, description="throws")
            self.on_change(self.update, self.throws)           # update, guarded, whenever its value changes
            return [self.stage.beside([self.throws], self.stage.view())]

        def draw(self):                                        # at the start and after a change of colours:
            axis = self.stage.figure.subplots()                # all artists anew, on an empty figure
            self.stage.style(axis)
            (self.line,) = axis.plot([], [], **self.stage.line(0))

        def update(self):                                      # at every change: only move what is drawn already
            heads = self.lab.function(…)                       # readers and classifiers only through the lab
            self.line.set_data(*heads)
            self.stage.state(heads=heads)                      # what is plotted, for tests and for reading aloud

A stepwise one also has ``frames()``, the states of its animation, ``go_to(frame)`` and ``current()``. Nothing else is needed: the page
with title, colour switch and buttons to save, drawing in the browser, and recordings come from here. A classifier that a
student has still to write raises NotImplementedError: catch it with ``with self.stage.attempt("MIRA") as attempt`` for
each learner, so that the others go on; what escapes from a method ends as a sentence on the page.
"""

import base64
import html
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1 import plotting
from lxmls_day1.errors import InputError, how_to_install
from lxmls_day1.exercise_cell import place_in_folder
from lxmls_day1.lab import PACKAGES
from lxmls_day1.whole_files import replace_files

DARK_VARIABLE, SCALE_VARIABLE = "LXMLS_DAY1_DEMO_DARK", "LXMLS_DAY1_DEMO_SCALE"
DPI = 100  # so that a size of 880 x 600 is one in pixels of the page
MESSAGES = {"note": "note", "error": "alert"}


@dataclass(frozen=True)
class Look:
    """Colours of one kind of projection; all are told apart by colour-blind people."""

    background: str
    panel: str
    foreground: str
    muted: str
    grid: str
    classes: tuple[str, ...]
    lines: tuple[str, ...]


LIGHT = Look(
    background="#FFFFFF",
    panel="#F3F4F6",
    foreground="#111111",
    muted="#5F6368",
    grid="#D9DCE0",
    classes=plotting.CLASS_COLOURS,
    lines=plotting.LINE_COLOURS,
)
DARK = Look(
    background="#101318",
    panel="#1B2028",
    foreground="#F5F5F5",
    muted="#B4BAC4",
    grid="#3A414D",
    classes=(
        plotting.ORANGE,
        plotting.SKY_BLUE,
        plotting.PURPLE,
        plotting.YELLOW,
        plotting.GREEN,
        plotting.VERMILION,
        "#FFFFFF",
        "#4C9FD9",
    ),
    lines=(
        "#FFFFFF",
        "#1FC79A",
        plotting.PURPLE,
        plotting.YELLOW,
        plotting.SKY_BLUE,
        "#A6ACB6",
        plotting.ORANGE,
        plotting.VERMILION,
    ),
)

_STYLE = """<style>
.demo-page {
  --jp-widgets-font-size: SIZEpx; --jp-ui-font-size1: SIZEpx; --jp-widgets-inline-height: HEIGHTpx;
  --jp-widgets-inline-label-width: 8.2em; --jp-widgets-slider-handle-size: 20px; --jp-widgets-slider-track-thickness: 6px;
  --jp-widgets-inline-margin: 1px; --jp-widgets-inline-width: 100%;
  --jp-widgets-color: FOREGROUND_L; --jp-widgets-label-color: FOREGROUND_L; --jp-widgets-readout-color: FOREGROUND_L;
  --jp-widgets-input-color: FOREGROUND_L; --jp-widgets-input-background-color: BACKGROUND_L;
  --demo-background: BACKGROUND_L; --demo-panel: PANEL_L; --demo-foreground: FOREGROUND_L; --demo-muted: MUTED_L;
  --demo-grid: GRID_L; --demo-accent: #0072B2; --demo-alert: #A33F00;
  background: BACKGROUND_L; color: FOREGROUND_L; padding: 6px 4px; overflow: auto hidden; font-family: system-ui, sans-serif; }
.demo-page.demo-dark {
  --jp-widgets-color: FOREGROUND_D; --jp-widgets-label-color: FOREGROUND_D; --jp-widgets-readout-color: FOREGROUND_D;
  --jp-widgets-input-color: FOREGROUND_D; --jp-widgets-input-background-color: PANEL_D;
  --jp-layout-color0: BACKGROUND_D; --jp-layout-color1: BACKGROUND_D; --jp-layout-color2: PANEL_D;
  --jp-layout-color3: GRID_D; --jp-border-color1: GRID_D; --jp-ui-font-color0: FOREGROUND_D; --jp-ui-font-color1: FOREGROUND_D;
  --jp-content-font-color1: FOREGROUND_D; --jp-widgets-input-border-color: MUTED_D; --jp-brand-color1: #56B4E9;
  --demo-background: BACKGROUND_D; --demo-panel: PANEL_D; --demo-foreground: FOREGROUND_D; --demo-muted: MUTED_D;
  --demo-grid: GRID_D; --demo-accent: #56B4E9; --demo-alert: #E69F00;
  background: BACKGROUND_D; color: FOREGROUND_D; }
body[data-voila]:has(.demo-page), body[data-voila]:has(.demo-page) #rendered_cells {
  background: BACKGROUND_L !important; padding: 0 !important; margin: 0 !important; }
body[data-voila]:has(.demo-page.demo-dark), body[data-voila]:has(.demo-page.demo-dark) #rendered_cells {
  background: BACKGROUND_D !important; }
body[data-voila]:has(.demo-page) .jp-MarkdownCell { display: none; }
body[data-voila]:has(.demo-page) :is(.jp-Cell, .jp-Cell-outputWrapper, .jp-OutputArea-output, .jp-OutputArea-child) {
  padding: 0 !important; margin: 0 !important; background: transparent !important; }
body[data-voila]:has(.demo-page) .jp-OutputPrompt { display: none; }
.demo-page .demo-title { font-size: 1.5em; font-weight: 700; line-height: 1.25; white-space: nowrap; }
.demo-page .demo-message { line-height: 1.3; min-height: 0; }
.demo-page .demo-message [role] { border-left: 6px solid var(--demo-accent); background: var(--demo-panel);
  padding: 4px 12px; margin: 2px 0; }
.demo-page .demo-message [role=alert] { border-left-color: var(--demo-alert); }
.demo-page .widget-html-content { font-size: SIZEpx; line-height: 1.3; }
.demo-page table { border-collapse: collapse; color: var(--demo-foreground); }
.demo-page td, .demo-page th { padding: 1px 6px; white-space: nowrap; text-align: right; font-variant-numeric: tabular-nums; }
.demo-page td:first-child, .demo-page th:first-child { text-align: left; }
.demo-page th { border-bottom: 2px solid var(--demo-muted); font-weight: 600; }
.demo-page tr, .demo-page td { background: transparent !important; }
.demo-page a { color: var(--demo-accent); }
.demo-page .widget-inline-hbox.widget-play { width: 84px; min-width: 84px; height: auto; flex: 0 0 auto; }
.demo-page .widget-play .jupyter-button { width: 40px; padding: 2px 0; }
.demo-page .widget-readout { min-width: 3.1em; }
.demo-page .demo-narrow .widget-label { min-width: 0; }
.demo-page .jupyter-button { height: auto; line-height: 1.5; padding: 2px 12px; font-size: SIZEpx; border-radius: 6px;
  width: max-content; flex: 0 0 auto; overflow: visible; background: var(--demo-panel); color: var(--demo-foreground); border: 1px solid var(--demo-muted); }
.demo-page .jupyter-button.mod-active, .demo-page .jupyter-button.mod-primary {
  background: var(--demo-accent); color: var(--demo-background); box-shadow: none; }
.demo-page .widget-toggle-buttons { display: flex; flex-flow: row nowrap; align-items: center; }
.demo-page .widget-toggle-buttons .jupyter-button { width: auto; min-width: 2.4em; }
.demo-page .demo-cell { display: inline-block; width: 54px; white-space: nowrap; text-align: right; font-variant-numeric: tabular-nums; }
.demo-page .demo-muted { color: var(--demo-muted); }
.demo-page .widget-checkbox label { gap: 6px; display: flex; align-items: center; }
CLASSES
.demo-page .noUi-connect { background: var(--demo-accent); }
.demo-page .noUi-target { background: var(--demo-grid); border-color: var(--demo-muted); }
.demo-page .noUi-handle { background: var(--demo-background); border: 3px solid var(--demo-accent); }
.demo-page input[type=checkbox] { width: 1.15em; height: 1.15em; accent-color: var(--demo-accent); }
.demo-page .widget-checkbox, .demo-page .widget-inline-hbox { width: 100%; }
.demo-page .widget-dropdown, .demo-page .widget-textarea { box-sizing: border-box; padding-right: 4px; }
.demo-page .widget-dropdown select, .demo-page .widget-textarea textarea { box-sizing: border-box; min-width: 0; }
.demo-page .jupyter-matplotlib { border: none; overflow: hidden; flex: 0 0 auto; }
.demo-page .widget-box:has(.jupyter-matplotlib) { overflow: visible; min-width: min-content; }
.demo-page > * { margin-left: 0 !important; margin-right: 0 !important; }
.demo-page .jupyter-matplotlib-footer { display: none; }
</style>"""


class Stage:
    """The page of one demonstration, and the figure on it.

    Parameters
    ----------
    name, title : str
        The demonstration's name in files and addresses, and its heading.
    folder : Path
        The lab's, to say in which of its files something went wrong.
    dark : bool, optional
        Light on dark. Unless given, the environment says it (``LXMLS_DAY1_DEMO_DARK=1``).
    scale : float, optional
        Of letters, lines and points; 1 unless given here or by ``LXMLS_DAY1_DEMO_SCALE``.
    live : bool, optional
        Whether the figure is drawn in a browser; unless given, whether a notebook's kernel is running. Otherwise it is
        an ordinary figure, which can be saved.

    Attributes
    ----------
    figure : matplotlib Figure
        The one figure of the demonstration; `size` sets its size.
    clickable : matplotlib Axes or None
        Those that react to clicks, to be set by ``draw``.
    last_state : dict
        What `state` was told last.
    look : Look
    """

    def __init__(
        self,
        name: str,
        title: str,
        folder: Path,
        dark: bool | None = None,
        scale: float | None = None,
        live: bool | None = None,
    ):
        require_widgets()
        import ipywidgets as widgets
        from matplotlib.figure import Figure

        self.name, self.title, self.folder = name, title, Path(folder)
        self.dark = os.environ.get(DARK_VARIABLE, "") not in ("", "0") if dark is None else bool(dark)
        self.scale = _scale_of_environment() if scale is None else float(scale)
        self.live = _in_a_kernel() if live is None else bool(live)
        self.figure = Figure(dpi=DPI)
        self.last_state: dict[str, Any] = {}
        self.clickable: Any = None
        self._moving: Sequence[Any] = ()
        self._still: Any = None
        self._said: list[str] = []
        self._depth = 0
        self._is_unseen = False
        self._canvas = self._live_canvas() if self.live else self._still_canvas()
        self._canvas.mpl_connect("draw_event", self._drawn)
        self._canvas_widget = self._canvas if self.live else widgets.HTML()
        self._message = widgets.HTML()
        self._message.add_class("demo-message")
        self._readout = widgets.HTML(layout=widgets.Layout(display="none"))
        self._link = widgets.HTML()
        self.size(880, 600)

    # ---- sizes and colours ----

    @property
    def look(self) -> Look:
        """The colours that hold now."""
        return DARK if self.dark else LIGHT

    def font(self, factor: float = 1.0) -> float:
        """The size of letters in a figure, in points: large enough for the last row."""
        return 14.0 * factor * self.scale

    def line(self, number: int, **more: Any) -> dict[str, Any]:
        """Colour, dashes and width of the line of that number: 0 is the solid one in the foreground's colour."""
        lines, dashes = self.look.lines, plotting.DASHES
        style: dict[str, Any] = {"color": lines[number % len(lines)], "linewidth": 3.4 * self.scale}
        if number % len(dashes):
            style["linestyle"] = (0, dashes[number % len(dashes)])
        return style | more

    def class_colour(self, label: int) -> str:
        """The colour of a class's points."""
        return self.look.classes[label % len(self.look.classes)]

    def size(self, width: float, height: float) -> None:
        """Set the figure's size, in pixels of the page; letters do not change with it."""
        self.figure.set_size_inches(width / DPI, height / DPI)

    def style(self, *axes: Any) -> None:
        """Letters, colours and grid of axes that were made just now."""
        look = self.look
        for axis in axes:
            axis.set_facecolor(look.background)
            axis.tick_params(colors=look.foreground, labelsize=self.font(0.9), width=1.4)
            for spine in axis.spines.values():
                spine.set_color(look.muted)
                spine.set_linewidth(1.4)
            for text in (axis.xaxis.label, axis.yaxis.label, axis.title):
                text.set_color(look.foreground)
                text.set_fontsize(self.font(1.05))
            axis.title.set_fontweight("bold")
            axis.grid(True, color=look.grid, linewidth=0.9)
            axis.set_axisbelow(True)

    def legend(self, axis: Any, *arguments: Any, **settings: Any) -> Any:
        """A legend in the colours of the page; arguments are those of ``axis.legend``."""
        defaults = {"fontsize": self.font(0.85), "frameon": True, "handlelength": 3.2, "framealpha": 0.9}
        colours = {"labelcolor": self.look.foreground, "facecolor": self.look.background, "edgecolor": self.look.grid}
        return axis.legend(*arguments, **(defaults | colours | settings))

    # ---- the page ----

    def view(self) -> Any:
        """The widget that shows the figure."""
        return self._canvas_widget

    def beside(self, left: Sequence[Any], right: Any, width: int = 360) -> Any:
        """A column of controls, so many pixels wide, with something beside it, or below it in a narrow window."""
        import ipywidgets as widgets

        column = widgets.VBox(list(left), layout=widgets.Layout(width=f"{width}px", flex="0 0 auto"))
        beside = widgets.Layout(flex="1 1 640px", min_width="0")  # a long text must not take a line of its own
        rest = right if isinstance(right, widgets.Widget) else widgets.VBox(list(right), layout=beside)
        layout = widgets.Layout(align_items="flex-start", grid_gap="10px", flex_flow="row wrap")
        return widgets.HBox([column, rest], layout=layout)

    def page(
        self, *children: Any, on_theme: Callable[[], None], save: Callable[[str], bytes], formats: Sequence[str]
    ) -> Any:
        """The whole page: heading, colour switch, buttons to save, a line for messages, the children."""
        import ipywidgets as widgets

        heading = widgets.HTML(f'<div class="demo-title" role="heading">{html.escape(self.title)}</div>')
        colours = widgets.Button(
            description="☀ light" if self.dark else "☾ dark", tooltip="light on dark, dark on light"
        )
        colours.add_class("demo-colours")
        buttons = [colours]
        layout = widgets.Layout(align_items="center", justify_content="space-between", width="100%")
        page = widgets.VBox()
        page.add_class("demo-page")

        def switch(_: Any) -> None:
            with self.guard():
                self.dark = not self.dark
                colours.description = "☀ light" if self.dark else "☾ dark"
                (page.add_class if self.dark else page.remove_class)("demo-dark")
                on_theme()

        colours.on_click(switch)
        for suffix in formats:
            button = widgets.Button(description=suffix.upper(), tooltip=f"save this as {suffix.upper()}")
            button.add_class(f"demo-save-{suffix}")
            button.on_click(lambda _, suffix=suffix: self._offer(suffix, save))
            buttons.append(button)
        if self.dark:
            page.add_class("demo-dark")
        tools = widgets.HBox([self._link, *buttons], layout=widgets.Layout(align_items="center", flex="0 0 auto"))
        page.children = [
            widgets.HTML(self._css()),
            widgets.HBox([heading, tools], layout=layout),
            self._message,
            *children,
            self._readout,
        ]
        return page

    def state(self, **values: Any) -> None:
        """Write down what is plotted, as JSON in the page: for tests, and for whoever cannot see the figure.

        Parameters
        ----------
        **values
            Numbers, texts, arrays, and lists and dicts of them. NaN and infinity become null. Where `clickable` is set,
            ``axes`` is added: how far its left, top, right and bottom are from the canvas's left and top, as fractions.
        """
        self.last_state = _plain(values)
        if self.clickable is not None:
            box = self.clickable.get_position()
            self.last_state["axes"] = [float(side) for side in (box.x0, 1 - box.y1, box.x1, 1 - box.y0)]
        text = html.escape(json.dumps(self.last_state, ensure_ascii=False), quote=False)
        self._readout.value = f'<div class="demo-state" data-demo="{self.name}" hidden>{text}</div>'

    def refresh(self) -> None:
        """Draw the figure, and send it to the browser; elsewhere nothing is drawn until it is saved.

        It is drawn here and now, rather than when the browser asks for it: that saves a way to and fro, and as a slider
        waits for us before it reports its next move, no more is drawn than can be shown.
        """
        if not self.live or self._is_unseen or self._canvas.syncing_data_url:  # the latter: the browser has yet to ask
            return
        if self._still is None:
            self._canvas.draw()
        else:
            self._canvas.restore_region(self._still)
            self._draw_moving()
            self._canvas.blit(self.figure.bbox)

    def moves(self, *artists: Any) -> None:
        """Say which artists are all that moves, to be called by ``draw``: only they are then drawn again at a change.

        They come out above everything else, in their order.
        """
        self._moving = artists
        for artist in artists:
            artist.set_animated(True)

    def _drawn(self, event: Any) -> None:
        """After a whole drawing: keep what does not move, and add what does."""
        if self._moving and not self._canvas.is_saving():
            self._still = self._canvas.copy_from_bbox(self.figure.bbox)
            self._draw_moving()

    def _draw_moving(self) -> None:
        for artist in self._moving:
            self.figure.draw_artist(artist)

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """Inside, the browser keeps the figure that it has."""
        self._is_unseen = True
        try:
            yield
        finally:
            self._is_unseen = False

    def empty(self) -> None:
        """Take everything off the figure."""
        self.figure.clear()
        self._moving, self._still, self.clickable = (), None, None

    def settle(self) -> None:
        """Lay the figure out once and keep it so: the layout takes longer to compute than the rest to draw."""
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        self.figure.set_facecolor(self.look.background)
        ConstrainedLayoutEngine().execute(self.figure)
        if self.clickable is not None:
            self.state(**self.last_state)

    def png(self) -> bytes:
        """The figure as it is now, as a picture."""
        return self.pixels("png", 2 * DPI)

    def pixels(self, kind: str, dpi: float = DPI, **settings: Any) -> bytes:
        """The figure as it is now, as ``"png"`` or as raw ``"rgba"``, with so many dots where the page has 100."""
        import io

        file = io.BytesIO()
        self.figure.savefig(file, format=kind, dpi=dpi, **settings)
        return file.getvalue()

    # ---- what goes wrong ----

    def say(self, sentence: str, kind: str = "note") -> None:
        """Show a sentence above the figure until the next change; inside `guard` several add up.

        Parameters
        ----------
        sentence : str
            Plain text; it is escaped here.
        kind : "note" or "error"
        """
        line = f'<div role="{MESSAGES[kind]}">{html.escape(sentence)}</div>'
        if line not in self._said:
            self._said.append(line)
        if not self._depth:
            self._show_messages()

    @property
    def messages(self) -> str:
        """The sentences that are shown now, as HTML; empty if there is none."""
        return self._message.value

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Whatever goes wrong inside ends as one sentence on the page; nothing escapes, and old sentences go."""
        self._depth += 1
        if self._depth == 1:
            self._said = []
        try:
            yield
        except Exception as error:
            self.say(self.sentence(error), "note" if isinstance(error, NotImplementedError) else "error")
        finally:
            self._depth -= 1
            if not self._depth:
                self._show_messages()

    @contextmanager
    def attempt(self, what: str) -> Iterator["Attempt"]:
        """Try one thing of several, ``with stage.attempt("MIRA") as attempt``; where it fails, a sentence says so.

        Yields
        ------
        Attempt
            Its ``ok`` says after the block whether it went through, ``reason`` why not.
        """
        attempt = Attempt()
        try:
            yield attempt
        except Exception as error:
            attempt.ok, attempt.reason = False, self.sentence(error)
            unwritten = isinstance(error, NotImplementedError)
            self.say(
                f"{what} is still to be written: {attempt.reason}" if unwritten else f"{what}: {attempt.reason}",
                "note" if unwritten else "error",
            )

    def sentence(self, error: BaseException) -> str:
        """What to tell of an exception: a user's mistake speaks for itself, a bug comes with its place in the lab."""
        text = " ".join(str(error).split())
        if isinstance(error, InputError | NotImplementedError):
            return text or "this is still to be written"
        places = [(package, place_in_folder(error.__traceback__, self.folder / package)) for package in PACKAGES]
        place = next((f" ({package}/{place})" for package, place in places if place), "")
        return f"{type(error).__name__}: {text or 'no message'}{place}"

    def _show_messages(self) -> None:
        text = "".join(self._said)
        if text != self._message.value:
            self._message.value = text

    def _offer(self, suffix: str, save: Callable[[str], bytes]) -> None:
        """Put a link into the page with which the browser saves what was made."""
        with self.guard():
            self._link.value = "<span>working …</span>"
            try:
                content = base64.b64encode(save(suffix)).decode()
            except BaseException:
                self._link.value = ""
                raise
            media = {"png": "image/png", "gif": "image/gif", "mp4": "video/mp4", "html": "text/html"}[suffix]
            file = f"{self.name}.{suffix}"
            self._link.value = (
                f'<a class="demo-download" download="{file}" href="data:{media};base64,{content}">⤓ {file}</a>&nbsp;'
            )

    def _css(self) -> str:
        style = _STYLE.replace("SIZE", f"{17 * self.scale:.0f}").replace("HEIGHT", f"{30 * self.scale:.0f}")
        for letter, look in (("L", LIGHT), ("D", DARK)):
            for key in ("background", "panel", "foreground", "muted", "grid"):
                style = style.replace(f"{key.upper()}_{letter}", getattr(look, key))
        handles = [
            f".demo-page{theme} .demo-class-{label} {{ --demo-accent: {colour}; }}"
            for theme, look in (("", LIGHT), (".demo-dark", DARK))
            for label, colour in enumerate(look.classes)
        ]
        return style.replace("CLASSES", "\n".join(handles))

    def _still_canvas(self) -> Any:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        return FigureCanvasAgg(self.figure)

    def _live_canvas(self) -> Any:
        from ipympl.backend_nbagg import Canvas, FigureManager

        canvas = Canvas(self.figure)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # ipympl makes its toolbar in a way that traitlets regrets
            FigureManager(canvas, 0)
        canvas.resizable = False
        canvas.header_visible = canvas.footer_visible = canvas.toolbar_visible = False
        return canvas


@dataclass
class Attempt:
    """How one of several things went: see `Stage.attempt`."""

    ok: bool = True
    reason: str = ""


class Demonstration:
    """One demonstration: a figure, its controls, and what they do. See the head of this file for how to write one.

    Parameters
    ----------
    lab : lxmls_day1.lab.Lab
        Whose readers and classifiers are shown; their files are read anew.
    dark, scale, live
        As in `Stage`.
    **start
        Values for controls by attribute name (``variance=4``), set before the first drawing.

    Attributes
    ----------
    stage : Stage
    widget : ipywidgets widget
        The whole page; `show` displays it.
    """

    name = "demonstration"
    title = "A demonstration"
    summary = ""
    #: What an export shows of it: values for controls at the start, by what is added to the files' names.
    variants: Mapping[str, Mapping[str, Any]] = MappingProxyType({"": {}})
    #: Which of `frames` an export's picture shows; as it is at the start unless given.
    telling_frame: Any = None

    def __init__(
        self,
        lab: Any,
        *,
        dark: bool | None = None,
        scale: float | None = None,
        live: bool | None = None,
        **start: Any,
    ):
        lab.forget()
        self.lab = lab
        self.stage = Stage(self.name, self.title, lab.folder, dark, scale, live)
        self._held, self._doing = 1, 0
        parts = self.controls()
        for key, value in start.items():
            getattr(self, key).value = value
        self._held = 0
        self.widget = self.stage.page(*parts, on_theme=self.redraw, save=self.saved, formats=self.formats())
        with self.stage.guard():
            self.redraw()

    # ---- to be written for each ----

    def controls(self) -> list[Any]:
        """Make the widgets; return the parts of the page from top to bottom, `Stage.view` among them."""
        raise NotImplementedError

    def draw(self) -> None:
        """Make axes and artists on the empty figure, in the colours that hold now."""
        raise NotImplementedError

    def update(self) -> None:
        """Compute what the controls ask for, and move the artists there."""
        raise NotImplementedError

    def frames(self) -> Sequence[Any]:
        """The states of the animation in their order; empty for a demonstration that is not stepwise."""
        return ()

    def go_to(self, frame: Any) -> None:
        """Show one of `frames`."""

    def current(self) -> Any:
        """Which of `frames` is shown now; None if that cannot be said."""
        return None

    # ---- the same for all ----

    def redraw(self) -> None:
        """All artists anew: at the start, and after a change of colours."""
        self.stage.empty()
        self.draw()
        self.update()
        self.stage.settle()
        if not self._doing:
            self.stage.refresh()

    def on_change(self, method: Callable[[], None], *controls: Any) -> None:
        """Call a method, guarded, and draw, whenever the value of one of the controls changes."""
        for control in controls:
            control.observe(lambda _: self.do(method), names="value")

    def on_click(self, method: Callable[[], None], button: Any) -> None:
        """Call a method, guarded, and draw, whenever a button is pressed."""
        button.on_click(lambda _: self.do(method))

    def do(self, method: Callable[..., None], *arguments: Any) -> None:
        """Call a method, and draw; what goes wrong ends as a sentence on the page."""
        if self._held:
            return
        self._doing += 1
        try:
            with self.stage.guard():
                method(*arguments)
        finally:
            self._doing -= 1
        if not self._doing:
            self.stage.refresh()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Change several controls without an update for each: inside, `on_change` does nothing."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1

    def formats(self) -> list[str]:
        """The kinds of file it can be saved as: a picture, and animations if it is stepwise."""
        if not len(self.frames()):
            return ["png"]
        from lxmls_day1.demos.recording import animation_formats

        return ["png", *animation_formats()]

    def show(self) -> None:
        """Display the page, in a notebook."""
        from IPython.display import display

        display(self.widget)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a picture (``.png``), or an animation of all frames (``.gif``, ``.html``, ``.mp4``).

        Raises
        ------
        InputError
            If there is no such kind of file, or it cannot be made here.
        """
        path = Path(path)
        replace_files({path: self.saved(path.suffix.lstrip(".").lower())})

    def saved(self, suffix: str) -> bytes:
        """What `save` writes into a file with this suffix."""
        if suffix == "png":
            return self.stage.png()
        from lxmls_day1.demos.recording import animation

        return animation(self, suffix)


def _plain(value: Any) -> Any:
    """A value in JSON's terms."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def require_widgets() -> None:
    """Raise an `InputError` that says how to get what demonstrations need if it is not there."""
    from importlib.util import find_spec

    if lacking := [name for name in ("ipywidgets", "ipympl") if find_spec(name) is None]:
        raise InputError(
            f"demonstrations need {' and '.join(lacking)}, which is not installed here. Install what they need with "
            f"{how_to_install('demo')} (in a checkout `make demo` does it)."
        )


def _scale_of_environment() -> float:
    try:
        scale = float(os.environ.get(SCALE_VARIABLE) or 1)
    except ValueError:
        scale = 0.0
    if not 0.5 <= scale <= 3:
        raise InputError(f"{SCALE_VARIABLE} must be a number from 0.5 to 3, but is {os.environ[SCALE_VARIABLE]!r}.")
    return scale


def _in_a_kernel() -> bool:
    """Whether a notebook runs this; not so in a terminal's IPython."""
    import sys

    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None) is not None
