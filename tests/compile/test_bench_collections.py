"""``inspect bench`` on the CPU: many models."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import jsonschema
import pytest

from inspector.cli.schema import schema_of
from tests.compile.benches import PIECES, SHORT, bench


def test_a_collection_has_a_line_for_each_model(tmp_path: Path) -> None:
    (tmp_path / "zoo").mkdir()
    (tmp_path / "zoo" / "pieces.py").write_text(PIECES)
    (tmp_path / "zoo" / "broken.py").write_text("raise RuntimeError('no such weights')\n")
    arguments = ("zoo", "--modes", "none", "--backends", "aot_eager", *SHORT)
    done = bench(tmp_path, *arguments, "--format", "json", "-o", "zoo.csv")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    jsonschema.validate(report, schema_of("bench-collection"))
    broken, pieces = report["models"]
    assert broken["failure"]
    assert [item["label"] for item in pieces["rows"]] == ["eager", "aot_eager"]
    (summary,) = report["settings"]
    assert (summary["models"], summary["ran"], summary["captured"]) == (2, 1, 1)
    assert summary["speedup"] == pytest.approx(pieces["rows"][1]["faster_than_eager"])
    with (tmp_path / "zoo.csv").open() as stream:
        lines = list(csv.DictReader(stream))
    assert [line["label"] for line in lines] == ["", "eager", "aot_eager"]
    assert lines[0]["failure"].endswith("no such weights. (zoo/broken.py:1)")
