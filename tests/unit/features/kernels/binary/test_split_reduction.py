"""Reductions in two kernels."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.kernels.kernel_findings import kernel_findings
from inspector.features.kernels.rules.kernel_split_reduction import RULE
from inspector.report.finding import Finding, Place
from inspector.run.kernel_analysis import ConfigAnalysis
from inspector.run.kernel_facts import ConfigFacts, KernelFacts
from inspector.run.kernel_prediction import Bound, Prediction
from inspector.shared.kernel_build import ConfigBuild, KernelBuild


def _kernel(name: str, heuristic: str, rows: int, time_ns: int) -> KernelFacts:
    build = KernelBuild(name, "", heuristic=heuristic, size_hints=(("x", rows), ("r0_", 1024)))
    config = ConfigBuild((("XBLOCK", 1),), 4, 1)
    prediction = Prediction(time_ns, Bound.MEMORY)
    return KernelFacts(build, (ConfigFacts(config, ConfigAnalysis(None), prediction),))


def _found(*kernels: KernelFacts) -> list[Finding]:
    return kernel_findings(kernels, lambda _: Place(), rules_of_all=[RULE])


FIRST = _kernel("triton_red_fused_sum_0", "reduction", 512, 6_000)
SECOND = _kernel("triton_per_fused_sum_1", "persistent_reduction", 1, 1_300)


def test_the_second_part_counts_where_the_first_is_short() -> None:
    (finding,) = _found(FIRST, SECOND)
    assert "triton_per_fused_sum_1" in finding.message
    assert "18%" in finding.why
    assert finding.cost is not None
    assert finding.cost.cost_ns == 1_300


@pytest.mark.parametrize("time_ns", [60_000, 2_000])
def test_it_does_not_count_where_the_first_is_long_or_both_are_short(time_ns: int) -> None:
    first = _kernel("triton_red_fused_sum_0", "reduction", 512, time_ns)
    assert _found(first, SECOND) == []


def test_kernels_of_other_operators_are_no_parts_of_one() -> None:
    other = _kernel("triton_per_fused_mean_1", "persistent_reduction", 1, 1_300)
    assert _found(FIRST, other) == []
    between = dataclasses.replace(FIRST)
    assert len(_found(FIRST, between, SECOND)) == 1
    assert _found(SECOND, FIRST) == []
