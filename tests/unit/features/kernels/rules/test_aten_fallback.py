"""Operators that Inductor leaves to eager PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.features.kernels.kernel_findings import code_findings
from inspector.features.kernels.rules.aten_fallback import RULE
from inspector.run.kernel import Call, GraphCode, NodeLine
from inspector.run.run import Run
from tests.unit import logs

LINE = NodeLine("topk", "/p/model.py", 8, "x.topk(5)")


def graph(*calls: Call, alternative: str = "") -> GraphCode:
    return GraphCode("0/0", "inference", "", (), calls, alternative=alternative)


def call(name: str, kind: str = "aten", line: NodeLine = LINE) -> Call:
    return Call(kind, name, 3, nodes=(line,))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return logs.run_of(tmp_path, logs.graph())


@pytest.mark.parametrize(
    ("name", "message", "fix"),
    [
        ("aten.topk.default", "aten.topk falls back to eager PyTorch", "amax"),
        ("aten.sort.stable", "aten.sort.stable falls back to eager PyTorch", "torch.topk"),
        ("aten._fft_r2c.default", "aten._fft_r2c falls back to eager PyTorch", "complex"),
        ("aten.scatter_reduce_.two", "aten.scatter_reduce_.two falls back to eager PyTorch", "sum"),
        ("aten._embedding_bag.default", "aten._embedding_bag falls back to eager PyTorch", "bags"),
        ("aten.index_put_.default", "aten.index_put_ falls back to eager PyTorch", "index_add"),
        ("aten.frexp.Tensor", "aten.frexp.Tensor falls back to eager PyTorch", "neighbors"),
        (
            "mine.flash_attention.default",
            "mine.flash_attention is a custom operator, called as is",
            "triton_op",
        ),
    ],
)
def test_what_is_left_to_eager(run: Run, name: str, message: str, fix: str) -> None:
    (finding,) = code_findings(run, [graph(call(name))], [RULE])
    assert finding.message == message
    assert fix in finding.fix
    assert finding.place.line == 8


@pytest.mark.parametrize(
    "other",
    [
        call("aten._scaled_dot_product_flash_attention.default"),
        call("aten.convolution_backward.default"),
        call("aten._scaled_mm.default"),
        call("_c10d_functional.all_reduce_.default"),
        call("mm", "extern"),
        call("aten.randint.low_out"),  # the seeds of dropout
        call("triton_poi_fused_0", "kernel"),
    ],
)
def test_kernels_of_libraries_are_meant(run: Run, other: Call) -> None:
    assert code_findings(run, [graph(other)], [RULE]) == []


def test_one_finding_for_an_operator_and_line(run: Run) -> None:
    elsewhere = NodeLine("topk_1", "/p/model.py", 9, "y.topk(5)")
    twice = graph(call("aten.topk.default"), call("aten.topk.default"))
    others = graph(call("aten.topk.default", line=elsewhere))
    not_taken = graph(call("aten.sort.default"), alternative="padded")
    first, second = code_findings(run, [twice, others, not_taken], [RULE])
    assert first.notes == ("it is called 2 times",)
    assert (second.place.line, second.notes) == (9, ())
    (unplaced,) = code_findings(run, [graph(call("aten.topk.default", line=NodeLine("t")))], [RULE])
    assert unplaced.place.line == 0
