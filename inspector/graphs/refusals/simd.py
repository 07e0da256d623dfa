"""Refusals of `SIMDScheduling.can_fuse` in torch/_inductor/codegen/simd.py, which is Triton's."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.graphs.refusals.reason import CONFIG, Known, every

KNOWN: Mapping[str, Known] = {
    "Split scan cannot fuse with reductions": every(
        "reduction",
        "One of {first} and {second} is a scan that several blocks share (a long cumsum or "
        "cumprod), the other a reduction.",
    ),
    "numel/rnumel mismatch (reduce) (%s, %s), (%s, %s)": every(
        "reduction",
        "{first} reduces {2} elements to each of its {0} results, {second} {3} elements to each of "
        "its {1}.",
        "Reduce over the same dimensions of tensors of the same shape.",
    ),
    "invalid loop order and tiling for native matmul": every(
        "layout",
        "One of {first} and {second} is a matrix multiplication in generated code, and the loops "
        "of the other do not fit its tiles.",
        "Keep the dimensions in the order of the matrix multiplication.",
    ),
    "numel/rnumel mismatch (non-reduce) (%s, %s), (%s, %s)": every(
        "shape",
        "{first} runs over {0} elements, {second} over {1}.",
    ),
    "numel/rnumel mismatch prologue mismatch (%s, %s), (%s, %s)": every(
        "shape",
        "{first} runs over {0} elements, but what it feeds at the beginning of the template "
        "{second} runs over {1}.",
    ),
    "tiling mismatch (%s, %s, %s)": every(
        "layout",
        "The memory orders of {first} and {second} ask for different tiles: {0} and {1}, or {2} "
        "for both.",
        f"Use one memory order for both, or {CONFIG}.triton.tiling_prevents_pointwise_fusion = "
        "False.",
    ),
    "nodes numel/rnumel incompatibility": every(
        "reduction",
        "{first} has as many elements as the reduction {second} goes through, but its loops cannot "
        "be split into what is reduced and what is kept.",
        "Keep the reduced dimensions apart from the others: no reshape between the two.",
    ),
    "invalid tiling for reduction": every(
        "layout",
        "The memory order of {first} asks for tiles that the reduction {second} cannot use.",
        f"Use one memory order for both, or {CONFIG}.triton.tiling_prevents_reduction_fusion = "
        "False.",
    ),
    "nodes numel incompatibility": every(
        "reduction",
        "{first} runs neither over the elements that the reduction {second} goes through nor over "
        "its results: their numbers differ.",
    ),
}
"""By the format that torch gives."""
