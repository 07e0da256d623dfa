"""Finds the calls in a profile, and adds up what each site costs in one of them."""

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from inspector.features.costs.blame import Blame, Breaks, Site
from inspector.features.costs.pieces import GraphCall, Piece, Pieces, cut
from inspector.records.timeline import CallProfile
from inspector.run.boundary import Boundary, Crossing, crossing
from inspector.run.cost import Part
from inspector.run.timeline import Mark, MarkKind, Thread, threads_of


@dataclasses.dataclass(frozen=True, slots=True)
class CallCosts:
    """One warm call.

    Attributes:
        entry: In a program, text of the compile id that was called; empty for a call of the target.
        is_warm: Whether nothing was compiled in it.
        graphs_ns: Time in compiled graphs, without what the profiler adds there.
        host_ns: Time outside of graphs on the host, by blame.
        exposed_ns: Time between graphs on the device, by blame; on the host where there is none.
        parts: The host's time outside of graphs by part, by blame; None is nobody's.
        crossings: What the graphs behind a site read of what others wrote, by blame.
    """

    entry: str
    is_warm: bool
    wall_ns: int
    graphs_ns: int
    host_ns: Mapping[Blame, int]
    exposed_ns: Mapping[Blame, float]
    parts: Mapping[tuple[Blame | None, Part], int]
    reached: Mapping[Site, int]
    crossings: Mapping[Blame, Crossing]
    operators_unknown: bool
    has_backward: bool


