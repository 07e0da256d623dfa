"""Reports of what was timed: a bench, a collection, a warm-up, and one kernel alone."""

import dataclasses
from pathlib import Path
from typing import Any

from inspector.features.bench.choice import choose
from inspector.features.bench.collection_report import (
    CollectionReport,
    Measured,
    make_collection_report,
)
from inspector.features.bench.report import BenchGroup, BenchReport
from inspector.features.bench.rows import BenchRow
from inspector.features.bench.varied import VariedInput, VariedSetting
from inspector.features.bench.warmup_report import WarmupReport, make_warmup_report
from inspector.features.profile.kernel_bench.report import (
    KernelBenchReport,
    Rate,
    make_kernel_bench_report,
)
from inspector.features.profile.report import make_profile_report
from inspector.records.bench import OutputError
from inspector.records.kernel_bench import KernelBench
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from inspector.shared.bench import BenchPlan, Combination, Setting, Workload
from inspector.shared.variation import Assignment
from inspector.shared.warmup import WarmupPlan
from tests.bench_rows import row
from tests.unit.render import runs
from tests.unit.render.profile_reports import artifact, logged

RECORDING = Path(__file__).parents[1] / "data" / "warmup.zip"
NAME = "triton_red_fused_sum_3"
CEILINGS = {
    "v": 1, "device": "NVIDIA H200", "measured_at_s": 9, "cached": False,
    "ceilings": {"copy_bytes_per_s": 4e12, "l2_bytes_per_s": 8e12},
}  # fmt: skip
_AS_IT_IS = Workload()
_TUNED = Setting("inductor", mode="max-autotune")


def made_warmup(**changes: Any) -> WarmupReport:
    """The recorded warm-up, with changes to its plan."""
    with opened(RECORDING) as found:
        run, plan = read_run(found), WarmupPlan.read(found.folder)
    return make_warmup_report(dataclasses.replace(plan, **changes), run)


def warmup() -> WarmupReport:
    return made_warmup()


def warmup_failed() -> WarmupReport:
    """The cold start dies with its last input, and the recorder was interrupted."""
    whole = warmup()
    died = [
        dataclasses.replace(start, firsts=start.firsts[:3], failure="it died", detail="Traceback\n")
        if start.name == "cold"
        else start
        for start in whole.starts
    ]
    meta = dataclasses.replace(
        whole.run.meta, partial="it was interrupted with Ctrl-C", error="KeyError: 'x'"
    )
    run = dataclasses.replace(whole.run, meta=meta)
    return dataclasses.replace(whole, starts=tuple(died), run=run)


def _rows(workload: Workload = _AS_IT_IS, number: int = 0) -> tuple[BenchRow, ...]:
    shared = {"workload": workload, "input": number, "inputs": f"float32[{4 + number}, 3]"}
    error = OutputError("eager", "output of input 1", 0.25)
    own = OutputError("float64", "output of input 1", 1e-7)
    missing = OutputError("eager", "output[1]", float("inf"), mine="None", theirs="int 2")
    return (
        row(Setting(), errors=(own,), memory={"peak_allocated": 2 << 20}, first_ns=9000, **shared),
        row(Setting("inductor"), 2.0, first_ns=3_000_000_000, cached_first_ns=1_000_000_000,
            second_ns=700, break_even_calls=1200, memory={"peak_allocated": 1 << 20},
            errors=(dataclasses.replace(error, relative=1e-7),), items_per_s=4000.0,
            busy=0.5, launches=7, medians={(0, 0): 501.0, (0, 1): 499.0}, **shared),
        row(_TUNED, 3.0, errors=(error, missing), wrong=("output of input 1",), breaks=1,
            uncompared=("a state",), is_settled=False, **shared),
        row(Setting("aot_eager"), failure="ValueError: no", detail="Traceback:\n  x\n", **shared),
    )  # fmt: skip


def _run(**changes: Any) -> Run:
    process = runs.process_of(
        compile_time_ns=0, stages=(), versions={"torch": "2.13.0", "python": "3.12.3"}
    )
    return runs.run_of(process, **changes)


def _bench(*groups: tuple[BenchRow, ...], **changes: Any) -> BenchReport:
    settings = [each.setting for each in groups[0]]
    workloads = dict.fromkeys(each[0].workload for each in groups)
    plan = BenchPlan(
        "model.py", tuple(Combination(of, item) for of in workloads for item in settings), 2
    )
    made = tuple(
        BenchGroup(each[0].workload, each[0].input, each[0].inputs, each, choose(each), ())
        for each in groups
    )
    return BenchReport(
        **{"plan": plan, "run": _run(), "groups": made, "device": "cpu", "threads": 2,
           "notices": ("intervals of 2 sessions are very wide: pass --sessions 3",), **changes}
    )  # fmt: skip


def bench() -> BenchReport:
    """Two inputs; the recorder was interrupted."""
    return _bench(
        _rows(),
        _rows(Workload(dtype="bf16"), 1),
        run=_run(partial="it was interrupted", error="ValueError: no", error_detail="Traceback\n"),
    )


