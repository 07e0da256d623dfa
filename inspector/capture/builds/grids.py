"""How many blocks a configuration launches."""

from __future__ import annotations

import re
from typing import Any

from torch._inductor.runtime.triton_heuristics import GridExpr

__all__ = ["grid_of"]

_SIZE = re.compile(r"^\s+(\w*numel(?:_\d+)?)\s*=\s*(\d+)\s*$", re.MULTILINE)


def grid_of(autotuner: Any, config: Any) -> dict[str, Any]:  # noqa: ANN401 - torch's own
    """Blocks by axis, as a launcher computes them (`GridExpr` of triton_heuristics.py).

    Sizes that never change are constants in the source; of others there are only rounded hints.

    Returns:
        ``grid`` and ``grid_is_exact``; nothing where the grid depends on what is not in the source.
    """
    exact = {name: int(value) for name, value in _SIZE.findall(str(autotuner.fn.src))}
    hints = {f"{key}numel": int(size) for key, size in dict(autotuner.size_hints or {}).items()}
    for sizes, is_exact in ((exact, True), ({**hints, **exact}, False)):
        try:
            grid = GridExpr.from_meta(autotuner.inductor_meta, config).eval_slow(sizes)
            return {"grid": tuple(int(size) for size in grid), "grid_is_exact": is_exact}
        except Exception:  # noqa: BLE001, S112 - a name that is no constant: nobody knows
            continue
    return {}
