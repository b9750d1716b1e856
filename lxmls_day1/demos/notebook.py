"""A demonstration as a widget in a notebook: the page's script draws it, and Python in the kernel computes the scenes."""

from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.installation import how_to_install
from lxmls_day1.demos.demonstration import demonstration_class
from lxmls_day1.demos.pages import page_description, script, style


def demo_widget(lab: Any, name: str) -> Any:
    """Return a demonstration for the output of a cell.

    Parameters
    ----------
    lab : lxmls_day1.lab.Lab
        The lab with the readers and classifiers to show. Their files are read again.
    name : str
        A name in `lxmls_day1.demos.demonstration_list.DEMONSTRATIONS`.

    Returns
    -------
    anywidget.AnyWidget

    Raises
    ------
    InputError
        If the demonstration does not exist, or anywidget is not installed.
    """
    found = demonstration_class(name)
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise InputError(
            f"a demonstration in a notebook needs anywidget, which is not installed here. Install it with "
            f"{how_to_install('notebook')}, or run `lxmls-day1 demo --only {name}` in a terminal."
        ) from error

    class DemoWidget(anywidget.AnyWidget):
        """A widget that answers the requests of its page."""

        _esm = script()
        _css = style()
        description = traitlets.Dict().tag(sync=True)

        def __repr__(self) -> str:  # the only text that a saved notebook shows without a kernel
            return f"{found.title}: run this cell to see the demonstration."

    demonstration = found(lab)
    widget = DemoWidget(description=page_description(demonstration))

    def answer(_: Any, content: Any, __: Any) -> None:
        for message in demonstration.messages(content.get("settings")):
            widget.send(message)

    widget.on_msg(answer)
    return widget