def bench_varied() -> BenchReport:
    """One call of each of two inputs."""
    rows = [[dataclasses.replace(each, varies=f"x[0]={size}") for each in _rows(number=at)]
            for at, size in enumerate((1, 4))]  # fmt: skip
    found = []
    for of in zip(*rows, strict=True):
        inputs = tuple(VariedInput(each.varies, each, 1, ()) for each in of)
        found.append(
            VariedSetting(of[0].setting, inputs, 2e9, 1e6, 2, 31, of[0].failure, {},
                          of[0].faster)
        )  # fmt: skip
    made = _bench(*map(tuple, rows), varied=tuple(found))
    variations = tuple((Assignment("x", 0, size),) for size in (1, 4))
    return dataclasses.replace(made, plan=dataclasses.replace(made.plan, variations=variations))


def bench_collection() -> CollectionReport:
    """A model that was measured, one that cannot be loaded, and one with a faster setting."""
    models = (
        Measured("zoo/attention.py", _rows(), "", _bench(_rows())),
        Measured("zoo/broken.py", (), "Loading it failed: no weights"),
        Measured("zoo/resnet.py", (*_rows()[:2], *_rows(number=1)[:2])),
    )
    return make_collection_report(models, 2)


def times(median_ns: int, number: int = 105) -> list[int]:
    """Within one percent of the median."""
    return [median_ns + median_ns * (n % 21 - 10) // 1000 for n in range(number)]


def config(cold: int, **changes: Any) -> dict[str, Any]:
    return {
        "values": {"XBLOCK": 1, "R0_BLOCK": 1024}, "num_warps": 8, "num_stages": 1,
        "registers": 40, "spills": 0, "shared_bytes": 64,
        "cold_ns": times(cold), "warm_ns": times(cold // 2), **changes,
    }  # fmt: skip


def benched(**changes: Any) -> dict[str, Any]:
    """Of four launches in a call; 10 µs each, 12 cold."""
    return {
        "v": 1, "asked": "sum", "name": NAME, "kind": "triton", "input": 0, "launch": 3,
        "launches": [{"count": 2, "time_ns": 900, "taken": False},
                     {"count": 4, "time_ns": 40_000, "taken": True}],
        "places": [["cabc", 12], ["cabc", 14]],
        "arguments": [
            {"name": "in_ptr0", "dtype": "float32", "size": [4, 2000], "stride": [2000, 1],
             "written": False},
            {"name": "out_ptr0", "dtype": "float32", "size": [4], "stride": [1], "written": True},
            {"name": "xnumel", "value": "4"},
        ],
        "cache_bytes": 50_000_000, "config": config(12_000), **changes,
    }  # fmt: skip


def _profile(device: str = "cuda") -> dict[str, Any]:
    launch = {"kind": "kernel", "name": NAME, "stream": 7, "grid": [8, 1, 1], "block": [128, 1, 1]}
    lines = (12, 14, 12, 14, 20)
    launches = [{**launch, "place": {"file": "cabc", "line": line}} for line in lines]
    spans = [[20_000 * n, 20_000 * n + 10_000] for n in range(len(lines))]
    return {
        "v": 1, "input": 0, "device": {"kind": device, "name": "NVIDIA H200"},
        "plain_ns": [150_000] * 30, "watched_ns": [150_000] * 30, "eager_ns": [],
        "launches": launches, "calls": [{"wall_ns": 150_000, "spans_ns": spans}] * 30,
    }  # fmt: skip


def kernel_run(payload: dict[str, Any], *, profiled: bool = True, device: str = "cuda") -> Run:
    """A run with a kernel that was timed alone."""
    records = [artifact("device_profile", _profile(device))] if profiled else []
    return logged(*records, artifact("kernel_bench", payload), artifact("ceilings", CEILINGS))


def kernel_report(
    payload: dict[str, Any], *, profiled: bool = True, device: str = "cuda"
) -> KernelBenchReport:
    """The report on that kernel."""
    found = kernel_run(payload, profiled=profiled, device=device)
    made = found.processes[0].last(KernelBench)
    assert made is not None
    return make_kernel_bench_report(make_profile_report(found), made)


def kernel_bench() -> KernelBenchReport:
    return kernel_report(benched())


def kernel_bench_slow() -> KernelBenchReport:
    """Far from what the machine can do, and nearer to warm than to cold in place."""
    rates = (
        Rate("cold", "flops", 0.63e9, 5e13, "float32_flops_per_s"),
        Rate("cold", "bytes", 1.5e6, 4e12, "copy_bytes_per_s"),
    )
    made = kernel_report(benched(config=config(30_000, warm_ns=times(10_000))))
    return dataclasses.replace(made, rates=rates)


def kernel_bench_missing() -> KernelBenchReport:
    """A kernel that was not timed."""
    payload = {"v": 1, "asked": "sum", "name": NAME, "kind": "cpp", "missing": "it is gone"}
    return kernel_report(payload, profiled=False)
