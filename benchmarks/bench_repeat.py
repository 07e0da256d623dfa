"""Whether one run of `inspect bench` says what another one will find.

Runs `inspect bench` on the small CNN several times and compares all pairs: is the ratio of one run
in the interval that the other gives?

    python benchmarks/bench_repeat.py --runs 8
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
sys.path.insert(0, str(ROOT))

from inspector.features.bench.ratio import Ratio  # noqa: E402

MODEL = ROOT / "samples" / "small_cnn" / "model.py"


def measured(model: Path, folder: Path) -> str:
    """The report of a run in its default mode, as JSON."""
    command = [
        sys.executable, "-m", "inspector.cli", "bench", str(model), "--modes", "default",
        "--no-progress", "--format", "json",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def ratio(report: str) -> Ratio:
    """Eager PyTorch's time by that of the default mode, as the report has it."""
    (group,) = json.loads(report)["groups"]
    (row,) = (row for row in group["rows"] if row["label"] == "default")
    low, high = row["faster_than_eager_interval"]
    return Ratio(low, row["faster_than_eager"], high)


def main() -> None:
    """Prints the runs, and how many pairs agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--model", type=Path, default=MODEL)
    parser.add_argument("--keep", type=Path, help="a folder for the reports of the runs")
    parser.add_argument("--read", action="store_true", help="those that --keep kept before")
    asked = parser.parse_args()
    runs = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.keep or Path(scratch)
        folder.mkdir(exist_ok=True, parents=True)
        print("| run | default by eager | another run's, by 95 % |")
        print("|--:|--:|:--|")
        for number in range(1, asked.runs + 1):
            kept = folder / f"{number}.json"
            if not asked.read:
                kept.write_text(measured(asked.model, Path(scratch)), "utf-8")
            runs.append(ratio(kept.read_text("utf-8")))
            found = runs[-1]
            print(
                f"| {number} | {found.middle:.3f} | {found.low:.3f} to {found.high:.3f} |",
                flush=True,
            )
    pairs = list(itertools.permutations(runs, 2))
    held = sum(one.low <= other.middle <= one.high for one, other in pairs)
    print(f"\nIn {held} of {len(pairs)} ordered pairs the other ratio is in the interval.")


if __name__ == "__main__":
    main()
