"""By how much two starts of the same program differ, by hand, and with a recording beside it.

A model of many short kernels is compiled once; then several processes load what was compiled, and
take turns on one core, in rounds. A third of them record what torch.compile does, as the processes
of `inspect bench` do, and a third have an empty cache and compile it themselves. What one start
differs from another by is there in every comparison of two processes, however many rounds they
have: memory lies elsewhere.

    python benchmarks/starts.py [--starts 8] [--output reports/starts.md]
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

from inspector.model.student import half_width  # noqa: E402 - the path is set

ROUNDS, CALLS = 60, 50
PROGRAM = """
import statistics, sys, time
from pathlib import Path
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
layers = [nn.Linear(8 + number % 4, 8 + (number + 1) % 4) for number in range(60)]
model = nn.Sequential(*(nn.Sequential(layer, nn.ReLU()) for layer in layers))
x = torch.randn(4, 8)
if len(sys.argv) > 1:
    sys.path.insert(0, sys.argv[1])
    from inspector.capture.attach import attach
    attach(Path(sys.argv[2]), project=None)
function = torch.compile(model)

def median_ns(calls):
    times = []
    for _ in range(calls):
        begin = time.perf_counter_ns()
        function(x)
        times.append(time.perf_counter_ns() - begin)
    return statistics.median(times)

with torch.no_grad():
    median_ns(30)
    print("ready", flush=True)
    for line in sys.stdin:
        function(x)  # others were at work before
        print(median_ns(int(line)), flush=True)
"""
TEXT = """# Starts of the same program

CPU, torch {version}, one core. Written by `benchmarks/starts.py`.

{starts} processes by hand, as many that record what torch.compile does, and as many that compile
with an empty cache, which take turns in {rounds} rounds of {calls} calls; the others load what was
compiled once. Each is held against the mean of those by hand: the ratio, and the half of its
interval (95 %).

| process | median of a call | ratio | 95 % of it |
|:--|--:|--:|--:|
{rows}

Two starts by hand differ by {spread:.1%} (standard deviation of the ratios: rounds do not make it
smaller), the furthest two by {furthest:.1%}. {others}
"""
KINDS = {
    "recording": "With a recording a call takes",
    "compiling": "In a process that compiled it itself a call takes",
}


class Start:
    """A process that makes calls when it is told to."""

    def __init__(self, name: str, cache: Path, *arguments: str) -> None:
        self.name = name
        self.medians: list[float] = []
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
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
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    starts: list[Start] = []
    with tempfile.TemporaryDirectory() as scratch:
        cache, recordings = Path(scratch) / "cache", Path(scratch) / "recordings"
        first = Start("what fills the cache", cache)
        first.wait()
        first.end()
        for number in range(asked.starts):
            folder = recordings / str(number)
            folder.mkdir(parents=True)
            starts.append(Start(f"by hand {number + 1}", cache))
            starts.append(Start(f"recording {number + 1}", cache, str(ROOT), str(folder)))
            starts.append(Start(f"compiling {number + 1}", folder / "cache"))
            for each in starts[-3:]:
                each.wait()
        order = list(starts)
        for _ in range(ROUNDS):
            random.shuffle(order)
            for each in order:
                each.time()
        for each in starts:
            each.end()
    text = table(starts)
    print(text)
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")


def table(starts: list[Start]) -> str:
    """The report."""
    by_hand = [each for each in starts if each.name.startswith("by hand")]
    logs = {each.name: [math.log(ns) for ns in each.medians] for each in starts}
    mean = [
        statistics.fmean(logs[each.name][number] for each in by_hand) for number in range(ROUNDS)
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
        version=torch.__version__, starts=len(by_hand), rounds=ROUNDS, calls=CALLS,
        rows="\n".join(rows), spread=statistics.stdev(hands),
        furthest=math.exp(max(hands) - min(hands)) - 1, others="\n".join(said),
    )  # fmt: skip


if __name__ == "__main__":
    main()
