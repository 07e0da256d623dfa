"""What the machine's arithmetic can do at most."""

from __future__ import annotations

from collections.abc import Mapping


def peak_flops_per_s(values: Mapping[str, float], unit: str) -> float | None:
    """Operations per second of a dtype: of products of matrices, or, of a CPU, of its registers.

    The library that multiplies matrices is not always the one that comes nearest to what a
    processor can do: MKL's products take twice as long on some as oneDNN's convolutions.

    Args:
        values: What was measured, see `inspector.events.ceilings.InspectorCeilings`.
        unit: The dtype, or ``tf32``.
    """
    found = [values.get(f"{unit}_flops_per_s")]
    if unit == "float32":
        found.append(values.get("fma_flops_per_s"))
    return max((rate for rate in found if rate), default=None)