@dataclasses.dataclass(frozen=True, slots=True)
class _Root:
    thread: Thread
    start_ns: int
    end_ns: int
    marks: tuple[Mark, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _Gap:
    """Time between two graphs; before the first one of a call and behind the last, too."""

    thread: Thread
    before: GraphCall | None
    after: GraphCall | None
    pieces: tuple[Piece, ...]


def calls_of(
    profile: CallProfile, breaks: Breaks, boundaries: Mapping[str, Boundary]
) -> Iterator[CallCosts]:
    """The calls in a profile: those of the target, or where none are marked, of compiled code."""
    threads, is_program = threads_of(profile), profile.input is None
    for number, root in enumerate(_roots(threads, is_program=is_program)):
        cut_up = cut(root.thread, (root.start_ns, root.end_ns), root.marks, breaks, profile.mark_ns)
        backward = list(_backward(threads, root, cut_up.graphs, is_program=is_program))
        host, exposed, parts = _sums([*_gaps(cut_up, root.thread), *backward], root.end_ns)
        # Time of the backward that is in the time of the code that called for it, too.
        meanwhile_ns = sum(piece.time_ns for gap in backward for piece in gap.pieces)
        meanwhile_ns += sum(
            gap.after.end_ns - gap.after.start_ns
            for gap in backward
            if gap.after is not None and gap.thread is not root.thread
        )
        graphs = [(root.thread, graph) for graph in cut_up.graphs]
        graphs += [(gap.thread, gap.after) for gap in backward if gap.after is not None]
        graphs_ns = 0
        for thread, graph in graphs:
            events = sum(item.events for item in thread.between(graph.start_ns, graph.end_ns))
            graphs_ns += max(0, graph.end_ns - graph.start_ns - events * profile.mark_ns)
        parts[None, Part.PYTHON] = max(0, parts[None, Part.PYTHON] - meanwhile_ns)
        yield CallCosts(
            entry=root.marks[0].label if is_program and root.marks else "",
            is_warm=number not in profile.compiled,
            wall_ns=root.end_ns - root.start_ns,
            graphs_ns=graphs_ns,
            host_ns=host,
            exposed_ns=exposed,
            parts=parts,
            reached=Counter(cut_up.reached),
            crossings=_crossings(cut_up.graphs, boundaries),
            operators_unknown=cut_up.operators_unknown,
            has_backward=bool(backward),
        )


def _roots(threads: Sequence[Thread], *, is_program: bool) -> Iterator[_Root]:
    for thread in threads:
        marked = [mark for mark in thread.marks if mark.kind is MarkKind.CALL]
        for mark in marked:
            yield _Root(thread, mark.start_ns, mark.end_ns, mark.inner)
        if is_program:
            compiled = [mark for mark in thread.marks if mark.kind is MarkKind.REGION]
            for mark in compiled[1:-1]:  # the profile began and ended in the middle of a call
                yield _Root(thread, mark.start_ns, mark.end_ns, (mark,))


def _backward(
    threads: Sequence[Thread], root: _Root, graphs: Sequence[GraphCall], *, is_program: bool
) -> Iterator[_Gap]:
    """The time before each backward graph of a call, since the one before on its thread."""
    forward = {graph.sequence: graph for graph in graphs if graph.sequence >= 0}
    for thread in threads:
        before: GraphCall | None = None
        for mark in _backward_marks(thread.marks):
            source = forward.get(mark.sequence)
            inner = [item for item in mark.inner if item.kind is MarkKind.GRAPH]
            inside = root.start_ns <= mark.start_ns and (is_program or mark.end_ns <= root.end_ns)
            if source is None or not inner or not inside:
                continue
            span_ns = inner[0].start_ns, inner[-1].end_ns
            graph = GraphCall.of(
                thread, span_ns, source.compile_id, source.entered_by, mark.sequence
            )
            pieces: list[Piece] = []
            if before is not None:
                # The way from one backward graph to the next is the fault of what separated the
                # forwards.
                start_ns, time_ns = before.end_ns, graph.start_ns - before.end_ns
                activities = thread.between(start_ns, graph.start_ns)
                waiting_ns = min(time_ns, sum(item.wait_ns for item in activities))
                blame = forward[before.sequence].entered_by
                pieces.append(Piece(start_ns, blame, Part.BACKWARD, time_ns - waiting_ns))
                if waiting_ns:
                    pieces.append(Piece(start_ns, blame, Part.WAITING, waiting_ns))
            yield _Gap(thread, before, graph, tuple(pieces))
            before = graph


def _backward_marks(marks: Sequence[Mark]) -> Iterator[Mark]:
    for mark in marks:
        if mark.kind is MarkKind.BACKWARD:
            yield mark
        else:
            yield from _backward_marks(mark.inner)


def _sums(
    gaps: Sequence[_Gap], end_ns: int
) -> tuple[Counter[Blame], dict[Blame, float], Counter[tuple[Blame | None, Part]]]:
    host: Counter[Blame] = Counter()
    exposed: dict[Blame, float] = {}
    parts: Counter[tuple[Blame | None, Part]] = Counter()
    for gap in gaps:
        scale = _scale(gap, end_ns)
        for piece in gap.pieces:
            parts[piece.blame, piece.part] += piece.time_ns
            if piece.blame is not None:
                host[piece.blame] += piece.time_ns
                exposed[piece.blame] = exposed.get(piece.blame, 0) + piece.time_ns * scale
    return host, exposed, parts


def _gaps(cut_up: Pieces, thread: Thread) -> Iterator[_Gap]:
    """The pieces between neighbouring graphs, before the first one and behind the last one."""
    bounds = [None, *cut_up.graphs, None]
    rest = sorted(cut_up.pieces, key=lambda piece: piece.start_ns)
    for before, after in itertools.pairwise(bounds):
        count = sum(after is None or piece.start_ns < after.end_ns for piece in rest)
        yield _Gap(thread, before, after, tuple(rest[:count]))
        rest = rest[count:]


def _scale(gap: _Gap, end_ns: int) -> float:
    """How much of the host's time between two graphs the device waits, or works for it.

    Without a device, and where one has nothing to do before or behind, it is all of it. A device
    that is still busy with the graph before hides what the host does meanwhile.
    """
    before, after = gap.before, gap.after
    host_ns = sum(piece.time_ns for piece in gap.pieces)
    if not host_ns or before is None or not before.device_end_ns:
        return 1.0
    if after is not None and after.device_start_ns:
        idle_ns = after.device_start_ns - before.device_end_ns
    else:
        # Nothing follows on the device: what the host does when the graph is done.
        idle_ns = end_ns if after is None else after.start_ns
        idle_ns -= max(before.device_end_ns, before.end_ns)
    # The device also waits while the host is inside of the graphs; that is not the break's fault.
    between = gap.thread.between(before.end_ns, end_ns if after is None else after.start_ns)
    worked_ns = sum(item.device_busy_ns for item in between)
    return (min(max(0, idle_ns - worked_ns), host_ns) + worked_ns) / host_ns


def _crossings(
    graphs: Sequence[GraphCall], boundaries: Mapping[str, Boundary]
) -> dict[Blame, Crossing]:
    found: dict[Blame, Crossing] = {}
    earlier: list[Boundary] = []
    for graph in graphs:
        boundary = boundaries.get(graph.compile_id)
        if boundary is None:
            continue
        if graph.entered_by is not None:
            new = crossing(earlier, boundary)
            found[graph.entered_by] = found.get(graph.entered_by, Crossing()) + new
        earlier.append(boundary)
    return found
