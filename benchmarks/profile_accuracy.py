"""Times and bytes of `inspect profile` against Nsight Compute's, on the GPU of this machine.

    python benchmarks/profile_accuracy.py [--only small_cnn] [--output reports/profile_accuracy.md]

Each sample is profiled with ``--counters``. Compared are the median time of each kernel of over 5
µs with ``gpu__time_duration.sum``, the bytes that Inductor counts with ``dram__bytes.sum`` where
they are more than the L2 cache holds, and the parts of a call with its wall time; beside them
stand how much of the time leads to a line, and what the profiler adds. Nsight Compute runs each
kernel alone and several times over; clocks and caches are left as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TIME, DRAM = "gpu__time_duration.sum", "dram__bytes.sum"
LEAST_NS = 5_000
# The sample, and the options.
CASES = (
    ("small_cnn", "--no-grad"),
    ("transformer_block", "--no-grad"),
    ("user_triton_kernel", "--no-grad"),
    ("resnet50", "--no-grad"),
    ("bert_base", "--no-grad --mode reduce-overhead"),
    ("transformer_block", "--train --mode reduce-overhead"),
    ("training_step", "--train"),
)


TEXT = """# Profiles against Nsight Compute

{said}. Written by `benchmarks/profile_accuracy.py`.

- *time*: median of the profile by Nsight Compute's `gpu__time_duration.sum`, of kernels of over
  {least} µs: median of the ratios (their range; their number).
- *bytes*: those that Inductor counts by `dram__bytes.sum`, where they are more than the L2 cache
  holds.
- *parts*: the device's work and all causes of idle time by the wall time of a call.
- *lines*: how much of the work's time leads to a line of the model.
- *watched*: a call under the profiler by one that nobody watches.

All kernels: time {times}, bytes {sizes}.

| sample | kernels | counted | time | bytes | parts | lines | watched | faster than eager |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
{lines}
"""


def profiled(sample: str, options: str, folder: Path) -> dict[str, Any]:
    """The JSON report of a sample; raises where it fails."""
    output = folder / "profile.json"
    command = [
        sys.executable, "-m", "inspector.commands", "profile", f"samples/{sample}/model.py",
        *options.split(), "--device", "cuda", "--counters", "-o", str(output), "--save",
        str(folder / "recording"), "--no-progress",
    ]  # fmt: skip
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{sample}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(output.read_text("utf-8"))
    return found


def row(sample: str, options: str, report: dict[str, Any]) -> tuple[str, list[float], list[float]]:
    """A line of the table; the ratios of times and of bytes behind it."""
    profile = report["profiles"][0]
    l2_bytes = profile["device"].get("l2_bytes") or 0
    times, sizes = [], []
    counted = 0
    for work in profile["work"]:
        for launch in work["launches"]:
            counters = launch["counters"]
            counted += bool(counters)
            if TIME in counters and launch["median_ns"] >= LEAST_NS:
                times.append(launch["median_ns"] / counters[TIME])
        main = work["launches"]
        if len(main) == 1 and (work["bytes"] or 0) > l2_bytes and DRAM in main[0]["counters"]:
            sizes.append(work["bytes"] / main[0]["counters"][DRAM])
    parts = (profile["busy_ns"] + sum(profile["idle_by_cause_ns"].values())) / profile["wall_ns"]
    kernels = sum(
        launch["kind"] == "kernel" for work in profile["work"] for launch in work["launches"]
    )
    cells = [
        f"{sample} {options}",
        f"{kernels:,}",
        f"{counted:,}",
        spread(times),
        spread(sizes),
        f"{parts:.3f}",
        f"{profile['attributed']:.1%}",
        f"{profile['watched_ns'] / profile['wall_ns']:.2f}",
        f"{profile['faster_than_eager'] or 0:.2f}",
    ]
    return "| " + " | ".join(cells) + " |", times, sizes


def spread(ratios: list[float]) -> str:
    """The median of ratios with their range and number."""
    if not ratios:
        return "-"
    return (
        f"{statistics.median(ratios):.3f} ({min(ratios):.2f} to {max(ratios):.2f}; {len(ratios)})"
    )


def main() -> None:
    """Runs the samples, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="those samples whose name has this in it")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    lines, times, sizes, said = [], [], [], ""
    for sample, options in CASES:
        if asked.only not in f"{sample} {options}":
            continue
        with tempfile.TemporaryDirectory() as folder:
            report = profiled(sample, options, Path(folder))
        line, more_times, more_sizes = row(sample, options, report)
        print(line, flush=True)
        for notice in report["notices"]:
            print(f"  {notice}", flush=True)
        lines.append(line)
        times += more_times
        sizes += more_sizes
        versions = report["versions"][0]
        ceilings = report["ceilings"]
        said = (
            f"{ceilings['device']}, torch {versions['torch']}, Triton {versions['triton']}; "
            + ", ".join(
                f"{name} {value}"
                for name, value in ceilings["state"].items()
                if "reasons" not in name
            )
            + "".join(f", slowed by {reason}" for reason in ceilings["slowed_by"])
        )
    text = TEXT.format(
        said=said, least=LEAST_NS // 1000, times=spread(times), sizes=spread(sizes),
        lines="\n".join(lines),
    )  # fmt: skip
    print(text)
    if asked.output:
        asked.output.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
