"""Cuts one warm call into graphs and the stretches between them, each with its blame."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Self

from inspector.features.costs.blame import Blame, Breaks, Site
from inspector.run.cost import Part
from inspector.run.timeline import Mark, MarkKind, Thread


@dataclasses.dataclass(frozen=True, slots=True)
class GraphCall:
    """A compiled graph at work.

    Attributes:
        entered_by: What led out of the graph before, or None for the first one.
        sequence: Autograd's number of the function around it, or -1.
        device_start_ns: When the device began with it, or 0.
        device_end_ns: When it was done with it, or 0.
    """

    compile_id: str
    start_ns: int
    end_ns: int
    entered_by: Blame | None
    sequence: int = -1
    device_start_ns: int = 0
    device_end_ns: int = 0

    @classmethod
    def of(
        cls,
        thread: Thread,
        span_ns: tuple[int, int],
        compile_id: str,
        entered_by: Blame | None,
        sequence: int = -1,
    ) -> Self:
        """A graph, with what it launched on the device."""
        launched = thread.between(*span_ns)
        starts = [item.device_start_ns for item in launched if item.device_start_ns]
        ends = (item.device_end_ns for item in launched)
        device_ns = min(starts, default=0), max(ends, default=0)
        return cls(compile_id, *span_ns, entered_by, sequence, *device_ns)


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """Time outside of graphs.

    Attributes:
        start_ns: Start of the stretch that it is a part of.
        blame: The site that it belongs to, or None: it would be there without any break.
    """

    start_ns: int
    blame: Blame | None
    part: Part
    time_ns: int


@dataclasses.dataclass(slots=True)
class Pieces:
    """A call, cut up.

    Attributes:
        reached: The sites at which it left compiled code, in order.
    """

    graphs: list[GraphCall] = dataclasses.field(default_factory=list)
    pieces: list[Piece] = dataclasses.field(default_factory=list)
    reached: list[Site] = dataclasses.field(default_factory=list)
    operators_unknown: bool = False


def cut(
    thread: Thread, span_ns: tuple[int, int], marks: Sequence[Mark], breaks: Breaks, mark_ns: int
) -> Pieces:
    """Cuts a call of the target, or of compiled code.

    Args:
        marks: The outermost marks inside.
        mark_ns: What a mark costs, which is taken off again.
    """
    cutter = _Cutter(thread, breaks, mark_ns)
    cutter.uncompiled(*span_ns, marks, breaks.of_entry(_compiled_in(marks)))
    return cutter.found


class _Cutter:
    def __init__(self, thread: Thread, breaks: Breaks, mark_ns: int) -> None:
        self.found = Pieces()
        self._mark_ns = mark_ns
        self._thread = thread
        self._breaks = breaks

    def uncompiled(
        self, start_ns: int, end_ns: int, marks: Sequence[Mark], blame: Blame | None = None
    ) -> None:
        """Code around compiled functions: the program's own, or what a break left to Python."""
        cursor_ns = start_ns
        for mark in marks:
            self._add(cursor_ns, mark.start_ns, blame, Part.PYTHON)
            if mark.kind is MarkKind.REGION:
                self._region(mark, blame)
            elif mark.kind is MarkKind.LOOKUP:
                self._add(mark.start_ns, mark.end_ns, blame, Part.GUARDS)
            elif mark.kind is not MarkKind.BACKWARD:  # those are looked at by themselves
                self.uncompiled(mark.start_ns, mark.end_ns, mark.inner, blame)
            cursor_ns = mark.end_ns
        self._add(cursor_ns, end_ns, blame, Part.PYTHON)

    def _region(self, region: Mark, outer: Blame | None) -> None:
        """Compiled code: what leads to its graph is the blame of whoever called it.

        What comes behind the graph is that of the break at which the code ends, if it does.
        """
        site = self._breaks.at(region.label).site
        own = outer
        if site is not None:
            self.found.reached += [] if self._is_told_inside(region, site) else [site]
            others = self._sites_of_callees(region)
            # What gave up the rest of the function, where no mark tells at which point it begins.
            rest = self._breaks.at(region.label).rest
            is_marked = any(inner.kind is MarkKind.EAGER for inner in region.inner) or any(
                self._breaks.resumes(compile_id, region.label)
                for compile_id in _compiled_in(region.inner)
            )
            if rest is not None and not is_marked:
                others.add(rest)
            own = Blame(site, frozenset(others - {site}))
        graphs = list(_graphs(region.inner))
        ends = [mark.end_ns for mark in region.inner if mark.kind is MarkKind.BYTECODE]
        after_ns = graphs[-1].end_ns if graphs else max(ends, default=region.start_ns)
        is_unmarked = not graphs and self._breaks.at(region.label).has_graph
        if is_unmarked:
            self.found.operators_unknown = True
            self.found.graphs.append(GraphCall(region.label, after_ns, after_ns, outer))
        tail = Part.RESUME if site is None else Part.PYTHON
        self._inside(region, (outer, own), after_ns, tail, is_unmarked=is_unmarked)

    def _inside(  # noqa: PLR0913 - what is known of the region that the mark is in
        self,
        mark: Mark,
        blames: tuple[Blame | None, Blame | None],
        after_ns: int,
        tail: Part,
        *,
        is_unmarked: bool,
        sequence: int = -1,
        label: str = "",
    ) -> None:
        outer, own = blames
        label = label or mark.label

        def stretch(start_ns: int, end_ns: int) -> None:
            is_after = start_ns >= after_ns
            self._add(
                start_ns, end_ns, own if is_after else outer,
                tail if is_after else Part.RESUME, with_operators=not is_unmarked,
            )  # fmt: skip

        cursor_ns = mark.start_ns
        for inner in mark.inner:
            stretch(cursor_ns, inner.start_ns)
            blame = own if inner.start_ns >= after_ns else outer
            match inner.kind:
                case MarkKind.REGION:
                    self._region(inner, blame)
                case MarkKind.LOOKUP:
                    self._add(inner.start_ns, inner.end_ns, blame, Part.GUARDS)
                case MarkKind.GRAPH:
                    span_ns = inner.start_ns, inner.end_ns
                    graph = GraphCall.of(self._thread, span_ns, label, outer, sequence)
                    self.found.graphs.append(graph)
                case MarkKind.EAGER:
                    ran = _compiled_in(inner.inner)
                    rest = self._breaks.of_rest(label, inner.label, blame, ran)
                    self.uncompiled(inner.start_ns, inner.end_ns, inner.inner, rest)
                case MarkKind.BACKWARD:
                    pass
                case _:
                    self._inside(
                        inner, blames, after_ns, Part.RESUME, is_unmarked=is_unmarked,
                        sequence=inner.sequence, label=label,
                    )  # fmt: skip
            cursor_ns = inner.end_ns
        stretch(cursor_ns, mark.end_ns)

    def _add(
        self,
        start_ns: int,
        end_ns: int,
        blame: Blame | None,
        part: Part,
        *,
        with_operators: bool = True,
    ) -> None:
        if end_ns <= start_ns:
            return
        activities = self._thread.between(start_ns, end_ns)
        # What the profiler adds: for the mark with which a stretch ends, and each event inside.
        added_ns = sum(item.events for item in activities if item.operators) * self._mark_ns
        operators_ns = max(0, sum(item.operators_ns for item in activities) - added_ns)
        waiting_ns = sum(item.wait_ns for item in activities)
        busy_ns = max(operators_ns, waiting_ns)
        rest_ns = max(0, end_ns - start_ns - added_ns - self._mark_ns - busy_ns)
        if not with_operators:
            operators_ns = waiting_ns = 0
        for what, time_ns in (
            (part, rest_ns),
            (Part.OPERATORS, max(0, operators_ns - waiting_ns)),
            (Part.WAITING, waiting_ns),
        ):
            if time_ns:
                self.found.pieces.append(Piece(start_ns, blame, what, time_ns))

    def _callees(self, region: Mark) -> Iterator[Mark]:
        """Compiled code that runs behind the break and is no continuation of the function."""
        for inner in region.inner:
            is_code = inner.kind is MarkKind.REGION
            if is_code and not self._breaks.resumes(inner.label, region.label):
                yield inner

    def _sites_of_callees(self, region: Mark) -> set[Site]:
        inner = (each for callee in self._callees(region) for each in _regions(callee))
        return {site for each in inner if (site := self._breaks.at(each.label).site) is not None}

    def _is_told_inside(self, region: Mark, site: Site) -> bool:
        """Whether a function that this one calls tells how often it breaks there: once is enough.

        It breaks there itself, or it is the function that broke when this one was traced.
        """
        return site in self._sites_of_callees(region) or any(
            self._breaks.is_left_to(region.label, inner.label)
            for callee in self._callees(region)
            for inner in _regions(callee)
        )


def _regions(region: Mark) -> Iterator[Mark]:
    yield region
    for inner in region.inner:
        if inner.kind is MarkKind.REGION:
            yield from _regions(inner)


def _compiled_in(marks: Sequence[Mark]) -> Iterator[str]:
    """The compile ids of compiled code that is called there, and not within other such code."""
    return (mark.label for mark in marks if mark.kind is MarkKind.REGION)


def _graphs(marks: Sequence[Mark]) -> Iterator[Mark]:
    for mark in marks:
        if mark.kind is MarkKind.GRAPH:
            yield mark
        elif mark.kind not in {MarkKind.REGION, MarkKind.EAGER}:
            yield from _graphs(mark.inner)
