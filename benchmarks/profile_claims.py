"""Published claims on L2 hit rates, SM utilisation and fusion, against the GPU of this machine.

    python benchmarks/profile_claims.py [--seconds 360] [--output reports/profile_claims.md]

Three models (``benchmarks/claims``) run in eager PyTorch and compiled. Nsight Compute counts what
each kernel of one warm call of both does, in one process; `inspect profile` times their calls, one
model with ``--counters``. What does not fit into the time says so.

The hit rate of a call is that of all sectors that its kernels ask the L2 cache for. SM figures are
means over the kernels, each by its time. Clocks and caches are left as they are.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from inspector.sources.counters import counted_kernels, forbidden  # noqa: E402 - the path is set

TIME = "gpu__time_duration.sum"
SECTORS = "lts__t_sectors.sum"
HIT_RATE = "lts__t_sector_hit_rate.pct"
SM = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
ACTIVE = "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"
DRAM = "dram__bytes.sum"
METRICS = (TIME, SECTORS, HIT_RATE, SM, ACTIVE, DRAM)
# What is said of kernels one by one leaves out those that hardly matter.
LEAST_SHARE = 0.01
MARKER = "spin_kernel"  # torch.cuda._sleep's: it stands before each call that is counted
WAYS = ("eager", "compiled")


@dataclasses.dataclass(frozen=True)
class Case:
    """A model."""

    name: str
    trains: bool = False
    counters: bool = False

    @property
    def file(self) -> str:
        """The target."""
        return f"benchmarks/claims/{self.name}.py"

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is counted; throughputs take many passes, which training has no time for."""
        return tuple(name for name in METRICS if name != SM) if self.trains else METRICS

    @property
    def options(self) -> list[str]:
        """Those of `inspect profile`."""
        how = ["--train" if self.trains else "--no-grad"]
        return [*how, "--device", "cuda", *(["--counters"] if self.counters else [])]


LAYER_NORM = Case("layer_norm_gelu", counters=True)
TRANSFORMER = Case("transformer")
RESNET = Case("resnet50_training", trains=True)
CASES = (LAYER_NORM, TRANSFORMER, RESNET)


@dataclasses.dataclass(frozen=True)
class Counted:
    """The kernels of one call."""

    kernels: Sequence[Any]

    @property
    def time_ns(self) -> float:
        """The time of all of them, each alone."""
        return sum(kernel.values.get(TIME, 0.0) for kernel in self.kernels)

    def mean(self, name: str) -> float:
        """Of a percentage, by time."""
        return sum(k.values[name] * k.values[TIME] for k in self.kernels) / self.time_ns

    @property
    def hit_rate(self) -> float:
        """Of the L2 cache, in percent."""
        sectors = sum(kernel.values[SECTORS] for kernel in self.kernels)
        return sum(k.values[HIT_RATE] * k.values[SECTORS] for k in self.kernels) / sectors

    @property
    def dram_bytes(self) -> float:
        """To and from memory."""
        return sum(kernel.values[DRAM] for kernel in self.kernels)

    def share_above(self, percent: float) -> float:
        """The share of the time in kernels whose hit rate is at least that."""
        return (
            sum(k.values[TIME] for k in self.kernels if k.values[HIT_RATE] >= percent)
            / self.time_ns
        )

    @property
    def best(self) -> Any:
        """The kernel with the highest hit rate, of those that matter."""
        matter = [k for k in self.kernels if k.values[TIME] >= LEAST_SHARE * self.time_ns]
        return max(matter, key=lambda kernel: kernel.values[HIT_RATE])


# ------------------------------------------------------------------------------------ the child


def child(name: str, device: str) -> None:
    """Calls a model warm, eager and compiled, each behind a marker."""
    import torch

    # Backward in this thread: whatever a profiler does about others does not matter then.
    torch.autograd.set_multithreading_enabled(False)
    case = next(case for case in CASES if case.name == name)
    module = loaded(ROOT / case.file)
    model = module.get_model().to(device)
    inputs = [tensor.to(device) for tensor in module.get_inputs()]
    for way in WAYS:
        function = torch.compile(model) if way == "compiled" else model
        for _ in range(3):
            call(case, model, function, inputs)
        with counted(device):
            call(case, model, function, inputs)


