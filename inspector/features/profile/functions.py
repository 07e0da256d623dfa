"""What functions of each element take in a generated C++ kernel, beside the bytes that it moves.

Triton's kernels compute them while they wait for memory: there they count for nothing.
"""

import math

from inspector.features.graph.step_names import short_name
from inspector.run.graph import Node
from inspector.shared.dtypes import find_dtype

_DRAWING = frozenset({"inductor_random", "inductor_randint"})
_NORMAL = frozenset({"randn", "randn_like", "normal", "normal_functional"})
_UNIFORM = frozenset({"rand", "rand_like", "randint", "randint_like", "uniform"})
_MASKS = frozenset({"native_dropout", "bernoulli"})
# Nanoseconds of one thread for an element in float32, torch 2.13 with AVX-512, as
# benchmarks/function_costs.py measures them (`normalized_rand_cpu` and `randn_cpu` in
# torch/csrc/inductor/cpp_prefix.h are not vectorised). They weigh operators of one kernel against
# one another, and say nothing else.
_NS = {
    "acos": 1.2, "asin": 1.2, "atan": 1.7, "atan2": 2.1, "cos": 0.7, "cosh": 1.7, "erf": 1.1,
    "erfc": 2.9, "erfinv": 21.0, "exp": 0.8, "exp2": 0.6, "expm1": 0.8, "lgamma": 3.6, "log": 0.8,
    "log10": 0.8, "log1p": 1.2, "log2": 0.9, "pow": 2.9, "rsqrt": 0.2, "sigmoid": 1.0, "sin": 0.7,
    "sinh": 1.7, "tan": 1.6, "tanh": 1.9,
}  # fmt: skip
_UNIFORM_NS, _NORMAL_NS = 7.7, 32.0
_ELEMENT_NS = 0.04  # a product or a sum
_NS_PER_BYTE = 0.04  # that moves between a core and its caches
_FLOAT32_BYTES = 4
_SIMPLE_POWER = "Tensor_Scalar"  # `x ** 2` becomes a product


def function_bytes(node: Node) -> float:
    """What a node of a graph on a CPU weighs by its function, in bytes; 0 of all others."""
    return _bytes(node, _function_ns(node))


def arithmetic_bytes(node: Node) -> float:
    """What any operator of each element weighs beside what it moves, in bytes."""
    return _bytes(node, _ELEMENT_NS)


def _bytes(node: Node, element_ns: float) -> float:
    tensor = next(iter(node.tensors), None)
    if tensor is None or tensor.device != "cpu" or not element_ns:
        return 0.0
    dtype = find_dtype(tensor.dtype)
    width = max(dtype.size_bytes / _FLOAT32_BYTES, 1.0) if dtype is not None else 1.0
    elements = math.prod(size for size in tensor.shape if isinstance(size, int))
    return elements * width * element_ns / _NS_PER_BYTE


def _function_ns(node: Node) -> float:
    name = short_name(node.target)
    if name in _DRAWING:
        return _NORMAL_NS if short_name(node.aten) in _NORMAL else _UNIFORM_NS
    if node.target.endswith(_SIMPLE_POWER):
        return 0.0
    return _NS.get(name, 0.0)


def is_drawn(operator: str) -> bool:
    """Whether an operator, by its short name, draws numbers."""
    return operator in _NORMAL | _UNIFORM | _MASKS


def is_drawn_at_once(operator: str) -> bool:
    """Whether PyTorch's own draws them faster than a generated kernel; it is slower at masks."""
    return operator in _NORMAL | _UNIFORM
