"""What `inspect guards --levers` says that a setting saves, against torch's profiler by hand.

    python benchmarks/levers.py

The model has 100 small modules. By hand, as in torch's page on
reducing guard overhead: the shortest "TorchDynamo Cache Lookup" of 100 profiled calls, without and
with each filter.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODEL = """
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, index):
        super().__init__()
        self.index = index
        self.weight = nn.Parameter(torch.ones(8))

    def forward(self, x):
        return x * self.weight


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ModuleList([Scale(i) for i in range(100)])

    def forward(self, x):
        for scale in self.scales:
            x = scale(x)
        return x


model = Net()
example_inputs = [(torch.randn(4, 8),)]
"""
# What torch's documentation says to do: profile, and look for this event.
BY_HAND = """
import json, sys, torch
from torch.profiler import ProfilerActivity, profile
import model

def least(options=None):
    torch.compiler.reset()
    function = torch.compile(model.model, backend="eager", options=options)
    (x,) = model.example_inputs[0]
    for _ in range(3):
        function(x)
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        for _ in range(100):
            function(x)
    return min(
        event.time_range.elapsed_us()
        for event in profiled.events()
        if event.name == "TorchDynamo Cache Lookup"
    )

filters = {name: {"guard_filter_fn": getattr(torch.compiler, name)} for name in sys.argv[1:]}
print(json.dumps([torch.__version__, least(), {name: least(o) for name, o in filters.items()}]))
"""


def main() -> None:
    """Prints a table in Markdown: one row per filter."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.py").write_text(MODEL)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        inspect = (sys.executable, "-m", "inspector.cli", "guards", "model.py", "--levers")
        subprocess.run(
            [*inspect, "-o", "report.json"], cwd=folder, env=environment, check=True,
            capture_output=True,
        )  # fmt: skip
        levers = json.loads((Path(folder) / "report.json").read_text())["levers"]
        found = {
            lever["name"]: lever for lever in levers if lever["name"].startswith("skip_guard_on")
        }
        command = [sys.executable, "-c", BY_HAND, *found]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    version, plain_us, filtered_us = json.loads(done.stdout.splitlines()[-1])
    print(f"torch {version}: {plain_us:.1f} µs per lookup by hand\n")
    print("| filter | --levers saves, µs | by hand, µs |\n|---|--:|--:|")
    for name, lever in found.items():
        saved, noise = (lever[key] / 1e3 for key in ("saved_ns", "noise_ns"))
        print(f"| `{name}` | {saved:.1f} ± {noise:.1f} | {plain_us - filtered_us[name]:.1f} |")


if __name__ == "__main__":
    main()
