"""Kernels with few blocks, and reductions in two kernels."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.kernels.binary.predict import predict
from inspector.features.kernels.kernel_findings import kernel_findings
from inspector.features.kernels.rules.kernel_few_blocks import RULE
from inspector.features.kernels.rules.kernel_split_reduction import RULE as SPLIT
from inspector.report.finding import Finding, Place
from inspector.run.kernel_analysis import ConfigAnalysis
from inspector.run.kernel_facts import ConfigFacts, KernelFacts
from inspector.run.kernel_prediction import Bound, Prediction
from inspector.shared.kernel_build import ConfigBuild, KernelBuild
from tests.builds_fixture import H200, recorded_pairs

CONFIG = ConfigBuild((("XBLOCK", 1),), 4, 1)


def _kernel(bound: Bound, blocks: int, **changes: object) -> KernelFacts:
    build = KernelBuild("triton_red_fused_x_0", "", heuristic="reduction")
    prediction = Prediction(1_800_000, bound, blocks=blocks, spread_ns=24_000)
    facts = KernelFacts(build, (ConfigFacts(CONFIG, ConfigAnalysis(None), prediction),), H200)
    return dataclasses.replace(facts, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("blocks", [1, 4])
def test_few_blocks_are_the_bound_and_many_would_be_faster(blocks: int) -> None:
    _, build, texts = next(pair for pair in recorded_pairs() if pair[0]["module"] == "sum_rows")
    few = dataclasses.replace(build.configs[0], grid=(blocks, 1, 1))
    # A block has one short row: on a slow GPU it takes long enough to matter.
    clock_hz = H200.clock_hz // 1000
    slow = dataclasses.replace(H200, bandwidth=H200.bandwidth / 1000, clock_hz=clock_hz)
    found = predict(texts[0], few, slow)
    assert (found.bound, found.blocks) == (Bound.BLOCKS, blocks)
    assert found.time_ns is not None
    assert found.spread_ns is not None
    assert found.time_ns > 2 * found.spread_ns
    many = predict(texts[0], build.configs[0], H200)
    assert many.bound is Bound.MEMORY
    assert many.spread_ns == many.time_ns


def test_what_to_do_depends_on_what_is_reduced_and_by_whom() -> None:
    def said(kernel: KernelFacts) -> str:
        (finding,) = kernel_findings([kernel], lambda _: Place(), [RULE])
        assert finding.cost is not None
        assert finding.cost.cost_ns == 1_776_000
        return f"{finding.why} {finding.fix}"

    assert "rows.min(-1)" in said(_kernel(Bound.BLOCKS, 1, aten=("aten.argmin",)))
    assert "8 of 132 multiprocessors are busy;" in said(_kernel(Bound.BLOCKS, 8))
    assert "larger grid" in said(_kernel(Bound.BLOCKS, 1, is_users=True))
    scan = KernelBuild("triton_spl_fused_x_0", "", heuristic="scan")
    assert "larger batch" in said(_kernel(Bound.BLOCKS, 1, build=scan))
    assert list(RULE.check(_kernel(Bound.COMPUTE, 1))) == []


def _reduction(name: str, heuristic: str, rows: int, time_ns: int) -> KernelFacts:
    hints = (("x", rows), ("r0_", 1024))
    build = KernelBuild(name, "", heuristic=heuristic, size_hints=hints)
    prediction = Prediction(time_ns, Bound.MEMORY)
    return KernelFacts(build, (ConfigFacts(CONFIG, ConfigAnalysis(None), prediction),))


def _split(*kernels: KernelFacts) -> list[Finding]:
    return kernel_findings(kernels, lambda _: Place(), rules_of_all=[SPLIT])


FIRST = _reduction("triton_red_fused_sum_0", "reduction", 512, 6_000)
SECOND = _reduction("triton_per_fused_sum_1", "persistent_reduction", 1, 1_300)


def test_the_second_part_counts_where_the_first_is_short() -> None:
    (finding,) = _split(FIRST, SECOND)
    assert "triton_per_fused_sum_1" in finding.message
    assert "18%" in finding.why
    assert finding.cost is not None
    assert finding.cost.cost_ns == 1_300


@pytest.mark.parametrize("time_ns", [60_000, 2_000])
def test_it_does_not_count_where_the_first_is_long_or_both_are_short(time_ns: int) -> None:
    first = _reduction("triton_red_fused_sum_0", "reduction", 512, time_ns)
    assert _split(first, SECOND) == []


def test_kernels_of_other_operators_are_no_parts_of_one() -> None:
    other = _reduction("triton_per_fused_mean_1", "persistent_reduction", 1, 1_300)
    assert _split(FIRST, other) == []
    between = dataclasses.replace(FIRST)
    assert len(_split(FIRST, between, SECOND)) == 1
    assert _split(SECOND, FIRST) == []
