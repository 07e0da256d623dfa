"""More programs for the advice of inspector/advice/emptiness.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_MENDED = BY_ID["empty-selection"].after
_SKIPPED = BY_ID["empty-selection"].before
_VISITED = BY_ID["loop-over-hits"].before


_STEP = """\
        if rows.numel() == 0:
            continue
        out.index_add_(0, rows, x[rows] @ weight)
"""


def _stored(program: str) -> str:
    """The same with rows that are changed in place."""
    return program.replace(
        "out.index_add_(0, rows, x[rows] @ weight)", "out[rows] = out[rows] + x[rows] @ weight"
    )


VARIANTS = {
    "empty-selection": (
        _SKIPPED.replace("rows.numel() == 0", "len(rows) < 1"),
        _SKIPPED.replace("rows.numel() == 0", "not rows.shape[0]"),
        _SKIPPED.replace(
            _STEP,
            "        if rows.size(0) > 0:\n            out.index_add_(0, rows, x[rows] @ weight)\n",
        ),
    ),
    "loop-over-hits": (
        _VISITED.replace(
            "    for n in hit:\n", "    for n in hit:\n        if n == 2:\n            continue\n"
        ),
    ),
}
PAIRS = {
    "empty-selection": ((_stored(_SKIPPED), _stored(_MENDED)),),
}
