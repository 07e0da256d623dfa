"""What a report on profiles says of autotuning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.features.profile.report import ProfileReport, make_profile_report
from tests.unit.logs import record, run_of
from tests.unit.render import hostile
from tests.unit.render.profile_reports import WIDTH, rendered


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


def tuned(**changes: Any) -> dict[str, Any]:
    """A product for which a template won, with a candidate that failed."""
    return {
        "v": 1, "kind": "template", "name": "mm", "how": "measured", "chosen": 1, "default": 0,
        "total": 3, "failed": 1, "benchmark_ns": 2_000_000_000,
        "inputs": [{"shape": [128, 128], "dtype": "bfloat16", "device": "cuda:0"}] * 2,
        "candidates": [
            {"at": 0, "name": "mm", "kind": "extern", "time_ns": 130_000},
            {"at": 1, "name": "triton_mm_1", "kind": "triton", "time_ns": 100_000},
            {"at": 2, "name": "triton_mm_2", "kind": "triton", "failed": "out of resources"},
        ],
        **changes,
    }  # fmt: skip


def tuned_report(tmp_path: Path, *items: dict[str, Any], whole: bool = False) -> ProfileReport:
    head = {"name": "inspector_autotuned", "encoding": "json"}
    records = [record("artifact", head, payload=json.dumps(item)) for item in items]
    return make_profile_report(run_of(tmp_path, *records), all_tuned=whole)


@pytest.mark.parametrize("name", ["terminal", "markdown"])
def test_texts_of_candidates_stay_texts(tmp_path: Path, name: str) -> None:
    texts = dict.fromkeys(("name", "error", "node", "target", "file"), hostile.HEADING)
    item = {"at": 0, "kind": "extern", "time_ns": 5, "name": hostile.TEXT, "text": hostile.HEADING}
    bad = {"at": 1, "kind": "triton", "failed": hostile.HEADING, "name": hostile.TEXT}
    payload = tuned(**{**texts, "chosen": 0, "candidates": [item, bad]})
    text = rendered(tuned_report(tmp_path, payload, whole=True), name)
    assert "\x1b[31m" not in text
    assert hostile.BIDI not in text
    if name == "markdown":
        assert "\n# [bold" not in text
        assert "\n## not a heading" not in text
