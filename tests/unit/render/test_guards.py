"""Reports on guards: what is in them, from a recording and from a plain trace."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from inspector.cli.schema import schema_of
from inspector.features.guards.report import GuardsReport, make_guards_report
from inspector.plugins import render
from inspector.run.sources.recording import opened, read_run
from tests import golden

ROOT = Path(__file__).resolve().parents[3]
TRACES = sorted((ROOT / "tests" / "unit" / "data" / "guards").glob("torch_*.log"))


def report_of(path: Path) -> GuardsReport:
    with opened(path) as recording:
        return make_guards_report(read_run(recording), [])


def rendered(report: GuardsReport, name: str) -> str:
    stream = io.StringIO()
    render(report, name, stream)
    return stream.getvalue()


def as_json(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(rendered(report_of(path), "json"))
    return found


@pytest.mark.parametrize("path", [*TRACES, *golden.recordings()], ids=lambda path: path.parent.name)
def test_the_json_is_what_its_schema_says(path: Path) -> None:
    schema = schema_of("guards")
    jsonschema.validate(as_json(path), schema)


@pytest.mark.parametrize("path", golden.recordings(), ids=lambda path: path.parent.name)
def test_without_our_artifacts_the_guards_are_the_same(path: Path, tmp_path: Path) -> None:
    from tests.unit.test_strip import stripped

    with opened(path) as source:
        (tmp_path / "plain.log").write_bytes(stripped(source.logs[0].read_bytes()))
    full, plain = as_json(path), as_json(tmp_path / "plain.log")

    for name in ("guards", "kinds", "modules"):
        assert plain[name] == full[name]
    # Which object a function was compiled for is in our artifacts alone.
    changes = [
        [(frame["entries"],
          [change["text"] for change in frame["next_changes"]
           if "is one of" not in change["text"]])
         for frame in found["frames"]]
        for found in (plain, full)
    ]  # fmt: skip
    assert changes[0] == changes[1]
    assert plain["time"] is None
