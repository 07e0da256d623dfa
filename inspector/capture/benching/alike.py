"""Sizes of other arguments that may have to vary together with those that vary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from inspector.capture.benching.varied import place_of
from inspector.capture.call import Call
from inspector.capture.signatures import positional_names
from inspector.model.variation import Assignment

_MOST = 3


def vary_together(
    function: Callable[..., Any], call: Call, assignments: Sequence[Assignment]
) -> str:
    """What to try where a call fails because one of two equal sizes was varied alone.

    Args:
        function: What is called.
        call: Its arguments before any was varied.
        assignments: What one input has in their place.

    Returns:
        A sentence with the option; empty where no other size was the same.
    """
    for item in assignments:
        alike = list(_alike(function, call, assignments, item))[:_MOST]
        if alike:
            sizes = [each for each in assignments if each.dimension is not None]
            mine = [each.place for each in sizes if each.value == item.value]
            places = ",".join([*mine, *alike])
            return (
                f"If sizes have to be the same, vary them together: --vary '{places}={item.value}'"
            )
    return ""


def _alike(
    function: Callable[..., Any], call: Call, assignments: Sequence[Assignment], varied: Assignment
) -> Iterator[str]:
    args, kwargs = call.args, dict(call.kwargs)
    given: dict[int | str, object] = dict(enumerate(args))
    given.update(kwargs)
    mine = given.get(place_of(function, varied.name, args, kwargs))
    if varied.dimension is None or not isinstance(mine, torch.Tensor):
        return
    size = mine.shape[varied.dimension]
    if size in {1, varied.value}:  # of one element each tensor has enough
        return
    others = {place_of(function, item.name, args, kwargs) for item in assignments}
    names = positional_names(function)
    for place, value in given.items():
        if place in others or not isinstance(value, torch.Tensor) or size not in value.shape:
            continue
        name = names[place] if isinstance(place, int) and place < len(names) else place
        yield f"{name}[{list(value.shape).index(size)}]"
