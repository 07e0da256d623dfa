"""Renders in memory, as to a pipe or as to a terminal."""

import functools
import io
import json
from pathlib import Path
from typing import Any

import jsonschema

from inspector import plugins
from inspector.cli.schema import schema_of
from inspector.report.report import Report
from inspector.run.sources.recording import opened, read_run
from tests.unit.render import gates, runs, verified

DATA = Path(__file__).parent.parent / "data"
TRACES = sorted(DATA.glob("*.log.gz"))
MADE = (runs.broken, runs.unbroken, runs.nothing, runs.failed)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def rendered(
    report: object, format_: str, stream: io.StringIO | None = None, *, is_whole: bool = False
) -> str:
    stream = stream or io.StringIO()
    plugins.render(report, format_, stream, is_whole=is_whole)
    return stream.getvalue()


@functools.cache
def _validator(kind: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema_of(kind))


def as_json(report: object) -> Any:
    """The fields of a report, which are as its schema says."""
    made = json.loads(rendered(report, "json"))
    _validator(plugins.report_kind(report)).validate(made)
    return made


def read_trace(path: Path) -> Report:
    with opened(path) as recording:
        return runs.report_of(read_run(recording))


def all_reports() -> list[Report]:
    """The reports of all runs made by hand, one with a gate, and of all plain traces."""
    made = [runs.report_of(make()) for make in MADE]
    return [*made, gates.gated(), verified.verified(), *(read_trace(path) for path in TRACES)]
