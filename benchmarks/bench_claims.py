"""Published figures on this machine, and whether `inspect bench` finds what one measures by hand.

First `inspect bench samples/claims.toml`; then each model and setting of it that has a time, in a
process of its own that imports nothing of this project: twenty calls to get warm, fifty that are
timed by the wall clock until the device is done, their median, in three processes. A report with
both is written as Markdown.

    python benchmarks/bench_claims.py --device cuda --output reports/bench_claims.md
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
CLAIMS = ROOT / "samples" / "claims.toml"
PROCESSES = 3
MOST_OFF = 0.05
BY_HAND = """
import importlib.util, statistics, sys, time
import torch

file, mode, batch, device = sys.argv[1:]
spec = importlib.util.spec_from_file_location("model_file", file)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
model = (module.model if hasattr(module, "model") else module.get_model()).to(device)
inputs = module.example_inputs if hasattr(module, "example_inputs") else module.get_inputs()
def sized(tensor):
    if batch:
        tensor = tensor[torch.arange(int(batch)) % tensor.shape[0]]
    return tensor.to(device)
if isinstance(inputs, dict):
    args, kwargs = (), {name: sized(tensor) for name, tensor in inputs.items()}
else:
    args, kwargs = tuple(map(sized, inputs)), {}
if mode != "eager":
    model = torch.compile(model, mode=None if mode == "default" else mode)
wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
times = []
with torch.no_grad():
    for _ in range(20):
        model(*args, **kwargs)
    wait()
    for _ in range(50):
        begin = time.perf_counter()
        model(*args, **kwargs)
        wait()
        times.append(time.perf_counter() - begin)
print(1e3 * statistics.median(times))
"""


def by_hand(target: str, mode: str, batch: str, device: str, folder: Path) -> float:
    """Median over processes of the median time of a call, in ms."""
    script = folder / "by_hand.py"
    script.write_text(BY_HAND)
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(folder / "caches")}
    if device == "cpu":
        environment.setdefault("OMP_PROC_BIND", "true")  # as `inspect bench` has it
    command = [sys.executable, str(script), target, mode, batch, device]
    times = []
    for _ in range(PROCESSES):
        done = subprocess.run(
            command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True, check=True
        )
        times.append(float(done.stdout.split()[-1]))
    return statistics.median(times)


def timed(found: dict[str, Any]) -> Iterator[tuple[str, str, str, str, float]]:
    """Model, target, batch, setting, ms: of each time that `inspect bench` tells."""
    from inspector.sources.claims_file import read_claims

    options = {model.name: model.options for model in read_claims(CLAIMS).models}
    for model in found["models"]:
        batch = str(options[model["name"]].get("batch", ""))
        eager = False
        for claim in model["claims"]:
            if claim["metric"] != "time_ms" or claim["measured"] is None:
                continue
            before, after = claim["measured"]
            if not eager:
                yield model["name"], model["target"], batch, "eager", before
                eager = True
            yield model["name"], model["target"], batch, claim["setting"], after


def main() -> None:
    """Measures, and writes the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--sessions", default="2")
    parser.add_argument("--only", default="", help="a part of the names of the models")
    parser.add_argument("--leave-out", default="max-autotune", help="settings not done by hand")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    target = f"{CLAIMS}:{asked.only}" if asked.only else str(CLAIMS)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        report = folder / "claims.md"
        command = [
            sys.executable, "-m", "inspector.commands", "bench", target, "--no-progress",
            "--device", asked.device, "--sessions", asked.sessions, "--format", "json",
            "-o", str(report),
        ]  # fmt: skip
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
        lines = [report.read_text("utf-8").rstrip().replace(str(ROOT) + "/", "")]
        lines += ["", "## By hand", "", "| model | setting | inspect bench | by hand | ratio |"]
        lines += ["|:--|:--|--:|--:|--:|"]
        worst = 0.0
        for name, model, batch, setting, time_ms in timed(json.loads(done.stdout)):
            if setting in asked.leave_out.split(","):
                continue
            hand_ms = by_hand(model, setting, batch, asked.device, folder)
            worst = max(worst, abs(time_ms / hand_ms - 1))
            ratio = f"{time_ms / hand_ms:.3f}"
            lines.append(f"| {name} | {setting} | {time_ms:.3f} ms | {hand_ms:.3f} ms | {ratio} |")
            print(lines[-1], flush=True)
    lines += ["", f"The largest difference is {worst:.1%} (asked: at most {MOST_OFF:.0%})."]
    text = "\n".join([*lines, "", f"`python benchmarks/bench_claims.py --device {asked.device}`"])
    if asked.output is not None:
        asked.output.write_text(text + "\n", "utf-8")
    print(text)


if __name__ == "__main__":
    main()
