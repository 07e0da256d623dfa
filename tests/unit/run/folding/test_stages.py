"""Compile time by stage."""

import gzip
import re
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies

from inspector.run.folding.spans import Spans
from inspector.trace.timing import ChromiumEvent
from tests.unit.logs import run_of

DATA = Path(__file__).parents[2] / "data"


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
    assert times == {"unattributed": 40, "backend": 20, "Inductor passes": 20, "lowering": 20}
    assert sum(times.values()) == 100


def test_a_span_that_never_ends_lasts_until_the_last_event() -> None:
    collected = spans(("dynamo", "B", 5), ("backend_compile", "B", 10), ("gc", "B", 30))

    assert by_stage(collected) == {"unattributed": 5, "backend": 20}


def by_compilation(collected: Spans) -> dict[tuple[str, int, bool], int]:
    return {
        (item.compile_id, item.occurrence, item.is_backward): item.time_ns
        for item in collected.compilations()
    }


def compiled(collected: Spans, *events: tuple[str, str, int, str]) -> Spans:
    for name, phase, time_ns, compile_id in events:
        collected.add(ChromiumEvent(name, phase, time_ns, 0, compile_id))
    return collected


def test_a_backward_half_is_told_apart_from_its_forward() -> None:
    collected = compiled(
        Spans(),
        ("dynamo", "B", 0, "0/0"),
        ("dynamo", "E", 50, "0/0"),
        ("entire_backward_compile", "B", 100, "0/0"),
        ("GraphLowering.run", "B", 110, "0/0"),
        ("GraphLowering.run", "E", 120, "0/0"),
        ("entire_backward_compile", "E", 130, "0/0"),
    )

    assert by_compilation(collected) == {("0/0", 0, False): 50, ("0/0", 0, True): 30}


def test_after_a_reset_the_same_id_is_another_compilation() -> None:
    collected = spans(
        ("dynamo", "B", 0), ("dynamo", "E", 10), ("dynamo", "B", 20), ("dynamo", "E", 25)
    )

    assert by_compilation(collected) == {("0/0", 0, False): 10, ("0/0", 1, False): 5}


def test_spans_that_never_end_cost_no_memory_and_no_time() -> None:
    collected = Spans()
    collected.add(ChromiumEvent("dynamo", "B", 0, 0, "0/0"))
    for number in range(60_000):
        collected.add(ChromiumEvent("bytecode_tracing", "B", 10 * number, 0, "0/0"))
        collected.add(ChromiumEvent("bytecode_tracing", "E", 10 * number + 4, 0, "0/0"))

    assert by_stage(collected) == {"unattributed": 359_994, "Dynamo": 240_000}
    assert len(collected._pending) < 20_000


@hypothesis.given(
    strategies.lists(
        strategies.tuples(
            strategies.sampled_from(["dynamo", "backend_compile", "compile_file", "pass.x", "gc"]),
            strategies.sampled_from("BE"),
            strategies.integers(0, 200),
            strategies.sampled_from(["0/0", "0/1", ""]),
        ),
        max_size=60,
    )
)
def test_whatever_a_log_holds_the_times_add_up(events: list[tuple[str, str, int, str]]) -> None:
    collected = compiled(Spans(), *events)
    total = sum(by_stage(collected).values())

    assert sum(by_compilation(collected).values()) == total
    assert 0 <= total <= 200
    assert all(item.time_ns > 0 for item in collected.stages())


@pytest.mark.parametrize("name", ["compile_attempt_0", "build_guards", "backend_compile"])
def test_a_lost_end_moves_no_more_than_the_span_around_it(tmp_path: Path, name: str) -> None:
    log = gzip.decompress((DATA / "older_torch" / "2.8.0.log.gz").read_bytes())
    records = re.split(rb"^(?=[VIWEC]\d{4} )", log, flags=re.MULTILINE)
    ends = [
        number
        for number, text in enumerate(records)
        if f'"name": "{name}",'.encode() in text and b'"ph": "E"' in text
    ]
    whole = run_of(tmp_path, *records).processes[0]
    del records[ends[3]]
    lost = run_of(tmp_path, *records).processes[0]
    before, after = ({item.stage: item.time_ns for item in each.stages} for each in (whole, lost))

    assert (whole.lost_ends, lost.lost_ends) == (0, 1)
    assert lost.compile_time_ns == pytest.approx(whole.compile_time_ns, rel=0.005)
    for stage, time_ns in before.items():
        assert abs(after[stage] - time_ns) < 0.02 * whole.compile_time_ns
