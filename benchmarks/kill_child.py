"""Kills the recorded process at random moments: is there a readable partial report every time?

    python benchmarks/kill_child.py [--times 20] [--output reports/kill_child.md]

The target compiles functions with one graph break each, for ever. After every kill the report
must be valid JSON, say that it is partial, and hold every graph break of which torch had said
in the log that it happened; these are counted in the recording without this project's reader.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONPATH = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
TARGET = """
import itertools, torch

def step(x, n):
    print("step")
    return x + n

@torch.compiler.disable
def model(x):
    for n in itertools.count():
        torch.compile(step, backend="eager", dynamic=False)(x, n)
        torch._dynamo.reset()

example_inputs = (torch.ones(4),)
"""
RECORD = re.compile(
    rb'^V.*"artifact": \{"name": "dynamo_graph_break_reason".*\n(?:\t.*\n)+(?=\S)', re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Row:
    """One kill.

    Attributes:
        after_s: How long the process had run.
        exit_code: Of `inspect explain`.
        logged: Graph breaks that the log holds whole.
        reported: Graph breaks in the report.
        partial: What the report says about its end.
    """

    after_s: float
    exit_code: int
    logged: int
    reported: int
    partial: str

    @property
    def is_right(self) -> bool:
        """Whether nothing was lost. A record at the very end may be whole without a successor."""
        counted = self.logged <= self.reported <= self.logged + 1
        return self.exit_code == 3 and counted and "SIGKILL" in self.partial


def kill_once(folder: Path, after_s: float) -> Row:
    """Records, kills after a while, and compares the report with the log."""
    saved = folder / "recording"
    command = [sys.executable, "-m", "inspector.cli", "explain", "model.py"]
    command += ["--save", str(saved), "--format", "json"]
    parent = subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
    )  # fmt: skip
    time.sleep(after_s)
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGKILL)
    stdout, _ = parent.communicate(timeout=120)
    report = json.loads(stdout)
    log = b"".join(path.read_bytes() for path in saved.glob("*.log"))
    return Row(
        after_s=after_s,
        exit_code=parent.returncode,
        logged=len(RECORD.findall(log)),
        reported=report["summary"]["graph_breaks"],
        partial=report["recording"]["partial"],
    )


def table(rows: list[Row]) -> str:
    """The rows as Markdown."""
    lines = [
        "| killed after | exit code | breaks in the log | in the report | right |",
        "| ---: | ---: | ---: | ---: | :-- |",
    ]
    lines += [
        f"| {row.after_s:.2f} s | {row.exit_code} | {row.logged} | {row.reported} | "
        f"{'yes' if row.is_right else 'NO: ' + row.partial} |"
        for row in rows
    ]
    right = sum(row.is_right for row in rows)
    median = statistics.median(row.reported for row in rows)
    return "\n".join([*lines, "", f"{right} of {len(rows)} right; median {median:g} breaks."])


def main() -> int:
    """Prints the table; exit code 1 if a report was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    moments = random.Random(options.seed)  # noqa: S311 - moments, not secrets
    rows = []
    for _ in range(options.times):
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "model.py").write_text(TARGET)
            rows.append(kill_once(Path(name), moments.uniform(1.0, 7.0)))
    text = table(sorted(rows, key=lambda row: row.after_s))
    print(text)
    if options.output:
        options.output.write_text(f"# Killed at random moments\n\n{text}\n")
    return 0 if all(row.is_right for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
