"""Costs out of timelines written by hand: what belongs to which site, and what to nobody."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from inspector.features.costs.blame import Blame, Breaks, Site, limit_site
from inspector.features.costs.calls import CallCosts, calls_of
from inspector.records.calls import TargetFunction
from inspector.records.timeline import Activity, CallProfile
from inspector.run.boundary import Boundary, BoundaryTensor
from inspector.run.compilation import Compilation, Failure, Frame
from inspector.run.cost import Part
from inspector.run.graph_break import Evidence, GraphBreak, Outcome
from inspector.run.run import Process
from inspector.run.timeline import Mark, MarkKind
from inspector.shared.stack import StackFrame
from inspector.trace.compile_id import CompileId
from inspector.trace.graph_break import Cause
from tests.unit.timelines import call_profile

FIRST: Site = ("m.py", 3, "print")
SECOND: Site = ("m.py", 9, "item")


def compiled(frame_id: int, name: str, site: Site | None, *, graphs: int = 1) -> Frame:
    """A frame with one compilation that ends at a site, or at none."""
    compile_id = CompileId(frame_id, 0)
    records = [] if site is None else [broken(compile_id, site)]
    compilation = Compilation(
        compile_id=compile_id, call=0, stack=(), graphs=graphs, operators=1, guards=1,
        has_guarded_code=True, failure=None, restart_reasons=(), recompile_reasons=(),
        hit_limit=False, graph_breaks=tuple(records), finished=True, start_time_ns=None,
        duration_ns=None,
    )  # fmt: skip
    return Frame(frame_id, name, "m.py", 1, (compilation,))


def broken(compile_id: CompileId, site: Site) -> GraphBreak:
    file, line, what = site
    frame = StackFrame(file, line, "f")
    return GraphBreak(
        compile_id=compile_id, attempt=0, frame_name="f", frame_file=file, frame_line=1,
        cause=Cause(None, what), wrappers=(), outcome=Outcome.RESUMED, stack=(frame,), user=frame,
        project=None, has_graph=True, call=0, evidence=Evidence.ARTIFACT,
    )  # fmt: skip


def process(*frames: Frame) -> Process:
    return Process(
        host="", pid=1, parent_pid=None, rank=None, versions={}, hardware={}, calls=(),
        frames=frames, skipped=(), compile_time_ns=0, stages=(), unknown_events={},
        has_inspector_events=True,
    )  # fmt: skip


def mark(kind: str, start_ns: int, end_ns: int, *inner: Mark, label: str = "") -> Mark:
    return Mark(MarkKind(kind), label, start_ns, end_ns, -1, inner)


def region(label: str, start_ns: int, end_ns: int, *inner: Mark) -> Mark:
    return mark("region", start_ns, end_ns, *inner, label=label)


def costs(
    frames: Sequence[Frame],
    marks: Sequence[Mark],
    activities: Sequence[Activity] = (),
    boundaries: Mapping[str, Boundary] | None = None,
) -> CallCosts:
    """The costs of one call from 0 to 1000 ns."""
    taken = profile([mark("call", 0, 1000, *marks)], activities)
    (found,) = calls_of(taken, Breaks(process(*frames)), boundaries or {})
    return found


def profile(
    marks: Sequence[Mark], activities: Sequence[Activity] = (), *, of_program: bool = False
) -> CallProfile:
    return call_profile(marks, activities, input=None if of_program else 0, plain_ns=1000)


TWO_GRAPHS = (
    mark("lookup", 10, 20),
    region(
        "0/0", 20, 900,
        mark("bytecode", 25, 30),
        mark("graph", 40, 240),
        mark("lookup", 300, 330),
        region("1/0", 340, 880, mark("bytecode", 350, 360), mark("graph", 400, 870)),
    ),
)  # fmt: skip


def test_time_between_two_graphs_belongs_to_the_break_between_them() -> None:
    found = costs(
        [compiled(0, "f", FIRST), compiled(1, "torch_dynamo_resume_in_f_at_3", None)], TWO_GRAPHS
    )
    blame = Blame(FIRST)
    # From the end of the first graph to the begin of the second, and the way back.
    assert found.host_ns == {blame: (400 - 240) + (900 - 870)}
    assert found.parts[blame, Part.GUARDS] == 30
    assert found.parts[blame, Part.RESUME] == (400 - 340) + (880 - 870)
    assert found.parts[blame, Part.PYTHON] == (300 - 240) + (340 - 330) + (900 - 880)
    assert found.graphs_ns == 200 + 470
    assert found.reached == {FIRST: 1}


def test_leaving_and_reentering_a_caller_belongs_to_the_inner_site() -> None:
    """`f` calls `g`, in which the break is: both have a record of the same site."""
    frames = [
        compiled(0, "f", FIRST), compiled(1, "g", FIRST),
        compiled(2, "torch_dynamo_resume_in_g_at_3", None),
        compiled(3, "torch_dynamo_resume_in_f_at_7", None),
    ]  # fmt: skip
    inner = region(
        "1/0", 260, 560,
        mark("graph", 280, 380),
        region("2/0", 400, 550, mark("graph", 420, 540)),
    )  # fmt: skip
    last = region("3/0", 600, 800, mark("graph", 620, 790))
    found = costs(frames, [region("0/0", 20, 900, mark("graph", 40, 240), inner, last)])
    # 40 into g, 40 over the break, 80 back into f, 110 to return.
    assert found.host_ns == {Blame(FIRST): 40 + 40 + 80 + 110}
    assert found.reached == {FIRST: 1}


def test_what_two_breaks_in_a_callee_cause_is_shared() -> None:
    frames = [
        compiled(0, "f", FIRST), compiled(1, "g", FIRST),
        compiled(2, "torch_dynamo_resume_in_g_at_3", SECOND),
        compiled(3, "torch_dynamo_resume_in_g_at_9", None),
        compiled(4, "torch_dynamo_resume_in_f_at_7", None),
    ]  # fmt: skip
    third = region("3/0", 500, 540, mark("graph", 510, 530))
    second = region("2/0", 400, 550, mark("graph", 420, 440), third)
    inner = region("1/0", 260, 560, mark("graph", 280, 380), second)
    last = region("4/0", 600, 800, mark("graph", 620, 790))
    found = costs(frames, [region("0/0", 20, 900, mark("graph", 40, 240), inner, last)])
    shared = Blame(FIRST, frozenset({SECOND}))
    assert found.host_ns[Blame(FIRST)] == (420 - 380) + (560 - 550)
    assert found.host_ns[Blame(SECOND)] == (510 - 440) + (550 - 530)
    # Into g, back into f, and the way out: with one of the breaks left, f is still cut.
    assert found.host_ns[shared] == (280 - 240) + (620 - 560) + (900 - 790)


def given_up(frame_id: int, name: str, site: Site | None) -> Frame:
    """A frame that was left alone because of a break, or because compiling it failed."""
    frame = compiled(frame_id, name, site)
    (compilation,) = frame.compilations
    records = tuple(
        dataclasses.replace(record, outcome=Outcome.FRAME_SKIPPED)
        for record in compilation.graph_breaks
    )
    failure = None if records else Failure("InternalTorchDynamoError", "no", ())
    compilation = dataclasses.replace(
        compilation, graphs=0, has_guarded_code=False, graph_breaks=records, failure=failure
    )
    return dataclasses.replace(frame, compilations=(compilation,))


REST = "torch_dynamo_resume_in_f_at_3"
"""What comes behind `FIRST`."""


def rest_runs_eagerly(*inner: Mark) -> Mark:
    rest = mark("eager", 300, 880, *inner, label=REST)
    return region("0/0", 20, 900, mark("bytecode", 25, 30), mark("graph", 40, 240), rest)


def test_code_left_alone_belongs_to_the_break_because_of_which_it_was() -> None:
    activities = [Activity(250, 1, 1, 7, 0, 0, 0, 0), Activity(310, 9, 9, 500, 0, 0, 0, 0)]
    frames = [compiled(0, "f", FIRST), given_up(1, REST, SECOND)]
    found = costs(frames, [rest_runs_eagerly()], activities)
    assert found.host_ns == {Blame(FIRST): (300 - 240) + (900 - 880), Blame(SECOND): 880 - 300}
    assert found.parts[Blame(FIRST), Part.OPERATORS] == 7
    assert found.parts[Blame(SECOND), Part.OPERATORS] == 500
    assert found.reached == {FIRST: 1}


def test_code_that_failed_to_compile_is_no_break_s_fault() -> None:
    frames = [compiled(0, "f", FIRST), given_up(1, REST, None)]
    found = costs(frames, [rest_runs_eagerly()])
    assert found.host_ns == {Blame(FIRST): (300 - 240) + (900 - 880)}
    assert found.parts[None, Part.PYTHON] >= 880 - 300


def test_without_a_mark_two_breaks_share_what_comes_behind_the_first() -> None:
    frames = [compiled(0, "f", FIRST), given_up(1, REST, SECOND)]
    unmarked = region("0/0", 20, 900, mark("bytecode", 25, 30), mark("graph", 40, 240))
    found = costs(frames, [unmarked])
    assert found.host_ns == {Blame(FIRST, frozenset({SECOND})): 900 - 240}


def over_the_limit(frame_id: int, name: str) -> Frame:
    """A frame with one compiled version, of which no more are compiled."""
    frame = compiled(frame_id, name, None)
    refused = dataclasses.replace(
        frame.compilations[0], compile_id=CompileId(frame_id, 1), graphs=0, hit_limit=True,
        has_guarded_code=False,
    )  # fmt: skip
    return dataclasses.replace(frame, first_line=3, compilations=(*frame.compilations, refused))


def test_behind_the_recompile_limit_it_is_no_break_that_leaves_code_to_python() -> None:
    frames = [compiled(0, "f", FIRST), over_the_limit(1, REST)]
    found = costs(frames, [rest_runs_eagerly(mark("lookup", 310, 320))])
    assert found.host_ns == {
        Blame(FIRST): (300 - 240) + (900 - 880),
        Blame(limit_site(frames[1])): 880 - 300,
    }


def test_behind_the_recompile_limit_a_version_that_fits_runs_as_ever() -> None:
    frames = [compiled(0, "f", FIRST), over_the_limit(1, REST)]
    inner = region("1/0", 320, 870, mark("graph", 330, 860))
    found = costs(frames, [rest_runs_eagerly(mark("lookup", 310, 320), inner)])
    assert found.host_ns == {Blame(FIRST): (330 - 240) + (900 - 860)}


def test_behind_the_recompile_limit_all_of_a_call_runs_eagerly() -> None:
    frame = over_the_limit(0, "f")
    of_target = process(frame).with_records(TargetFunction("f", "m.py", 3, "f", "function"))
    limit = Blame(limit_site(frame))
    lookup = mark("lookup", 10, 30)
    (eager,) = calls_of(profile([mark("call", 0, 1000, lookup)]), Breaks(of_target), {})
    assert eager.host_ns == {limit: 1000}
    assert eager.parts[limit, Part.GUARDS] == 20
    fits = mark("call", 0, 1000, lookup, region("0/0", 30, 900, mark("graph", 40, 890)))
    (found,) = calls_of(profile([fits]), Breaks(of_target), {})
    assert found.host_ns == {}


def test_a_busy_device_hides_what_the_host_does() -> None:
    """The device is busy with the first graph until 380, and begins with the second at 410."""
    activities = [Activity(45, 0, 0, 0, 0, 50, 380, 300), Activity(405, 0, 0, 0, 0, 410, 860, 400)]
    found = costs(
        [compiled(0, "f", FIRST), compiled(1, "torch_dynamo_resume_in_f_at_3", None)],
        TWO_GRAPHS,
        activities,
    )
    blame = Blame(FIRST)
    between, back = 410 - 380, 900 - 870
    assert round(found.exposed_ns[blame]) == between + back
    assert found.host_ns[blame] == 190


def test_backward_graphs_are_held_apart_by_what_parts_the_forward_ones() -> None:
    def function(start_ns: int, end_ns: int, sequence: int) -> Mark:
        graph = mark("graph", start_ns, end_ns)
        return dataclasses.replace(mark("function", start_ns, end_ns, graph), sequence=sequence)

    def backward(start_ns: int, end_ns: int, sequence: int) -> Mark:
        graph = mark("graph", start_ns + 5, end_ns)
        return dataclasses.replace(mark("backward", start_ns, end_ns, graph), sequence=sequence)

    resumed = region("1/0", 150, 300, function(160, 290, 8))
    forward = region("0/0", 20, 310, function(40, 140, 7), resumed)
    found = costs(
        [compiled(0, "f", FIRST), compiled(1, "torch_dynamo_resume_in_f_at_3", None)],
        [forward, backward(400, 500, 8), backward(560, 700, 7)],
    )
    assert found.parts[Blame(FIRST), Part.BACKWARD] == 565 - 500
    assert found.graphs_ns == 100 + 130 + 95 + 135


def test_a_break_in_a_program_is_counted_by_compiled_call() -> None:
    starts = range(0, 400, 100)  # the first and the last one are cut off by the profile's ends
    calls = [region("0/0", start, start + 90, mark("graph", start, start + 50)) for start in starts]
    (call, again) = calls_of(
        profile(calls, of_program=True), Breaks(process(compiled(0, "f", FIRST))), {}
    )
    assert call.host_ns == again.host_ns == {Blame(FIRST): 40}


def calls_what_breaks(frame_id: int, name: str, called: str) -> Frame:
    """A frame that ends at a call of a function which breaks at the first site."""
    frame = compiled(frame_id, name, FIRST)
    (compilation,) = frame.compilations
    (record,) = compilation.graph_breaks
    user = StackFrame(FIRST[0], FIRST[1], called)
    record = dataclasses.replace(record, frame_name=name, user=user)
    return dataclasses.replace(
        frame, compilations=(dataclasses.replace(compilation, graph_breaks=(record,)),)
    )


def test_a_recursion_is_counted_where_it_breaks() -> None:
    """`f(3)` calls `g(2)`, that `g(1)`, and that `g(0)`, which returns before the break."""
    again = "torch_dynamo_resume_in_g_at_3"
    frames = [
        calls_what_breaks(0, "f", "g"), calls_what_breaks(1, "g", "g"),
        calls_what_breaks(2, again, "g"), compiled(3, "g", None),
        compiled(4, "torch_dynamo_resume_in_g_at_4", None),
    ]  # fmt: skip

    def rest(start_ns: int) -> Mark:
        return region("4/0", start_ns, start_ns + 10, mark("graph", start_ns, start_ns + 10))

    last = region("3/0", 500, 520, mark("graph", 505, 515))
    second = region(
        "1/0", 300, 600,
        mark("graph", 310, 320), region("2/0", 330, 590, mark("graph", 340, 350), last, rest(560)),
    )  # fmt: skip
    first = region(
        "1/0", 50, 800,
        mark("graph", 60, 70), region("2/0", 80, 790, mark("graph", 90, 100), second, rest(700)),
    )  # fmt: skip
    found = costs(frames, [region("0/0", 20, 900, mark("graph", 30, 40), first)])
    assert found.reached == {FIRST: 2}


def test_a_break_in_a_called_function_that_runs_eagerly_is_counted_at_the_call() -> None:
    """`f` calls `g`, which has no compiled code to tell, but calls another function that has."""
    eager = dataclasses.replace(compiled(3, "g", None), compilations=(), first_line=2)
    frames = [
        calls_what_breaks(0, "f", "g"), compiled(1, "torch_dynamo_resume_in_f_at_7", None),
        eager, compiled(2, "g", None),  # of the same name, but further up in the file
    ]  # fmt: skip
    other = region("2/0", 300, 320, mark("graph", 305, 315))
    last = region("1/0", 400, 880, mark("graph", 420, 870))
    found = costs(frames, [region("0/0", 20, 900, mark("graph", 40, 240), other, last)])
    assert found.reached == {FIRST: 1}


def tensor(*shape: int, fusible: bool = True) -> BoundaryTensor:
    return BoundaryTensor("f32", shape, None, 4 * sum(shape), fusible)


def test_what_crosses_is_what_one_graph_writes_and_a_later_one_reads() -> None:
    boundaries = {
        "0/0": Boundary((), (tensor(8), tensor(16, fusible=False), tensor(32))),
        "1/0": Boundary((tensor(8), tensor(16), tensor(64)), ()),
    }
    found = costs(
        [compiled(0, "f", FIRST), compiled(1, "torch_dynamo_resume_in_f_at_3", None)],
        TWO_GRAPHS,
        boundaries=boundaries,
    )
    crossing = found.crossings[Blame(FIRST)]
    assert (crossing.size_bytes, crossing.fusible_bytes) == (4 * 8 + 4 * 16, 4 * 8)
