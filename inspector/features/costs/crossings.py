"""What crosses each break by the order in which the code was compiled: no call need be measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.features.costs.blame import Breaks, Site
from inspector.run.boundary import Boundary, Crossing, crossing
from inspector.run.compilation import Compilation, Frame
from inspector.run.run import Process
from inspector.shared.stack import is_resumed, plain_name


def computed_crossings(process: Process, breaks: Breaks) -> Mapping[Site, Crossing]:
    """What the graphs behind each site read of what graphs before it wrote, once through.

    Code is compiled when it is reached, so that the first compilations of the frames stand in the
    order in which the graphs ran. What was compiled again later is left out, and so is how often a
    site is reached in a call.
    """
    found: dict[Site, Crossing] = {}
    earlier: list[Boundary] = []
    broken: tuple[Frame, Site] | None = None
    for frame, compilation in _first_compilations(process):
        if broken is None or not _is_behind(frame, compilation, broken[0]):
            earlier, broken = [], None
        boundary = process.boundaries.get(str(compilation.compile_id))
        if boundary is not None:
            if broken is not None:
                new = crossing(earlier, boundary)
                found[broken[1]] = found.get(broken[1], Crossing()) + new
            earlier.append(boundary)
        site = breaks.at(str(compilation.compile_id)).site
        if site is not None:
            broken = frame, site
    return found


def _first_compilations(process: Process) -> Iterator[tuple[Frame, Compilation]]:
    known = [frame for frame in process.frames if frame.frame_id is not None]
    for frame in sorted(known, key=lambda frame: frame.frame_id or 0):
        coded = (item for item in frame.compilations if item.has_guarded_code)
        first = next(coded, None)
        if first is not None:
            yield frame, first


def _is_behind(frame: Frame, compilation: Compilation, broken: Frame) -> bool:
    """Whether code goes on with the function that broke, or is called by it or its callers."""
    if is_resumed(frame.name):
        return True
    place = broken.file, plain_name(broken.name)
    return any((item.file, plain_name(item.name)) == place for item in compilation.stack[:-1])
