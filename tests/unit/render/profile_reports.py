"""Reports on profiles, out of logs written by hand."""

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

from inspector.features.profile.report import ProfileReport, make_profile_report
from inspector.run.run import Run
from tests.unit.logs import record, run_of

MIB = 1 << 20
_FOLDER = tempfile.TemporaryDirectory(prefix="inspector-logs-")
CEILINGS = {
    "v": 1,
    "device": "NVIDIA H200",
    "measured_at_s": 9,
    "ceilings": {"copy_bytes_per_s": 4e12, "kernel_floor_ns": 9000, "float32_flops_per_s": 5e13},
    "cached": False,
}
SLOWER = {
    "eager_ns": [70_000] * 30,
    "eager_work": [[5, 30_000]],
    "eager_copies": [[1, 10_000]],
    "idle_ns": {"launching": 60_000, "guards": 30_000, "graph-break": 90_000},
    "eager_idle_ns": {"outside": 80_000},
    "eager_explained_ns": 72_000,
    "explained_ns": 101_000,
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
        "blocks": [[kind, number, 10] for number in range(3) for kind in ("plain", "eager")],
        "eager_work": [[5, 90_000]],
        "other_calls": 2,
        "launches": launches,
        "calls": [{"wall_ns": 130_000, "spans_ns": spans}] * 30,
        "idle_ns": {"launching": 60_000, "guards": 30_000},
        "host": [["TorchDynamo Cache Lookup", 1, 5, 9]],
        **changes,
    }


def artifact(name: str, payload: object) -> bytes:
    head = {"name": f"inspector_{name}", "encoding": "json"}
    return record("artifact", head, payload=json.dumps(payload))


def logged(*records: bytes) -> Run:
    """The run of a log with these records, which is read on demand."""
    return run_of(Path(tempfile.mkdtemp(dir=_FOLDER.name)), *records)


def report(*profiles: dict[str, Any], ceilings: bool = True) -> ProfileReport:
    records = [artifact("device_profile", item) for item in profiles]
    records += [artifact("ceilings", CEILINGS)] if ceilings else []
    return make_profile_report(logged(*records))


def faster() -> ProfileReport:
    return report(profile())


def slower() -> ProfileReport:
    return report(profile(**SLOWER))


def unaccounted() -> ProfileReport:
    """No part accounts for all of what it is slower; nothing is held against peak rates."""
    return report(profile(**{**SLOWER, "eager_work": [[5, 90_000]]}), ceilings=False)


def on_cpu() -> ProfileReport:
    launches = [{"kind": "cpu", "name": "aten::relu", "stream": 1, "place": {}}]
    calls = [{"wall_ns": 200_000, "spans_ns": [[0, 80_000]]}] * 30
    cpu = {
        "device": {"kind": "cpu", "threads": 2}, "launches": launches, "calls": calls,
        "eager_watched_ns": [60_000], "eager_copies": [[0, 0]],
    }  # fmt: skip
    return report(profile(**{**SLOWER, **cpu}))


def no_difference() -> ProfileReport:
    """Within noise, of two files with one name."""
    one, other = profile()["launches"]
    other["place"] = {"operator": "aten::copy_", "frames": ["/p/other/model.py(4): forward"]}
    eager_ns = [time_ns for time_ns in (99_000, 100_000, 101_000) for _ in range(10)]
    return report(profile(eager_ns=eager_ns, launches=[one, other]))


def inputs() -> ProfileReport:
    """Two inputs of several arguments."""
    tensor = {"dtype": "float32", "size": [512, 256]}
    first = profile(arguments=[tensor, {"dtype": "int64", "size": []}, {"value": "3"}])
    return report(first, profile(input=1, arguments=[tensor] * 7))


def throttled() -> ProfileReport:
    """The GPU was too hot."""
    name = "clocks_event_reasons_counters.hw_thermal_slowdown"
    state = {
        "v": 1, "input": 0, "before": {name: "0"}, "elapsed_ns": 10_000_000_000, "missing": "",
        "after": {name: "3000000", "temperature.gpu": "91"},
    }  # fmt: skip
    records = artifact("device_profile", profile()), artifact("device_state", state)
    return make_profile_report(logged(*records))


def missing() -> ProfileReport:
    return make_profile_report(logged(artifact("end", {"v": 1})))


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


