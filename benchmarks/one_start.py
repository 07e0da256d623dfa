"""A process of `starts.py`: makes calls of a model when it is told to, by hand or as we do.

    python benchmarks/one_start.py DEVICE [--record FOLDER] [--loop]

Imports nothing of this project unless it is asked to record, or to make its calls in the loop of
`inspect bench`. Prints ``ready``, and then for each number that comes in the median time of as many
calls, in ns.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

ROOT = Path(__file__).resolve().parents[1]
WARM_UP_CALLS = 30


def short_kernels() -> tuple[nn.Module, torch.Tensor]:
    """A model of many short kernels: the host's time is most of a call."""
    torch.set_num_threads(1)
    layers = [nn.Linear(8 + number % 4, 8 + (number + 1) % 4) for number in range(60)]
    model = nn.Sequential(*(nn.Sequential(layer, nn.ReLU()) for layer in layers))
    return model, torch.randn(4, 8)


def resnet50() -> tuple[nn.Module, torch.Tensor]:
    """The sample, with one image."""
    spec = importlib.util.spec_from_file_location("model", ROOT / "samples/resnet50/model.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.model, torch.randn(1, 3, 224, 224)


def by_hand(function: Callable[[Any], Any], x: torch.Tensor) -> Callable[[int], float]:
    """What makes calls in a loop of its own."""

    def median_ns(calls: int) -> float:
        times = []
        for _ in range(calls):
            wait(x)
            begin = time.perf_counter_ns()
            function(x)
            wait(x)
            times.append(time.perf_counter_ns() - begin)
        return statistics.median(times)

    return median_ns


def as_bench(function: Callable[[Any], Any], x: torch.Tensor) -> Callable[[int], float]:
    """What makes calls as a process of `inspect bench` does."""
    from inspector.capture.bench.blocks import block
    from inspector.capture.bench.program import Loop

    copies = itertools.cycle([x.clone() for _ in range(4)])

    def next_call() -> Callable[[], object]:
        given = next(copies)
        return lambda: function(given)

    loop = Loop(next_call, torch.no_grad, lambda: None)
    return lambda calls: statistics.median(block(loop, calls, None))


def wait(x: torch.Tensor) -> None:
    """Waits until the device is done."""
    if x.is_cuda:
        torch.cuda.synchronize()


def main() -> None:
    """Makes the model ready, and does what it is told."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--loop", action="store_true")
    asked = parser.parse_args()
    if asked.record or asked.loop:
        sys.path.insert(0, str(ROOT))
    if asked.record:
        from inspector.capture.recording.handler import attach

        attach(asked.record, project=None)
    torch.manual_seed(0)
    model, x = resnet50() if asked.device.startswith("cuda") else short_kernels()
    model, x = model.to(asked.device).eval(), x.to(asked.device)
    function = torch.compile(model)
    with torch.no_grad():
        median_ns = (as_bench if asked.loop else by_hand)(function, x)
        median_ns(WARM_UP_CALLS)
        print("ready", flush=True)
        for line in sys.stdin:
            function(x)  # others were at work before
            print(median_ns(int(line)), flush=True)


if __name__ == "__main__":
    main()
