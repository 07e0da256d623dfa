"""A fresh capture of the samples gives the same model as the recordings in the repository."""

from __future__ import annotations

import importlib.metadata
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests import golden, samples
from tests.compile import warm_python

RECORDED_WITH = "2.13"
_SHORTENED = re.compile(r"[\w./-]*/samples/")
# What differs from one run to the next, or from one machine to the next.
VOLATILE = {
    "compile_time_by_stage_ns", "compile_time_ns", "duration_ns", "environment", "pid", "started",
    "start_time_ns", "sources", "file", "name", "next_steps", "cost_ns", "cost", "parent_pid",
}  # fmt: skip


def lasting(value: Any) -> Any:
    """A report without what differs from run to run."""
    if isinstance(value, dict) and "findings" in value:
        # What costs most comes first, and guards are a finding where they take much: both differ.
        lasts = [item for item in value["findings"] if item["rule"] != "guard-cost"]
        value = {
            **value,
            "findings": sorted(lasts, key=lambda item: (item["line"], item["message"])),
        }
    if isinstance(value, dict):
        return {key: lasting(item) for key, item in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [lasting(item) for item in value]
    if not isinstance(value, str):
        return value
    # Torch leaves out of a path what it shares with its own place on this machine.
    return _SHORTENED.sub("samples/", value)


@pytest.mark.skipif(
    not importlib.metadata.version("torch").startswith(RECORDED_WITH),
    reason=f"the samples were recorded with torch {RECORDED_WITH}",
)
@pytest.mark.parametrize("name", samples.names())
def test_a_fresh_capture_equals_the_recording(name: str, tmp_path: Path) -> None:
    samples.record(name, tmp_path / "recording", warm_python.INSPECT)
    fresh = json.loads(golden.rendered(golden.report_of(tmp_path / "recording"), "json"))
    kept_zip = golden.ROOT / "samples" / name / "recording.zip"
    kept = json.loads(golden.rendered(golden.report_of(kept_zip), "json"))

    assert lasting(fresh) == lasting(kept)
