"""Times and bytes of `inspect profile` against Nsight Compute's, on the GPU of this machine.

    python benchmarks/profile_accuracy.py [--only small_cnn] [--output reports/profile_accuracy.md]

What was compared is written after each sample; with ``--values`` each kernel's times, too.

Each sample is profiled with ``--counters``, for which Nsight Compute is asked for two metrics
alone: they fit into one pass, so that each kernel runs once, in its place in the call, as it does
in a profile. Compared are the median time of each kernel of over 5 µs with
``gpu__time_duration.sum``, the bytes with ``dram__bytes.sum`` where they are more than the L2 cache
holds, and the sum of the kernels' times with the time in which the GPU works; beside them stand
how much of the time leads to a line, and what the profiler adds. Clocks and caches are left as they
are.

Nsight Compute lets each kernel run alone, after all before it have ended. In a call they run one
behind the other, which takes less: where no CUDA graph launches them, each sample is therefore
profiled once more with ``CUDA_LAUNCH_BLOCKING=1``, where each kernel runs alone, too.

Beside both stands what `torch.profiler` alone says of the same calls, made by hand in a process
that imports nothing of this project (`by_hand.py`): where it differs from Nsight Compute as we do,
the difference is between CUPTI and Nsight Compute.

Nsight Compute's time begins before the kernel does. By how much is measured first, on kernels of no
sample: one that copies a tensor, of growing size, under CUPTI and under Nsight Compute; and under
CUPTI with each launch waited for.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.counter_offset import TIME, offsets  # noqa: E402 - the path is set
from benchmarks.kernels_by_hand import by_hand_ns, by_number  # noqa: E402

DRAM = "dram__bytes.sum"
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
    # Kernels that are longer than what Nsight Compute adds, and larger than the L2 cache.
    ("transformer_block", "--no-grad --input f32[64,1024,256]"),
    ("small_cnn", "--no-grad --input f32[256,3,224,224]"),
)
# One pass: nothing is replayed.
ASKED_FOR_LITTLE = """
import inspector.cli.counters as counters
counters.METRICS = ("gpu__time_duration.sum", "dram__bytes.sum")
import sys
from inspector.cli import main
sys.exit(main())
"""


TEXT = """# Profiles against Nsight Compute

{said}. Written by `benchmarks/profile_accuracy.py`.

Nsight Compute's times are {offset_us:.2f} µs longer than CUPTI's, whatever the kernel takes: the
median over {probed} copies of 1 to 128 MiB, of which none is a kernel of a sample ({low_us:.2f} to
{high_us:.2f} µs). The 2 % that were asked for are {least_ns} ns for a kernel of {least} µs: less
than that. Where each of these copies is waited for, as Nsight Compute does with each kernel, it is
{alone_us:.2f} µs.

- *time*: median of the profile by Nsight Compute's `gpu__time_duration.sum`, of kernels of over
  {least} µs: median of the ratios (their range; their number).
- *without*: the same without the {offset_us:.2f} µs.
- *alone*: median of a profile in which each launch is waited for (`CUDA_LAUNCH_BLOCKING=1`), by
  Nsight Compute's: the same run conditions. Within a CUDA graph nothing can be waited for.
- *hand*: by `torch.profiler` around calls by hand, without anything of this project, by Nsight
  Compute's.
- *same*: median of the profile by that.
- *bytes*: those that Inductor counts by `dram__bytes.sum`, where they are more than the L2 cache
  holds.
- *sum*: the kernels' times, added up, by the time in which the GPU works. (The rest of a call is
  idle time by definition, and its causes are scaled to it.)
- *lines*: how much of the work's time leads to a line of the model.
- *watched*: a call under the profiler by one that nobody watches.

All kernels: time {times}, without {without}, alone {alone}, hand {hand}, same {same}, bytes
{sizes}.

