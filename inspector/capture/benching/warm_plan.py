"""Looks for a short list of inputs after which none compiles anything."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Sequence

_MOST_TRIALS = 16
_MOST_SECONDS = 120.0


@dataclasses.dataclass(frozen=True, slots=True)
class Search:
    """What was found.

    Attributes:
        calls: The inputs, by number, in order.
        trials: How many shorter lists were tried.
    """

    calls: tuple[int, ...]
    trials: int


def planned(compiled: Sequence[int], later: Callable[[Sequence[int]], Iterable[int]]) -> Search:
    """The inputs that compiled when all were called in order, less those that can be left out.

    That an input compiled nothing says that those before it are enough for it: the ones that
    compiled are a plan. Each is left out in turn, and stays out where nothing compiles without it.

    Args:
        compiled: How many frames the first call with each input compiled.
        later: Calls some inputs and then all, with nothing compiled before; gives those that
            compile something after them.
    """
    calls = [index for index, frames in enumerate(compiled) if frames]
    trials = 0
    began = time.monotonic()
    for index in tuple(calls):
        shorter = [other for other in calls if other != index]
        is_out_of_time = time.monotonic() - began > _MOST_SECONDS
        if not shorter or trials == _MOST_TRIALS or is_out_of_time:
            break
        trials += 1
        if next(iter(later(shorter)), None) is None:
            calls = shorter
    return Search(tuple(calls), trials)
