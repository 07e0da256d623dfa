"""What changed since an earlier report, and what is noise."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from inspector.benches.comparison import compared
from inspector.benches.compiled import Compiled
from inspector.benches.earlier import EarlierBench, EarlierRow, read_earlier
from inspector.benches.ratio import Ratio
from inspector.benches.rows import BenchRow, Latency
from inspector.findings.bench_changes import change_lines, comparison_title, is_worse
from inspector.model.bench import Setting, Workload

TIMES = "\N{MULTIPLICATION SIGN}"
MEDIANS = {(session, number): 1000.0 + session for session in range(3) for number in range(4)}
NOW = BenchRow(
    combination=1, workload=Workload(), setting=Setting("inductor"), inputs="float32[2]",
    latency=Latency(1000, 900, 1100, 100), faster=Ratio(1.45, 1.5, 1.55), first_ns=1,
    memory={"peak_allocated": 1000}, compiled=Compiled(1, 0, 0, 4, 10, None), medians=MEDIANS,
)  # fmt: skip
BEFORE = EarlierRow(
    label="default", faster=Ratio(1.46, 1.52, 1.58), latency_ns=1010.0, medians=MEDIANS,
    peak_bytes=1001, counts={"graphs": 1, "graph_breaks": 0, "recompiles": 0, "kernels": 4},
    is_wrong=False, failure="",
)  # fmt: skip
KEY = (json.dumps(dataclasses.asdict(Workload()), sort_keys=True), 0, "float32[2]", "", "default")
HERE = ("cpu", "2.13.0", "a processor 2")


def earlier(**other: Any) -> EarlierBench:
    row = dataclasses.replace(BEFORE, **other)
    return EarlierBench("old.json", "2026-11-20T10:00:00", *HERE, (False, False), {KEY: row})


SAME_TIMES = "times have not changed by more than noise"


def test_other_values_are_no_earlier_ones() -> None:
    now = dataclasses.replace(NOW, varies="n=2")
    found = compared([now], earlier(), HERE)
    assert not found.matched
    key = (*KEY[:3], "n=2", KEY[4])
    before = dataclasses.replace(earlier(), rows={key: BEFORE})
    assert compared([now], before, HERE).matched == 1


def said(now: BenchRow, before: EarlierBench) -> list[str]:
    found = compared([now], before, HERE)
    return [line for line, _ in change_lines(found)]


def test_what_is_within_noise_is_no_change() -> None:
    found = compared([NOW], earlier(), HERE)
    assert not found.changes
    assert not is_worse(found)
    assert "no change beyond noise in 1 combination" in comparison_title(found)


@pytest.mark.parametrize(
    ("before", "line", "worse"),
    [
        ({"faster": Ratio(2.0, 2.1, 2.2)}, f"default: 2.10{TIMES} → 1.50{TIMES}", True),
        ({"faster": Ratio(1.0, 1.1, 1.2)}, f"default: 1.10{TIMES} → 1.50{TIMES}", False),
        # One of the two intervals holds the other ratio: noise.
        ({"faster": Ratio(1.0, 2.1, 4.4)}, "", False),
        ({"peak_bytes": 500}, "default: peak 500 B → 1000 B (+100%)", True),
        ({"counts": {"graph_breaks": 2}}, "default: 2 graph breaks → 0 graph breaks", False),
        ({"counts": {"kernels": 3}}, "default: 3 kernels → 4 kernels", None),
        ({"is_wrong": True}, "default: results are right again", False),
        ({"latency_ns": None}, "default: runs again", False),
    ],
)
def test_what_changed_is_said(before: dict[str, Any], line: str, worse: bool | None) -> None:  # noqa: FBT001
    found = compared([NOW], earlier(**before), HERE)
    lines = [text for text, _ in change_lines(found)]
    assert [text[: len(line)] for text in lines[:1]] == ([line] if line else [])
    times = [] if not line or "faster" in before or "latency_ns" in before else [SAME_TIMES]
    assert lines[1:] == times
    assert is_worse(found) is (worse is True)


def test_a_failure_is_worse_and_has_its_reason() -> None:
    failed = dataclasses.replace(NOW, latency=None, failure="out of memory")
    assert said(failed, earlier()) == ["default: fails now: out of memory"]
    assert said(dataclasses.replace(NOW, inputs="float32[4]"), earlier()) == [
        "default: not measured any more"
    ]


def test_plain_times_of_one_session_are_not_compared() -> None:
    one = {(0, number): 1000.0 for number in range(4)}
    eager = dataclasses.replace(NOW, faster=None, medians=dict.fromkeys(one, 3000.0))
    found = compared([eager], earlier(faster=None, medians=one), HERE)
    assert (found.matched, found.compared, found.changes) == (1, 0, ())
    assert "no change" not in comparison_title(found)
    # One that has a ratio is compared by that.
    assert (
        compared([dataclasses.replace(NOW, medians=one)], earlier(medians=one), HERE).compared == 1
    )


def test_plain_times_are_those_of_eager_pytorch_on_the_same_machine() -> None:
    eager = dataclasses.replace(NOW, setting=Setting(), faster=None, compiled=None)
    key = (*KEY[:4], "eager")
    slow = {at: 2 * median for at, median in MEDIANS.items()}
    row = dataclasses.replace(BEFORE, label="eager", faster=None, latency_ns=2000.0, medians=slow)
    before = EarlierBench("old.json", "", *HERE, (False, False), {key: row})
    assert said(eager, before) == ["eager: 2 µs → 1 µs per call".replace("2 µs", "2.0 µs").replace(
        "1 µs", "1.0 µs")]  # fmt: skip
    other = compared([eager], before, ("NVIDIA H200", "2.13.0", ""))
    assert [change.what for change in other.changes] == []
    # Nothing is left that could be compared: that is no "no change", and passes no gate.
    assert comparison_title(other).endswith("no combination has a ratio to eager in both")
    assert is_worse(other)


OTHER_TORCH = ("cpu", "2.14.0", "a processor 2")
OTHER_DEVICE = ("NVIDIA H200", "2.13.0", "a processor 8")


def test_another_machine_is_named_with_both_and_what_is_compared_there() -> None:
    found = compared([NOW], earlier(), OTHER_TORCH)
    (note,) = (line for line, _ in change_lines(found))
    assert note == "torch: 2.14.0 now, 2.13.0 then: times are not compared, only ratios to eager"
    assert "no change beyond noise in 1 combination" in comparison_title(found)
    assert not is_worse(found)
    slower = compared([NOW], earlier(faster=Ratio(2.0, 2.1, 2.2)), OTHER_DEVICE)
    first, note = (line for line, _ in change_lines(slower))
    assert first.startswith(f"default: 2.10{TIMES} → 1.50{TIMES}")
    assert note == (
        "device: NVIDIA H200 now, cpu then; processor and threads: a processor 8 now, a processor "
        "2 then: times and memory are not compared, only ratios to eager"
    )


def test_memory_of_another_device_is_another_thing() -> None:
    assert not compared([NOW], earlier(peak_bytes=10), OTHER_DEVICE).changes
    (change,) = compared([NOW], earlier(peak_bytes=10), OTHER_TORCH).changes
    assert change.what == "memory"


def test_of_some_that_match_only_those_count_that_can_be_compared() -> None:
    eager = dataclasses.replace(NOW, combination=0, setting=Setting(), faster=None, compiled=None)
    rows = {KEY: BEFORE, (*KEY[:4], "eager"): dataclasses.replace(BEFORE, faster=None)}
    before = dataclasses.replace(earlier(), rows=rows)
    assert "in 1 combination" in comparison_title(compared([eager, NOW], before, OTHER_TORCH))
    assert "in 2 combinations" in comparison_title(compared([eager, NOW], before, HERE))


def test_what_cannot_be_compared_passes_no_gate() -> None:
    other = compared([dataclasses.replace(NOW, inputs="float32[4]")], earlier(), HERE)
    assert "no combination in common" in comparison_title(other)
    assert is_worse(other)

    of_another = dataclasses.replace(earlier(), target="old/other.py")
    found = compared([NOW], of_another, HERE, "model.py")
    assert [line for line, _ in change_lines(found)] == [
        "of another model (old/other.py, not model.py)"
    ]
    assert is_worse(found)
    moved = compared(
        [NOW], dataclasses.replace(of_another, target="old/model.py"), HERE, "model.py"
    )
    assert not is_worse(moved)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "profile", "format_version": 1}'])
def test_what_is_no_bench_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no report of `inspect bench`"):
        read_earlier("old.json", text)
