"""What a break costs by the report, against the time saved when it is removed.

Run: python benchmarks/break_cost.py [--device cuda] [--output reports/break_cost.md]

Each model in benchmarks/break_costs has one break that a flag removes. Both forms are compiled with
Inductor in one process and called in turns; the difference of the medians is what removing the
break saves. The report's figure comes from `inspect explain` of the broken form, with Inductor and
with the default backend. All of it is done several times, in turns, because a machine with
neighbours is slower at one time than at another: the table has the medians, and the range in which
the ratios of the rounds lie.
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
BACKENDS = ("inductor", "eager")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--saved", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.saved:
        print(json.dumps(_saved(Path(options.saved), options.device)))
        return
    rows = [
        _row(path, options.device, options.rounds)
        for path in sorted(MODELS.glob("*.py"))
        if options.only in path.stem
    ]
    table = "\n".join(_lines(rows, options.device))
    print(table)
    if options.output:
        options.output.write_text(table + "\n", encoding="utf-8")


def _row(path: Path, device: str, rounds: int) -> dict[str, Any]:
    """One model: what is saved and what is reported, in turns."""
    saved: list[dict[str, Any]] = []
    reported: dict[str, list[dict[str, Any]]] = {backend: [] for backend in BACKENDS}
    for number in range(rounds):
        print(f"{path.stem}, {number + 1} of {rounds}", file=sys.stderr)
        done = subprocess.run(
            [sys.executable, __file__, "--saved", str(path), "--device", device],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        saved.append(json.loads(done.stdout.splitlines()[-1]))
        for backend in BACKENDS:
            reported[backend].append(_reported(path, device, backend))
    return {"name": path.stem, "saved": saved, "reported": reported}


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
    return {"broken_ns": broken, "whole_ns": whole}


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


def _lines(rows: list[dict[str, Any]], device: str) -> list[str]:
    import torch

    name = torch.cuda.get_device_name() if device != "cpu" else "CPU"
    lines = [
        "# What a break costs: reported, and saved when it is removed",
        "",
        (
            f"`python benchmarks/break_cost.py --device {device}`: torch {torch.__version__}, "
            f"{name}. Saved: the difference of the medians of {PAIRS} pairs of calls with "
            "Inductor, in turns, in one process. The reports are of the broken form. Medians of "
            f"{len(rows[0]['saved'])} rounds, and the range of all rounds. Times in µs."
        ),
        "",
        (
            "| model | broken | whole | saved | `cost_ns`, inductor | ÷ saved | "
            "`cost_ns`, default backend | ÷ saved |"
        ),
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        times = {key: [each[key] for each in row["saved"]] for key in ("broken_ns", "whole_ns")}
        saved = [broken - whole for broken, whole in zip(*times.values(), strict=True)]
        cells = [row["name"].replace("_", " "), *(_spread(each) for each in times.values())]
        cells.append(_spread(saved))
        for backend in BACKENDS:
            costs = [each["cost_ns"] for each in row["reported"][backend]]
            whole = " (whole frame)" if row["reported"][backend][0]["is_whole_frame"] else ""
            if None in costs:
                cells += ["unknown", "-"]
                continue
            ratios = [cost / each for cost, each in zip(costs, saved, strict=True)]
            ratio = statistics.median(costs) / statistics.median(saved)
            cells += [_spread(costs) + whole]
            cells += [f"**{ratio:.2f}** ({min(ratios):.2f} to {max(ratios):.2f})"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _spread(times_ns: list[float]) -> str:
    low, middle, high = min(times_ns), statistics.median(times_ns), max(times_ns)
    return f"{middle / 1e3:.1f} ({low / 1e3:.1f} to {high / 1e3:.1f})"


if __name__ == "__main__":
    main()
