"""By how much two starts of the same program differ, by hand, and with what `inspect bench` does.

A model (on the CPU one of many short kernels, on a GPU the sample ResNet-50 with one image) is
compiled once; then several processes load what was compiled, and take turns on one core, in rounds.
As many more record what torch.compile does, as many have an empty cache and compile it themselves,
and as many do all that a process of `inspect bench` does: record, compile, and make the calls in
its loop. What one start differs from another by is there in every comparison of two processes,
however many rounds they have: memory lies elsewhere.

    python benchmarks/starts.py [--starts 8] [--device cuda] [--output reports/starts.md]
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from inspector.shared.student_t import half_width  # noqa: E402 - the path is set

CALLS = 50
TEXT = """# Starts of the same program

{device}, torch {version}, one core. Written by `benchmarks/starts.py`.

{starts} processes by hand, as many that record what torch.compile does, as many that compile with
an empty cache, and as many that do all of `inspect bench` (record, compile, its loop), which take
turns in {rounds} rounds of {calls} calls; the first two kinds load what was compiled once. Each is
held against the mean of those by hand: the ratio, and the half of its interval (95 %).

| process | median of a call | ratio | 95 % of it |
|:--|--:|--:|--:|
{rows}

Two starts by hand differ by {spread:.1%} (standard deviation of the ratios: rounds do not make it
smaller), the furthest two by {furthest:.1%}. {others}
"""
KINDS = {
    "recording": "With a recording a call takes",
    "compiling": "In a process that compiled it itself a call takes",
    "bench": "In one that does all of `inspect bench` it takes",
}


class Start:
    """A process that makes calls when it is told to."""

    def __init__(self, name: str, device: str, cache: Path, *arguments: str) -> None:
        self.name = name
        self.medians: list[float] = []
        self._process = subprocess.Popen(
            [sys.executable, str(ROOT / "benchmarks" / "one_start.py"), device, *arguments],
            env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(cache)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def wait(self) -> None:
        """Waits until it is ready; from now on it has one core, that of all others."""
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != "ready":
            raise SystemExit(f"{self.name} ended with {self._process.wait()}")
        os.sched_setaffinity(self._process.pid, {max(os.sched_getaffinity(0))})

    def time(self) -> None:
        """Lets it make a round's calls."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{CALLS}\n")
        self._process.stdin.flush()
        self.medians.append(float(self._process.stdout.readline()))

    def end(self) -> None:
        """Ends it."""
        self._process.communicate()


def main() -> None:
    """Starts them, and writes the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--starts", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        starts = begun(asked.starts, asked.device, Path(scratch))
        order = list(starts)
        for _ in range(asked.rounds):
            random.shuffle(order)
            for each in order:
                each.time()
        for each in starts:
            each.end()
    name = torch.cuda.get_device_name() if asked.device.startswith("cuda") else "CPU"
    text = table(starts, name)
    print(text)
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")


def begun(count: int, device: str, scratch: Path) -> list[Start]:
    """All processes, ready to be timed: so many of each kind."""
    starts: list[Start] = []
    cache = scratch / "cache"
    first = Start("what fills the cache", device, cache)
    first.wait()
    first.end()
    for number in range(1, count + 1):
        folder = scratch / str(number)
        for name in ("recording", "bench"):
            (folder / name).mkdir(parents=True)
        record, bench = (("--record", str(folder / name)) for name in ("recording", "bench"))
        kinds = [
            Start(f"by hand {number}", device, cache),
            Start(f"recording {number}", device, cache, *record),
            Start(f"compiling {number}", device, folder / "cache"),
            Start(f"bench {number}", device, folder / "bench_cache", *bench, "--loop"),
        ]
        for each in kinds:
            each.wait()
        starts += kinds
    return starts


def table(starts: list[Start], device: str) -> str:
    """The report."""
    rounds = len(starts[0].medians)
    by_hand = [each for each in starts if each.name.startswith("by hand")]
    logs = {each.name: [math.log(ns) for ns in each.medians] for each in starts}
    mean = [
        statistics.fmean(logs[each.name][number] for each in by_hand) for number in range(rounds)
    ]
    apart = {
        name: [one - middle for one, middle in zip(found, mean, strict=True)]
        for name, found in logs.items()
    }
    middle = {name: statistics.fmean(found) for name, found in apart.items()}
    rows = [
        f"| {each.name} | {statistics.median(each.medians) / 1e3:.1f} µs "
        f"| {math.exp(middle[each.name]):.3f} | ±{half_width(apart[each.name]):.3f} |"
        for each in starts
    ]
    hands = [middle[each.name] for each in by_hand]
    said = []
    for kind, begins in KINDS.items():
        others = [middle[each.name] for each in starts if each.name.startswith(kind)]
        apart_by = statistics.fmean(others) - statistics.fmean(hands)
        # Of starts, not of rounds: each counts once.
        half = half_width([other - hand for other, hand in zip(others, hands, strict=True)])
        verdict = "no difference" if abs(apart_by) <= half else "a difference"
        said.append(f"{begins} {math.exp(apart_by):.3f} times as long, ±{half:.3f}: {verdict}.")
    return TEXT.format(
        device=device, version=torch.__version__, starts=len(by_hand), rounds=rounds, calls=CALLS,
        rows="\n".join(rows), spread=statistics.stdev(hands),
        furthest=math.exp(max(hands) - min(hands)) - 1, others="\n".join(said),
    )  # fmt: skip


if __name__ == "__main__":
    main()
