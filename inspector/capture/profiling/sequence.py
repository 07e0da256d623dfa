"""What one call launches, in order, and where each launch comes from."""

from __future__ import annotations

import bisect
import collections
import dataclasses
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.capture.calling import LOSS_MARK
from inspector.capture.profiling.trace import DeviceEvent, HostEvent, Trace
from inspector.capture.profiling.user_lines import USER_MARK
from inspector.capture.profiling.wrapper_lines import LINE_MARK

__all__ = ["Launched", "Place", "calls_of", "captured_in", "place_around", "placed"]

_REGION = re.compile(r"Torch-Compiled Region: (?P<id>.+)$")
_GRAPH = re.compile(r"## Call CompiledFxGraph (?P<key>\S+) ##$")
_LAUNCHES = re.compile(
    r"(?:cu|cuda)(?:Launch(?:Cooperative)?Kernel\w*|(?P<what>Memcpy|Memset)\w*Async\w*)"
)
_REPLAY = "GraphLaunch"
_TRITON = "triton_"


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where a launch comes from.

    Attributes:
        file: Stem of the generated module's file, or an empty string.
        line: Line of the statement in it, or 0.
        region: The compile id of the compiled region that it is in, or an empty string.
        graph: The key of Inductor's graph, or an empty string.
        operator: The outermost operator of ATen there, or an empty string.
        frames: The user's lines around it as ``file(line): function``, innermost last, where they
            were marked.
        is_backward: Whether autograd's engine runs it.
        is_loss: Whether it is part of the sum that ``--train`` adds up.
    """

    file: str = ""
    line: int = 0
    region: str = ""
    graph: str = ""
    operator: str = ""
    frames: tuple[str, ...] = ()
    is_backward: bool = False
    is_loss: bool = False


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
    def is_replayed(self) -> bool:
        """Whether a CUDA graph launched it."""
        return self.launch is not None and _REPLAY in self.launch.name


def calls_of(trace: Trace, windows: Sequence[tuple[int, int]]) -> list[list[Launched]]:
    """What each call launched, in the device's order.

    Args:
        trace: What the profiler saw.
        windows: When each call began and when the device was done with it, by `time.time_ns`.
    """
    found: list[list[Launched]] = [[] for _ in windows]
    starts = [start_ns for start_ns, _ in windows]
    for event in trace.device:
        launch = trace.launch_of(event)
        at_ns = launch.start_ns if launch is not None else event.start_ns
        number = bisect.bisect_right(starts, at_ns) - 1
        if number >= 0 and at_ns <= windows[number][1]:
            place = place_around(trace.around(launch)) if launch is not None else Place()
            found[number].append(Launched(event, launch, place))
    return found


def place_around(around: Sequence[HostEvent]) -> Place:
    """What the events around a launch say of where it comes from, the outermost first."""
    file, line, region, graph, operator = "", 0, "", "", ""
    frames: list[str] = []
    is_backward = is_loss = False
    for event in around:
        name = event.name
        if name.startswith(LINE_MARK):
            file, _, number = name.removeprefix(LINE_MARK).rpartition(":")
            line, operator = int(number), ""
        elif (match := _REGION.match(name)) is not None:
            region, operator = match["id"], ""
        elif (match := _GRAPH.match(name)) is not None:
            graph = match["key"]
        elif name.startswith(USER_MARK):
            frames.append(name.removeprefix(USER_MARK))
        elif name.startswith("autograd::engine"):
            is_backward = True
        elif name == LOSS_MARK:
            is_loss = True
        elif "::" in name and not operator:
            operator = name
    return Place(file, line, region, graph, operator, tuple(frames), is_backward, is_loss)


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
) -> list[Place]:
    """The place of each launch of a call, out of another call that was looked at more closely.

    Args:
        launched: What a call launched.
        known: What another call launched that knows more of the places.
        captured: As `captured_in`.
    """
    places = [item.place for item in launched]
    here, there = ([item.event.name for item in items] for items in (launched, known))
    matcher = difflib.SequenceMatcher(None, here, there, autojunk=False)
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            place = known[block.b + offset].place
            # Of a replay the launch's own place is that of the replay.
            if not launched[block.a + offset].is_replayed or place.file:
                places[block.a + offset] = place
    for at, items in _replays(launched):
        for offset, place in _captured_as(items, captured).items():
            places[at[offset]] = dataclasses.replace(place, region=places[at[offset]].region)
    return places


def _replays(launched: Sequence[Launched]) -> Iterator[tuple[list[int], list[Launched]]]:
    """What each replay of a CUDA graph launched, with the places in the call."""
    groups: dict[int, list[int]] = collections.defaultdict(list)
    for number, item in enumerate(launched):
        if item.is_replayed:
            groups[item.event.correlation].append(number)
    for numbers in groups.values():
        yield numbers, [launched[number] for number in numbers]


def _captured_as(
    items: Sequence[Launched], captured: Sequence[Sequence[tuple[str, Place]]]
) -> Mapping[int, Place]:
    """The places of what a replay launched, out of the capture that is most like it.

    All Triton kernels have to be there in the same order; a capture has launches that run nothing
    (sets of no byte).
    """
    here = [_token(item) for item in items]
    best: dict[int, Place] = {}
    for part in captured:
        there = [name for name, _ in part]
        matcher = difflib.SequenceMatcher(None, here, there, autojunk=False)
        places = {
            block.a + offset: part[block.b + offset][1]
            for block in matcher.get_matching_blocks()
            for offset in range(block.size)
        }
        named = [number for number, name in enumerate(here) if name.startswith(_TRITON)]
        if len(places) > len(best) and all(number in places for number in named):
            best = places
    return best


def _token(item: Launched) -> str:
    is_triton = item.event.name.startswith(_TRITON)
    return item.event.name if is_triton else item.event.kind
