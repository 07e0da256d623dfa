"""What ``inspect bench --fail-on`` fails on."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.features.bench.gate import bench_gate
from inspector.features.bench.ratio import Ratio
from inspector.features.bench.rows import INTERRUPTED, BenchRow, Latency
from inspector.shared.bench import Setting, Workload

TIME = Latency(1e6, 1e6, 1e6, 9)
FASTER, SAME, SLOWER = Ratio(1.9, 2.0, 2.1), Ratio(0.9, 0.95, 1.1), Ratio(0.4, 0.5, 0.6)


def row(**given: Any) -> BenchRow:
    known: dict[str, Any] = {
        "workload": Workload(), "setting": Setting("inductor"), "latency": TIME, "faster": FASTER,
    }  # fmt: skip
    return BenchRow(0, **{**known, **given})


EAGER = row(setting=Setting(), faster=None)


@pytest.mark.parametrize(
    ("given", "asked", "verdict"),
    [
        ({}, ("wrong", "slower"), "passed: nothing is wrong or slower"),
        ({"wrong": ("output of input 1",)}, ("wrong",), "failed: wrong: default"),
        ({"wrong": ("output of input 1",)}, ("slower",), "passed: nothing is slower"),
        ({"faster": SLOWER}, ("slower",), "failed: slower: default"),
        ({"faster": SLOWER}, ("wrong",), "passed: nothing is wrong"),
        ({"faster": SAME}, ("slower",), "passed: nothing is slower"),
        ({"faster": None}, ("slower",), "passed: nothing is slower"),
        ({"latency": None, "failure": "it crashed"}, ("wrong",), "failed: not measured: default"),
        ({"latency": None, "failure": INTERRUPTED}, ("wrong",), "failed: not measured: default"),
        ({"failure": "it crashed later"}, ("slower",), "failed: not measured: default"),
        (
            {"faster": SLOWER, "wrong": ("x",), "workload": Workload(batch=4)},
            ("slower", "wrong"),
            "failed: slower: default · batch 4; wrong: default · batch 4",
        ),
    ],
)
def test_what_was_asked_for_fails_and_what_was_not_measured(
    given: dict[str, Any], asked: tuple[str, ...], verdict: str
) -> None:
    found = bench_gate([("", [EAGER, row(**given)])], asked)
    is_passed = verdict.startswith("passed")
    assert found == (is_passed, f"{verdict} (--fail-on {','.join(asked)})")


def test_inputs_are_counted_and_models_are_named() -> None:
    wrong = row(wrong=("output of input 2",))
    rows = [EAGER, row(), wrong, row(setting=Setting("aot_eager"))]
    _, verdict = bench_gate([("a.py", rows), ("b.py", [])], ("wrong",))
    said = "wrong: a.py: default (1 of 2 inputs); not measured: b.py"
    assert verdict == f"failed: {said} (--fail-on wrong)"
