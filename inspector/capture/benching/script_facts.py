"""How a target was loaded, as a script without this package can do it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from inspector.capture.benching.varied import place_of
from inspector.capture.call import Call
from inspector.capture.inputs import input_source
from inspector.capture.place import Place
from inspector.capture.target import Target
from inspector.model.variation import Assignment
from inspector.model.warmup import Loading

_PAIR = "()[0]"  # a factory that gives the model with its inputs


def loading_of(
    place: Place, target: Target, call: Call, varied: Sequence[Sequence[Assignment]]
) -> Loading:
    """How a target was loaded.

    Args:
        place: Where it is.
        target: The target.
        call: Its first call, which inputs are varied from.
        varied: How.
    """
    module = sys.modules[place.module]
    source = input_source(module)
    if not source and target.entry.endswith(_PAIR):
        source = f"{target.entry.removesuffix('[0]')}[1]"
    names = {item.name for items in varied for item in items}
    return Loading(
        file=None if place.file is None else str(place.file),
        module=place.module,
        search=place.search,
        entry=_entry(target.entry, module),
        inputs=source,
        places={
            name: place_of(target.function, name, call.args, call.kwargs) for name in sorted(names)
        },
    )


def _entry(entry: str, module: object) -> str:
    """With the arguments that KernelBench's files have for the model's class."""
    made = getattr(module, entry.removesuffix("()"), None)
    if isinstance(made, type) and callable(getattr(module, "get_init_inputs", None)):
        return f"{entry.removesuffix(')')}*module.get_init_inputs())"
    return entry
