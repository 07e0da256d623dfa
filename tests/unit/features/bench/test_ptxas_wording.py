"""Where torch and Triton bring assemblers of different versions, bench says what that costs."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.bench.report import make_bench_report
from inspector.shared.bench import BenchPlan, Combination, Setting, Workload
from tests.unit.render import runs

TWO = {"torch": "13.0.88", "triton": "12.8.93"}


@pytest.mark.parametrize(
    ("mode", "ptxas", "is_said"),
    [
        ("max-autotune", TWO, True),
        ("max-autotune-no-cudagraphs", TWO, True),
        ("reduce-overhead", TWO, False),
        (None, TWO, False),
        ("max-autotune", {}, False),
        ("max-autotune", "garbled", False),
    ],
)
def test_only_what_is_tuned_is_compiled_twice(
    mode: str | None, ptxas: object, *, is_said: bool
) -> None:
    process = dataclasses.replace(runs.process_of(), hardware={"ptxas": ptxas})
    combination = Combination(Workload(), Setting("inductor", mode))
    report = make_bench_report(BenchPlan("m.py", (combination,), 1), runs.run_of(process), ())
    said = " ".join(report.notices)
    assert ("torch's ptxas (13.0.88)" in said) is is_said
    assert ("Set TRITON_PTXAS_PATH" in said) is is_said
