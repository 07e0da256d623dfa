"""Published claims on L2 hit rates, SM utilisation and fusion, against the GPU of this machine.

    python benchmarks/profile_claims.py [--seconds 720] [--only NAME] [--way WAY] [--output FILE]

Three models (``benchmarks/claims``) run in eager PyTorch and compiled. Nsight Compute counts what
each kernel of one warm call does, in a process for each of the two; `inspect profile` times their
calls, one model with ``--counters``. What does not fit into the time says so.

The hit rate of a call is that of all sectors that its kernels ask the L2 cache for. SM figures are
means over the kernels, each by its time. Clocks and caches are left as they are.
"""

from __future__ import annotations

import argparse
import itertools
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

from benchmarks.profile_claims_cases import CASES, NCU, WAYS, Case, Counted  # noqa: E402 - the path is set
from benchmarks.profile_claims_page import page  # noqa: E402 - same
from inspector.features.profile.nsight_compute import counted_kernels, forbidden  # noqa: E402 - the path is set

# The part of the time that Nsight Compute has.
COUNTING = 0.75


def counts(case: Case, way: str, seconds: float) -> tuple[Counted | None, str]:
    """What was counted of a call, and why it is missing."""
    ncu = shutil.which("ncu")
    if ncu is None:
        return None, "Nsight Compute (ncu) is not on the PATH"
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        child = [sys.executable, str(Path(__file__).resolve()), "--child", case.name, "--way", way]
        if way == "compiled":
            # Under Nsight Compute everything takes longer: what is compiled is in caches then.
            began = time.monotonic()
            run(child, seconds)
            seconds -= time.monotonic() - began
        command = [
            ncu, *NCU, "--target-processes", "application-only", "--csv", "--page", "raw",
            "--metrics", ",".join(case.metrics), "--log-file", str(log), *child,
        ]  # fmt: skip
        reason = run(command, seconds)
        text = log.read_text("utf-8", errors="replace") if log.exists() else ""
    kernels = counted_kernels(text, case.metrics)
    whole = [one for one in kernels if all(name in one.values for name in case.metrics)]
    reason = forbidden(text) or reason
    if not whole and not reason:
        reason = "no kernel was counted: " + " ".join(text.split("\n")[-4:])
    return Counted(whole) if whole else None, reason


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
            sys.executable, "-m", "inspector.cli", "profile", case.file, *case.options, "-o",
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
    parser.add_argument("--way", default="", help="count eager or compiled calls alone, no profile")
    parser.add_argument("--device", default="cuda", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=720)
    parser.add_argument("--only", default="", help="one of the models")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    if asked.child:
        from benchmarks.profile_claims_child import child

        child(asked.child, asked.way, asked.device)
        return
    began = time.monotonic()
    cases = [case for case in CASES if asked.only in {"", case.name}]
    missing: list[str] = []
    reports: dict[str, dict[str, Any]] = {}
    found: dict[tuple[str, str], Counted] = {}
    ways = [way for way in WAYS if asked.way in {"", way}]
    counting_s = asked.seconds * (1 if asked.way else COUNTING)
    for case, way in itertools.product(cases, ways):
        counted, reason = counts(case, way, counting_s - (time.monotonic() - began))
        if counted is not None:
            found[case.name, way] = counted
        missing += [f"Nsight Compute, `{case.file}`, {way}: {reason}"] if reason else []
        said = reason or f"{len(counted.kernels) if counted else 0} kernels"
        print(f"{case.name}, {way}: {said}, {time.monotonic() - began:.0f} s", flush=True)
    for case in [] if asked.way else cases:
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
