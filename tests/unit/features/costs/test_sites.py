"""What a site costs over several calls, and what is said where nobody can know."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from inspector.features.costs.sites import site_costs
from inspector.features.guards.rules.guard_cost import GuardCostRule
from inspector.features.overview.cost_wording import cost_lines, total_line
from inspector.records.timeline import Activity, CallProfile, CopyRate, CopyRates
from inspector.report.finding import Finding
from inspector.report.severity import Severity
from inspector.run.cost import Cost, CostKind, Part, TimeShare
from inspector.run.run import Process
from inspector.run.timeline import Mark, MarkKind
from tests.unit.features.costs.test_calls import (
    FIRST,
    TWO_GRAPHS,
    compiled,
    mark,
    process,
    profile,
    region,
)
from tests.unit.render import runs
from tests.unit.timelines import call_profile

COST = Cost(
    CostKind.MEASURED, cost_ns=37_000, outside_ns=36_000, executions_per_call=1.0, calls=20,
    call_ns=386_000, shares=(TimeShare(Part.GUARDS, 9_400), TimeShare(Part.PYTHON, 26_600)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "37 µs of 386 µs per call (measured in 20 warm calls)"),
        ({}, "outside graphs: 9.4 µs guards, 27 µs Python"),
        ({"executions_per_call": 12.0}, "in 12 executions"),
        ({"is_whole_frame": True}, "for the whole function, which runs eagerly"),
        ({"crossing_bytes": 4096}, "4.0 KiB is passed to the next graph"),
        (
            {"crossing_bytes": 4096, "fusible_bytes": 4096, "crossing_ns": 1500},
            "fusion could avoid all of it (1.5 µs, computed)",
        ),
        ({"shared_ns": 9000, "shared_with": ("m.py:9",)}, "another 9.0 µs is shared with m.py:9"),
        ({"scale": 0.834}, "(measured in 20 warm calls, scaled by 0.83)"),
        ({"spread": 0.4}, "(measured in 20 warm calls; timings vary by 40%)"),
        ({"outside_ns": 12_000}, "outside graphs, on the host: 9.4 µs guards"),
    ],
)
def test_what_else_there_is_to_say(change: dict[str, object], expected: str) -> None:
    assert expected in "\n".join(cost_lines(dataclasses.replace(COST, **change)))


def test_shared_time_is_counted_once() -> None:
    shared = dataclasses.replace(COST, shared_ns=4_000)
    findings = [Finding("graph-break", Severity.WARNING, "x", cost=cost) for cost in (shared,) * 2]
    report = dataclasses.replace(runs.report_of(runs.broken()), findings=tuple(findings))
    assert total_line(report) is None  # nothing was measured

    profile = CallProfile(input=0, plain_ns=386_000)
    (process,) = report.run.processes
    process = process.with_records(profile)
    measured = dataclasses.replace(report.run, processes=(process,))
    report = dataclasses.replace(report, run=measured)
    assert total_line(report) == ("386 µs", "76 µs of it outside graphs")
    report = dataclasses.replace(report, findings=())
    assert total_line(report) == ("386 µs", "")


def test_guards_behind_a_break_are_not_counted_once_more_as_guards_of_the_call() -> None:
    guards = Cost(CostKind.MEASURED, cost_ns=12_000, outside_ns=12_000)
    findings = (
        Finding("graph-break", Severity.WARNING, "x", cost=COST),  # 9.4 of its 36 µs are guards
        Finding(GuardCostRule.id, Severity.WARNING, "x", cost=guards),
    )
    report = dataclasses.replace(runs.report_of(runs.broken()), findings=findings)
    run = dataclasses.replace(report.run, processes=(measured(),))
    told = total_line(dataclasses.replace(report, run=run))
    assert told == ("386 µs", "39 µs of it outside graphs")


def test_a_copy_takes_the_rate_of_its_size() -> None:
    rates = CopyRates("cpu", (CopyRate(1 << 18, 1e11), CopyRate(1 << 27, 1e10)))
    assert rates.time_ns(1 << 18) == round(2 * (1 << 18) / 1e11 * 1e9)
    assert rates.time_ns(1 << 27) == round(2 * (1 << 27) / 1e10 * 1e9)
    assert CopyRates("cpu", ()).time_ns(1) is None


def test_a_program_s_other_functions_have_no_part_in_a_break_s_cost() -> None:
    """A loss and an optimiser that are compiled too are called as often as the model."""
    parts = [("1/0", ""), ("0/0", "graph"), ("1/0", ""), ("1/0", "")] * 4
    marks = [
        region(label, start * 100, start * 100 + 90, mark("graph", start * 100, start * 100 + 50))
        for start, (label, _) in enumerate(parts)
    ]
    found = process(compiled(0, "f", FIRST), compiled(1, "loss", None))
    found = found.with_records(profile(marks, of_program=True))
    run = dataclasses.replace(runs.report_of(runs.broken()).run, processes=(found,))

    (cost,) = site_costs(run).values()
    assert (cost.cost_ns, cost.executions_per_call, cost.calls) == (40, 1.0, 4)


def test_breaks_never_take_more_than_the_call() -> None:
    """Of several processes, each site has the cost of the one in which it costs most."""
    findings = [Finding("graph-break", Severity.WARNING, "x", cost=COST) for _ in range(20)]
    report = dataclasses.replace(runs.report_of(runs.broken()), findings=tuple(findings))
    run = dataclasses.replace(report.run, processes=(measured(),))
    report = dataclasses.replace(report, run=run)
    assert total_line(report) == ("386 µs", "386 µs of it outside graphs")


def cost_of_calls(
    calls: Sequence[tuple[int, int, int]], plain_ns: int, *uncut: CallProfile
) -> Cost:
    """The cost of one break in calls, each of a graph, guards and a resumed graph's bytecode."""
    marks, start_ns = [], 0
    for graph_ns, guards_ns, resume_ns in calls:
        graph_end = start_ns + graph_ns
        guards_end = graph_end + guards_ns
        end_ns = guards_end + resume_ns
        inner = (
            mark("graph", start_ns, graph_end),
            mark("lookup", graph_end, guards_end),
            region("1/0", guards_end, end_ns, mark("graph", end_ns, end_ns)),
        )
        marks.append(mark("call", start_ns, end_ns, region("0/0", start_ns, end_ns, *inner)))
        start_ns = end_ns
    frames = compiled(0, "f", FIRST), compiled(1, "torch_dynamo_resume_in_f_at_3", None)
    taken = dataclasses.replace(profile(marks), plain_ns=plain_ns)
    found = process(*frames).with_records(taken, *uncut)
    run = dataclasses.replace(runs.report_of(runs.broken()).run, processes=(found,))
    (cost,) = site_costs(run).values()
    return cost


