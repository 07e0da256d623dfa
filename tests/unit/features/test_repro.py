"""The report of `inspect repro`; its goldens have the text."""

from __future__ import annotations

import dataclasses
import io
import json

import jsonschema

from inspector import plugins
from inspector.cli.schema import schema_of
from inspector.features.repro.report import ReproReport
from tests.unit.render.numeric_reports import CRASH, repro_crash


def shown(report: ReproReport, format_: str) -> str:
    stream = io.StringIO()
    plugins.render(report, format_, stream)
    return stream.getvalue()


def test_json_fits_its_schema() -> None:
    data = json.loads(shown(repro_crash(), "json"))
    jsonschema.validate(data, schema_of("repro"))
    assert data["found"]["switched_off"][1]["replay"] == "python repro.py fusion=1"


def test_a_file_that_shows_nothing_is_no_proof() -> None:
    text = shown(repro_crash(dataclasses.replace(CRASH, is_checked=False)), "terminal")
    assert "repro.py does not reproduce the fault in a fresh process" in text
