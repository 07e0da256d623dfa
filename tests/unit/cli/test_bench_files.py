"""A bench as a table."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path

from inspector.cli.bench_files import write_table
from inspector.features.bench.collection_report import Measured, make_collection_report
from inspector.shared.variation import Assignment
from tests.unit.bench_logs import PLAN, block, report_of


def test_a_model_that_fails_has_a_line_in_a_table_too(tmp_path: Path) -> None:
    failed = Measured("zoo/b.py", (), "Loading it failed: no, weights")
    write_table(make_collection_report([failed], 1), tmp_path / "several.csv")
    with (tmp_path / "several.csv").open(newline="") as file:
        (line,) = csv.DictReader(file)
    assert line == {"target": "zoo/b.py", "failure": "Loading it failed: no, weights"}


def test_what_varies_is_named_in_a_table(tmp_path: Path) -> None:
    """Of a number the shapes say nothing."""
    variations = ((Assignment("n", None, 17),), (Assignment("n", None, 100),))
    events = [block(at, 500_000, input=each) for at in (0, 1) for each in (0, 1)]
    report = report_of(tmp_path, *events, plan=dataclasses.replace(PLAN, variations=variations))
    write_table(report, tmp_path / "bench.csv")
    with (tmp_path / "bench.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert sorted({line["inputs"] for line in lines}) == ["n=100", "n=17"]
