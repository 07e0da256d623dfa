"""Compile time by stage."""

from __future__ import annotations

from inspector.builder.stages import Spans, stage_of
from inspector.events.timing import ChromiumEvent


def spans(*events: tuple[str, str, int]) -> Spans:
    collected = Spans()
    for name, phase, time_ns in events:
        collected.add(ChromiumEvent(name, phase, time_ns, 0, "0/0"))
    return collected


def by_stage(collected: Spans) -> dict[str, int]:
    return {stage.stage: stage.time_ns for stage in collected.stages()}


def test_time_belongs_to_the_innermost_stage_and_adds_up() -> None:
    collected = spans(
        ("dynamo", "B", 0),
        ("backend_compile", "B", 10),
        ("inductor_compile", "B", 20),
        ("GraphLowering.run", "B", 30),
        ("GraphLowering.run", "E", 50),
        ("inductor_compile", "E", 60),
        ("backend_compile", "E", 70),
        ("dynamo", "E", 100),
    )

    times = by_stage(collected)
    assert times == {"Dynamo": 40, "backend": 20, "Inductor passes": 20, "lowering": 20}
    assert sum(times.values()) == 100


def test_overlapping_spans_of_threads_count_once() -> None:
    collected = spans(
        ("async_compile.wait", "B", 0),
        ("compile_file", "B", 10),
        ("compile_file", "B", 20),
        ("compile_file", "E", 30),
        ("async_compile.wait", "E", 40),
        ("compile_file", "E", 50),
    )

    assert by_stage(collected) == {"kernel compilation": 50}


def test_a_span_that_never_ends_lasts_until_the_last_event() -> None:
    collected = spans(("dynamo", "B", 5), ("backend_compile", "B", 10), ("gc", "B", 30))

    assert by_stage(collected) == {"Dynamo": 5, "backend": 20}


def test_time_between_compilations_is_nobodys() -> None:
    collected = spans(
        ("dynamo", "B", 0), ("dynamo", "E", 10), ("dynamo", "B", 90), ("dynamo", "E", 95)
    )

    assert by_stage(collected) == {"Dynamo": 15}


def test_the_longest_prefix_decides() -> None:
    assert stage_of("Scheduler.codegen") == "code generation"
    assert stage_of("Scheduler.__init__") == "scheduling"
    assert stage_of("mm_template_autotuning") == "autotuning"
    assert stage_of("gc") is None
