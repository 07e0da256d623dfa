"""Decisions for which torch measures on the device: noted, and answered without.

What Inductor measures while it compiles, in torch 2.11 to 2.13: whether to pad a matrix
multiplication that is bound by computation (fx_passes/pad_mm.py), which of several templates and
library calls to take (select_algorithm.py, with max-autotune), and fusions with a template
(scheduler.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from torch._inductor import select_algorithm
from torch._inductor.fx_passes import pad_mm
from torch._inductor.runtime.benchmarking import benchmarker
from torch._inductor.scheduler import Scheduler

from inspector.capture.fusion.fusion_fields import lowered_direction
from inspector.capture.gpu_target.notes import Notes
from inspector.capture.hooks import patched
from inspector.records.gpu_target import MeasuredDecision

# What is taken is faster than the rest by far, and a fusion as fast as each of its two parts.
_TAKEN_MS, _LEFT_MS = 1.0, 1e6


@contextmanager
def without_measuring(notes: Notes) -> Iterator[None]:
    """Nothing is measured inside of the ``with``; what would have been is noted."""

    def padded(key: str) -> bool:
        notes.decision(MeasuredDecision("padding", key, "not padded", ("not padded", "padded")))
        return key in notes.padded

    def measured(*_: object, **__: object) -> float:
        where = "every fusion that torch would decide by benchmarking"
        notes.decision(MeasuredDecision("fusion", where, "fused", ("fused", "not fused")))
        return _TAKEN_MS

    def measured_module(*_: object, **__: object) -> tuple[float, str]:
        return measured(), ""

    def measured_combination(*_: object, **__: object) -> tuple[float, float, list[str | None]]:
        return measured(), 0.0, []

    cache = select_algorithm.AlgorithmSelectorCache
    with patched(
        mock.patch.object(pad_mm, "get_cached_should_pad", padded),
        *(mock.patch.object(type(benchmarker), name, measured)
          for name in ("benchmark", "benchmark_gpu", "benchmark_cpu")
          if hasattr(type(benchmarker), name)),
        mock.patch.object(cache, "do_autotuning", _chosen(cache.do_autotuning, notes)),
        # It would compile all of them for the device that there is, in threads.
        mock.patch.object(cache, "make_precompile_fn", return_value=dict),
        mock.patch.object(Scheduler, "compile_kernel", _not_compiled),
        mock.patch.object(Scheduler, "benchmark_fused_nodes", measured_module),
        mock.patch.object(Scheduler, "benchmark_codegened_module", measured_module),
        mock.patch.object(Scheduler, "benchmark_combo_kernel", measured_combination),
    ):  # fmt: skip
        yield


def _chosen(function: Callable[..., Any], notes: Notes) -> Callable[..., dict[Any, float]]:
    """Stands for what compiles and measures the candidates for one operator."""
    signature = inspect.signature(function)

    def chosen(*args: Any, **options: Any) -> dict[Any, float]:
        given = signature.bind(*args, **options).arguments
        choices: list[Any] = list(given["choices"])
        kinds = {choice: _kind(choice) for choice in choices}
        first = next((c for c in choices if kinds[c] == "library"), choices[0])
        notes.decision(
            MeasuredDecision(
                "template",
                f"{given['name']} {_sizes(given['input_nodes'])}",
                str(first.name),
                tuple(str(choice.name) for choice in choices),
                sources={str(c.name): _source(c) for c in choices if kinds[c] == "template"},
                kinds=tuple(sorted(set(kinds.values()) - {kinds[first]})),
                direction=lowered_direction(),
            )
        )
        first = next((c for c in choices if kinds[c] == notes.takes), first)
        return {
            choice: _TAKEN_MS if choice is first else _LEFT_MS + place
            for place, choice in enumerate(choices)
        }

    return chosen


def _kind(choice: Any) -> str:
    """What a candidate is: a library's function, a template of Triton, or a graph of its own."""
    if isinstance(choice, select_algorithm.ExternKernelCaller):
        return "library"
    return "template" if _source(choice) else "subgraph"


def _source(choice: Any) -> str:
    """Of a candidate that is a Triton template, the source that would be measured; else nothing."""
    # Of graphs it is a property that asserts in 2.13.
    path = getattr(vars(choice).get("bmreq"), "module_path", None)
    try:
        return Path(path).read_text(encoding="utf-8") if path else ""
    except OSError:
        return ""


def _sizes(nodes: Sequence[Any]) -> str:
    found = []
    for node in nodes:
        sizes = "\N{MULTIPLICATION SIGN}".join(map(str, node.get_size()))
        found.append(f"{str(node.get_dtype()).removeprefix('torch.')} {sizes}")
    return ", ".join(found)


def _not_compiled(self: Any, nodes: Any, hint_override: int | None = None) -> tuple[None, None]:
    """Generates the code of a fusion, which fails where it is not possible, and stops there."""
    self.generate_kernel_code_from_nodes(nodes, benchmark_kernel=True, hint_override=hint_override)
    return None, None
