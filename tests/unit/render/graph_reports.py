"""Reports on graphs: of a recorded step of training, and made by hand with names of any kind."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.features.graph.drawing.options import around
from inspector.features.graph.fusion import Fusion
from inspector.features.graph.not_fused import unfused_pairs
from inspector.features.graph.report import (
    FUSION,
    GraphReport,
    make_graph_report,
    with_line,
    with_operators,
)
from inspector.records.fusion import Apart, Buffer, Uses
from inspector.run.graph import Graph, Stage
from inspector.run.sources.recording import opened, read_run
from inspector.shared.gpu_table import find_gpu
from inspector.shared.stack import StackFrame
from tests.unit.fusions import SIZE, Kernel, fusion, graph, line, node, tensor
from tests.unit.render import runs

Names = Callable[[str], str]
SAMPLE = Path(__file__).parents[3] / "samples/transformer_block/h200-graphs-training.zip"


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


def row(named: Names = str, frame: StackFrame | None = None) -> Fusion:
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
    return dataclasses.replace(found, pairs=tuple(unfused_pairs(found)))


def fused(**changes: Any) -> GraphReport:
    made = GraphReport(
        run=runs.run_of(runs.process_of()),
        gpu=find_gpu("h200"),
        stage=FUSION,
        graphs=(),
        fusions=(row(),),
        notices=("a notice",),
    )
    return dataclasses.replace(made, **changes)


def whole(**changes: Any) -> GraphReport:
    return fused(**{"stage": "", "graphs": stages(), **changes})


def _recorded(stage: str) -> GraphReport:
    with opened(SAMPLE) as recording:
        return make_graph_report(read_run(recording), stage)


def recorded_fusion() -> GraphReport:
    return _recorded(FUSION)


def recorded_stage() -> GraphReport:
    report = _recorded("forward")
    part = tuple(around(item, "erf", 2) for item in report.graphs)
    return dataclasses.replace(report, graphs=part)


def by_operators() -> GraphReport:
    return with_operators(_recorded(""))


def at_line() -> GraphReport:
    return with_line(_recorded(""), "model.py", 20)


def nowhere() -> GraphReport:
    return with_line(_recorded(""), "model.py", 1)
