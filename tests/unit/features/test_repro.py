"""The report of `inspect repro`, of what its process wrote."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import jsonschema
import pytest

from inspector import plugins
from inspector.cli.schema import schema_of
from inspector.features.repro.report import ReproReport
from inspector.records.repro import Repro, SwitchedOff
from tests.unit.logs import metrics, run_of, start

CRASH = Repro(
    kind="crash",
    exception="AssertionError",
    said="unexpected type",
    subsystem="code generation",
    inside="sinh",
    operators=("torch.sinh",),
    operators_before=12,
    file="/home/user/model.py",
    line=3,
    code="return x.sinh()",
    rows=(
        SwitchedOff("everything after AOTAutograd", "", "python repro.py --backend aot_eager"),
        SwitchedOff("fusion", "AssertionError: unexpected type", "python repro.py fusion=1"),
        SwitchedOff("passes", "KeyError: 'val'"),
    ),
    text="import torch\n",
    is_checked=True,
    tests=9,
    took_ns=10**9,
)  # fmt: skip


def shown(tmp_path: Path, found: Repro, format_: str = "terminal") -> str:
    run = run_of(tmp_path, start(), metrics())
    file = "repro.py" if found.text else ""
    stream = io.StringIO()
    plugins.render(ReproReport(run, found, file, ("python repro.py",)), format_, stream)
    return stream.getvalue()


def test_the_answer_comes_first(tmp_path: Path) -> None:
    text = shown(tmp_path, CRASH)
    assert "the compiler crashes: code generation, sinh" in text
    assert "AssertionError: unexpected type" in text
    assert "repro.py reproduces the fault in a fresh process" in text
    assert "1 of 12 operators: torch.sinh" in text


@pytest.mark.parametrize(
    ("row", "said"), [(0, "is gone"), (1, "stays"), (2, "is another: KeyError: 'val'")]
)
def test_what_is_switched_off(tmp_path: Path, row: int, said: str) -> None:
    (line, *_) = (
        line for line in shown(tmp_path, CRASH).splitlines() if CRASH.rows[row].what in line
    )
    assert line.endswith(said)


def test_what_the_file_needs_is_said(tmp_path: Path) -> None:
    text = shown(tmp_path, dataclasses.replace(CRASH, needs=("plant",)))
    assert "reproduces the fault in a fresh process if it imports plant" in text
    unshown = shown(tmp_path, dataclasses.replace(CRASH, is_checked=False))
    assert "does not reproduce the fault in a fresh process" in unshown


def test_no_fault(tmp_path: Path) -> None:
    assert "no fault: the compiled program runs" in shown(tmp_path, Repro())


def test_json_fits_its_schema(tmp_path: Path) -> None:
    data = json.loads(shown(tmp_path, CRASH, "json"))
    jsonschema.validate(data, schema_of("repro"))
    assert data["found"]["switched_off"][1]["replay"] == "python repro.py fusion=1"
