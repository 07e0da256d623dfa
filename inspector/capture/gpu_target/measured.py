"""Decisions for which torch measures on the device: noted, and answered without.

What Inductor measures while it compiles, in torch 2.11 to 2.13: whether to pad a matrix
multiplication that is bound by computation (fx_passes/pad_mm.py), which of several templates and
library calls to take (select_algorithm.py, with max-autotune), and fusions with a template.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from torch._inductor import select_algorithm
from torch._inductor.fx_passes import pad_mm
from torch._inductor.runtime.benchmarking import benchmarker

from inspector.capture.gpu_target.notes import Notes

__all__ = ["without_measuring"]

_UNKNOWN_MS = 1.0


@contextmanager
def without_measuring(notes: Notes) -> Iterator[None]:
    """Nothing is measured inside of the ``with``; what would have been is noted."""

    def padded(key: str) -> bool:
        notes.decision("padding", key, "not padded", ["not padded", "padded"])
        return key in notes.padded

    def chosen(_self: Any, name: str, *args: Any, **_options: Any) -> dict[Any, float]:  # noqa: ANN401
        choices = next(list(item) for item in args if isinstance(item, list | tuple) and item)
        names = [str(getattr(choice, "name", choice)) for choice in choices]
        notes.decision("template", name, names[0], names)
        return {choice: float(place + 1) for place, choice in enumerate(choices)}

    def measured(*_: object, **__: object) -> float:
        notes.decision("fusion", "a benchmark while compiling", "as if both took as long", [])
        return _UNKNOWN_MS

    cache = select_algorithm.AlgorithmSelectorCache
    patches: list[Any] = [
        mock.patch.object(pad_mm, "get_cached_should_pad", padded),
        *(mock.patch.object(type(benchmarker), name, measured)
          for name in ("benchmark", "benchmark_gpu", "benchmark_cpu")
          if hasattr(type(benchmarker), name)),
    ]  # fmt: skip
    if hasattr(cache, "do_autotuning"):
        patches.append(mock.patch.object(cache, "do_autotuning", chosen))
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        yield
