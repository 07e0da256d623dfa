"""Recordings without our artifacts give the same in the fields that a plain trace has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from inspector.run.sources.recording import opened
from tests import golden
from tests.unit.render.rendering import as_json, read_trace
from tests.unit.strip_fields import plain_view

_RECORD = re.compile(rb"\n(?=[^\t\n])")


def stripped(log: bytes) -> bytes:
    """A log without the artifacts whose names begin with ``inspector_``."""
    records = _RECORD.split(log.rstrip(b"\n"))
    kept = [item for item in records if b'"name": "inspector_' not in item.partition(b"\n")[0]]
    assert len(kept) < len(records)
    return b"\n".join(kept) + b"\n"


@pytest.mark.parametrize("recording", golden.recordings(), ids=lambda path: path.parent.name)
def test_a_plain_trace_says_the_same(recording: Path, tmp_path: Path) -> None:
    with opened(recording) as source:
        (log,) = source.logs
        (tmp_path / "plain.log").write_bytes(stripped(log.read_bytes()))
    full: dict[str, Any] = json.loads(golden.rendered(golden.report_of(recording), "json"))
    plain = as_json(read_trace(tmp_path / "plain.log"))

    for report in (full, plain):  # what costs most comes first, and a plain trace has no costs
        report["findings"].sort(key=lambda finding: (finding["file"], finding["line"]))
    assert plain_view(plain) == plain_view(full)
    assert plain["recording"]["format_version"] == 0
