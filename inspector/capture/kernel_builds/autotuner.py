"""From the source of a generated kernel to the autotuner that Inductor makes of it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import types
from pathlib import Path
from typing import Any

from torch._inductor.runtime.triton_heuristics import CachingAutotuner, GridExpr
from triton import JITFunction

from inspector.capture.kernel_builds.source_check import check_compiled, check_source

_CAPABILITY = re.compile(r"DeviceProperties\([^)]*\bcc=(\d+)")


def capability_of(source: str) -> int | None:
    """The compute capability that a source was generated for, without running it."""
    found = _CAPABILITY.search(source)
    return int(found[1]) if found else None


def load_autotuner(source: str, name: str, file: Path) -> Any:
    """Runs a kernel's source as Inductor does (torch/_inductor/runtime/compile_tasks.py).

    It is written to `file`, from which Triton reads a function's text.

    Raises:
        ValueError: The source has more than a kernel, makes no kernel of that name, or not exactly
            one of another.
        Exception: Whatever running it raises.
    """
    checked = check_source(source)
    data = source.encode()
    if tokenize.detect_encoding(io.BytesIO(data).readline)[0] != "utf-8":
        # Triton reads the file as its first lines say, and would get another text.
        raise ValueError("its source declares an encoding, so it is not run")
    file.write_bytes(data)
    module = types.ModuleType(file.stem)
    module.__file__ = str(file)
    exec(compile(source, str(file), "exec", dont_inherit=True), module.__dict__)  # noqa: S102
    made = [getattr(value, "fn", value) for value in vars(module).values()]
    check_compiled((each for each in made if isinstance(each, JITFunction)), checked)
    found = getattr(module, name, None)
    if isinstance(found, CachingAutotuner):
        return found
    others = [value for value in vars(module).values() if isinstance(value, CachingAutotuner)]
    if len(others) != 1:
        message = f"its source defines {len(others)} kernels, but none is named {name}"
        raise ValueError(message)
    return others[0]


_SIZE = re.compile(r"^\s+(\w*numel(?:_\d+)?)\s*=\s*(\d+)\s*$", re.MULTILINE)
_ARITHMETIC = (
    ast.Module, ast.Expr, ast.Assign, ast.Name, ast.Load, ast.Store, ast.Constant, ast.BinOp,
    ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call, ast.Add, ast.Sub, ast.Mult, ast.Div,
    ast.FloorDiv, ast.Mod, ast.unaryop, ast.cmpop,
)  # fmt: skip


def grid_of(autotuner: Any, config: Any) -> dict[str, Any]:
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
        message = f"its grid is not plain arithmetic, so it is not run: {text[:120]}"
        raise ValueError(message)
