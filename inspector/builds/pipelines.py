"""Software pipelining as built.

Triton copies the loads of the first iterations in front of the loop: a loop whose loads have two
copies in front of it has three stages (``lib/Dialect/TritonGPU/Transforms/Pipeliner``).
"""

from __future__ import annotations

import math
import re
from collections import Counter

from inspector.builds.ttgir import Module, Operation
from inspector.model.kernel_analysis import Pipeline

_COPIES = ("ttg.async_copy_global_to_local", "ttng.async_tma_copy_global_to_local")
_LOADS = (*_COPIES, "tt.load")
_BUFFER = re.compile(r"-> !ttg\.memdesc<((?:\d+x)+)[a-z]+(\d+)")


def pipelines_of(module: Module, asked: int) -> tuple[Pipeline, ...]:
    """Loops that load: how many stages each has.

    Args:
        asked: ``num_stages`` of the configuration.
    """
    loops = [item for item in module.operations if item.name in {"scf.for", "scf.while"}]
    made = (_pipeline(number, loop, module, asked) for number, loop in enumerate(loops, 1))
    return tuple(pipeline for pipeline in made if pipeline is not None)


def _pipeline(number: int, loop: Operation, module: Module, asked: int) -> Pipeline | None:
    inside = [
        item
        for item in module.operations
        if item.loops and item.loops[-1] == number and item.name in _LOADS
    ]
    if not inside:
        return None
    copies = [item for item in inside if item.name in _COPIES]
    before = Counter(
        item.line for item in module.operations if item.name in _COPIES and number not in item.loops
    )
    within = Counter(item.line for item in copies)
    ahead = max((before[line] // count for line, count in within.items()), default=0)
    return Pipeline(
        line=loop.line,
        asked=asked,
        stages=1 + ahead,
        async_copies=len(copies),
        buffer_bytes=_buffers(module) if copies else 0,
    )


def _buffers(module: Module) -> int:
    """Shared memory that is allocated to be written by copies."""
    total = 0
    for item in module.operations:
        if item.name == "ttg.local_alloc" and not item.operands:
            found = _BUFFER.search(item.text)
            if found:
                sizes = [int(size) for size in found[1].split("x") if size]
                total += math.prod(sizes) * int(found[2]) // 8
    return total
