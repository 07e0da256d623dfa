"""Reports on graphs, made by hand, in every format."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
from rich.cells import cell_len

from inspector import plugins
from inspector.events.fusion import Apart, Buffer, Uses
from inspector.findings.graph_report import (
    FUSION,
    FusionRow,
    GraphReport,
    with_line,
    with_operators,
)
from inspector.findings.graph_wording import TIMES
from inspector.graphs.not_fused import kept_apart
from inspector.graphs.reasons import Kind
from inspector.model.gpu_table import find_gpu
from inspector.model.graph import Graph, Stage
from inspector.model.stack import StackFrame
from tests.unit.fusions import SIZE, Kernel, fusion, graph, line, node, tensor
from tests.unit.renderers import hostile, runs

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / "docs" / "schema" / "graph-1.schema.json").read_text("utf-8"))
WIDTH = 80

Names = Callable[[str], str]


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


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
        node(named("cond"), "torch.ops.higher_order.cond", nested=(named("inner"),)),
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
    return FusionRow(found, tuple(kept_apart(found)))


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


def empty() -> GraphReport:
    run = runs.run_of(partial="it was ended.", error="ValueError: no", target="")
    return fused(run=run, rows=(), gpu=None, notices=("nothing was fused", "nor lowered"))


def rendered(report: GraphReport, name: str) -> str:
    stream = io.StringIO()
    plugins.load_renderer(name).render(report, stream)
    return stream.getvalue()


def as_json(report: GraphReport) -> Any:
    found = json.loads(rendered(report, "json"))
    jsonschema.validate(found, SCHEMA)
    return found


REPORTS = [fused, whole, staged, by_operators, at_line, nowhere, empty]


@pytest.mark.parametrize("make", REPORTS)
def test_json_follows_the_schema(make: Callable[[], GraphReport]) -> None:
    found = as_json(make())
    assert (found["format_version"], found["kind"]) == (1, "graph")


def test_the_schema_is_one_and_describes_itself() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for part in objects(SCHEMA):
        assert part["additionalProperties"] is not True
        if "properties" in part:
            assert sorted(part["required"]) == sorted(part["properties"])


def test_the_schema_knows_all_kinds_of_reasons() -> None:
    kinds = SCHEMA["$defs"]["pair"]["properties"]["kind"]["enum"]
    assert set(kinds) == {*get_args(Kind), None}


def objects(schema: Any) -> list[dict[str, Any]]:
    """The objects in a schema that say which fields they have."""
    inner = schema.values() if isinstance(schema, dict) else schema
    found = [part for item in inner if isinstance(item, dict | list) for part in objects(item)]
    is_one = isinstance(schema, dict) and "additionalProperties" in schema
    return [schema, *found] if is_one else found


@pytest.mark.parametrize("make", REPORTS)
@pytest.mark.parametrize("name", ["terminal", "markdown"])
def test_lines_end_and_fit(make: Callable[[], GraphReport], name: str) -> None:
    text = rendered(make(), name)
    assert text.endswith("\n")
    assert "\n\n\n" not in text
    if name == "terminal":
        assert max(map(cell_len, text.splitlines())) <= WIDTH


def test_kernels_have_operators_traffic_lines_and_reasons() -> None:
    text = " ".join(rendered(fused(), "terminal").split())
    for part in (
        "0/0 forward: 4 operators in 3 kernels and 1 call of a library",
        "how many bytes it reads and writes is not known",
        "triton_poi_0 pointwise · 2 operators of gelu · 4.0 KiB instead of 8.0 KiB",
        "1 tensor of 2.0 KiB never in memory",
        "model.py:31 return self.head(gelu(x))",
        "aten.mm.out call of a library · 1 operator of mm · 4.0 KiB",
        "1 operator of neg, and 1 of other kernels",
        "a part of gelu, or its values again",
        "2.0 KiB: `gelu` (model.py:31) and `gelu, neg`",
        "`gelu` (model.py:31) and `gelu, neg` go over `mul` (8 by 64) in different orders: d0; d1.",
        "change: Put a transpose",
        "Torch says: new in torch 9.9.",
        "Torch gives no reason.",
        "pairs with calls of libraries",
        "note: a notice",
        "next: inspect graph --stage fusion -o fusion.svg",
    ):
        assert part in text


def test_equal_kernels_of_equal_layers_are_one() -> None:
    nodes = [node("x", ""), *(node(f"n{n}", "aten.neg.default", "x", at=4) for n in range(3))]
    kernels = (Kernel("k", (f"n{n}",), {"x": SIZE}, {f"b{n}": SIZE}) for n in range(3))
    text = rendered(fused(rows=(FusionRow(fusion(graph(*nodes), *kernels), ()),)), "terminal")
    assert f"3{TIMES} k\n" in text
    assert "pointwise · 1 operator of neg · 4.0 KiB each" in text
    assert "12 KiB read and written (computed" in text


def test_what_fusing_removed_is_a_share() -> None:
    kernel = Kernel("k", ("erf", "mul"), {"x": SIZE}, {"buf0": SIZE})
    found = FusionRow(fusion(stages()[-1], kernel), ())
    text = " ".join(rendered(fused(rows=(found,)), "terminal").split())
    assert "4.0 KiB read and written instead of 8.0 KiB, if each operator were a kernel" in text
    assert "50 % of the memory traffic removed (computed, as Inductor counts bytes)" in text


def test_a_stage_is_a_table() -> None:
    text = rendered(staged(), "terminal")
    assert "0/0 dynamo: 3 nodes · 2 operators · in 1 module\n" in text
    assert "  h  gelu    model.py:31  f32[8, 64]\n" in text
    assert "next: inspect graph --stage dynamo -o graph.svg\n" in text
    text = " ".join(rendered(whole(), "terminal").split())
    assert "GFLOP · 1 tensor of 2.0 KiB saved for the backward pass" in text
    assert "f32[s0]" in text


def test_operators_by_stage() -> None:
    for name in ("terminal", "markdown"):
        text = " ".join(rendered(by_operators(), name).replace("`", "").split())
        for part in (
            "0/0 dynamo: 2 operators",
            f"torch.nn.functional.gelu {TIMES}1",
            "0/0 post-grad forward: 5 operators, and 1 in graphs inside of it",
            "What operators became in 0/0 forward",
            f"aten.erf.default {TIMES}1, aten.mul.Tensor {TIMES}1",
            "Inductor writes no code for it",
            "a library computes it (cuBLAS)",
        ):
            assert part in text
    found = as_json(by_operators())
    assert found["operators"]["graphs"][0]["total"] == 2
    assert found["operators"]["not_inductors"][0]["library"] == "cuBLAS"


def test_many_operators_are_cut_off() -> None:
    nodes = [node(f"n{n}", f"aten.op{n}.default") for n in range(13)]
    report = with_operators(whole(rows=(), graphs=(graph(*nodes),)))
    assert ", 1 other\n" in rendered(report, "terminal").replace(",\n   ", ",")


def test_a_line_in_every_stage() -> None:
    for name in ("terminal", "markdown"):
        text = " ".join(rendered(at_line(), name).replace("`", "").split())
        for part in (
            "torch.nn.functional.linear f32[8, 64] · in head",
            "kernels of the forward pass",
            "triton_poi_0",
            "erf, mul",
        ):
            assert part in text
        assert "kernels of the backward pass" not in text
    found = as_json(at_line())["line"]
    assert (found["asked_file"], found["line"]) == ("model.py", 31)
    assert found["files"] == ["/home/user/project/model.py"]
    assert found["forward_kernels"][0]["kernel"] == "triton_poi_0"


def test_a_line_that_is_nowhere_is_named() -> None:
    for name in ("terminal", "markdown"):
        text = rendered(nowhere(), name).replace("`", "")
        assert "Nothing in the recording comes from line 99 of model.py." in text


def test_nothing_but_notices() -> None:
    for name in ("terminal", "markdown"):
        text = rendered(empty(), name)
        for part in ("it was ended", "ValueError: no", "nothing was fused", "nor lowered"):
            assert part in text
        assert "next:" not in text
    found = as_json(empty())
    assert (found["fusions"], found["graphs"], found["gpu"]) == ([], [], None)
    assert found["notices"] == ["nothing was fused", "nor lowered"]


def test_markdown_is_tables() -> None:
    lines = rendered(whole(), "markdown").splitlines()
    for head in (
        "| kernel | | lines |",
        "| not fused, though they share data | at most saved | why | change |",
        "| node | operator | line | gives |",
    ):
        place = lines.index(head)
        bars = head.count("|")
        assert lines[place + 1].count("|") == bars
        assert lines[place + 2].count("|") == bars


def test_long_tables_are_cut_off() -> None:
    nodes = [node(f"n{n}", "aten.neg.default") for n in range(250)]
    kernels = [Kernel(f"k{n}", (f"n{n}",), {"x": SIZE}, {f"b{n}": SIZE}) for n in range(250)]
    found = fusion(graph(*nodes), *kernels)
    report = whole(graphs=(graph(*nodes),), rows=(FusionRow(found, tuple(kept_apart(found))),))
    text = rendered(report, "markdown")
    assert "| … 50 more in the JSON report | | |\n" in text
    assert text.count("| … 50 more in the JSON report | | | |\n") >= 1
    text = rendered(report, "terminal")
    assert "… 210 more kernels in the JSON report\n" in text
    assert "… 210 more operators in the JSON report\n" in text


def evil(name: str) -> str:
    return f"{name}{hostile.TEXT}</svg>\n| a | b |\n# {name}"


HOSTILE_FRAME = StackFrame(evil("/p/a"), 31, evil("f"), evil("code"))


def harmful() -> list[GraphReport]:
    report = whole(
        run=hostile.run(),
        graphs=stages(evil, HOSTILE_FRAME),
        rows=(row(evil, HOSTILE_FRAME),),
        notices=(hostile.HEADING,),
    )
    file = HOSTILE_FRAME.file.rpartition("/")[2]
    views = [with_operators(report), with_line(report, file, 31), with_line(report, file, 99)]
    assert views[1].around is not None
    assert views[1].around.nodes
    return [report, *views]


@pytest.mark.parametrize("place", range(4))
def test_no_recorded_text_is_obeyed_by_a_terminal(place: int) -> None:
    text = rendered(harmful()[place], "terminal")
    assert not [character for character in text if character != "\n" and not _is_shown(character)]
    assert max(map(cell_len, text.splitlines())) <= WIDTH


def _is_shown(character: str) -> bool:
    return character.isprintable() or character == " "


@pytest.mark.parametrize("place", range(4))
def test_no_recorded_text_is_markup(place: int) -> None:
    text = rendered(harmful()[place], "markdown")
    assert not [character for character in text if character != "\n" and not _is_shown(character)]
    heads = [head for head in text.splitlines() if head.startswith("#")]
    assert not [head for head in heads if not head.startswith(("# Graphs of ", "## "))]
    for found in text.splitlines():
        assert not found.startswith(("| a |", "</", "```", "- ", "<"))
    lines = text.splitlines()
    for number, found in enumerate(lines):
        if found.startswith("|:--"):
            bars = found.count("|")
            body = number + 1
            while body < len(lines) and lines[body]:
                assert _bars(lines[body]) == bars
                body += 1


def _bars(text: str) -> int:
    return text.replace("\\|", "").count("|")


@pytest.mark.parametrize("place", range(4))
def test_recorded_text_is_json(place: int) -> None:
    found = as_json(harmful()[place])
    assert found["recording"]["target"].startswith("[bold red]")


def test_columns_stay_below_each_other_whatever_the_names_are() -> None:
    nodes = [node("a\x1b[31m", "aten.neg.default", at=3), node("wide漢", "aten.neg.default", at=3)]
    text = rendered(staged_of(graph(*nodes)), "terminal").splitlines()
    places = [cell_len(found[: found.index("neg")]) for found in text if "model.py:3" in found]
    assert len(set(places)) == 1


def test_a_long_name_leaves_room_for_the_other_columns() -> None:
    nodes = [node(name, "aten.neg.default", at=3) for name in ("n" * 70, "m")]
    text = rendered(staged_of(graph(*nodes)), "terminal")
    assert f"  {'n' * 27}…  neg  model.py:3  f32[8, 64]\n" in text


def staged_of(found: Graph) -> GraphReport:
    return dataclasses.replace(staged(), graphs=(found,))


def test_numbers_that_no_reader_holds_are_cut() -> None:
    kernel = Kernel("k", ("mul",), {"x": 2**62, "y": 2**62, "z": 2**62}, {"buf0": 1})
    report = fused(rows=(FusionRow(fusion(stages()[-1], kernel), ()),))
    assert as_json(report)["fusions"][0]["bytes"] == 2**63 - 1
    assert rendered(report, "terminal")
