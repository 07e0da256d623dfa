"""The first line of a report: which recording it is."""

from __future__ import annotations

import dataclasses

from inspector.records.calls import TargetFunction
from inspector.report.overview import recording_line
from inspector.trace.guards import DynamoSettings
from tests.unit.render import runs
from tests.unit.render.runs import process_of, run_of


def test_what_its_own_file_compiles_has_no_backend_of_ours() -> None:
    process = process_of()
    target = process.last(TargetFunction)
    assert target is not None
    assert "backend eager" in recording_line(run_of(process))
    compiled = dataclasses.replace(target, is_compiled=True)
    found = recording_line(run_of(process.with_records(compiled)))
    assert "compiled by its own file" in found
    assert "backend eager" not in found


def test_it_is_said_that_breaks_are_nested() -> None:
    run = runs.broken()
    (process,), (frame, *others) = run.processes, run.processes[0].frames
    settings = DynamoSettings(nested_graph_breaks=True)
    nested = dataclasses.replace(frame.compilations[0], settings=settings)
    frame = dataclasses.replace(frame, compilations=(nested, *frame.compilations[1:]))
    process = dataclasses.replace(process, frames=(frame, *others))
    assert "nested graph breaks" not in recording_line(run)
    assert "nested graph breaks" in recording_line(dataclasses.replace(run, processes=(process,)))
