"""What random numbers take that a generated C++ kernel draws: it draws one at a time.

Triton's are drawn while a kernel waits for memory, and count for nothing there.
"""

from __future__ import annotations

import math

from inspector.graphs.step_names import short_name
from inspector.model.graph import Node

__all__ = ["drawn_bytes", "is_drawn", "is_drawn_at_once"]

_DRAWING = frozenset({"inductor_random", "inductor_randint"})
_NORMAL = frozenset({"randn", "randn_like", "normal", "normal_functional"})
_UNIFORM = frozenset({"rand", "rand_like", "randint", "randint_like", "uniform"})
_MASKS = frozenset({"native_dropout", "bernoulli"})
# What moves in the time of one number. Of a million, torch 2.13 takes 7.7 ns a number (`rand`) and
# 32 (`randn`) of one thread, where a byte that stays in a cache takes 0.02 to 0.06: Philox
# (`normalized_rand_cpu` and `randn_cpu` in torch/csrc/inductor/cpp_prefix.h) is not vectorised.
_UNIFORM_BYTES = 200
_NORMAL_BYTES = 800


def drawn_bytes(node: Node) -> int:
    """What a node of a graph that draws on a CPU weighs by that, in bytes; 0 of all others."""
    tensor = next(iter(node.tensors), None)
    if tensor is None or tensor.device != "cpu" or short_name(node.target) not in _DRAWING:
        return 0
    numbers = math.prod(size for size in tensor.shape if isinstance(size, int))
    return numbers * (_NORMAL_BYTES if short_name(node.aten) in _NORMAL else _UNIFORM_BYTES)


def is_drawn(operator: str) -> bool:
    """Whether an operator, by its short name, draws numbers."""
    return operator in _NORMAL | _UNIFORM | _MASKS


def is_drawn_at_once(operator: str) -> bool:
    """Whether PyTorch's own draws them faster than a generated kernel; it is slower at masks."""
    return operator in _NORMAL | _UNIFORM
