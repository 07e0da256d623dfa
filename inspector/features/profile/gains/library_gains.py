"""Calls of libraries that wait for other processes.

A collective runs on a stream of its own, and kernels of other streams at the same time as it. What
they hide costs a call nothing: without the exchange they would take that time all the same.
"""

import collections
import itertools
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from inspector.features.profile.gain import Gain
from inspector.features.profile.kernel_timing import Bound, KernelTiming
from inspector.features.profile.library_names import shown_name
from inspector.shared.spans import merged, outside, union_ns

# By whether a compiled graph does it.
_EXCHANGED = {
    True: "overlap it with computation (torch._inductor.config.aten_distributed_optimizations."
    "enable_overlap_scheduling = True), send less data, and balance the work of the processes",
    False: "overlap it with the backward pass (bucket_cap_mb of DistributedDataParallel), "
    "synchronize less often (no_sync() while accumulating gradients), and balance the work of the "
    "processes",
}
_Spans: TypeAlias = Sequence[tuple[int, int]]


Exchange: TypeAlias = tuple[KernelTiming, Sequence[_Spans]]
"""A statement that exchanges data with other processes, or waits for them; and of each call when it
runs and nothing else does on its device: begin and end."""


def exchanges(work: Iterable[KernelTiming]) -> list[Exchange]:
    """The statements that exchange data, in order; one exchange hides no other."""
    work = list(work)
    found = [item for item in work if item.bound is Bound.PROCESSES]
    others = [item for item in work if item.bound is not Bound.PROCESSES]
    busy = {key: merged(spans) for key, spans in _by_call_and_device(others).items()}
    return [(item, tuple(_alone(item, busy))) for item in found]


def unhidden_ns(found: Iterable[Exchange]) -> float:
    """How long any of them runs alone in a call: the median of all calls."""
    calls = zip(*(alone_ns for _, alone_ns in found), strict=True)
    return float(statistics.median([union_ns(itertools.chain(*spans)) for spans in calls] or [0]))


def exposed_ns(work: Iterable[KernelTiming], some: Sequence[KernelTiming]) -> float:
    """How long some of the exchanges among all work run while nothing else does."""
    wanted = {id(item) for item in some}
    return unhidden_ns([found for found in exchanges(work) if id(found[0]) in wanted])


def _alone(work: KernelTiming, busy: Mapping[tuple[int, int], _Spans]) -> Iterator[_Spans]:
    mine = _by_call_and_device([work])
    devices = {item.launch.device for item in work.launches}
    for number in range(len(work.times_ns)):
        yield tuple(
            span
            for device in devices
            for span in outside(mine[number, device], busy.get((number, device), ()))
        )


def _by_call_and_device(work: Iterable[KernelTiming]) -> Mapping[tuple[int, int], _Spans]:
    """When something is done, by the number of the call and the device."""
    found: dict[tuple[int, int], list[tuple[int, int]]] = collections.defaultdict(list)
    for launch in (launch for item in work for launch in item.launches):
        for number, span in enumerate(launch.spans_ns):
            found[number, launch.launch.device].append(span)
    return found


def gains_of_exchanges(work: Sequence[KernelTiming]) -> Iterator[Gain]:
    """What goes into other processes while nothing else is done: hidden it costs nothing."""
    unhidden = [item for item in exchanges(work) if unhidden_ns([item])]
    for is_compiled, change in _EXCHANGED.items():
        found = [item for item in unhidden if (item[0].kind == "library") is is_compiled]
        if found:
            names = ", ".join(dict.fromkeys(shown_name(item.name) for item, _ in found))
            yield Gain(
                "communication with other processes, or waiting for them, is not overlapped with "
                f"computation ({names})",
                unhidden_ns(found),
                change,
            )
