"""Where something comes from that was launched, done or allocated: what was going on around it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from inspector.capture.calls.calling import LOSS_MARK
from inspector.capture.profiling.trace import HostEvent, Trace
from inspector.capture.profiling.user_lines import CALL_MARK, MODULE_MARK, USER_MARK
from inspector.capture.profiling.wrapper_lines import LINE_MARK
from inspector.records.device_profile import LaunchPlace

_REGION = re.compile(r"Torch-Compiled Region: (?P<id>.+)$")
_GRAPH = re.compile(r"## Call CompiledFxGraph (?P<key>\S+) ##$")
_ENGINE = "autograd::engine"


def place_around(around: Sequence[HostEvent]) -> LaunchPlace:
    """What the events around a launch say of where it comes from, the outermost first.

    Runs of a statement are told apart by when it began: that stands for their number.
    """
    file, line, region, graph, operator, module = "", 0, "", "", "", ""
    frames: list[str] = []
    is_backward = is_loss = False
    run_ns = 0
    for event in around:
        name = event.name
        if name.startswith(LINE_MARK):
            file, _, number = name.removeprefix(LINE_MARK).rpartition(":")
            line, operator, run_ns = int(number), "", event.start_ns
        elif (match := _REGION.match(name)) is not None:
            region, operator = match["id"], ""
        elif (match := _GRAPH.match(name)) is not None:
            graph = match["key"]
        elif name.startswith(USER_MARK):
            frame, _, of_node = name.removeprefix(USER_MARK).partition(MODULE_MARK)
            frames.append(frame)
            module = of_node or module
        elif name.startswith(CALL_MARK):
            module = name.removeprefix(CALL_MARK)
        elif name.startswith(_ENGINE):
            is_backward = True
        elif name == LOSS_MARK:
            is_loss = True
        elif "::" in name and not operator:
            operator = name
    return LaunchPlace(
        file, line, region, graph, operator, tuple(frames), module, is_backward, is_loss, run_ns
    )


class Places:
    """Finds the places of one trace.

    What an operator of autograd's backward pass does has the line and the module of the operator of
    the forward pass that it belongs to: both have the same number (``at::RecordFunction``'s
    sequence number). A compiled graph is one operator.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._operators: dict[int, HostEvent] = {}
        for event in trace.host:
            is_forward = "Backward" not in event.name and not event.name.startswith(_ENGINE)
            if event.sequence >= 0 and is_forward:
                self._operators[event.sequence] = event

    def of(self, around: Sequence[HostEvent]) -> LaunchPlace:
        """The place that what is around an event stands for."""
        place = place_around(around)
        names = [event.name for event in around]
        engine = next((n for n, name in enumerate(names) if name.startswith(_ENGINE)), len(names))
        # A backward pass that the program wrote has lines of its own.
        has_line = any(name.startswith(USER_MARK) for name in names[engine:])
        if has_line or not place.is_backward:
            return place
        for event in reversed(around):
            forward = self._operators.get(event.sequence) if event.sequence >= 0 else None
            if forward is not None:
                other = place_around(self._trace.around(forward))
                return dataclasses.replace(place, frames=other.frames, module=other.module)
        return place
