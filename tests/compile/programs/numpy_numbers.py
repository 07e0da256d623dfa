"""More programs for the advice of inspector/advice/numpy_numbers.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_IMPORTS = "import numpy as np\n"
_MATHS = "import math\n"
_PROGRAM = BY_ID["numpy-number"].before


def _with(numpy: str, python: str) -> tuple[str, str]:
    """The program with another expression, before and after."""
    program = _PROGRAM.replace("x.reshape(-1, n) * 2", "x.sum(0, keepdim=True) * n")
    before = program.replace(_IMPORTS, _MATHS + _IMPORTS)
    return (
        before.replace("int(np.prod(x.shape[1:]))", numpy),
        before.replace("int(np.prod(x.shape[1:]))", python).replace(_IMPORTS, ""),
    )


PAIRS = {
    "numpy-number": (
        _with("int(np.clip(x.shape[-1], 1, 3))", "int(min(max(x.shape[-1], 1), 3))"),
        _with("int(np.maximum(x.shape[-1], 3))", "int(max(x.shape[-1], 3))"),
        _with("int(np.max(x.shape))", "int(max(x.shape))"),
        _with("int(np.sum(x.shape)) // 2", "int(sum(x.shape)) // 2"),
        _with("int(np.array(x.shape).prod())", "int(math.prod(x.shape))"),
        _with("2 if np.prod(x.shape) > 20 else 3", "2 if math.prod(x.shape) > 20 else 3"),
        _with("sum(range(np.prod(x.shape[1:])))", "sum(range(math.prod(x.shape[1:])))"),
        _with("np.mean([x.size(0), x.size(1)]).item()", "sum((n := [*x.shape[:2]])) / len(n)"),
        _with("math.floor(np.sqrt(x.shape[-1]))", "math.floor(math.sqrt(x.shape[-1]))"),
    ),
}