def parts_ns(cost: Cost) -> dict[Part, int]:
    return {share.part: share.time_ns for share in cost.shares}


def test_calls_that_were_watched_are_told_as_a_part_of_those_that_were_not() -> None:
    cost = cost_of_calls([(1000, 3000, 6000)] * 9, plain_ns=5000)
    assert (cost.cost_ns, cost.call_ns, cost.scale) == (4500, 5000, 0.5)
    assert parts_ns(cost) == {Part.GUARDS: 1500, Part.RESUME: 3000}


def test_faster_calls_under_the_profiler_are_left_as_they_were_measured() -> None:
    cost = cost_of_calls([(100, 300, 600)] * 9, plain_ns=5000)
    assert (cost.cost_ns, cost.scale) == (900, 1.0)


def test_parts_add_up_where_each_call_is_disturbed_elsewhere() -> None:
    calls = [(9000, 300, 600), (100, 9000, 600), (100, 300, 9000)] * 3
    cost = cost_of_calls(calls, plain_ns=1000)
    assert cost.cost_ns == sum(parts_ns(cost).values()) == 900
    assert cost.spread < 0.1


def test_calls_that_become_slower_are_unstable() -> None:
    cost = cost_of_calls([(100, 300, 600)] * 3 + [(100, 300, 1100)] * 6, plain_ns=1000)
    assert cost.spread == 0.5


