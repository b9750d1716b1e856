"""The page of a demonstration: its figure, sizes for the projector, messages, and a net under every click."""

import base64
import html
import io
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lxmls_day1.course.exercise_cell import place_in_folder
from lxmls_day1.demos.environment import dark_wanted, has_own_window, in_a_kernel, require_widgets, scale_wanted
from lxmls_day1.demos.theme import DARK, LIGHT, Look, page_pixels, page_style
from lxmls_day1.errors import InputError
from lxmls_day1.figures import plotting
from lxmls_day1.figures.style import line_style
from lxmls_day1.library_path import PACKAGES

DPI = 100  # so that a size of 880 x 600 is one in pixels of the page
_IN_A_CELL = 0.63  # of those pixels: the room of a cell in a window of 1280, or of 1024 without its list of files
_PAD = 0.07  # inches around what is drawn, for letters of scale 1
_LEAST_ROOM, _MOST_ROOM = 200, 4000  # pixels of a figure, whatever a page says
MESSAGES = {"note": "note", "error": "alert"}


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
        The one figure of the demonstration; `size` sets its size, and `fit` another where a page has more room or less.
    scale : float
        Of letters, lines and points in the figure: it grows with the window.
    zoom : float
        Of the whole page: smaller in a cell of a notebook than in a window of its own.
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
        self.dark = dark_wanted() if dark is None else bool(dark)
        self.scale = self.page_scale = scale_wanted() if scale is None else float(scale)
        self.live = in_a_kernel() if live is None else bool(live)
        self.zoom = _IN_A_CELL if self.live and not has_own_window() else 1.0
        self.figure = Figure(dpi=DPI * self.zoom)
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
        self._permalink = widgets.HTML()
        self.window = widgets.Text(layout=widgets.Layout(display="none"))  # what page.js tells: see `Demonstration`
        self.window.add_class("demo-window")
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
        """Colour, dashes and width of a line that is no classifier's: 0 is the solid one in the foreground's colour."""
        dash = plotting.DASHES[number % len(plotting.DASHES)]
        colour = self.look.muted if number % len(plotting.DASHES) else self.look.foreground
        return {"color": colour, "linewidth": 3.4 * self.scale, "linestyle": (0, dash) if dash else "solid"} | more

    def classifier_line(self, name: str, variant: int = 0, of: int = 1, **more: Any) -> dict[str, Any]:
        """Colour, dashes and width of a classifier's lines, which it has in every figure; arguments as of `line_style`."""
        return line_style(name, variant, of, dark=self.dark) | {"linewidth": 3.4 * self.scale} | more

    def class_colour(self, label: int) -> str:
        """The colour of a class's points."""
        return self.look.classes[label % len(self.look.classes)]

    def size(self, width: float, height: float) -> None:
        """Set the figure's size, in pixels of a page of 1280 x 720; letters do not change with it."""
        self.figure.set_size_inches(width / DPI, height / DPI)

    def fit(self, width: float, height: float, scale: float) -> bool:
        """Fill the room that a page has for the figure, in its pixels, with letters of that scale; whether this changes anything."""
        width, height = np.clip([width, height], _LEAST_ROOM, _MOST_ROOM)
        scale = float(np.clip(scale, 0.3, 6))
        if np.allclose([*self.figure.get_size_inches(), self.scale], [width / DPI, height / DPI, scale], atol=0.005):
            return False
        self.size(width, height)
        self.scale = scale
        return True

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
        """The widget that shows the figure; it takes the room that its neighbours leave."""
        import ipywidgets as widgets

        box = widgets.Box([self._canvas_widget])
        box.add_class("demo-figure")
        return box

    def beside(self, left: Sequence[Any], right: Any, width: int = 360) -> Any:
        """A column of controls, so many pixels of a page of 1280 x 720 wide, with something beside it that takes the rest."""
        import ipywidgets as widgets

        column = widgets.VBox(list(left), layout=widgets.Layout(width=page_pixels(width), flex="0 0 auto"))
        column.add_class("demo-controls")
        rest = right if isinstance(right, widgets.Widget) else widgets.VBox(list(right))
        rest.layout.flex, rest.layout.min_width = "1 1 0", "0"  # a long text must not widen it
        layout = widgets.Layout(align_items="flex-start", grid_gap="10px", flex_flow="row nowrap")
        return widgets.HBox([column, rest], layout=layout)

    def page(
        self,
        *children: Any,
        on_theme: Callable[[], None],
        save: Callable[[str], bytes],
        formats: Sequence[str],
        about: str = "",
        data: str = "",
    ) -> Any:
        """The whole page: heading, what to look at, colour switch, buttons to save, a line for messages, the children.

        ``about`` is HTML that unfolds under the heading, ``data`` HTML that is not shown, for page.js.
        """
        import ipywidgets as widgets

        home = '<a class="demo-home" href="../../" title="all demonstrations">☰ all</a>'
        heading = widgets.HTML(f'<h1 class="demo-title">{home}{html.escape(self.title)}</h1>')
        colours = widgets.Button(
            description="☀ light" if self.dark else "☾ dark", tooltip="light on dark, dark on light"
        )
        colours.add_class("demo-colours")
        explanation = widgets.HTML(about, layout=widgets.Layout(display="none"))
        explanation.add_class("demo-about")
        unfold = widgets.ToggleButton(description="? what to look at", tooltip="what is shown, and three things to try")
        unfold.add_class("demo-unfold")
        unfold.observe(
            lambda change: setattr(explanation.layout, "display", None if change["new"] else "none"), "value"
        )
        buttons = [unfold, self._permalink, colours]
        self.dark_switch = colours
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
        hidden = widgets.HTML(data, layout=widgets.Layout(display="none"))
        tools = widgets.HBox([self._link, *buttons], layout=widgets.Layout(align_items="center", flex="0 0 auto"))
        page.children = [
            widgets.HTML(page_style(self.page_scale * self.zoom)),
            widgets.HBox([heading, tools], layout=layout),
            explanation,
            self._message,
            *children,
            hidden,
            self.window,
            self._readout,
        ]
        return page

    def link(self, address: str) -> None:
        """Show the address of the page as it is now: what stands behind its ``#``."""
        title = "the address of this page as it is now: open or copy it"
        text = f'<a class="demo-permalink" href="#{html.escape(address)}" title="{title}">link</a>'
        if text != self._permalink.value:
            self._permalink.value = text

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
        if self.figure.axes:
            pad = _PAD * self.scale  # letters are a little wider where there are fewer dots
            ConstrainedLayoutEngine(w_pad=pad, h_pad=pad).execute(self.figure)
        if self.clickable is not None:
            self.state(**self.last_state)

    def png(self) -> bytes:
        """The figure as it is now, as a picture."""
        return self.pixels("png", 2 * DPI)

    def pixels(self, kind: str, dpi: float = DPI, **settings: Any) -> bytes:
        """The figure as it is now, as ``"png"`` or as raw ``"rgba"``, with so many dots where the page has 100."""
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
        return str(self._message.value)

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
        if (text := "".join(self._said)) != self._message.value:
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
            file, address = f"{self.name}.{suffix}", f"data:{media};base64,{content}"
            self._link.value = f'<a class="demo-download" download="{file}" href="{address}">⤓ {file}</a>&nbsp;'

    def _still_canvas(self) -> Any:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        return FigureCanvasAgg(self.figure)

    def _live_canvas(self) -> Any:
        from ipympl.backend_nbagg import Canvas, FigureManager

        canvas = Canvas(self.figure)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of traitlets, for the toolbar that ipympl makes
            FigureManager(canvas, 0)
        canvas.resizable = False
        canvas.header_visible = canvas.footer_visible = canvas.toolbar_visible = False
        return canvas


@dataclass
class Attempt:
    """How one of several things went: see `Stage.attempt`."""

    ok: bool = True
    reason: str = ""


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
