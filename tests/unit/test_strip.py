"""Recordings without our artifacts give the same in the fields that a plain trace has.

docs/report.md lists these fields. A path names fields by their keys; ``[]`` stands for every
item of a list.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from inspector.run.sources.recording import opened
from tests import golden
from tests.unit.render.rendering import as_json, read_trace

ALWAYS = (
    "summary.compile_time_ns",
    "summary.compile_time_by_stage_ns",
    *(
        f"frames[].{name}"
        for name in ("process", "frame_id", "name", "first_line", "state")
    ),
    *(
        f"frames[].compilations[].{name}"
        for name in (
            "compile_id", "graphs", "operators", "guards", "has_guarded_code", "graph_breaks",
            "failure.type", "failure.reason", "failure.line", "restart_reasons",
            "recompile_reasons", "hit_limit", "finished", "start_time_ns", "duration_ns",
        )
    ),
    *(
        f"graph_breaks[].{name}"
        for name in (
            "process", "compile_id", "attempt", "frame_id", "frame", "gb_id", "gb_type", "title",
            "explanation", "context", "line", "outcome", "has_graph", "evidence", "wrappers",
        )
    ),
    *(
        f"recompiles[].{name}"
        for name in (
            "process", "compile_id", "index", "comment", "hint", "answer", "hit_limit",
            "dynamic_sources", "duration_ns", "compile_time_by_stage_ns",
        )
    ),
    "processes[].unknown_events",
)  # fmt: skip
"""The same in every recording. (File names are absolute in a plain trace.)"""

WITHOUT_LATER_CALLS = (
    *(
        f"summary.{name}"
        for name in (
            "frames", "frames_compiled", "frames_skipped", "frames_failed", "frames_unfinished",
            "graphs", "operators", "operators_per_graph", "graph_breaks", "distinct_graph_breaks",
            "recompiles", "recompile_limit_hits",
        )
    ),
    *(
        f"findings[].{name}"
        for name in (
            "rule", "severity", "message", "line", "records", "why", "hints", "gb_id",
            "gb_type", "url", "outcome", "evidence",
        )
    ),
)  # fmt: skip
"""The same where ``summary.later`` is all 0: a plain trace does not tell calls apart."""

# Only a recording of ours knows what Dynamo skipped in silence.
_OBSERVABLE_RULES = frozenset({"graph-break", "compile-error", "constraint-violation", "recompile"})
# Of recompilations, what the process alone knows makes these more precise: values, names, origins.
_LESS_PRECISE = {"recompile": ("message", "why")}


def plain_view(report: dict[str, Any]) -> dict[str, Any]:
    """The part of a JSON report that its plain trace must give as well, by path."""
    kept = [
        item | dict.fromkeys(_LESS_PRECISE.get(item["rule"], ()))
        for item in report["findings"]
        if item["rule"] in _OBSERVABLE_RULES
    ]
    paths = ALWAYS if any(report["summary"]["later"].values()) else ALWAYS + WITHOUT_LATER_CALLS
    return {path: _pick({**report, "findings": kept}, path.split(".")) for path in paths}


def _pick(value: Any, keys: list[str]) -> Any:
    if not keys or value is None:
        return value
    key, is_list = keys[0].removesuffix("[]"), keys[0].endswith("[]")
    picked = value[key]
    return [_pick(item, keys[1:]) for item in picked] if is_list else _pick(picked, keys[1:])


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
