"""How long data is exchanged with other processes while nothing else is done.

A collective runs on a stream of its own, and kernels of other streams at the same time as it. What
they hide costs a call nothing: without the exchange they would take that time all the same.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from inspector.model.spans import merged, outside, union_ns
from inspector.profiles.work import Bound, Work

_Spans: TypeAlias = Sequence[tuple[int, int]]


@dataclasses.dataclass(frozen=True, slots=True)
class Exchange:
    """A statement that exchanges data with other processes, or waits for them.

    Attributes:
        work: The statement.
        alone_ns: Of each call, when it runs and nothing else does on its device: begin and end.
    """

    work: Work
    alone_ns: tuple[_Spans, ...]


def exchanges(work: Iterable[Work]) -> list[Exchange]:
    """The statements that exchange data, in order; one exchange hides no other."""
    found: list[Work] = []
    others: list[Work] = []
    for item in work:
        (found if item.bound is Bound.PROCESSES else others).append(item)
    if not found:
        return []
    busy = {key: merged(spans) for key, spans in _by_call_and_device(others).items()}
    return [Exchange(item, tuple(_alone(item, busy))) for item in found]


def unhidden_ns(found: Iterable[Exchange]) -> float:
    """How long any of them runs alone in a call: the median of all calls."""
    calls = zip(*(item.alone_ns for item in found), strict=True)
    return float(statistics.median([union_ns(itertools.chain(*spans)) for spans in calls] or [0]))


def _alone(work: Work, busy: Mapping[tuple[int, int], _Spans]) -> Iterator[_Spans]:
    mine = _by_call_and_device([work])
    devices = {item.launch.device for item in work.launches}
    for number in range(len(work.times_ns)):
        yield tuple(
            span
            for device in devices
            for span in outside(mine[number, device], busy.get((number, device), ()))
        )


def _by_call_and_device(work: Iterable[Work]) -> Mapping[tuple[int, int], _Spans]:
    """When something is done, by the number of the call and the device."""
    found: dict[tuple[int, int], list[tuple[int, int]]] = collections.defaultdict(list)
    for launch in (launch for item in work for launch in item.launches):
        for number, span in enumerate(launch.spans_ns):
            found[number, launch.launch.device].append(span)
    return found
