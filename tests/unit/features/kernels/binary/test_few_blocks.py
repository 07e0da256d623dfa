"""Kernels with few blocks, and reductions in two kernels."""

from __future__ import annotations

import dataclasses

from inspector.features.kernels.kernel_findings import kernel_findings
from inspector.features.kernels.rules.kernel_few_blocks import RULE
from inspector.report.finding import Place
from inspector.run.kernel_analysis import ConfigAnalysis
from inspector.run.kernel_facts import Bound, ConfigFacts, KernelFacts, Prediction
from inspector.shared.kernel_build import ConfigBuild, KernelBuild
from tests.builds_fixture import H200

CONFIG = ConfigBuild((("XBLOCK", 1),), 4, 1)


def _kernel(bound: Bound, blocks: int, **changes: object) -> KernelFacts:
    build = KernelBuild("triton_red_fused_x_0", "", heuristic="reduction")
    prediction = Prediction(1_800_000, bound, blocks=blocks, spread_ns=24_000)
    facts = KernelFacts(build, (ConfigFacts(CONFIG, ConfigAnalysis(None), prediction),), H200)
    return dataclasses.replace(facts, **changes)  # type: ignore[arg-type]


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
