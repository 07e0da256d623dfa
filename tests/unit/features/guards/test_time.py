from __future__ import annotations

from inspector.features.guards.time import guard_time
from inspector.records.timeline import CallProfile
from inspector.run.run import Process
from inspector.run.timeline import Mark, MarkKind
from tests.unit.timelines import call_profile


def mark(kind: MarkKind, start: int, end: int, *inner: Mark, label: str = "") -> Mark:
    return Mark(kind, label, start, end, -1, inner)


def call(start: int) -> Mark:
    lookup, region = MarkKind.LOOKUP, MarkKind.REGION
    return mark(
        MarkKind.CALL, start, start + 1000,
        mark(lookup, start + 10, start + 120),
        mark(region, start + 120, start + 900,
             mark(lookup, start + 300, start + 360),
             mark(region, start + 360, start + 500, label="1/0"), label="0/2"),
    )  # fmt: skip


def process(*profiles: CallProfile) -> Process:
    nothing: dict[str, object] = {}
    return Process(
        host="", pid=1, parent_pid=None, rank=None, versions={}, hardware=nothing,
        calls=(), frames=(), skipped=(), compile_time_ns=0, stages=(), unknown_events={},
        has_inspector_events=True,
    ).with_records(*profiles)  # fmt: skip


def profile(*marks: Mark, number: int | None = 0, plain_ns: int | None = 500) -> CallProfile:
    return call_profile(marks, input=number, compiled=(1,), plain_ns=plain_ns, mark_ns=10)


def test_guards_of_warm_calls_without_what_the_marks_cost() -> None:
    found = guard_time(process(profile(call(0), call(2000), call(4000))))
    assert found is not None
    assert found.per_call_ns == 100 + 50
    assert found.by_frame == {0: 100, 1: 50}
    assert (found.lookups, found.calls) == (2, 2)  # the second call compiled
    assert (found.call_ns, found.share) == (500, 0.3)


def test_a_programs_calls_are_its_entries_into_compiled_code() -> None:
    entry = (
        mark(MarkKind.LOOKUP, 0, 60),
        mark(MarkKind.REGION, 60, 260, label="3/0"),
        mark(MarkKind.LOOKUP, 300, 360),
    )
    found = guard_time(process(profile(*entry, number=None, plain_ns=None)))
    assert found is not None
    assert found.is_program
    assert (found.per_call_ns, found.call_ns, found.by_frame) == (50, 260, {3: 50})


def test_nothing_measured_is_nothing_said() -> None:
    assert guard_time(process()) is None
    assert guard_time(process(profile())) is None


def test_of_a_program_each_function_has_the_time_of_its_own_calls() -> None:
    """Three functions, one after another: no call of the program enters more than one of them."""
    marks = [
        each
        for at in range(9)
        for each in (
            mark(MarkKind.LOOKUP, 1000 * at, 1000 * at + 110 + 100 * (at % 3)),
            mark(MarkKind.REGION, 1000 * at + 400, 1000 * at + 900, label=f"{at % 3}/0"),
        )
    ]
    found = guard_time(process(profile(*marks, number=None, plain_ns=None)))
    assert found is not None
    assert found.by_frame == {0: 100, 1: 200, 2: 300}
