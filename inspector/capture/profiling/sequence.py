"""What one call launches, in order, and where each launch comes from."""

from __future__ import annotations

import bisect
import collections
import dataclasses
import re
from collections.abc import Container, Iterator, Mapping, Sequence

from inspector.capture.profiling.places import Place, Places, place_around
from inspector.capture.profiling.trace import DeviceEvent, HostEvent, Trace
from inspector.model.alignment import align, align_by

__all__ = ["Launched", "Placed", "calls_of", "captured_in", "placed"]

_LAUNCHES = re.compile(
    r"(?:cu|cuda)(?:Launch(?:Cooperative)?Kernel\w*|(?P<what>Memcpy|Memset)\w*Async\w*)"
)
_REPLAY = "GraphLaunch"
_TRITON = "triton_"
_SET = "memset"


@dataclasses.dataclass(frozen=True, slots=True)
class Launched:
    """Something on the device, with the launch.

    Attributes:
        event: The event.
        launch: The call of CUDA, or None where it was not seen.
        place: Where it comes from.
    """

    event: DeviceEvent
    launch: HostEvent | None
    place: Place

    @property
    def order(self) -> tuple[int, int, int, int]:
        """Sorts what a call launches by when it was launched.

        When it begins differs from call to call where there are several streams.
        """
        event, launch = self.event, self.launch
        at_ns = launch.start_ns if launch is not None else event.start_ns
        return at_ns, event.device, event.stream, event.start_ns

    @property
    def is_replayed(self) -> bool:
        """Whether a CUDA graph launched it."""
        return self.launch is not None and _REPLAY in self.launch.name


@dataclasses.dataclass(frozen=True, slots=True)
class Placed:
    """Where the launches of a call come from.

    Attributes:
        places: One for each.
        unmatched: How many launches were not found in the call that was looked at closely, and say
            nothing themselves of where they come from.
    """

    places: list[Place]
    unmatched: int


def calls_of(trace: Trace, windows: Sequence[tuple[int, int]]) -> list[list[Launched]]:
    """What each call launched, in that order.

    Args:
        trace: What the profiler saw.
        windows: When each call began and when the device was done with it, by `time.time_ns`.
    """
    found: list[list[Launched]] = [[] for _ in windows]
    starts = [start_ns for start_ns, _ in windows]
    places = Places(trace)
    for event in trace.device:
        launch = trace.launch_of(event)
        at_ns = launch.start_ns if launch is not None else event.start_ns
        number = bisect.bisect_right(starts, at_ns) - 1
        if number >= 0 and at_ns <= windows[number][1]:
            place = places.of(trace.around(launch)) if launch is not None else Place()
            found[number].append(Launched(event, launch, place))
    return [sorted(items, key=lambda item: item.order) for items in found]


def captured_in(trace: Trace) -> list[list[tuple[str, Place]]]:
    """What was launched while CUDA graphs were captured: nothing of it ran then.

    Returns:
        For each call of a generated module, in order, what was launched with its place: the name of
        a Triton kernel, or ``kernel``, ``memcpy`` or ``memset``.
    """
    ran = {event.correlation for event in trace.device}
    found: list[list[tuple[str, Place]]] = []
    module: tuple[str, int] | None = None
    for event in trace.host:
        kind = _LAUNCHES.match(event.name)
        if kind is None or event.correlation in ran:
            continue
        around = trace.around(event)
        place = place_around(around)
        if not place.file:
            continue
        # A function of a module that is called again begins at a smaller line.
        if module is None or module[0] != place.file or place.line < module[1]:
            found.append([])
        module = place.file, place.line
        names = [above.name for above in around if above.name.startswith(_TRITON)]
        found[-1].append((names[-1] if names else (kind["what"] or "kernel").lower(), place))
    return found


def placed(
    launched: Sequence[Launched],
    known: Sequence[Launched],
    captured: Sequence[Sequence[tuple[str, Place]]],
) -> Placed:
    """The place of each launch of a call, out of another call that was looked at more closely.

    Args:
        launched: What a call launched.
        known: What another call launched that knows more of the places.
        captured: As `captured_in`.
    """
    places = [item.place for item in launched]
    found = {number for number, place in enumerate(places) if place.file}
    for here, there in align_by(launched, known, (_shape, _shape), (_name, _name)):
        place = known[there].place
        # Of a replay the launch's own place is that of the replay.
        if not launched[here].is_replayed or place.file:
            places[here] = place
            found.add(here)
    taken: set[int] = set()
    for at, items in _replays(launched):
        number, its_places = _captured_as(items, captured, taken)
        taken.add(number)
        for offset, place in its_places.items():
            places[at[offset]] = dataclasses.replace(place, region=places[at[offset]].region)
            found.add(at[offset])
    return Placed(places, len(launched) - len(found))


def _shape(item: Launched) -> tuple[object, ...]:
    return item.event.name, item.event.grid, item.event.block


def _name(item: Launched) -> str:
    return item.event.name


def _replays(launched: Sequence[Launched]) -> Iterator[tuple[list[int], list[Launched]]]:
    """What each replay of a CUDA graph launched, with the places in the call."""
    groups: dict[int, list[int]] = collections.defaultdict(list)
    for number, item in enumerate(launched):
        if item.is_replayed:
            groups[item.event.correlation].append(number)
    for numbers in groups.values():
        yield numbers, [launched[number] for number in numbers]


def _captured_as(
    items: Sequence[Launched],
    captured: Sequence[Sequence[tuple[str, Place]]],
    taken: Container[int],
) -> tuple[int, Mapping[int, Place]]:
    """The capture that is most like what a replay launched, and the places out of it.

    All Triton kernels have to be there in the same order, and of several the one that has least
    beside them; a capture has launches that run nothing (sets of no byte). Inductor numbers its
    kernels anew in each graph, so that several can be alike: they were captured in the order in
    which a call replays them.

    Args:
        items: What the replay launched.
        captured: As `captured_in`.
        taken: The captures of the replays before.

    Returns:
        The number of the capture, and the places by what the replay launched; -1 and none where
        no capture is like it.
    """
    here = [_token(item) for item in items]
    named = [number for number, name in enumerate(here) if name.startswith(_TRITON)]
    found: dict[int, Mapping[int, Place]] = {}
    for at, part in enumerate(captured):
        places = {one: part[two][1] for one, two in align(here, [name for name, _ in part])}
        if places and all(number in places for number in named):
            found[at] = places

    def unlike(at: int) -> tuple[int, int, bool]:
        runs = sum(name != _SET for name, _ in captured[at])
        return -len(found[at]), max(0, runs - len(found[at])), at in taken

    best = min(found, key=unlike, default=-1)
    return best, found.get(best, {})


def _token(item: Launched) -> str:
    is_triton = item.event.name.startswith(_TRITON)
    return item.event.name if is_triton else item.event.kind
