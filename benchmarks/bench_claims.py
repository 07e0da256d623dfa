"""Published figures on this machine, and whether `inspect bench` finds what one measures by hand.

Runs `inspect bench` on the models of `claims.py`. Beside each of its processes that is timed
another one takes turns, in the same rounds, that imports nothing of this project (`by_hand.py`): a
loop of calls by the wall clock, the device waited for after each. Machines differ from minute to
minute by more than what is to be seen here, so that only neighbours in time are compared: the
shorter a session (``--session``), and with it a block of calls, the nearer. On a GPU the threads
that launch of all these processes have one core between them, as one of them is at work at a time:
which core a process has come to makes more of a difference than what is to be seen. A process that
compiled a model makes its calls more slowly than one that loaded what was compiled
(reports/starts.md): both of a pair do the one or the other. With several sessions the first one
fills the caches, and nothing is compared in it. A report with both is written as Markdown.

    python benchmarks/bench_claims.py --device cuda --output reports/bench_claims.md
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.claims import claimed_models, report_lines  # noqa: E402
from inspector.cli import bench_sessions  # noqa: E402
from inspector.cli.bench_session import Session  # noqa: E402
from inspector.cli.bench_workers import Bench, pinned, with_caches  # noqa: E402
from inspector.features.bench.rows import BenchRow, make_rows  # noqa: E402
from inspector.run.sources.recording import opened, read_run  # noqa: E402
from inspector.shared.bench import BenchPlan  # noqa: E402
from inspector.shared.student_t import half_width  # noqa: E402

MOST_OFF = 0.05
BY_HAND = (
    "Each block of calls of `inspect bench` has one next to it of a process that imports nothing "
    "of it (`benchmarks/by_hand.py`)."
)


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """A block of calls: of a recording, a combination, and an input, in a session and a round."""

    recording: Path
    combination: int
    input: int
    session: int
    round: int


class Hand:
    """A process that times a combination by hand."""

    def __init__(self, bench: Bench, number: int, device: str) -> None:
        """Starts it.

        Where there are several sessions it loads what `inspect bench` compiled, as the process of
        `inspect bench` does; else it compiles with empty caches, as that one does.
        """
        workload = bench.plan.combinations[number].workload
        setting = bench.plan.combinations[number].setting
        asked = {
            "file": bench.request.target,
            "device": device,
            "batch": workload.batch,
            "train": workload.train,
            "compiles": not setting.is_eager,
            "mode": setting.mode,
            "dynamic": setting.dynamic,
            "variations": [
                [(item.name, item.dimension, item.value) for item in each]
                for each in bench.plan.variations
            ],
        }
        whose = "caches" if bench.plan.sessions > 1 else "caches.by_hand"
        caches = with_caches(os.environ, bench.scratch / f"{whose}.{number}")
        self._process = subprocess.Popen(
            [sys.executable, str(ROOT / "benchmarks" / "by_hand.py"), json.dumps(asked)],
            env=pinned(caches) if device == "cpu" else caches,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @property
    def pid(self) -> int:
        """The process's."""
        return self._process.pid

    def begin(self) -> None:
        """Lets it compile, or load, and get warm."""
        assert self._process.stdin is not None
        self._process.stdin.write("begin\n")
        self._process.stdin.flush()

    def wait(self) -> None:
        """Waits until it is ready."""
        assert self._process.stdout is not None
        said = self._process.stdout.readline().strip()
        if said != "ready":
            raise RuntimeError(f"The process that measures by hand ended: {self._process.wait()}")

    def median_ns(self, index: int, calls: int) -> float:
        """The median of the times of calls."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{index} {calls}\n")
        self._process.stdin.flush()
        return 1e6 * float(self._process.stdout.readline())

    def end(self) -> None:
        """Ends it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


