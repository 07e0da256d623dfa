"""Times of kernels by `torch.profiler` alone, around calls that are made by hand (`by_hand.py`)."""

from __future__ import annotations

import itertools
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["by_hand_ns", "by_number"]

ROOT = Path(__file__).resolve().parents[1]
WATCHED_CALLS = 40


def by_hand_ns(sample: str, options: str) -> dict[str, list[float]]:
    """Times of a call's kernels by `torch.profiler` alone: by name, each in the order of launches.

    Medians over calls; nothing where these calls do not all launch the same.
    """
    words = options.split()
    following = dict(itertools.pairwise(words))
    shape = following.get("--input", "")
    asked = {
        "file": str(ROOT / "samples" / sample / "model.py"), "device": "cuda", "batch": None,
        "train": "--train" in words, "compiles": True, "mode": following.get("--mode"),
        "dynamic": None,
        "variations": [
            [("x", place, int(size)) for place, size in enumerate(re.findall(r"\d+", shape)[1:])]
        ],
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "by_hand.py"), json.dumps(asked)],
        input=f"begin\nwatch 0 {WATCHED_CALLS}\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        print(f"by hand: {done.stderr[-300:]}", file=sys.stderr)
        return {}
    seen = json.loads(done.stdout.splitlines()[-1])
    number = len(seen) // WATCHED_CALLS
    calls = [seen[place * number : (place + 1) * number] for place in range(WATCHED_CALLS)]
    if len(seen) % WATCHED_CALLS or any(
        [name for name, _ in call] != [name for name, _ in calls[0]] for call in calls
    ):
        print(f"by hand: {len(seen)} launches, not the same in all calls", file=sys.stderr)
        return {}
    found: dict[str, list[float]] = {}
    for launches in zip(*calls, strict=True):
        times = [time_ns for _, time_ns in launches]
        found.setdefault(launches[0][0], []).append(statistics.median(times))
    return found


def by_number(
    launches: Sequence[Mapping[str, Any]], hand: Mapping[str, list[float]]
) -> dict[int, float]:
    """Times by hand by the number of a launch in a report; of names that are as often in both."""
    places: dict[str, list[int]] = {}
    for number, launch in enumerate(launches):
        places.setdefault(launch["name"], []).append(number)
    return {
        number: time_ns
        for name, numbers in places.items()
        if len(numbers) == len(hand.get(name, ()))
        for number, time_ns in zip(numbers, hand[name], strict=True)
    }
