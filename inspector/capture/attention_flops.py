"""Floating-point operations of fused attention: what a causal mask leaves, in groups of heads too.

Torch's own formulas (`sdpa_flop_count` and `sdpa_backward_flop_count` in
torch/utils/flop_counter.py) count what a causal mask leaves out, though no fused kernel computes
it, and refuse fewer heads of keys than of queries in torch 2.11, and in backward passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_BEGINS = "aten::_scaled_dot_product_"


def attention_flops(
    target: Any,  # noqa: ANN401 - an operator
    arguments: Sequence[Any],
    named: Mapping[str, Any],
) -> int | None:
    """The operations of one call, a multiplication and an addition as two.

    Forward these are two products, of queries with keys and of weights with values; backward five
    (the first one again, and two for each gradient but that of the weights: FlashAttention,
    Dao et al. 2022, algorithm 4).

    Args:
        target: An operator of ATen.
        arguments: Its arguments, tensors of (batch, heads, length, size) among them.
        named: Its arguments by keyword.

    Returns:
        None where it is no fused attention, or its tensors are others.
    """
    schema = target._schema  # noqa: SLF001 - no public name yet
    if not schema.name.startswith(_BEGINS):
        return None
    values = dict(zip((item.name for item in schema.arguments), arguments, strict=False))
    values.update(named)
    shapes = [tuple(getattr(values.get(name), "shape", ())) for name in ("query", "key", "value")]
    if any(len(shape) != 4 for shape in shapes):  # noqa: PLR2004 - as above
        return None
    (batch, heads, queries, size), key, value = shapes
    keys, out_size = key[-2], value[-1]
    pairs = _below_diagonal(queries, keys) if values.get("is_causal") else queries * keys
    is_backward = "grad_out" in values or "grad_out_" in values
    sizes = 3 * size + 2 * out_size if is_backward else size + out_size
    return int(2 * batch * heads * pairs * sizes)


def _below_diagonal(queries: int, keys: int) -> int:
    """Pairs of a query and a key that is not behind it, both counted from the first one on."""
    square = min(queries, keys)
    return square * (square + 1) // 2 + max(queries - keys, 0) * keys