def loaded(file: Path) -> Any:
    """The module of a file."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def call(case: Case, model: Any, function: Any, inputs: Sequence[Any]) -> None:
    """One call, as `inspect profile` makes it."""
    import torch

    with torch.set_grad_enabled(case.trains):
        model.zero_grad(set_to_none=True)
        output = function(*inputs)
        if case.trains:
            output.sum().backward()


@contextlib.contextmanager
def counted(device: str) -> Iterator[None]:
    """Lets Nsight Compute count."""
    import torch

    if device == "cpu":  # to try this script
        yield
        return
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    torch.cuda._sleep(1000)  # noqa: SLF001 - the marker
    yield
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


# ----------------------------------------------------------------------------------- the parent


NCU = ("--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none")


def counts(case: Case, seconds: float) -> tuple[dict[str, Counted], str]:
    """What was counted of a model, eager and compiled, and why something is missing."""
    ncu = shutil.which("ncu")
    if ncu is None:
        return {}, "Nsight Compute (ncu) is not on the PATH"
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        command = [
            ncu, *NCU, "--target-processes", "application-only", "--csv", "--page", "raw",
            "--metrics", ",".join(case.metrics), "--log-file", str(log), sys.executable,
            str(Path(__file__).resolve()), "--child", case.name,
        ]  # fmt: skip
        why = run(command, seconds)
        text = log.read_text("utf-8", errors="replace") if log.exists() else ""
    kernels = counted_kernels(text, METRICS)
    reason = forbidden(text) or why
    # The marker stands first in each call.
    found: dict[str, Counted] = {}
    places = [place for place, kernel in enumerate(kernels) if MARKER in kernel.name]
    for way, begin, end in zip(WAYS, places, [*places[1:], len(kernels)], strict=False):
        whole = [
            k for k in kernels[begin + 1 : end] if all(name in k.values for name in case.metrics)
        ]
        if whole:
            found[way] = Counted(whole)
    if not kernels and not reason:
        reason = "no kernel was counted: " + " ".join(text.split("\n")[-4:])
    return found, reason


def run(command: Sequence[str], seconds: float) -> str:
    """Runs a program with all that it starts; why it failed, or an empty string."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            _, errors = process.communicate(timeout=max(1.0, seconds))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # a session of our own
            return f"it took longer than {seconds:.0f} s"
    if process.returncode:
        lines = [line for line in errors.splitlines() if line.strip()]
        return f"exit code {process.returncode}: {' '.join(lines[-3:])[-400:]}"
    return ""


def profiled(case: Case, seconds: float) -> tuple[dict[str, Any] | None, str]:
    """The report of `inspect profile`, and why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "profile.json"
        command = [
            sys.executable, "-m", "inspector.commands", "profile", case.file, *case.options, "-o",
            str(output), "--save", str(Path(folder) / "recording"), "--no-progress",
        ]  # fmt: skip
        reason = run(command, seconds)
        if reason:
            return None, reason
        found: dict[str, Any] = json.loads(output.read_text("utf-8"))
        return found, ""


# ---------------------------------------------------------------------------------- the verdicts


def change(before: float, after: float) -> str:
    """``41.2 % → 52.0 % (+26 %)``."""
    return f"{before:.1f} % → {after:.1f} % ({after / before - 1:+.0%})"


def by_counters(name: str, found: dict[tuple[str, str], Counted]) -> tuple[Counted, Counted] | None:
    """Both ways of a model."""
    both = [found.get((name, way)) for way in WAYS]
    return (both[0], both[1]) if both[0] is not None and both[1] is not None else None


def hit_rate_row(found: dict[tuple[str, str], Counted]) -> tuple[str, str]:
    """ResNet-50's L2 hit rate: what was measured, and whether the claim holds."""
    both = by_counters(RESNET.name, found)
    if both is None:
        return "not measured", "-"
    eager, compiled = both
    best = [way.best for way in both]
    text = (
        f"whole step {change(eager.hit_rate, compiled.hit_rate)}; the best kernel with over 1 % of "
        f"the time {best[0].values[HIT_RATE]:.0f} % → {best[1].values[HIT_RATE]:.0f} %; kernels of "
        f"92 % and more take {eager.share_above(92):.0%} → {compiled.share_above(92):.0%} of it"
    )
    if compiled.hit_rate >= 92:
        return text, "yes"
    reaches = best[1].values[HIT_RATE] >= 92
    return text, "of single kernels, not of the step" if reaches else "no"


def utilisation_row(
    report: dict[str, Any] | None, found: dict[tuple[str, str], Counted]
) -> tuple[str, str]:
    """ResNet-50's GPU utilisation."""
    parts, holds = [], "-"
    if report is not None:
        (profile,) = report["profiles"]
        busy = profile["busy_ns"] / profile["wall_ns"]
        parts.append(f"the GPU works {busy:.1%} of a compiled step")
        if profile["eager_ns"] and profile["eager_busy_ns"]:
            parts[0] += f", {profile['eager_busy_ns'] / profile['eager_ns']:.1%} of an eager one"
        holds = "yes" if busy > 0.9 else "no"
    both = by_counters(RESNET.name, found)
    if both is not None:
        parts.append(f"while kernels run, SMs are active {both[1].mean(ACTIVE):.0f} % of the time")
    return "; ".join(parts) or "not measured", holds


