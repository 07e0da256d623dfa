"""What is measured of a machine: when it is stable, where it is kept, what the driver says."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.profiling.ceilings import VERSION, cached, store
from inspector.capture.profiling.machine.cpu import free_bytes
from inspector.capture.profiling.machine.device_state import device_state, others_percent
from inspector.records.ceilings import Ceilings
from inspector.records.codec import encode

DAY_S = 24 * 60 * 60


def whole(**changes: Any) -> Ceilings:
    values = {"copy_bytes_per_s": 1e9}
    return dataclasses.replace(Ceilings("cpu", values, int(time.time())), **changes)


def fields(**changes: Any) -> str:
    return json.dumps({"v": VERSION, **encode(whole()), **changes})


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "ceilings.json"
    store(file, whole())
    assert cached(file) == whole(is_cached=True)
    assert [path.name for path in file.parent.iterdir()] == ["ceilings.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"v": 2}',
        fields(v=1),
        fields(ceilings=[1]),
        fields(ceilings={"copy_bytes_per_s": "fast"}),
        fields(ceilings={"copy_bytes_per_s": -1}),
        fields(measured_at_s="yesterday"),
        "[" * 100_000,
    ],
    ids=range(11),  # the texts have the time in them
)
def test_a_damaged_file_is_ignored(tmp_path: Path, text: str) -> None:
    file = tmp_path / "ceilings.json"
    file.write_text(text)
    assert cached(file) is None


@pytest.mark.parametrize(
    ("age_s", "unstable", "is_used"),
    [
        (29 * DAY_S, {}, True),
        (31 * DAY_S, {}, False),
        (60, {"copy_bytes_per_s": 0.2}, True),
        (2 * 60 * 60, {"copy_bytes_per_s": 0.2}, False),
        (-2 * DAY_S, {}, False),
    ],
)
def test_it_is_used_for_some_time(
    tmp_path: Path, age_s: int, unstable: dict[str, float], *, is_used: bool
) -> None:
    file = tmp_path / "ceilings.json"
    store(file, whole(measured_at_s=int(time.time()) - age_s, unstable=unstable))
    assert (cached(file) is not None) == is_used


# A program that answers as nvidia-smi does: KNOWN are the fields that it knows.
SMI = """#!/bin/sh
for argument in "$@"; do
  case "$argument" in
    --query-gpu=*) fields="${argument#--query-gpu=}" ;;
    --id=*) id="${argument#--id=}" ;;
  esac
done
if [ "$id" != GPU-abc ]; then echo "No devices were found"; exit 6; fi
answer=
for field in $(echo "$fields" | tr ',' ' '); do
  case " $KNOWN " in
    *" $field "*) answer="$answer, value-of-$field" ;;
    *) echo "Field \\"$field\\" is not a valid field to query."; exit 2 ;;
  esac
done
echo "${answer#, }"
"""
BASE = "driver_version clocks.sm clocks.max.sm clocks.mem power.draw power.limit temperature.gpu"
COUNTERS = " ".join(
    f"clocks_event_reasons_counters.{name}"
    for name in (
        "sw_power_cap",
        "sync_boost",
        "sw_thermal_slowdown",
        "hw_thermal_slowdown",
        "hw_power_brake_slowdown",
    )
)


@pytest.fixture
def smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "nvidia-smi"
    program.write_text(SMI)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return program


@pytest.mark.parametrize(
    ("known", "reasons", "count"),
    [
        (f"{BASE} clocks_event_reasons.active {COUNTERS}", "clocks_event_reasons.active", 13),
        (f"{BASE} clocks_event_reasons.active", "clocks_event_reasons.active", 8),
        (f"{BASE} clocks_throttle_reasons.active", "clocks_throttle_reasons.active", 8),
    ],
)
def test_drivers_of_all_ages_answer(
    smi: Path, monkeypatch: pytest.MonkeyPatch, known: str, reasons: str, count: int
) -> None:
    assert smi.exists()
    monkeypatch.setenv("KNOWN", known)
    state, missing = device_state("abc")
    assert missing == ""
    assert len(state) == count
    assert state[reasons] == f"value-of-{reasons}"


def test_a_container_has_less_memory_than_its_machine(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:  9 kB\nMemAvailable:    4096 kB\n")
    assert free_bytes(meminfo, tmp_path) == 4 << 20
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("1000000\n")
    assert free_bytes(meminfo, tmp_path) == 2_000_000
    (tmp_path / "memory.max").write_text("max\n")
    assert free_bytes(meminfo, tmp_path) == 4 << 20
    assert free_bytes(tmp_path / "nothing", tmp_path / "nothing") == 0


@pytest.mark.parametrize(
    ("said", "percent"),
    [("37", 37), ("0", 0), ("[N/A]", None), ("", None), ("No devices were found", None)],
)
def test_what_others_do_on_a_gpu_is_asked_for_when_it_is_left_alone(
    smi: Path, said: str, percent: int | None
) -> None:
    smi.write_text(f'#!/bin/sh\necho "$@" > "{smi}.asked"\necho "{said}"\n')
    assert others_percent("abc", 0) == percent
    assert "--id=GPU-abc --query-gpu=utilization.gpu" in Path(f"{smi}.asked").read_text()
