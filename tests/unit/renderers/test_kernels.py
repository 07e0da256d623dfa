"""Reports on kernels, from a plain trace as torch writes it."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
from pathlib import Path

import jsonschema
import pytest

from inspector import plugins
from inspector.findings.kernels_report import KernelsReport, make_kernels_report
from inspector.sources.recording import opened, read_run
from tests.gpu.compare_kernels import load

ROOT = Path(__file__).resolve().parents[3]
PREFIX = "V0101 10:00:00.000000 7 torch/x.py:1] "
GRAPH = (
    "class GraphModule(torch.nn.Module):\n"
    "    def forward(self):\n"
    "        # File: /p/model.py:3 in forward, code: return torch.addmm(b, x, y).tanh()\n"
    "        addmm = torch.addmm(b, x, y)\n"
    "        tanh = addmm.tanh()\n"
)


def record(event: dict[str, object], payload: str) -> str:
    digest = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
    envelope = {**event, "frame_id": 0, "frame_compile_id": 0, "attempt": 0, "has_payload": digest}
    lines = "\n".join(f"\t{line}" for line in payload.split("\n"))
    return f"{PREFIX}{json.dumps(envelope)}\n{lines}\n"


_TEMPLATE = """
@triton_heuristics.template(num_stages=4, num_warps=8, triton_meta={}, inductor_meta={})
@triton.jit
def triton_mm(arg_A, arg_B, out_ptr0):
    tl.dot(arg_A, arg_B)
"""
_OTHER = """
# AOT ID: ['0_forward']
triton_other_{0} = async_compile.triton('triton_other_{0}', 'pass # {0}')
def call(args):
    triton_other_{0}.run(args[0])
"""


@pytest.fixture
def report(tmp_path: Path) -> KernelsReport:
    case = load()["cases"]["matmuls.addmm_scaled"]["training"]
    said = {
        "v": 1, "gpu": "h200", "attention": [], "missing": ["KeyError: 'b'"],
        # The second as the first recordings had it.
        "alternatives": [{"if": "template", "code": _OTHER.format(1)}, _OTHER.format(2)],
        "measured": [
            {"what": "padding", "detail": "mm", "taken": "not padded",
             "candidates": ["not padded", "padded"]},
            {"what": "template", "detail": "mm float32 8\N{MULTIPLICATION SIGN}8", "taken": "mm",
             "candidates": ["mm", "triton_mm_0", "triton_mm_1"], "direction": "forward",
             "sources": {f"triton_mm_{n}": _TEMPLATE + f"    # {n}" for n in (0, 1)}},
        ],
    }  # fmt: skip
    artifact: dict[str, object] = {"artifact": {"name": "inspector_gpu_target", "encoding": "json"}}
    log = tmp_path / "dedicated_log_torch_trace_x.log"
    log.write_text(
        record({"dynamo_output_graph": {}}, GRAPH)
        + "".join(
            record({"inductor_output_code": {"filename": "/c/x.py"}}, code["code"])
            for code in case["codes"]
        )
        + record(artifact, json.dumps(said))
    )
    with opened(log) as recording:
        return make_kernels_report(read_run(recording))


def rendered(report: KernelsReport, name: str) -> str:
    stream = io.StringIO()
    plugins.load_renderer(name).render(report, stream)
    return stream.getvalue()


def test_a_plain_trace_has_everything(report: KernelsReport) -> None:
    assert [graph.direction for graph in report.taken] == ["forward", "backward"]
    assert report.gpu is not None
    row = report.rows[0]
    assert (row.kernel.name, row.launches) == ("triton_poi_fused_addmm_tanh_0", 1)
    assert [(node.node, node.line) for node in row.kernel.nodes] == [("addmm", 3), ("tanh", 3)]
    assert report.libraries["mm"] >= 1


def test_json_follows_the_schema(report: KernelsReport) -> None:
    schema = json.loads((ROOT / "docs" / "schema" / "kernels-1.schema.json").read_text())
    found = json.loads(rendered(report, "json"))
    jsonschema.validate(found, schema)
    assert found["kernels"][0]["source"] == report.rows[0].kernel.source


@pytest.mark.parametrize("name", ["terminal", "markdown"])
def test_people_see_kernels_lines_and_what_is_open(report: KernelsReport, name: str) -> None:
    text = " ".join(rendered(report, name).split())
    for part in ("NVIDIA H200", "model.py:3", "would measure is not decided", "pointwise"):
        assert part in text
    assert "fused_addmm_tanh_0" in text.replace("\\_", "_")


@pytest.mark.parametrize(("name", "before"), [("terminal", 0), ("markdown", 1)])
def test_lines_of_a_source_that_is_shown_are_those_that_were_compiled(
    report: KernelsReport, name: str, before: int
) -> None:
    """Inductor's sources begin with empty lines, which count where a line is named."""
    kernel = report.rows[0].kernel
    assert kernel.source.startswith("\n")
    lines = rendered(dataclasses.replace(report, shown=kernel.name), name).splitlines()
    compiled = [text.rstrip() for text in kernel.source.rstrip("\n").split("\n")]
    assert [text.rstrip() for text in lines[before : before + len(compiled)]] == compiled


def test_what_the_gpu_may_choose_instead_has_its_source(report: KernelsReport) -> None:
    candidates = [row.kernel for row in report.rows if row.is_candidate]
    names = [kernel.name for kernel in candidates]
    assert names == ["triton_other_1", "triton_other_2", "triton_mm_0", "triton_mm_1"]
    assert (candidates[-1].kind, candidates[-1].aten) == ("template", ("aten.mm",))
    assert candidates[-1].source.endswith("# 1")


@pytest.mark.parametrize("name", ["terminal", "markdown"])
def test_people_see_what_the_gpu_may_choose_instead(report: KernelsReport, name: str) -> None:
    text = " ".join(rendered(report, name).replace("`", "").split())
    for part in (
        "padding: mm: not padded, or padded",
        "mm, or triton_mm_0, triton_mm_1",
        "if templates are taken: 1 other kernel, triton_other_1",
        "if it is padded: 1 other kernel, triton_other_2",
        "has no code: KeyError: 'b'",
    ):
        assert part in text
