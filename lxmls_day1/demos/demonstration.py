"""The base class of all demonstrations, and how one is written.

Computing and showing are apart. What is computed stands in functions and dataclasses of the demonstration's module, which
know nothing of widgets. What is shown is a class derived from `Demonstration` with four methods::

    class DemoCoin(Demonstration):
        name, title = "coin", "A coin"
        summary = "How often heads comes up."                  # a line for the index
        look_at = "…"                                          # two sentences: what there is to see
        to_try = ("…", "…", "…")                               # three things
        tips = {"throws": "how often the coin is thrown"}      # what each control does, by attribute

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

import html
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from lxmls_day1.demos.environment import dark_wanted
from lxmls_day1.demos.stage import Stage
from lxmls_day1.whole_files import replace_files

_LONGEST_LINKED = 2000  # characters of one value: browsers cut longer addresses


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
    look_at = ""
    to_try: Sequence[str] = ()
    #: Whether it is there in a moment, with nothing computed beside the page: then a warm kernel has shown it once.
    is_quick = True
    #: What each control does, by the attribute that it is, or that holds several in a list or dict. In this order the values
    #: of a link are restored: first those that others depend on.
    tips: Mapping[str, str] = MappingProxyType({})
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
        self._controls = self._explained()
        self._usual = {"dark": dark_wanted()} | {name: control.value for name, control in self._valued()}
        self._restored = ""
        for key, value in start.items():
            getattr(self, key).value = value
        self._held = 0
        self.widget = self.stage.page(
            *parts,
            on_theme=self.redraw,
            save=self.saved,
            formats=self.formats(),
            about=self._explanation(),
            data=f'<div class="demo-tips">{html.escape(json.dumps(self._tips_by_class()))}</div>',
        )
        self.stage.window.observe(lambda change: self._window(change["new"]), names="value")
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

    def linked(self) -> dict[str, str]:
        """What a link restores: the values that are not those of the start, as texts, by name; but for very long ones."""
        values = {"dark": self.stage.dark} | {name: control.value for name, control in self._valued()}
        changed = {name: _as_text(value) for name, value in values.items() if value != self._usual[name]}
        return {name: text for name, text in changed.items() if len(text) <= _LONGEST_LINKED}

    def restore(self, values: Mapping[str, str]) -> None:
        """Show what `linked` told, of this page or another; what does not fit is left as it is.

        Parameters
        ----------
        values : mapping of str to str
        """
        from traitlets import TraitError

        if "dark" in values and (values["dark"] == "1") != self.stage.dark:
            self.stage.dark_switch.click()
        for name, control in self._valued():
            if name in values and values[name] != _as_text(control.value):
                with suppress(ValueError, TraitError):
                    control.value = _from_text(values[name], control.value)

    # ---- the same for all ----

    def address(self) -> str:
        """What `linked` tells, as it stands behind the ``#`` of an address."""
        return urlencode(self.linked(), errors="replace")  # what was typed may hold halves of characters

    def steps(self, last: int, interval: int, position: Any = None) -> Any:
        """A row of buttons that play the frames and step through them; a key on the page presses them, too.

        Parameters
        ----------
        last : int
            The number of the last frame.
        interval : int
            Milliseconds for a frame.
        position : slider, optional
            Moves with them.

        Returns
        -------
        widget
            ``self.play`` is part of it.
        """
        import ipywidgets as widgets

        self.play = widgets.Play(value=0, min=0, max=last, interval=interval, show_repeat=False)
        self.play.tooltip = "play or pause (the space bar does it, too); to the start"
        if position is not None:
            widgets.jslink((self.play, "value"), (position, "value"))
        buttons = []
        for name, sign, by, tip in (
            ("first", "|◀", -len(self.frames()), "to the start (Home)"),
            ("back", "◀", -1, "one step back (←)"),
            ("forth", "▶", 1, "one step on (→)"),
        ):
            button = widgets.Button(description=sign, tooltip=tip)
            button.add_class(f"demo-{name}")
            button.on_click(lambda _, by=by: self.do(self._step, by))
            setattr(self, name, button)
            buttons.append(button)
        return widgets.HBox([self.play, *buttons])

    def _step(self, by: int) -> None:
        frames = list(self.frames())
        now = min(range(len(frames)), key=lambda number: abs(frames[number] - self.current()))
        self.go_to(frames[max(0, min(now + by, len(frames) - 1))])

    def _explained(self) -> dict[str, tuple[Any, str]]:
        """Each control that `tips` names, with its tooltip, which it gets here."""
        found = {}
        for name, tip in self.tips.items():
            several = isinstance(getattr(self, name), list | tuple | dict)
            for number, control in enumerate(_flat(getattr(self, name))):
                own = f"{name}{number}" if several else name
                if hasattr(control, "tooltips"):
                    control.tooltips = [tip] * max(3, len(control.options))
                control.tooltip = tip
                control.add_class(f"demo-control-{own}")
                found[own] = (control, tip)
        return found

    def _valued(self) -> Iterator[tuple[str, Any]]:
        return ((name, control) for name, (control, _) in self._controls.items() if hasattr(control, "value"))

    def _tips_by_class(self) -> dict[str, str]:
        figure = {"demo-figure": f"{self.title}. {self.summary}"}
        return figure | {f"demo-control-{name}": tip for name, (_, tip) in self._controls.items()}

    def _explanation(self) -> str:
        items = "".join(f"<li>{html.escape(text)}</li>" for text in self.to_try)
        return f'<div class="demo-look"><p>{html.escape(self.look_at)}</p><p>Three things to try:</p><ol>{items}</ol></div>'

    def _window(self, told: str) -> None:
        """The page has told its room for the figure, or a link to restore."""
        try:
            window = json.loads(told)
            room = [float(window[key]) for key in ("width", "height", "scale")]
            link = str(window["link"]).removeprefix("#")
        except (ValueError, KeyError, TypeError):
            return
        wanted = dict(parse_qsl(link))

        def show() -> None:
            changed = self.stage.fit(*room)
            if link != self._restored:
                self._restored = link
                usual = {name: _as_text(value) for name, value in self._usual.items()}
                self.restore(usual | wanted)
            if changed:
                self.redraw()

        self.do(show)

    def redraw(self) -> None:
        """All artists anew: at the start, and after a change of colours."""
        self.stage.empty()
        self.draw()
        self.update()
        self.stage.settle()
        if not self._doing:
            self.stage.refresh()
            self.stage.link(self.address())

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
            self.stage.link(self.address())

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
        from IPython import display

        show: Any = display.display
        show(self.widget)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a picture (``.png``), or an animation of all frames (``.gif``, ``.html``, ``.mp4``).

        Raises
        ------
        InputError
            If there is no such kind of file, or it cannot be made here.
        """
        path = Path(path)
        replace_files({path: self.saved(path.suffix.lstrip(".").lower())})

    def finish(self) -> None:
        """Wait for what is computed beside the page, if anything is: for pictures that nobody watches come into being."""

    def saved(self, suffix: str) -> bytes:
        """What `save` writes into a file with this suffix."""
        if not self.stage.live:
            self.finish()
        if suffix == "png":
            return self.stage.png()
        from lxmls_day1.demos.recording import animation

        return animation(self, suffix)


def _flat(controls: Any) -> Iterator[Any]:
    """The widgets of nested lists and dicts, one after the other."""
    if isinstance(controls, dict):
        controls = list(controls.values())
    if isinstance(controls, list | tuple):
        for control in controls:
            yield from _flat(control)
    else:
        yield controls


def _as_text(value: Any) -> str:
    """A control's value as part of an address."""
    return str(int(value)) if isinstance(value, bool) else repr(value) if isinstance(value, float) else str(value)


def _from_text(text: str, like: Any) -> Any:
    """The inverse of `_as_text`, for a control whose value is of the same type as ``like``."""
    if isinstance(like, float) and not math.isfinite(float(text)):
        raise ValueError("a control holds finite numbers")
    return text == "1" if isinstance(like, bool) else type(like)(text)
