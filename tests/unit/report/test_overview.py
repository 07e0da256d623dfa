"""The first line of a report: which recording it is."""

from __future__ import annotations

import dataclasses

from inspector.records.calls import TargetFunction
from inspector.report.overview import recording_line
from tests.unit.render.runs import process_of, run_of


def test_what_its_own_file_compiles_has_no_backend_of_ours() -> None:
    process = process_of()
    target = process.last(TargetFunction)
    assert target is not None
    assert "backend eager" in recording_line(run_of(process))
    compiled = dataclasses.replace(target, is_compiled=True)
    found = recording_line(run_of(process.with_records(compiled)))
    assert "compiled by its file" in found
    assert "backend eager" not in found
