"""A model of 70 billion parameters, for a GPU and with memory that are not here.

    python benchmarks/fake_model.py [--model benchmarks/capture_models/llama_70b.py] [--gpu h200]
                                    [--output reports/fake_model.md]

Runs ``inspect kernels MODEL --gpu GPU --fake --no-grad`` without and with static analysis, and
prints wall time, processor time and the largest resident set of all processes (children too).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Allowed for the Llama: seconds, and GB of one process.
ALLOWED_S = {"--no-compile": 100, "": 150}
ALLOWED_BYTES = 8e9
COLUMNS = (
    "asked", "kernels", "launches", "library calls", "wall time, s", "processor time, s",
    "largest process, GB", "allowed",
)  # fmt: skip


def measured(model: Path, gpu: str, compiles: str) -> list[str]:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            sys.executable, str(ROOT / "cli.py"), "kernels", str(model), "--gpu", gpu, "--fake",
            "--no-grad", "--no-progress", "-o", str(report), "--save", str(Path(folder) / "saved"),
        ]  # fmt: skip
        command += [compiles] if compiles else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began_s = time.perf_counter()
        environment = {**os.environ, "XDG_CACHE_HOME": folder}  # nothing was compiled before
        subprocess.run(command, check=True, cwd=folder, env=environment)
        wall_s = time.perf_counter() - began_s
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = json.loads(report.read_text(encoding="utf-8"))
    cpu_s = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    largest_bytes = used.ru_maxrss * 1024
    within = wall_s <= ALLOWED_S[compiles] and largest_bytes <= ALLOWED_BYTES
    return [
        "with static analysis" if not compiles else "sources alone",
        str(len(found["kernels"])),
        str(
            sum(len(graph["calls"]) for graph in found["graphs"]) - sum(found["libraries"].values())
        ),
        str(sum(found["libraries"].values())),
        f"{wall_s:.0f}",
        f"{cpu_s:.0f}",
        f"{largest_bytes / 1e9:.1f}",
        f"{'within' if within else '**above**'} {ALLOWED_S[compiles]} s, 8 GB",
    ]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    default = ROOT / "benchmarks" / "capture_models" / "llama_70b.py"
    parser.add_argument("--model", type=Path, default=default)
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    usable = len(os.sched_getaffinity(0))
    lines = [
        "# A model without memory, for a GPU that is not there",
        "",
        f"`python benchmarks/fake_model.py`: {options.model.stem}, {options.gpu}, {usable} CPUs.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        "|:--|--:|--:|--:|--:|--:|--:|:--|",
    ]
    for compiles in ("--no-compile", ""):
        lines.append(f"| {' | '.join(measured(options.model, options.gpu, compiles))} |")
        print(lines[-1], flush=True)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