def test_inputs_without_a_break_are_calls_too() -> None:
    """Else the cost is that of one input, and the call the mean of both."""
    uncut = CallProfile(input=1, plain_ns=1000)
    cost = cost_of_calls([(1000, 3000, 6000)] * 3, 10_000, uncut)
    assert (cost.cost_ns, cost.call_ns, cost.executions_per_call) == (4500, 5500, 0.5)


def test_a_device_that_works_on_for_longer_than_a_call_is_none_of_it() -> None:
    """To watch the device makes calls longer than those of which costs are a part."""
    taken = profile([mark("call", 0, 1000, *TWO_GRAPHS)])
    launched = (
        Activity(45, 0, 0, 0, 0, 50, 250, 200),
        Activity(250, 1, 1, 10, 0, 260, 5260, 5000),
        Activity(405, 0, 0, 0, 0, 5270, 5300, 30),
    )
    thread = dataclasses.replace(taken.threads[0], activities=launched)
    watched = dataclasses.replace(taken, with_device=True, threads=(thread,))
    frames = compiled(0, "f", FIRST), compiled(1, "torch_dynamo_resume_in_f_at_3", None)
    found = process(*frames).with_records(taken, watched)
    run = dataclasses.replace(runs.report_of(runs.broken()).run, processes=(found,))
    (cost,) = site_costs(run).values()
    assert (cost.cost_ns, cost.call_ns) == (1000, 1000)
    assert "on the host" in "\n".join(cost_lines(cost))


REGION = Mark(
    MarkKind.REGION, "0/0", 20, 900, -1,
    (Mark(MarkKind.BYTECODE, "", 25, 30, -1), Mark(MarkKind.GRAPH, "", 40, 240, -1)),
)  # fmt: skip


def measured(*compiled: int, **changes: object) -> Process:
    """A process with two calls of what breaks in `helper`."""
    marks = tuple(
        Mark(MarkKind.CALL, "", start_ns, start_ns + 1000, -1, (REGION,)) for start_ns in (0, 1000)
    )
    profile = call_profile(marks, compiled=compiled, plain_ns=386_000)
    (process,) = runs.broken().processes
    return dataclasses.replace(process.with_records(profile), **changes)


def test_a_time_stands_there_only_if_a_call_was_warm() -> None:
    """In recordings made before the times of calls that compile were left out."""
    warm, partly, cold = (runs.run_of(measured(*numbers)) for numbers in ((), (0,), (0, 1)))
    assert [total_line(runs.report_of(run)) is None for run in (warm, partly, cold)] == [
        False, False, True,
    ]  # fmt: skip
    costs = site_costs(cold).values()
    assert {cost.call_ns for cost in costs} == {None}
    assert {cost.note for cost in costs} == {"every measured call recompiled, so none was warm"}


@pytest.mark.parametrize(
    ("backend", "lowered", "has_note"),
    [
        ("", frozenset(), True),
        ("eager", frozenset(), True),
        ("", frozenset({"0/0", "1/0"}), False),
        ("inspector", frozenset({"0/0"}), False),
        ("", frozenset({"3/0"}), True),  # Inductor made the graphs of other functions
        ("inductor", frozenset(), False),
    ],
)
def test_what_inductor_lowered_needs_no_other_backend(
    backend: str, lowered: frozenset[str], *, has_note: bool
) -> None:
    run = runs.run_of(measured(lowered=lowered), settings={"backend": backend})
    cost = site_costs(run)[runs.break_at(runs.IN_HELPER, runs.PRINT).key]

    assert cost.kind is CostKind.MEASURED
    assert ("fusion that the break prevents" in cost.note) is has_note
    assert cost.backend == (backend or ("inductor" if lowered & {"0/0", "1/0"} else ""))