def tuned_report(*items: dict[str, Any], whole: bool = False) -> ProfileReport:
    records = [artifact("autotuned", item) for item in items]
    return make_profile_report(logged(*records), all_tuned=whole)


def autotuned() -> ProfileReport:
    """One for which the default was best, too."""
    slow = {"at": 1, "name": "slow", "kind": "triton", "time_ns": 900_000}
    candidates = [tuned()["candidates"][0], slow]
    plain = tuned(name="bmm", chosen=0, benchmark_ns=1000, failed=0, candidates=candidates)
    return tuned_report(tuned(), plain, whole=True)


def side(**changes: Any) -> dict[str, Any]:
    """4 MiB of parameters and 1 MiB of input; a call that adds 6 MiB in a segment of its own."""
    reserved = 30 * MIB
    return copy.deepcopy({
        "events": [
            [32 * MIB, 4 * MIB, 0, reserved],
            [36 * MIB, 2 * MIB, 1, reserved],
            [32 * MIB, -4 * MIB, -1, reserved],
        ],
        "places": [
            {"operator": "aten::relu", "frames": ["/p/model.py(4): forward"]},
            {"operator": "aten::mm", "frames": ["/p/model.py(5): forward"]},
        ],
        "held": [[MIB, 4 * MIB, "parameter"], [6 * MIB, MIB, "input"], [8 * MIB, 2 * MIB, ""]],
        "segments": [[MIB, 10 * MIB, False], [32 * MIB, 20 * MIB, False]],
        "stats": {
            "allocated_before": 7 * MIB, "allocated_peak": 13 * MIB,
            "reserved_before": 10 * MIB, "reserved_peak": 30 * MIB,
        },
        **changes,
    })  # fmt: skip


POOL = [64 * MIB, 40 * MIB, True]
REPLAYED = side(
    events=[],
    segments=[[MIB, 10 * MIB, False], POOL],
    stats={
        "allocated_before": 7 * MIB, "allocated_peak": 7 * MIB,
        "reserved_before": 50 * MIB, "reserved_peak": 50 * MIB,
    },
)  # fmt: skip


def memory_report(**changes: Any) -> ProfileReport:
    """With the memory of one call."""
    timed = {
        "v": 1, "input": 0, "device": {"kind": "cuda", "name": "NVIDIA H200"},
        "plain_ns": [100_000] * 30, "watched_ns": [130_000] * 30,
        "launches": [{"kind": "kernel", "name": "k", "replayed": True}],
        "calls": [{"wall_ns": 130_000, "spans_ns": [[1, 2]]}] * 3,
    }  # fmt: skip
    made = {"v": 1, "input": 0, "device": "cuda", "compiled": side(), "eager": side(), **changes}
    records = artifact("device_profile", timed), artifact("memory_profile", made)
    return make_profile_report(logged(*records))


def memory() -> ProfileReport:
    """Half of eager's peak; the profiler did not see all of it, and the allocator retried."""
    eager = side(events=[[32 * MIB, 17 * MIB, 1, 30 * MIB]])
    eager["stats"]["allocated_peak"] = 24 * MIB
    compiled = side()
    compiled["stats"] |= {"allocated_peak": 15 * MIB, "retries": 2}
    return memory_report(compiled=compiled, eager=eager)


def memory_of_cuda_graphs() -> ProfileReport:
    """1 MiB that was in the pool, 3 and 5 that the capture allocates."""
    captured = side(
        events=[[64 * MIB, 3 * MIB, 1, 0], [68 * MIB, 5 * MIB, 0, 0], [64 * MIB, -3 * MIB, -1, 0]],
        held=[[90 * MIB, MIB, ""]],
        segments=[POOL],
    )
    eager = side(segments=[[MIB, 10 * MIB, False], [32 * MIB, 20 * MIB, False], POOL])
    eager["events"] = [[*event[:3], event[3] + 40 * MIB] for event in eager["events"]]
    eager["stats"] |= {"reserved_before": 50 * MIB, "reserved_peak": 70 * MIB}
    return memory_report(compiled=REPLAYED, eager=eager, captured=captured)


def memory_not_captured() -> ProfileReport:
    return memory_report(compiled=REPLAYED)


def memory_failed() -> ProfileReport:
    return memory_report(eager=side(failed="OutOfMemoryError: tried 9 GiB"))


def memory_on_cpu() -> ProfileReport:
    bare = side(stats={}, segments=[])
    return memory_report(device="cpu", compiled=bare, eager=bare)
