"""Reports on graphs, made by hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from inspector.features.graph.not_fused import unfused_pairs
from inspector.features.graph.report import (
    FUSION,
    FusionRow,
    GraphReport,
    with_line,
    with_operators,
)
from inspector.records.fusion import Apart, Buffer, Uses
from inspector.run.graph import Graph, Stage
from inspector.shared.gpu_table import find_gpu
from inspector.shared.stack import StackFrame
from tests.unit.fusions import SIZE, Kernel, fusion, graph, line, node, tensor
from tests.unit.render import runs

Names = Callable[[str], str]


def stages(named: Names = str, frame: StackFrame | None = None) -> tuple[Graph, ...]:
    """A captured graph, and what it was lowered to."""
    at = line(31, "return self.head(gelu(x))") if frame is None else frame
    modules = ((named("head"), named("Head")),)
    x = node(named("x"), "")
    captured = graph(
        x,
        node(named("h"), "torch._C._nn.gelu", named("x"), stack=(line(7, "model(x)"), at)),
        node(named("y"), "torch._C._nn.linear", named("h"), stack=(at,), modules=modules),
        stage=Stage.DYNAMO,
        direction="",
    )
    lowered = graph(
        x,
        node(named("erf"), "aten.erf.default", named("x"), stack=(at,), earlier=(named("h"),),
             aten="aten.gelu.default"),
        node(named("mul"), "aten.mul.Tensor", named("erf"), stack=(at,), is_saved=True,
             earlier=(named("h"),), aten="aten.gelu.default"),
        node(named("mm"), "aten.mm.default", named("mul"), stack=(at,), modules=modules,
             flops=2_000_000_000, earlier=(named("y"),), aten="aten.mm.default"),
        node(named("out"), "aten.neg.default", named("mul"), tensors=(tensor("s0"),)),
        node(named("cond"), "torch.ops.higher_order.cond",
             inside=(node(named("inner"), "aten.sin.default", named("x")),)),
    )  # fmt: skip
    return captured, dataclasses.replace(lowered, stage=Stage.FORWARD, direction=""), lowered


def row(named: Names = str, frame: StackFrame | None = None) -> FusionRow:
    lowered = stages(named, frame)[-1]
    found = fusion(
        lowered,
        Kernel(named("triton_poi_0"), (named("erf"), named("mul")), {named("x"): SIZE},
               {named("buf0"): SIZE}),
        Kernel(named("aten.mm.out"), (named("mm"),), {named("buf0"): SIZE},
               {named("buf1"): SIZE}, "extern"),
        Kernel(named("triton_red_1"), (named("mul"), named("out")), {named("buf0"): SIZE},
               {named("buf2"): 0}, "reduction", bytes_=None),
        Kernel(named("triton_red_2"), (named("mul"),), {named("buf0"): SIZE},
               {named("buf3"): 8}, "reduction"),
        buffers=(
            Buffer(named("buf0"), "intermediate", dtype="float32", shape=(8, 64), stride=(64, 1),
                   device="cuda:0", origin=named("mul")),
            Buffer(named("buf2"), "output", shape=("s0",)),
        ),
        apart=(
            Apart(0, 2, "no shared data", (), (Uses(named("buf0"), "order", "d0", "d1"),)),
            Apart(0, 3, named("new in torch %s"), ("9.9",)),
        ),
    )  # fmt: skip
    return FusionRow(found, tuple(unfused_pairs(found)))


def fused(**changes: Any) -> GraphReport:
    made = GraphReport(
        run=runs.run_of(runs.process_of()),
        gpu=find_gpu("h200"),
        stage=FUSION,
        graphs=(),
        rows=(row(),),
        notices=("a notice",),
    )
    return dataclasses.replace(made, **changes)


def whole(**changes: Any) -> GraphReport:
    return fused(**{"stage": "", "graphs": stages(), **changes})


def staged() -> GraphReport:
    return fused(stage="dynamo", rows=(), graphs=stages()[:1], gpu=None, notices=())


def by_operators() -> GraphReport:
    return with_operators(whole())


def at_line() -> GraphReport:
    return with_line(whole(), "model.py", 31)


def nowhere() -> GraphReport:
    return with_line(whole(), "model.py", 99)


def matching() -> GraphReport:
    return dataclasses.replace(staged(), part=("--around", "GELU"))


def elsewhere() -> GraphReport:
    return with_line(whole(), "other.py", 3)


def caller() -> GraphReport:
    return with_line(whole(), "model.py", 7)


def kinds() -> GraphReport:
    """Equal kernels, a kernel that keeps a tensor to itself, and each kind of call."""
    targets = {
        "mine.scale.default": "fallback",
        "aten.sort.default": "fallback",
        "_c10d_functional.all_reduce.default": "fallback",
        "triton_kernel_wrapper": "user_kernel",
    }
    equal = [node(f"n{n}", "aten.neg.default", "x", at=4) for n in range(5)]
    kept = [node("neg", "aten.neg.default", "x"), node("abs", "aten.abs.default", "neg")]
    calls = [node(f"c{n}", target, "x") for n, target in enumerate(targets)]
    found = fusion(
        graph(node("x", ""), *equal, *kept, *calls),
        *(Kernel("k", (f"n{n}",), {"x": SIZE}, {f"b{n}": SIZE}) for n in range(3)),
        Kernel("k", ("n3",), {"x": SIZE}, {"b3": 4 * SIZE}),
        Kernel("k", ("n4",), {"x": SIZE}, {"b4": SIZE}, bytes_=2 * SIZE - 1),
        Kernel("k5", ("neg", "abs"), {"x": SIZE}, {"b5": SIZE}),
        *(Kernel(target, (f"c{n}",), {"x": SIZE}, {f"d{n}": SIZE}, kind)
          for n, (target, kind) in enumerate(targets.items())),
    )  # fmt: skip
    return fused(rows=(FusionRow(found, ()),))


def empty() -> GraphReport:
    run = runs.run_of(partial="it was ended.", error="ValueError: no", target="")
    return fused(run=run, rows=(), gpu=None, notices=("nothing was fused", "nor lowered"))
