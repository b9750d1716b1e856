"""The base class of all demonstrations, and how one is written.

Computing and showing are apart. What is computed stands in functions and dataclasses of the demonstration's module, which
know nothing of widgets. What is shown is a class derived from `Demonstration` with four methods::

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

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lxmls_day1.demos.stage import Stage
from lxmls_day1.whole_files import replace_files


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

    def saved(self, suffix: str) -> bytes:
        """What `save` writes into a file with this suffix."""
        if suffix == "png":
            return self.stage.png()
        from lxmls_day1.demos.recording import animation

        return animation(self, suffix)
