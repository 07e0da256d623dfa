"""Libraries that are called again with the same arguments."""

from __future__ import annotations

from pathlib import Path

from inspector.features.breaks.rules.repeated_call import RULE
from inspector.features.kernels.kernel_findings import code_findings
from inspector.run.kernel import Call, GraphCode, NodeLine
from tests.unit import logs

LINE = NodeLine("linear", "/p/model.py", 14, "g = self.gate(x)")


def test_repeats_of_a_line_are_one_finding(tmp_path: Path) -> None:
    calls = (
        Call("extern", "addmm", 3, nodes=(LINE,)),
        Call("extern", "addmm", 5, nodes=(LINE,), repeats=3),
        Call("extern", "addmm", 7, nodes=(LINE,), repeats=3),
        Call("kernel", "triton_poi_fused_zeros_0", 9, nodes=(LINE,), repeats=8),
    )
    run = logs.run_of(tmp_path, logs.graph())
    (found,) = code_findings(run, [GraphCode("0/0", "inference", "", (), calls)], [RULE])

    assert (found.rule, found.place.line) == ("repeated-call", 14)
    assert found.message == "addmm repeats an earlier call"
    assert found.notes == ("it is called 2 times",)
