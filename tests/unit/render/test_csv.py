"""A bench as a table."""

from __future__ import annotations

import csv
import dataclasses
import io
from pathlib import Path

from inspector import plugins
from inspector.features.bench.collection_report import Measured, make_collection_report
from inspector.shared.variation import Assignment
from tests.unit.bench_logs import PLAN, block, report_of


def table_of(report: object) -> list[dict[str, str]]:
    """The lines of a report as CSV."""
    text = io.StringIO()
    plugins.render(report, "csv", text)
    return list(csv.DictReader(io.StringIO(text.getvalue())))


def test_a_model_that_fails_has_a_line_in_a_table_too() -> None:
    failed = Measured("zoo/b.py", (), "Loading it failed: no, weights")
    (line,) = table_of(make_collection_report([failed], 1))
    assert line == {"target": "zoo/b.py", "failure": "Loading it failed: no, weights"}


def test_what_varies_is_named_in_a_table(tmp_path: Path) -> None:
    """Of a number the shapes say nothing."""
    variations = ((Assignment("n", None, 17),), (Assignment("n", None, 100),))
    events = [block(at, 500_000, input=each) for at in (0, 1) for each in (0, 1)]
    report = report_of(tmp_path, *events, plan=dataclasses.replace(PLAN, variations=variations))
    assert sorted({line["inputs"] for line in table_of(report)}) == ["n=100", "n=17"]
