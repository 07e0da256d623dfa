"""What a break costs by the report, against the time saved when it is removed.

Run: python benchmarks/break_cost.py [--device cuda] [--output reports/break_cost.md]

Each model in benchmarks/break_costs has one break that a flag removes. Both forms are compiled with
Inductor in one process and called in turns; the difference of the medians is what removing the
break saves, with the interval in which 95 of 100 resampled differences lie. The report's figure
comes from `inspect explain` of the broken form, with Inductor and with the default backend.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MODELS = ROOT / "benchmarks" / "break_costs"
PAIRS = 300


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--saved", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.saved:
        print(json.dumps(_saved(Path(options.saved), options.device)))
        return
    rows = [
        _row(path, options.device)
        for path in sorted(MODELS.glob("*.py"))
        if options.only in path.stem
    ]
    table = "\n".join(_lines(rows, options.device))
    print(table)
    if options.output:
        options.output.write_text(table + "\n", encoding="utf-8")


def _row(path: Path, device: str) -> dict[str, Any]:
    print(path.stem, file=sys.stderr)
    saved = json.loads(
        subprocess.run(
            [sys.executable, __file__, "--saved", str(path), "--device", device],
            check=True, capture_output=True, text=True,
        ).stdout.splitlines()[-1]
    )  # fmt: skip
    reported = {backend: _reported(path, device, backend) for backend in ("inductor", "eager")}
    return {"name": path.stem, **saved, "reported": reported}


def _reported(path: Path, device: str, backend: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        options = ["--train"] if path.stem == "training_step" else []
        subprocess.run(
            [
                sys.executable, str(ROOT / "cli.py"), "explain", str(path), "--no-progress",
                "--backend", backend, "--device", device, "-o", str(report),
                "--save", str(Path(folder, "recording")), *options,
            ],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        (finding,) = [
            item for item in json.loads(report.read_text())["findings"]
            if item["rule"] == "graph-break"
        ]  # fmt: skip
        return {"cost_ns": finding["cost_ns"], **finding["cost"]}


def _saved(path: Path, device: str) -> dict[str, Any]:
    """Times both forms in turns, in this process."""
    import torch

    # Once for each form: a function that Dynamo gives up is given up for all of its class.
    modules = [_module(path) for _ in range(2)]
    inputs = modules[0].get_inputs(device)
    is_training = path.stem == "training_step"
    forms = [module.Model(index == 0).to(device) for index, module in enumerate(modules)]
    forms[1].load_state_dict(forms[0].state_dict())
    if not is_training:
        forms = [form.eval().requires_grad_(requires_grad=False) for form in forms]
    steps = [_step(torch.compile(form), form, inputs, is_training=is_training) for form in forms]
    torch.set_num_threads(1)
    for step in steps * 10:
        step()
    first, second = steps[0](), steps[1]()
    if not is_training:
        torch.testing.assert_close(first, second, rtol=1e-4, atol=1e-4)
    times: list[list[float]] = [[], []]
    for _ in range(PAIRS):
        for index in random.sample((0, 1), 2):
            times[index].append(_timed_ns(steps[index], device))
    broken, whole = (statistics.median(each) for each in times)
    low, high = _interval(*times)
    return {"broken_ns": broken, "whole_ns": whole, "low_ns": low, "high_ns": high}


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _step(function: Any, model: Any, inputs: Any, *, is_training: bool) -> Any:
    def forward() -> Any:
        return function(*inputs)

    def train() -> None:
        for parameter in model.parameters():
            parameter.grad = None
        function(*inputs).sum().backward()

    return train if is_training else forward


def _timed_ns(step: Any, device: str) -> float:
    import torch

    if device == "cpu":
        began = time.perf_counter_ns()
        step()
        return time.perf_counter_ns() - began
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    start.record()
    step()
    end.record()
    torch.cuda.synchronize()
    return float(start.elapsed_time(end) * 1e6)


def _interval(broken: list[float], whole: list[float]) -> tuple[float, float]:
    draw = random.Random(0).choices  # noqa: S311 - resampling, not a secret
    draws = sorted(
        statistics.median(draw(broken, k=len(broken)))
        - statistics.median(draw(whole, k=len(whole)))
        for _ in range(400)
    )
    return draws[10], draws[-11]


def _lines(rows: list[dict[str, Any]], device: str) -> list[str]:
    import torch

    name = torch.cuda.get_device_name() if device != "cpu" else "CPU"
    lines = [
        "# What a break costs: reported, and saved when it is removed",
        "",
        (
            f"`python benchmarks/break_cost.py --device {device}`: torch {torch.__version__}, "
            f"{name}, medians of {PAIRS} pairs of calls with Inductor, in turns, in one process; "
            "the reports are of the broken form. Times in µs."
        ),
        "",
        (
            "| model | broken | whole | saved (95 %) | `cost_ns`, inductor | ÷ saved | "
            "`cost_ns`, default backend | ÷ saved |"
        ),
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        saved = row["broken_ns"] - row["whole_ns"]
        cells = [
            row["name"].replace("_", " "),
            f"{row['broken_ns'] / 1e3:.1f}",
            f"{row['whole_ns'] / 1e3:.1f}",
            f"{saved / 1e3:.1f} ({row['low_ns'] / 1e3:.1f} to {row['high_ns'] / 1e3:.1f})",
        ]
        for backend in ("inductor", "eager"):
            cost = row["reported"][backend]
            cost_ns = cost["cost_ns"]
            whole = " (whole frame)" if cost["is_whole_frame"] else ""
            known = cost_ns is not None
            cells += [f"{cost_ns / 1e3:.1f}{whole}" if known else "unknown"]
            cells += [f"{cost_ns / saved:.2f}" if known else "-"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    main()
