"""What watching the GPU adds to a call, whoever watches: CUPTI's share of a profile's overhead.

    python benchmarks/watched_calls.py [--output reports/watched_calls.md]

Nothing of this project is imported: `torch.profiler`, with the device alone, watches calls made by
hand. Blocks of watched calls and of others take turns, and neighbours are compared.

- ResNet-50 as one CUDA graph, and a training step of it (the gradients of the sum of what it
  gives), by hand, and by `inspect profile` in a process of its own: the ratio that both have is not
  the tool's.
- CUDA graphs of copies, of growing number and length: what a kernel takes more when it is watched,
  and whether that depends on how long it is.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

ROOT = Path(__file__).resolve().parents[1]
ROUNDS, CALLS, WARM_UP_CALLS = 12, 30, 30
COPIES = (8, 32, 128, 512)
ELEMENTS = (1 << 16, 1 << 22)
MODEL = "samples/resnet50/model.py"
RUN = "import sys; from inspector.cli import main; sys.exit(main())"
TEXT = """# Calls that are watched

{device}, torch {torch}. Written by `benchmarks/watched_calls.py`.

`torch.profiler` with the device alone (CUPTI), around calls made by hand, and `inspect profile`:
the median of a call that nobody watches, and of one that is watched. Each line by hand is of
{blocks} blocks of {calls} calls of either kind, in turns; the ratio is the mean of neighbours'.

| what is called | kernels | unwatched | watched | ratio | a kernel more |
|:--|--:|--:|--:|--:|--:|
{rows}
"""


def median_us(call: Callable[[], object]) -> float:
    """The median time of calls, in µs, until the device is done; the first is left out."""
    times = []
    for _ in range(CALLS + 1):
        torch.cuda.synchronize()
        begun_ns = time.perf_counter_ns()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter_ns() - begun_ns)
    return statistics.median(times[1:]) / 1e3


def compared(call: Callable[[], object]) -> tuple[float, float, float]:
    """Unwatched and watched, in µs, and the geometric mean of the ratios of neighbours."""
    for _ in range(WARM_UP_CALLS):
        call()
    pairs = []
    for number in range(ROUNDS):
        times = {}
        for is_watched in sorted((False, True), reverse=bool(number % 2)):
            watcher = profile(activities=[ProfilerActivity.CUDA]) if is_watched else None
            with watcher or contextlib.nullcontext():
                times[is_watched] = median_us(call)
        pairs.append((times[False], times[True]))
    plain, watched = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = math.exp(statistics.fmean(math.log(after / before) for before, after in pairs))
    return plain, watched, ratio


def kernels_of(call: Callable[[], object]) -> int:
    """How many kernels a call runs."""
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        call()
        torch.cuda.synchronize()
    return sum(event.device_type.name == "CUDA" for event in seen.events())


def copies(number: int, elements: int) -> Callable[[], object]:
    """Replays a CUDA graph of copies, one behind the other."""
    source = torch.randn(elements, device="cuda")
    target = torch.empty_like(source)
    torch.add(source, 1.0, out=target)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(number):
            torch.add(source, 1.0, out=target)
    return graph.replay


def resnet(mode: str, *, trains: bool) -> Callable[[], object]:
    """Calls ResNet-50, compiled; in training with the gradients of the sum of what it gives."""
    spec = importlib.util.spec_from_file_location("model_file", ROOT / MODEL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["model_file"] = module
    spec.loader.exec_module(module)
    inputs = [tensor.to("cuda") for tensor in module.example_inputs]
    model = module.model.to("cuda")
    function = torch.compile(model, mode=mode)

    def call() -> object:
        with torch.no_grad():
            return function(*inputs)

    def step() -> None:
        model.zero_grad(set_to_none=True)
        function(*inputs).sum().backward()

    return step if trains else call


def of_inspector(*options: str) -> tuple[float, float, float]:
    """The same of the same model by `inspect profile`."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "profile.json"
        subprocess.run(
            [sys.executable, "-c", RUN, "profile", MODEL, *options, "--device", "cuda",
             "--no-progress", "-o", str(output)],
            cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        found = json.loads(output.read_text("utf-8"))["profiles"][0]
    return found["wall_ns"] / 1e3, found["watched_ns"] / 1e3, found["profiler_slowdown"]


def row(what: str, kernels: int, times: tuple[float, float, float]) -> str:
    """A line of the table."""
    plain, watched, ratio = times
    more_us = plain * (ratio - 1) / kernels
    cells = (what, f"{kernels:,}", f"{plain:.1f} µs", f"{watched:.1f} µs", f"{ratio:.3f}")
    return "| " + " | ".join((*cells, f"{more_us:.2f} µs")) + " |"


def main() -> None:
    """Measures, and writes the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    rows = []
    for what, call, options in (
        ("ResNet-50", resnet("reduce-overhead", trains=False),
         ("--no-grad", "--mode", "reduce-overhead")),
        ("a training step of ResNet-50", resnet("default", trains=True), ("--train",)),
    ):  # fmt: skip
        times, kernels = compared(call), kernels_of(call)
        rows += [
            row(f"{what}, by hand", kernels, times),
            row(f"{what}, `inspect profile`", kernels, of_inspector(*options)),
        ]
    for elements in ELEMENTS:
        for number in COPIES:
            what = f"copies of {4 * elements / (1 << 20):g} MiB"
            rows.append(row(what, number, compared(copies(number, elements))))
    text = TEXT.format(
        device=torch.cuda.get_device_name(), torch=torch.__version__, blocks=ROUNDS, calls=CALLS,
        rows="\n".join(rows),
    )  # fmt: skip
    print(text)
    if asked.output is not None:
        asked.output.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
