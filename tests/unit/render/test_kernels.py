"""Reports on kernels, from a plain trace as torch writes it."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import jsonschema
import pytest

from inspector import plugins
from inspector.cli.schema import schema_of
from inspector.features.kernels.report import KernelsReport
from tests.unit.render.kernel_reports import kernels_choices

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def report() -> KernelsReport:
    return kernels_choices()


def rendered(report: KernelsReport, name: str) -> str:
    stream = io.StringIO()
    plugins.render(report, name, stream)
    return stream.getvalue()


def test_a_plain_trace_has_everything(report: KernelsReport) -> None:
    assert [graph.direction for graph in report.taken] == ["forward", "backward"]
    assert report.gpu is not None
    row = report.rows[0]
    assert (row.kernel.name, row.launches) == ("triton_poi_fused_addmm_tanh_0", 1)
    assert [(node.node, node.line) for node in row.kernel.nodes] == [("addmm", 3), ("tanh", 3)]
    assert report.libraries["mm"] >= 1


def test_json_follows_the_schema(report: KernelsReport) -> None:
    schema = schema_of("kernels")
    found = json.loads(rendered(report, "json"))
    jsonschema.validate(found, schema)
    assert found["kernels"][0]["source"] == report.rows[0].kernel.source


@pytest.mark.parametrize("name", ["terminal", "markdown"])
def test_people_see_kernels_and_lines(report: KernelsReport, name: str) -> None:
    text = " ".join(rendered(report, name).split())
    for part in ("NVIDIA H200", "model.py:3", "pointwise"):
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
        "if padded: 1 other kernel, triton_other_2",
        "has no code: KeyError: 'b'",
    ):
        assert part in text
