"""Published claims on L2 hit rates, SM utilisation and fusion, against the GPU of this machine.

    python benchmarks/profile_claims.py [--seconds 360] [--only NAME] [--output FILE]

Three models (``benchmarks/claims``) run in eager PyTorch and compiled. Nsight Compute counts what
each kernel of one warm call of both does, in one process; `inspect profile` times their calls, one
model with ``--counters``. What does not fit into the time says so.

The hit rate of a call is that of all sectors that its kernels ask the L2 cache for. SM figures are
means over the kernels, each by its time. Clocks and caches are left as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.profile_claims_cases import (  # noqa: E402 - the path is set
    CASES,
    MARKER,
    METRICS,
    NCU,
    WAYS,
    Case,
    Counted,
)
from benchmarks.profile_claims_page import page  # noqa: E402 - same
from inspector.sources.counters import counted_kernels, forbidden  # noqa: E402 - the path is set


def counts(case: Case, seconds: float) -> tuple[dict[str, Counted], str]:
    """What was counted of a model, eager and compiled, and why something is missing."""
    ncu = shutil.which("ncu")
    if ncu is None:
        return {}, "Nsight Compute (ncu) is not on the PATH"
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        child = [sys.executable, str(Path(__file__).resolve()), "--child", case.name]
        # Under Nsight Compute everything takes longer: what is compiled comes from caches then.
        began = time.monotonic()
        run(child, seconds)
        seconds -= time.monotonic() - began
        command = [
            ncu, *NCU, "--target-processes", "application-only", "--csv", "--page", "raw",
            "--metrics", ",".join(case.metrics), "--log-file", str(log), *child,
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


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    parser.add_argument("--device", default="cuda", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=360)
    parser.add_argument("--only", default="", help="one of the models")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    if asked.child:
        from benchmarks.profile_claims_child import child

        child(asked.child, asked.device)
        return
    began = time.monotonic()
    cases = [case for case in CASES if asked.only in {"", case.name}]
    missing: list[str] = []
    reports: dict[str, dict[str, Any]] = {}
    found: dict[tuple[str, str], Counted] = {}
    for case in cases:
        ways, reason = counts(case, asked.seconds * 0.6 - (time.monotonic() - began))
        found |= {(case.name, way): item for way, item in ways.items()}
        missing += [f"Nsight Compute, `{case.file}`: {reason}"] if reason else []
        kernels = {way: len(item.kernels) for way, item in ways.items()}
        print(f"{case.name}: {reason or kernels}, {time.monotonic() - began:.0f} s", flush=True)
    for case in cases:
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


if __name__ == "__main__":
    main()
