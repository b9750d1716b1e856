"""The base class of all demonstrations, with instructions for a new one.

Python computes, the page draws. A demonstration declares what a reader can change (`controls`) and turns a choice of settings
into a `Scene`: numbers in panels, with frames if it has steps. The page handles drawing, stepping, dragging, links, keys
and colours in the same way for all demonstrations (``page/demo.js``)::

    class DemoCoin(Demonstration):
        name = "coin"
        title = "A coin"
        order = 90                                             # its position in the index
        summary = "How often heads comes up."                  # a line for the index, below 125 characters
        observations = "…"                                     # two or three sentences: what to notice
        suggestions = (                                        # three, each with the settings that a click on it brings
            Suggestion("Throw often: …", {"throws": 100}), Suggestion("…", {"seed": 2}), Suggestion("…", play=True),
        )
        controls = (                                           # at least two, of which at most five without more=True
            Slider("throws", "throws", "how often the coin is thrown", 10, values=inclusive_range(1, 100, 1)),
            Slider("seed", "seed", "another series of throws", 1, values=inclusive_range(1, 9, 1), more=True),
        )
        grid = {"throws": (10, 100)}                           # the settings whose scenes a page without Python contains

        def scene(self, settings):
            heads = self.lab.function(…)                       # readers and classifiers only through the lab
            return Scene([Panel("coin", "heads", Axis(0, 100), Axis(0, 1), [learner_line(heads, "Perceptron")])])

The name of a curve is written at its end (``label`` of `scene.line`). A scene with `Steps` plays. For a second scene, such as another
algorithm on the same example, declare a `Choice` and controls with ``when``; `Scene.observations` replaces the text above the picture.

For a slow computation, `scene` is a generator: it yields its progress, from 0 to 1, and finally the scene. A classifier that a
student has still to write raises NotImplementedError. Therefore compute each learner within ``with attempts(label)``
(`FailureCollector`), so that the others continue. Any other error becomes a sentence on the page.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

from lxmls_day1.base.errors import InputError, did_you_mean
from lxmls_day1.demos.controls import Control, Suggestion, settings_from
from lxmls_day1.demos.demonstration_list import DEMONSTRATIONS
from lxmls_day1.demos.lab_learners import skipped_learner
from lxmls_day1.demos.scene import Scene, plain_data


class Demonstration:
    """The base class of a demonstration of a lab. See the module's docstring for how to write one.

    Parameters
    ----------
    lab : lxmls_day1.lab.Lab
        The lab with the readers and classifiers to show. Their files are read again.

    Attributes
    ----------
    controls : sequence of Control
    grid : mapping of setting to values
        A page without Python contains the scenes of all combinations of these values and of the suggestions, and no other controls.
    """

    name = "demonstration"
    title = "A demonstration"
    order = 0
    summary = ""
    observations = ""
    suggestions: Sequence[Suggestion] = ()
    controls: Sequence[Control] = ()
    grid: Mapping[str, Sequence[Any]] = {}

    def __init__(self, lab: Any):
        lab.forget()
        self.lab = lab

    def scene(self, settings: Mapping[str, Any]) -> Scene | Iterator[float | Scene]:
        """Compute the scene of these settings."""
        raise NotImplementedError

    # ---- the same for all ----

    def progress(self, requested: Mapping[str, Any]) -> Iterator[float | Scene]:
        """Yield the progress of the computation, from 0 to 1, and finally the scene.

        Parameters
        ----------
        requested : mapping
            Settings by name. The default replaces a missing or invalid value.
        """
        found = self.scene(settings_from(self.controls, requested))
        if isinstance(found, Scene):
            yield found
        else:
            yield from found

    def scene_of(self, **asked: Any) -> Scene:
        """Return the scene of some settings."""
        *_, scene = self.progress(asked)
        assert isinstance(scene, Scene)
        return scene

    def messages(self, requested: Any) -> Iterator[dict[str, Any]]:
        """Yield the messages to a page that requests a scene: ``{"progress": 0.5}``, then ``{"scene": …}`` or ``{"error": sentence}``."""
        try:
            for item in self.progress(requested if isinstance(requested, Mapping) else {}):
                yield {"scene": item.data()} if isinstance(item, Scene) else {"progress": item}
        except GeneratorExit:  # the page has gone
            raise
        except BaseException as error:  # an error of a student's file, or an interrupted kernel
            yield {"error": skipped_learner("The picture", error).sentence}

    @classmethod
    def description(cls) -> dict[str, Any]:
        """Return the data that the page needs before the first scene."""
        return {
            "name": cls.name,
            "title": cls.title,
            "summary": cls.summary,
            "look_at": cls.observations,
            "to_try": plain_data(cls.suggestions),
            "controls": [control.data() for control in cls.controls],
        }

    def grid_scenes(self) -> dict[str, Any]:
        """Return the values of `grid`, and the scenes of their combinations and of the suggestions, that of the opening first."""
        usual = settings_from(self.controls, {})
        products = (dict(zip(self.grid, values, strict=True)) for values in itertools.product(*self.grid.values()))
        wanted = sorted(products, key=lambda asked: usual | asked != usual)
        for asked in (dict(suggestion.settings) for suggestion in self.suggestions):
            wanted += [asked] if all(usual | held != usual | asked for held in wanted) else []
        scenes = [{"settings": plain_data(asked), "scene": self.scene_of(**asked).data()} for asked in wanted]
        return {"grid": {name: list(values) for name, values in self.grid.items()}, "scenes": scenes}


def demonstration_class(name: str) -> type[Demonstration]:
    """Return the class of a demonstration.

    Raises
    ------
    InputError
        If no demonstration has this name.
    """
    if name not in DEMONSTRATIONS:
        raise InputError(f"there is no demonstration {name!r}{did_you_mean(name, DEMONSTRATIONS)}")
    row = DEMONSTRATIONS[name]
    return cast(type[Demonstration], getattr(import_module(f"lxmls_day1.demos.{row.module}"), row.class_name))
