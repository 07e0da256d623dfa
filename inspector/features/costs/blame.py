"""Which break a stretch of time outside of compiled graphs belongs to, and what crosses it."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.records.calls import TargetFunction
from inspector.run.boundary import Boundary, Crossing, crossing
from inspector.run.compilation import Frame
from inspector.run.graph_break import GraphBreak, Outcome
from inspector.run.run import Process
from inspector.shared.stack import is_resumed, plain_name, resumed_line

_LIMIT = "recompile limit of "
_GOES_ON = (Outcome.RESUMED, Outcome.REST_SKIPPED)

Site = tuple[str, int, str]
"""What makes two records the same site, see `inspector.run.graph_break.GraphBreak.key`."""


def limit_site(frame: Frame) -> Site:
    """What stands for a frame that runs eagerly behind the recompile limit."""
    return frame.file, frame.first_line, f"{_LIMIT}{frame.name}"


def is_limit(site: Site) -> bool:
    """Whether it is a frame behind the recompile limit, and no graph break."""
    return site[2].startswith(_LIMIT)


@dataclasses.dataclass(frozen=True, slots=True)
class Blame:
    """The site that time belongs to.

    Attributes:
        shared_with: Further sites that would cause it too: it ends when all of them are mended.
    """

    site: Site
    shared_with: frozenset[Site] = frozenset()


@dataclasses.dataclass(frozen=True, slots=True)
class Compiled:
    """A compilation, as far as breaks are concerned.

    Attributes:
        site: Where the compiled code leaves its graph, or None if it never does.
        broken_in: File, name and first line of the function that broke, where it only called it.
        rest: Because of what nothing behind the end of compiled code is compiled, if so.
    """

    frame_name: str = ""
    file: str = ""
    site: Site | None = None
    has_graph: bool = False
    first_line: int = 0
    broken_in: tuple[str, str, int] | None = None
    rest: Site | None = None


class Breaks:
    """The break at which each compilation of a process ends, by the text of its compile id."""

    def __init__(self, process: Process) -> None:
        self._rests = dict(_rests(process.frames))
        self._limited = {
            (frame.file, frame.name, frame.first_line): limit_site(frame)
            for frame in process.frames
            if any(item.hit_limit for item in frame.compilations)
        }
        self._target = process.last(TargetFunction)
        limited = {(file, name): site for (file, name, _), site in self._limited.items()}
        rests = {**self._rests, **limited}
        self._compiled: Mapping[str, Compiled] = {
            str(compilation.compile_id): Compiled(
                frame.name,
                frame.file,
                ending.key if ending else None,
                compilation.graphs > 0,
                frame.first_line,
                _called(ending, process.frames) if ending else None,
                _rest_behind(ending, frame, rests) if ending else None,
            )
            for frame in process.frames
            for compilation in frame.compilations
            if compilation.has_guarded_code is not False
            # The last record that let the frame go on is the one at which its graph ends.
            for ending in [
                next((r for r in reversed(compilation.graph_breaks) if r.outcome in _GOES_ON), None)
            ]
        }

    def at(self, compile_id: str) -> Compiled:
        """What is known of a compilation."""
        return self._compiled.get(compile_id, Compiled())

    def is_left_to(self, compile_id: str, called: str) -> bool:
        """Whether compiled code ends at a call, and this is the called function that broke.

        It broke in the call that was traced. In others (the last one of a recursion) it may not:
        its own compiled code tells.
        """
        outer, inner = self._compiled.get(compile_id), self._compiled.get(called)
        if outer is None or inner is None or outer.broken_in is None:
            return False
        return outer.broken_in == (inner.file, inner.frame_name, inner.first_line)

    def of_rest(
        self, compile_id: str, name: str, before: Blame | None, ran: Iterable[str]
    ) -> Blame | None:
        """What the time of code belongs to that comes behind a break and was left alone.

        Args:
            before: What the time before it belongs to, and its own unless something says why it was
                left alone: a break further down, the recompile limit, or a failure, which is
                nobody's.
            ran: The compile ids of compiled code that ran in it.
        """
        compiled = self._compiled.get(compile_id)
        if compiled is None:
            return before
        for (file, limited, first_line), limit in self._limited.items():
            if (file, limited) == (compiled.file, name):
                return before if self._has_run(file, first_line, ran) else Blame(limit)
        if (compiled.file, name) not in self._rests:
            return before
        site = self._rests[compiled.file, name]
        return Blame(site) if site is not None else None

    def of_entry(self, ran: Iterable[str]) -> Blame | None:
        """What a call of the target belongs to where all of it runs eagerly: the recompile limit.

        Args:
            ran: The compile ids of compiled code that ran in it.
        """
        target = self._target
        for (file, _, first_line), limit in self._limited.items():
            if target is not None and (file, first_line) == (target.file, target.line):
                return None if self._has_run(file, first_line, ran) else Blame(limit)
        return None

    def _has_run(self, file: str, first_line: int, ran: Iterable[str]) -> bool:
        """Whether a compiled version of a frame fitted."""
        found = (self._compiled.get(compile_id) for compile_id in ran)
        return any(item and (item.file, item.first_line) == (file, first_line) for item in found)

    def resumes(self, compile_id: str, broken: str) -> bool:
        """Whether compiled code goes on with the function that broke."""
        inner, outer = self._compiled.get(compile_id), self._compiled.get(broken)
        if inner is None or outer is None or not is_resumed(inner.frame_name):
            return False
        same = plain_name(inner.frame_name) == plain_name(outer.frame_name)
        return same and inner.file == outer.file


def _rests(frames: Sequence[Frame]) -> Iterator[tuple[tuple[str, str], Site | None]]:
    """File and name of what comes behind a break and was left alone, with the site that did it."""
    for frame in frames:
        if not is_resumed(frame.name) or any(item.has_guarded_code for item in frame.compilations):
            continue
        records = [record for item in frame.compilations for record in item.graph_breaks]
        gave_up = [
            record.key
            for record in records
            if record.outcome is Outcome.FRAME_SKIPPED and record.caused_by is None
        ]
        if gave_up or any(item.failure for item in frame.compilations):
            yield (frame.file, frame.name), gave_up[-1] if gave_up else None


def _rest_behind(
    record: GraphBreak, frame: Frame, rests: Mapping[tuple[str, str], Site | None]
) -> Site | None:
    own = frame.file, plain_name(frame.name)
    lines = {item.line for item in record.stack if (item.file, plain_name(item.name)) == own}
    for (file, rest), site in rests.items():
        if (file, plain_name(rest)) == own and resumed_line(rest) in lines:
            return site
    return None


def _called(record: GraphBreak, frames: Sequence[Frame]) -> tuple[str, str, int] | None:
    """File, name and first line of the function that broke, where the frame only called it.

    Of several functions of that name (``forward``) it is the last one that begins above the line.
    """
    user = record.user
    if user is None or user.name == record.frame_name:
        return None
    first_lines = [
        frame.first_line
        for frame in frames
        if (frame.file, frame.name) == (user.file, user.name) and frame.first_line <= user.line
    ]
    return (user.file, user.name, max(first_lines)) if first_lines else None


def computed_crossings(process: Process, breaks: Breaks) -> Mapping[Site, Crossing]:
    """What the graphs behind each site read of what graphs before it wrote, once through.

    Code is compiled when it is reached, so that the first compilations of the frames stand in the
    order in which the graphs ran. What was compiled again later is left out, and so is how often a
    site is reached in a call.
    """
    found: dict[Site, Crossing] = {}
    earlier: list[Boundary] = []
    broken: tuple[Frame, Site] | None = None
    known = [frame for frame in process.frames if frame.frame_id is not None]
    for frame in sorted(known, key=lambda frame: frame.frame_id or 0):
        coded = (item for item in frame.compilations if item.has_guarded_code)
        compilation = next(coded, None)
        if compilation is None:
            continue
        # It goes on with the function that broke, or is called by it or its callers.
        place = (broken[0].file, plain_name(broken[0].name)) if broken else None
        callers = {(item.file, plain_name(item.name)) for item in compilation.stack[:-1]}
        if broken is None or not (is_resumed(frame.name) or place in callers):
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
