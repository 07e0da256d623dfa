"""Reports on kernels, from a plain trace as torch writes it; the goldens hold what they show."""

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


def test_json_follows_the_schema(report: KernelsReport) -> None:
    schema = schema_of("kernels")
    found = json.loads(rendered(report, "json"))
    jsonschema.validate(found, schema)
    assert found["kernels"][0]["source"] == report.rows[0].kernel.source


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
