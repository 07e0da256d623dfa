"""How many blocks a configuration launches."""

from __future__ import annotations

import ast
import re
from typing import Any

from torch._inductor.runtime.triton_heuristics import GridExpr

_SIZE = re.compile(r"^\s+(\w*numel(?:_\d+)?)\s*=\s*(\d+)\s*$", re.MULTILINE)
_ARITHMETIC = (
    ast.Module, ast.Expr, ast.Assign, ast.Name, ast.Load, ast.Store, ast.Constant, ast.BinOp,
    ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call, ast.Add, ast.Sub, ast.Mult, ast.Div,
    ast.FloorDiv, ast.Mod, ast.unaryop, ast.cmpop,
)  # fmt: skip


def grid_of(autotuner: Any, config: Any) -> dict[str, Any]:  # noqa: ANN401 - torch's own
    """Blocks by axis, as a launcher computes them (`GridExpr` of triton_heuristics.py).

    Sizes that never change are constants in the source; of others there are only rounded hints.

    Returns:
        ``grid`` and ``grid_is_exact``; nothing where the grid depends on what is not in the source.

    Raises:
        ValueError: It is more than arithmetic: torch runs its text, and a recording can hold any.
    """
    exact = {name: int(value) for name, value in _SIZE.findall(str(autotuner.fn.src))}
    try:
        grid = GridExpr.from_meta(autotuner.inductor_meta, config)
    except Exception:  # noqa: BLE001 - whatever the metadata of a recording makes of it
        return {}
    for part in (*grid.prefix, grid.x_grid, grid.y_grid, grid.z_grid):
        _check_arithmetic(str(part))
    hints = {f"{key}numel": int(size) for key, size in dict(autotuner.size_hints or {}).items()}
    for sizes, is_exact in ((exact, True), ({**hints, **exact}, False)):
        try:
            sizes_by_axis = grid.eval_slow(sizes)
            return {"grid": tuple(int(size) for size in sizes_by_axis), "grid_is_exact": is_exact}
        except Exception:  # noqa: BLE001, S112 - a name that is no constant: nobody knows
            continue
    return {}


def _check_arithmetic(text: str) -> None:
    nodes = list(ast.walk(ast.parse(text)))
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    if not all(isinstance(node, _ARITHMETIC) for node in nodes) or any(
        not isinstance(function, ast.Name) or function.id not in {"max", "min"}
        for function in called
    ):
        message = f"its grid is more than arithmetic, and is not run: {text[:120]}"
        raise ValueError(message)