| {head} |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
{lines}
"""


HEAD = (
    "sample", "kernels", "counted", "time", "without", "alone", "hand", "same", "bytes", "sum",
    "lines", "watched", "than eager",
)  # fmt: skip


def profiled(sample: str, options: str, folder: Path, *, alone: bool = False) -> dict[str, Any]:
    """The JSON report of a sample, with counters or with each launch alone; raises if it fails."""
    name = "alone" if alone else "profile"
    output = folder / f"{name}.json"
    command = [
        sys.executable, "-c", ASKED_FOR_LITTLE, "profile", f"samples/{sample}/model.py",
        *options.split(), "--device", "cuda", *(() if alone else ("--counters",)),
        "-o", str(output), "--save", str(folder / f"{name}.zip"), "--no-progress",
    ]  # fmt: skip
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    waits = {"CUDA_LAUNCH_BLOCKING": "1"} if alone else {}
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path, **waits}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{sample}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(output.read_text("utf-8"))
    return found


@dataclasses.dataclass
class Ratios:
    """What was compared.

    Attributes:
        times: Our time by Nsight Compute's, of each kernel.
        without: The same without what Nsight Compute adds.
        alone: The time of a launch that is waited for by Nsight Compute's.
        hand: The time by hand by Nsight Compute's.
        same: Our time by that by hand.
        sizes: Our bytes by those that it counted.
        values: Each kernel with its times in ns.
    """

    times: list[float] = dataclasses.field(default_factory=list)
    without: list[float] = dataclasses.field(default_factory=list)
    alone: list[float] = dataclasses.field(default_factory=list)
    hand: list[float] = dataclasses.field(default_factory=list)
    same: list[float] = dataclasses.field(default_factory=list)
    sizes: list[float] = dataclasses.field(default_factory=list)
    values: list[dict[str, Any]] = dataclasses.field(default_factory=list)

    def add(self, other: Ratios) -> None:
        """Adds those of another sample."""
        self.times += other.times
        self.without += other.without
        self.alone += other.alone
        self.hand += other.hand
        self.same += other.same
        self.sizes += other.sizes
        self.values += other.values


def launches_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    """What a call of the first input launches, in its order."""
    return [launch for work in report["profiles"][0]["work"] for launch in work["launches"]]


def alone_ns(report: dict[str, Any] | None, like: dict[str, Any]) -> dict[int, float]:
    """Times of launches that were waited for, by their number in a report of the same calls."""
    if report is None:
        return {}
    found, wanted = launches_of(report), launches_of(like)
    if [each["name"] for each in found] != [each["name"] for each in wanted]:
        return {}
    return {number: each["median_ns"] for number, each in enumerate(found)}


def row(
    case: str,
    report: dict[str, Any],
    alone: dict[str, Any] | None,
    hand: dict[str, list[float]],
    offset_ns: float,
) -> tuple[str, Ratios]:
    """A line of the table, and the ratios behind it."""
    profile = report["profiles"][0]
    times_alone, times_by_hand = alone_ns(alone, report), by_number(launches_of(report), hand)
    l2_bytes = profile["device"].get("l2_bytes") or 0
    found = Ratios()
    counted = 0
    for number, launch in enumerate(launches_of(report)):
        counters = launch["counters"]
        counted += bool(counters)
        if TIME in counters:
            found.values.append({
                "case": case, "name": launch["name"], "profile_ns": launch["median_ns"],
                "ncu_ns": counters[TIME], "hand_ns": times_by_hand.get(number),
                "alone_ns": times_alone.get(number),
            })  # fmt: skip
        if TIME in counters and launch["median_ns"] >= LEAST_NS:
            found.times.append(launch["median_ns"] / counters[TIME])
            found.without.append(launch["median_ns"] / (counters[TIME] - offset_ns))
            found.alone += [times_alone[number] / counters[TIME]] if times_alone else []
            if number in times_by_hand:
                found.hand.append(times_by_hand[number] / counters[TIME])
                found.same.append(launch["median_ns"] / times_by_hand[number])
    for work in profile["work"]:
        main = work["launches"]
        if len(main) == 1 and (work["bytes"] or 0) > l2_bytes and DRAM in main[0]["counters"]:
            found.sizes.append(work["bytes"] / main[0]["counters"][DRAM])
    parts = sum(work["median_ns"] for work in profile["work"]) / profile["busy_ns"]
    kernels = sum(
        launch["kind"] == "kernel" for work in profile["work"] for launch in work["launches"]
    )
    cells = [
        case,
        f"{kernels:,}",
        f"{counted:,}",
        spread(found.times),
        spread(found.without),
        spread(found.alone),
        spread(found.hand),
        spread(found.same),
        spread(found.sizes),
        f"{parts:.3f}",
        f"{profile['attributed']:.1%}",
        f"{profile['watched_ns'] / profile['wall_ns']:.2f}",
        f"{profile['faster_than_eager'] or 0:.2f}",
    ]
    return "| " + " | ".join(cells) + " |", found


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
    parser.add_argument("--only", default="", help="an expression that samples match")
    parser.add_argument("--not-alone", action="store_true", help="wait for no launch")
    parser.add_argument("--save", type=Path, help="a folder for the recordings")
    parser.add_argument("--values", type=Path, help="a JSON file for the times of each kernel")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    added, added_alone = offsets()
    offset_ns, alone_offset_ns = statistics.median(added), statistics.median(added_alone)
    print(f"Nsight Compute adds {offset_ns:.0f} ns, {alone_offset_ns:.0f} alone", flush=True)
    lines, every = [], Ratios()
    for sample, options in CASES:
        if not re.search(asked.only, f"{sample} {options}"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            report = profiled(sample, options, Path(folder))
            in_graphs = any(launch["cuda_graph"] for launch in launches_of(report))
            waited = not in_graphs and not asked.not_alone
            alone = profiled(sample, options, Path(folder), alone=True) if waited else None
            if asked.save:
                asked.save.mkdir(parents=True, exist_ok=True)
                name = f"{sample}.{'_'.join(options.split())}.zip".replace("--", "")
                shutil.copyfile(Path(folder) / "profile.zip", asked.save / name)
        hand = by_hand_ns(sample, options)
        line, found = row(f"{sample} {options}", report, alone, hand, offset_ns)
        print(line, flush=True)
        for notice in report["notices"]:
            print(f"  {notice}", flush=True)
        lines.append(line)
        every.add(found)
        versions = report["versions"][0]
        device = report["ceilings"]["device"]
        text = TEXT.format(
            head=" | ".join(HEAD),
            said=f"{device}, torch {versions['torch']}, Triton {versions['triton']}",
            least=LEAST_NS // 1000, least_ns=LEAST_NS // 50, offset_us=offset_ns / 1000,
            low_us=min(added) / 1000, high_us=max(added) / 1000, probed=len(added),
            times=spread(every.times), without=spread(every.without), alone=spread(every.alone),
            hand=spread(every.hand), same=spread(every.same), sizes=spread(every.sizes),
            alone_us=alone_offset_ns / 1000, lines="\n".join(lines),
        )  # fmt: skip
        if asked.output:
            asked.output.write_text(text, "utf-8")
        if asked.values:
            asked.values.write_text(json.dumps(every.values, indent=0), "utf-8")
    print(text if lines else f"No sample matches {asked.only}.")


if __name__ == "__main__":
    main()
