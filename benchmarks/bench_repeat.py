"""Whether one run of `inspect bench` says what another one will find.

Runs `inspect bench` on the small CNN several times and compares all pairs: is the ratio of one run
in the interval that the other gives?

    python benchmarks/bench_repeat.py --runs 5
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT / "samples" / "small_cnn" / "model.py"


def measured(model: Path, folder: Path) -> tuple[float, float, float]:
    """The lower end, the ratio and the upper end of a run in its default mode."""
    command = [
        sys.executable, "-m", "inspector.commands", "bench", str(model), "--modes", "default",
        "--no-progress", "--format", "json",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    (group,) = json.loads(done.stdout)["groups"]
    (row,) = [row for row in group["rows"] if row["label"] == "default"]
    low, high = row["faster_than_eager_interval"]
    return low, row["faster_than_eager"], high


def main() -> None:
    """Prints the runs, and how many pairs agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--model", type=Path, default=MODEL)
    asked = parser.parse_args()
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        print("| run | default by eager | another run's, by 95 % |")
        print("|--:|--:|:--|")
        for number in range(1, asked.runs + 1):
            runs.append(measured(asked.model, Path(folder)))
            low, ratio, high = runs[-1]
            print(f"| {number} | {ratio:.3f} | {low:.3f} to {high:.3f} |", flush=True)
    pairs = list(itertools.permutations(runs, 2))
    held = sum(low <= other <= high for (low, _, high), (_, other, _) in pairs)
    print(f"\nIn {held} of {len(pairs)} ordered pairs the other ratio is in the interval.")


if __name__ == "__main__":
    main()
