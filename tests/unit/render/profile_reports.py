"""Reports on profiles, out of a log written by hand."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonschema

from inspector import plugins
from inspector.cli.schema import schema_of
from inspector.features.profile.report import ProfileReport, make_profile_report
from tests.unit.logs import record, run_of

SCHEMA = schema_of("profile")
WIDTH = 80
CEILINGS = {
    "v": 1,
    "device": "NVIDIA H200",
    "measured_at_s": 9,
    "state": {"clocks.sm": "1980"},
    "ceilings": {"copy_bytes_per_s": 4e12, "kernel_floor_ns": 9000, "float32_flops_per_s": 5e13},
    "cached": False,
}


def profile(**changes: Any) -> dict[str, Any]:
    """Two launches of 10 and 30 µs in calls of 100 µs; eager takes twice as long."""
    launches = [
        {"kind": "kernel", "name": "triton_poi_fused_0", "stream": 7, "grid": [8, 1, 1],
         "block": [128, 1, 1], "registers": 30,
         "place": {"operator": "aten::relu", "frames": ["/p/model.py(4): forward"]}},
        {"kind": "memcpy", "name": "Memcpy HtoD", "copied_bytes": 4_000_000, "place": {}},
    ]  # fmt: skip
    spans = [[10_000, 20_000], [30_000, 60_000]]
    return {
        "v": 1,
        "input": 0,
        "device": {"kind": "cuda", "name": "NVIDIA H200", "l2_bytes": 1000},
        "plain_ns": [100_000] * 30,
        "watched_ns": [130_000] * 30,
        "eager_ns": [200_000] * 30,
        "eager_work": [[5, 90_000]],
        "other_calls": 2,
        "launches": launches,
        "calls": [{"wall_ns": 130_000, "spans_ns": spans}] * 30,
        "idle_ns": {"launching": 60_000, "guards": 30_000},
        "host": [["TorchDynamo Cache Lookup", 1, 5, 9]],
        **changes,
    }


def artifact(name: str, payload: dict[str, Any]) -> bytes:
    head = {"name": f"inspector_{name}", "encoding": "json"}
    return record("artifact", head, payload=json.dumps(payload))


def report(tmp_path: Path, *profiles: dict[str, Any], ceilings: bool = True) -> ProfileReport:
    records = [artifact("device_profile", item) for item in profiles]
    records += [artifact("ceilings", CEILINGS)] if ceilings else []
    return make_profile_report(run_of(tmp_path, *records))


def rendered(found: ProfileReport, name: str) -> str:
    stream = io.StringIO()
    plugins.render(found, name, stream)
    return stream.getvalue()


def as_json(found: ProfileReport) -> Any:
    made = json.loads(rendered(found, "json"))
    jsonschema.validate(made, SCHEMA)
    return made
