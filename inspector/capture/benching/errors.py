"""How far results are from those of another process."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from inspector.capture.outputs import Kept

__all__ = ["errors_of", "is_off", "wrong_in"]

# So many times eager PyTorch's own error is no rounding any more.
_TIMES_EAGERS = 10.0
_OF_NUMBERS = 1e-3
# Where nobody knows that, as a part of the largest element: what deep models lose.
_ROUNDING = {torch.float32: 1e-3, torch.float16: 1e-2, torch.bfloat16: 5e-2}


def errors_of(reference: str, kept: Kept, expected: Kept) -> Iterator[Mapping[str, object]]:
    """The error of each result that both have.

    The largest difference of two elements is told as a part of the largest element: single elements
    near 0 say nothing about a result. Infinity and NaN in the same places are no difference.

    Args:
        reference: The name of what it is compared with.
        kept: What this process gave.
        expected: What the other one gave.
    """
    for name, mine in kept.tensors.items():
        theirs = expected.tensors.get(name)
        if theirs is None:
            continue
        yield {
            "reference": reference,
            "name": name,
            "relative": _relative(mine, theirs),
            "within": _is_close(mine, theirs) if mine.dtype == theirs.dtype else None,
            "nan": float(theirs.isnan().float().mean()) if theirs.numel() else 0.0,
        }
    for name, text in kept.others.items():
        if name in expected.others and text != expected.others[name]:
            relative = _of_numbers(text, expected.others[name])
            within = relative < _OF_NUMBERS
            yield {"reference": reference, "name": name, "relative": relative, "within": within}


def _of_numbers(mine: str, theirs: str) -> float:
    """How far two spelled-out numbers are apart; infinity where they are none."""
    try:
        one, other = float(mine), float(theirs)
    except ValueError:
        return math.inf
    return abs(one - other) / abs(other) if other else math.inf


def is_off(mine: Any, theirs: Any, exact: Any = None) -> bool:  # noqa: ANN401 - torch is Any
    """Whether a result differs from eager's by more than rounding.

    Args:
        mine: The result.
        theirs: Eager PyTorch's.
        exact: The same in float64, which says how large eager PyTorch's own error is; or None.
    """
    if mine.dtype != theirs.dtype or mine.shape != theirs.shape:
        return True
    if _is_close(mine, theirs):
        return False
    if exact is None or exact.shape != mine.shape:
        return _relative(mine, theirs) > _ROUNDING.get(mine.dtype, 0.0)
    return _relative(mine, exact) > _TIMES_EAGERS * _relative(theirs, exact)


def wrong_in(kept: Kept, eager: Kept, exact: Kept | None) -> list[str]:
    """The names of the results that differ from eager's by more than rounding.

    Args:
        kept: What this process gave.
        eager: What eager PyTorch gave.
        exact: What it gave in float64, or None.
    """
    wide = exact.tensors if exact is not None else {}
    return [
        name
        for name, tensor in kept.tensors.items()
        if name in eager.tensors and is_off(tensor, eager.tensors[name], wide.get(name))
    ]


def _relative(mine: Any, theirs: Any) -> float:  # noqa: ANN401 - torch is Any to mypy
    if mine.shape != theirs.shape:
        return math.inf
    if not mine.numel():
        return 0.0
    wide = torch.complex128 if mine.is_complex() or theirs.is_complex() else torch.float64
    mine, theirs = mine.to(wide), theirs.to(wide)
    same = (mine == theirs) | (mine.isnan() & theirs.isnan())
    difference = float(torch.where(same, 0.0, (mine - theirs).abs()).max())
    if not math.isfinite(difference):
        return math.inf
    largest = float(torch.where(theirs.abs().isfinite(), theirs.abs(), 0.0).max())
    return difference / largest if largest else (math.inf if difference else 0.0)


def _is_close(mine: Any, theirs: Any) -> bool:  # noqa: ANN401 - see above
    """Whether `torch.testing` calls it close, with its tolerances for the dtype."""
    try:
        torch.testing.assert_close(mine, theirs, equal_nan=True)
    except AssertionError:
        return False
    return True