def fusion_row(name: str, found: dict[tuple[str, str], Counted]) -> tuple[str, str]:
    """LayerNorm and GELU: SM utilisation by both meanings, and what was really won."""
    both = by_counters(name, found)
    if both is None:
        return "not measured", "-"
    eager, compiled = both
    gain = compiled.mean(SM) / eager.mean(SM) - 1
    text = (
        f"SM throughput {change(eager.mean(SM), compiled.mean(SM))}; SMs active "
        f"{change(eager.mean(ACTIVE), compiled.mean(ACTIVE))}; {len(eager.kernels)} → "
        f"{len(compiled.kernels)} kernels; DRAM {eager.dram_bytes / 1e6:,.0f} → "
        f"{compiled.dram_bytes / 1e6:,.0f} MB; kernels' time {eager.time_ns / 1e3:,.0f} → "
        f"{compiled.time_ns / 1e3:,.0f} µs ({compiled.time_ns / eager.time_ns - 1:+.0%})"
    )
    return text, "yes" if gain >= 0.26 else f"no: {gain:+.0%}"


def product_lines(reports: dict[str, dict[str, Any]]) -> Iterator[str]:
    """What `inspect profile` said of each."""
    for name, report in reports.items():
        (profile,) = report["profiles"]
        faster = profile["faster_than_eager"] or 0.0
        counters = [item["counters"] for work in profile["work"] for item in work["launches"]]
        yield (
            f"| {name} | {(profile['eager_ns'] or 0) / 1e6:.3f} | {profile['wall_ns'] / 1e6:.3f} | "
            f"{faster:.2f} | {profile['busy_ns'] / profile['wall_ns']:.1%} | "
            f"{profile['eager_launches']} → {profile['launches']} | "
            f"{sum(map(bool, counters))} of {len(counters)} |"
        )


TEXT = """# Published claims, measured

{said}. Written by `benchmarks/profile_claims.py` in {took:.0f} s; what the words mean is in
[docs/claims.md](../docs/claims.md).

| claim | measured here, eager → compiled | command | holds |
|---|---|---|---|
{rows}

`ncu …` is `ncu {ncu} --metrics {metrics} python benchmarks/profile_claims.py`.

What `inspect profile` says of the same models (`{targets}`):

| model | eager, ms | compiled, ms | faster | GPU works | launches | with counters |
|---|--:|--:|--:|--:|--:|--:|
{lines}
{missing}"""


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    parser.add_argument("--device", default="cuda", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=360)
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    if asked.child:
        child(asked.child, asked.device)
        return
    began = time.monotonic()
    missing: list[str] = []
    reports: dict[str, dict[str, Any]] = {}
    found: dict[tuple[str, str], Counted] = {}
    for case in CASES:
        ways, reason = counts(case, asked.seconds * 0.6 - (time.monotonic() - began))
        found |= {(case.name, way): item for way, item in ways.items()}
        missing += [f"Nsight Compute, `{case.file}`: {reason}"] if reason else []
        kernels = {way: len(item.kernels) for way, item in ways.items()}
        print(f"{case.name}: {reason or kernels}, {time.monotonic() - began:.0f} s", flush=True)
    for case in CASES:
        left = asked.seconds - (time.monotonic() - began)
        report, why = profiled(case, left)
        if report is not None:
            reports[case.name] = report
            missing += [f"`{case.file}`: {notice}" for notice in report["notices"]]
        else:
            missing.append(f"`inspect profile {case.file}`: {why}")
        print(f"{case.name}: {why or 'profiled'}, {time.monotonic() - began:.0f} s", flush=True)
    text = page(found, reports, missing, time.monotonic() - began)
    print(text)
    if asked.output:
        asked.output.write_text(text, "utf-8")


def page(
    found: dict[tuple[str, str], Counted],
    reports: dict[str, dict[str, Any]],
    missing: Sequence[str],
    took_s: float,
) -> str:
    """The report."""
    profiling = f"`inspect profile {RESNET.file} {' '.join(RESNET.options)}`"
    counting = "ncu … --child"
    rows = (
        (
            "ResNet-50, training: L2 hit rate up to 92 %",
            hit_rate_row(found),
            f"`{counting} {RESNET.name}`",
        ),
        (
            "ResNet-50, training: GPU utilisation over 90 %",
            utilisation_row(reports.get(RESNET.name), found),
            profiling,
        ),
        (
            "LayerNorm and GELU fused: SM utilisation +26 %, the two alone",
            fusion_row(LAYER_NORM.name, found),
            f"`{counting} {LAYER_NORM.name}`",
        ),
        (
            "the same, a whole Transformer block",
            fusion_row(TRANSFORMER.name, found),
            f"`{counting} {TRANSFORMER.name}`",
        ),
    )
    report = next(iter(reports.values()), None)
    said = "A GPU"
    if report is not None:
        versions = report["versions"][0]
        device = (report["ceilings"] or {}).get("device") or "A GPU"
        said = f"{device}, torch {versions.get('torch')}, Triton {versions.get('triton')}"
    return TEXT.format(
        said=said,
        took=took_s,
        ncu=" ".join(NCU),
        metrics=",".join(METRICS),
        targets="`, `".join(
            f"inspect profile {item.file} {' '.join(item.options)}" for item in CASES
        ),
        rows="\n".join(
            f"| {claim} | {text} | {how} | {holds} |" for claim, (text, holds), how in rows
        ),
        lines="\n".join(product_lines(reports)),
        missing="".join(f"\n- {line}" for line in missing),
    )


if __name__ == "__main__":
    main()
