"""Times a model as one does by hand; imports nothing of this project.

A process of `bench_claims.py` and `profile_accuracy.py`: it loads the model, waits for a line, and
makes the model ready. Then, for each line that comes in, an input's number and how many calls, it
makes these calls one after the other and prints the median of their times in ms, until the device
is done. With ``watch`` before the numbers `torch.profiler` alone is around the calls, and what the
device did is printed as JSON: a list of (name, ns) in its order.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils._pytree import tree_leaves

WARM_UP_CALLS = 20
ASKED = json.loads(sys.argv[1])


def load() -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """The model and its inputs, on the device."""
    spec = importlib.util.spec_from_file_location("model_file", ASKED["file"])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["model_file"] = module
    spec.loader.exec_module(module)
    model = module.model if hasattr(module, "model") else module.get_model()
    given = module.example_inputs if hasattr(module, "example_inputs") else module.get_inputs()
    args, kwargs = ((), given) if isinstance(given, dict) else (tuple(given), {})
    args, kwargs = tuple(map(batched, args)), {name: batched(x) for name, x in kwargs.items()}
    return model.to(ASKED["device"]), args, kwargs


def batched(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor with the batch that is asked for, on the device."""
    if ASKED["batch"]:
        tensor = tensor[torch.arange(ASKED["batch"]) % tensor.shape[0]]
    return tensor.to(ASKED["device"])


def changed(
    model: Any,
    args: tuple[Any, ...],
    changes: list[tuple[str, int, int]],
    change: Callable[[torch.Tensor, int, int], torch.Tensor],
) -> tuple[Any, ...]:
    """The arguments, those that vary changed by their dimension and its size."""
    names = [*inspect.signature(model.forward).parameters]
    found = list(args)
    for name, dimension, size in changes:
        at = names.index(name)
        found[at] = change(found[at], dimension, size)
    return tuple(found)


def resized(tensor: torch.Tensor, dimension: int, size: int) -> torch.Tensor:
    """Another tensor, with that size."""
    sizes = list(tensor.shape)
    sizes[dimension] = size
    return torch.randn(sizes, device=tensor.device, dtype=tensor.dtype)


def wait() -> None:
    """Waits until the device is done."""
    if ASKED["device"].startswith("cuda"):
        torch.cuda.synchronize()


def trained(compiled: Any, args: Any, kwargs: Any) -> Callable[[], object]:
    """Forward, and backward of the sum of what requires gradients."""
    leaves = [leaf for leaf in tree_leaves(compiled(*args, **kwargs)) if leaf.requires_grad]
    ones = [torch.ones_like(leaf) for leaf in leaves]

    def call() -> None:
        found = [leaf for leaf in tree_leaves(compiled(*args, **kwargs)) if leaf.requires_grad]
        torch.autograd.backward(found, ones)

    return call


def watched(model: Any, call: Callable[[], object], calls: int) -> list[tuple[str, float]]:
    """What the device did in calls, by `torch.profiler`: names, and times in ns."""
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        for _ in range(calls):
            forget_gradients(model)
            wait()
            call()
            wait()
    events = [event for event in seen.events() or () if event.device_type.name == "CUDA"]
    events.sort(key=lambda event: event.time_range.start)
    return [(event.name, 1e3 * event.device_time_total) for event in events]


def forget_gradients(model: Any) -> None:
    """Lets a call begin without gradients."""
    for parameter in model.parameters() if ASKED["train"] else ():
        parameter.grad = None


def median_ms(model: Any, call: Callable[[], object], calls: int) -> float:
    """The median time of calls; each begins without gradients, and nothing else to be done."""
    times = []
    for _ in range(calls):
        forget_gradients(model)
        wait()
        begin = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - begin)
    return 1e3 * statistics.median(times)


def main() -> None:
    """Makes the model ready, and does what it is told."""
    model, args, kwargs = load()
    sys.stdin.readline()  # the caches are full
    function = model
    if ASKED["compiles"]:
        function = torch.compile(model, mode=ASKED["mode"], dynamic=ASKED["dynamic"])
    calls: list[Callable[[], object]] = []
    with torch.set_grad_enabled(ASKED["train"]):
        for changes in ASKED["variations"] or [[]]:
            given = changed(model, args, changes, resized)
            if ASKED["train"]:
                calls.append(trained(function, given, kwargs))
            else:
                calls.append(lambda given=given: function(*given, **kwargs))  # type: ignore[misc]
            median_ms(model, calls[-1], WARM_UP_CALLS)
        print("ready", flush=True)
        for line in sys.stdin:
            *word, index, count = line.split()
            call = calls[int(index)]
            call()  # others were at work before
            wait()
            if word == ["watch"]:
                print(json.dumps(watched(model, call, int(count))), flush=True)
            else:
                print(median_ms(model, call, int(count)), flush=True)


if __name__ == "__main__":
    main()
