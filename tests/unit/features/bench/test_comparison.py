"""What changed since an earlier report, and what is noise."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from inspector.features.bench.comparison import (
    BenchComparison,
    EarlierBench,
    EarlierRow,
    compared,
    read_earlier,
)
from inspector.features.bench.compiled import Compiled
from inspector.features.bench.page import change_lines, comparison_title
from inspector.features.bench.ratio import Ratio
from inspector.features.bench.rows import BenchRow, Latency
from inspector.shared.bench import Setting, Workload

TIMES = "\N{MULTIPLICATION SIGN}"
NOW = BenchRow(
    combination=1, workload=Workload(), setting=Setting("inductor"), inputs="float32[2]",
    latency=Latency(1000, 900, 1100, 100), faster=Ratio(1.45, 1.5, 1.55), first_ns=1,
    memory={"peak_allocated": 1000}, compiled=Compiled(1, 0, 0, 4, 10, None),
)  # fmt: skip
BEFORE = EarlierRow(
    faster=Ratio(1.46, 1.52, 1.58), is_measured=True, peak_bytes=1001,
    counts={"graphs": 1, "graph_breaks": 0, "recompiles": 0, "kernels": 4}, is_wrong=False,
)  # fmt: skip
KEY = (json.dumps(dataclasses.asdict(Workload()), sort_keys=True), 0, "float32[2]", "", "default")


def earlier(**other: Any) -> EarlierBench:
    rows = {KEY: dataclasses.replace(BEFORE, **other)}
    started = "2026-11-20T10:00:00"
    return EarlierBench("old.json", started, "cpu", "2.13.0", (False, False), "a/model.py", rows)


def against(
    before: EarlierBench, now: BenchRow = NOW, device: str = "cpu", target: str = "model.py"
) -> BenchComparison:
    return compared([now], before, device, target)


def said(before: EarlierBench, now: BenchRow = NOW) -> list[str]:
    return [line for line, _ in change_lines(against(before, now))]


@pytest.mark.parametrize(
    ("before", "lines", "worse"),
    [
        ({}, [], False),
        ({"faster": Ratio(2.0, 2.1, 2.2)}, [f"2.10{TIMES} → 1.50{TIMES} speedup"], True),
        ({"faster": Ratio(1.0, 1.1, 1.2)}, [f"1.10{TIMES} → 1.50{TIMES} speedup"], False),
        # One of the two intervals holds the other ratio: noise.
        ({"faster": Ratio(1.0, 2.1, 4.4)}, [], False),
        ({"peak_bytes": 500}, ["peak 500 B → 1000 B (+100%)"], True),
        ({"counts": {"graph_breaks": 2}}, ["2 graph breaks → 0 graph breaks"], False),
        ({"counts": {"kernels": 3}}, ["3 kernels → 4 kernels"], False),
        ({"is_wrong": True}, ["results are correct again"], False),
        ({"is_measured": False}, ["runs again"], False),
    ],
)
def test_what_changed_is_said(before: dict[str, Any], lines: list[str], *, worse: bool) -> None:
    assert said(earlier(**before)) == [f"default: {line}" for line in lines]
    assert against(earlier(**before)).is_worse is worse


def test_a_failure_is_worse_and_memory_of_another_device_another_thing() -> None:
    failed = dataclasses.replace(NOW, latency=None, failure="out of memory")
    assert said(earlier(), failed) == ["default: fails now: out of memory"]
    assert against(earlier(), failed).is_worse
    found = against(earlier(peak_bytes=10), device="NVIDIA H200")
    assert list(change_lines(found)) == [("memory is not compared between devices", None)]


def test_what_cannot_be_compared_passes_no_gate() -> None:
    other = dataclasses.replace(NOW, inputs="float32[4]")
    assert said(earlier(), other) == ["default: no longer measured"]
    assert "no combination has a speedup over eager in both reports" in comparison_title(
        against(earlier(), other)
    )
    assert against(earlier(), other).is_worse
    found = against(earlier(), target="other.py")
    assert [line for line, _ in change_lines(found)] == [
        "the earlier report is for another model (a/model.py, not other.py)"
    ]
    assert found.is_worse


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "profile", "format_version": 1}'])
def test_what_is_no_bench_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a JSON report of `inspect bench`"):
        read_earlier("old.json", text)