class BesideHands(Session):
    """A session in which each block of `inspect bench` has one by hand next to it.

    Attributes:
        device: The device.
        until: No block is begun after it, by `time.monotonic`, and no session that would end later.
        longest: How long a session took, in seconds; not one that compiles for all others.
        found: What was measured by hand, in ns.
    """

    device = "cpu"
    until = math.inf
    longest = 0.0
    found: dict[Key, float] = {}  # noqa: RUF012 - of all sessions

    def run(self, order: Any) -> Iterator[Any]:
        """Runs it, and ends what was begun here."""
        plan, begin = self.bench.plan, time.monotonic()
        if begin + BesideHands.longest > self.until:
            return
        fills = plan.sessions > 1 and self.session % plan.sessions == 0
        plain = [] if fills else [number for number in order if is_plain(plan, number)]
        self.loading = {number: Hand(self.bench, number, self.device) for number in plain}
        self.hands: dict[int, Hand] = {}
        try:
            yield from super().run(order)
        finally:
            for hand in self.loading.values():
                hand.end()
        if not fills:
            BesideHands.longest = max(BesideHands.longest, time.monotonic() - begin)

    def begin(self, number: int) -> None:
        """Makes a combination ready; the process by hand gets ready beside those that follow."""
        super().begin(number)
        if number in self.ready and number in self.loading:
            self.loading[number].begin()

    def make_ready(self, number: int) -> None:
        """Waits for the process by hand; the two have a core for the threads that launch."""
        hand = self.hands[number] = self.loading[number]
        hand.wait()
        if self.device != "cpu":
            core = {max(os.sched_getaffinity(0))}
            # Of a process by its number it is the main thread's: others go on where they were.
            os.sched_setaffinity(self._workers[number]._process.pid, core)  # noqa: SLF001
            os.sched_setaffinity(hand.pid, core)

    def block(self, number: int, round_: int, index: int) -> None:
        """A block of each of the two; which of them is first changes from round to round."""
        if round_ > 1 and time.monotonic() > self.until:
            return
        if number not in self.hands and number in self.loading and number in self.ready:
            self.make_ready(number)
        if round_ % 2:
            super().block(number, round_, index)
        if number in self.hands:
            calls = self.calls(number, index)
            key = Key(self.bench.folder, number, index, self.session, round_)
            self.found[key] = self.hands[number].median_ns(index, calls)
        if not round_ % 2:
            super().block(number, round_, index)


def is_plain(plan: BenchPlan, number: int) -> bool:
    """Whether `by_hand.py` can do it."""
    setting, workload = plan.combinations[number].setting, plan.combinations[number].workload
    others = (workload.dtype, workload.autocast, workload.tf32, workload.optimizer)
    return (
        setting.backend in {"", "inductor"}
        and not setting.fullgraph
        and others == (None,) * len(others)
    )


def of_row(
    row: BenchRow, recording: Path, found: Mapping[Key, float]
) -> tuple[float, float, float]:
    """By hand, in ms; `inspect bench` by that; and half of the interval of that ratio, in parts.

    Of the blocks that stand next to each other: others were measured in other minutes.
    """
    pairs = [
        (math.log(ns), math.log(found[key]))
        for (session, number), ns in row.medians.items()
        if (key := Key(recording, row.combination, row.input, session, number)) in found
    ]
    ratios = [bench - hand for bench, hand in pairs]
    spread = half_width(ratios)
    hand_ms = math.exp(statistics.fmean(hand for _, hand in pairs)) / 1e6
    return hand_ms, math.exp(statistics.fmean(ratios)), spread


def lines_of(recordings: Path, found: Mapping[Key, float]) -> Iterator[tuple[str, float]]:
    """A line of the table, and how far it is off, for each row that was measured both ways."""
    for folder in sorted(recordings.iterdir()):
        with opened(folder) as opened_folder:
            run = read_run(opened_folder)
            plan = BenchPlan.read(opened_folder.folder)
            rows = make_rows(plan, run)
        several = len({row.input for row in rows}) > 1
        for row in rows:
            if row.latency is None or not any(
                (key.recording, key.combination, key.input) == (folder, row.combination, row.input)
                for key in found
            ):
                continue
            hand_ms, ratio, spread = of_row(row, folder, found)
            name = " · ".join(
                filter(None, (folder.name[4:], row.inputs if several else "", row.setting.label))
            )
            yield (
                (
                    f"| {name} | {hand_ms * ratio:.3f} ms | {hand_ms:.3f} ms "
                    f"| {ratio:.3f} | ±{spread:.3f} |"
                ),
                abs(ratio - 1),
            )


def main() -> None:
    """Measures, and writes the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--sessions", type=int, default=1)
    parser.add_argument("--only", default="", help="a part of the names of the models")
    parser.add_argument("--session", type=float, default=12.0, help="seconds of timed calls")
    parser.add_argument("--seconds", type=float, default=math.inf, help="time nothing after these")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    BesideHands.device = asked.device
    BesideHands.until = time.monotonic() + asked.seconds
    bench_sessions.Session = BesideHands  # type: ignore[attr-defined, misc]
    given = {"device": asked.device, "sessions": asked.sessions, "seconds": asked.session}
    with tempfile.TemporaryDirectory() as scratch:
        recordings = Path(scratch)
        text = "\n".join(report_lines(claimed_models(asked.only), given, recordings))
        table = list(lines_of(recordings, BesideHands.found))
    if not table:
        parser.exit(1, text + "\n\nNothing was measured by hand.\n")
    arguments = shlex.join(sys.argv[1:])
    worst = max(off for _, off in table)
    lines = [
        text, "", "## By hand", "",
        BY_HAND,
        "", "| model | inspect bench | by hand | ratio | 95 % of it |", "|:--|--:|--:|--:|--:|",
        *(line for line, _ in table),
        "", f"The largest difference is {worst:.1%} (asked: at most {MOST_OFF:.0%}).",
        "", f"`python benchmarks/bench_claims.py {arguments}`", "",
    ]  # fmt: skip
    print("\n".join(lines))
    if asked.output is not None:
        asked.output.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    main()
