"""How far results are from those of another process."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import torch

from inspector.capture.benching.scales import Scale, difference_of, largest_of, number_of
from inspector.capture.outputs import Kept

__all__ = ["errors_of", "is_off", "wrong_in"]

# So many times eager PyTorch's own error is no rounding any more.
_TIMES_EAGERS = 10.0
_OF_NUMBERS = 1e-3
# Where nobody knows that, as a part of the largest element: what deep models lose.
_ROUNDING = {torch.float32: 1e-3, torch.float16: 1e-2, torch.bfloat16: 5e-2}
_NO_SCALES: Mapping[str, Scale] = MappingProxyType({})


def errors_of(
    reference: str,
    kept: Kept,
    expected: Kept,
    scales: Mapping[str, Scale] = _NO_SCALES,
) -> Iterator[Mapping[str, object]]:
    """The error of each result that both have.

    The largest difference of two elements is told as a part of the largest element: single elements
    near 0 say nothing about a result, and a result that is rounding alone says nothing about its
    own error. Infinity and NaN in the same places are no difference.

    Args:
        reference: The name of what it is compared with.
        kept: What this process gave.
        expected: What the other one gave.
        scales: What errors are a part of, of results that are rounding alone (`scales_of`).
    """
    for name, mine in kept.tensors.items():
        theirs = expected.tensors.get(name)
        if theirs is None:
            continue
        yield {
            "reference": reference,
            "name": name,
            "relative": _relative(mine, theirs, scales.get(name)),
            "scale": _scale(name, scales),
            "within": _is_close(mine, theirs) if mine.dtype == theirs.dtype else None,
            "nan": float(theirs.isnan().float().mean()) if theirs.numel() else 0.0,
        }
    for name, text in kept.others.items():
        if name in expected.others and text != expected.others[name]:
            relative = _of_numbers(text, expected.others[name], scales.get(name))
            yield {
                "reference": reference,
                "name": name,
                "relative": relative,
                "scale": _scale(name, scales),
                "within": relative < _OF_NUMBERS,
            }


def _scale(name: str, scales: Mapping[str, Scale]) -> str:
    return scales[name].by if name in scales else "itself"


def _of_numbers(mine: str, theirs: str, scale: Scale | None) -> float:
    """How far two spelled-out numbers are apart; infinity where they are none."""
    one, other = number_of(mine), number_of(theirs)
    if one is None or other is None:
        try:
            whole, expected = float(mine), float(theirs)
        except ValueError:
            return math.inf
        return abs(whole - expected) / abs(expected) if expected else math.inf
    return _relative(one, other, scale)


def is_off(
    mine: Any,  # noqa: ANN401 - torch is Any
    theirs: Any,  # noqa: ANN401 - torch is Any
    exact: Any = None,  # noqa: ANN401 - torch is Any
    scale: Scale | None = None,
) -> bool:
    """Whether a result differs from eager's by more than rounding.

    Args:
        mine: The result.
        theirs: Eager PyTorch's.
        exact: The same in float64, which says how large eager PyTorch's own error is; or None.
        scale: What its error is a part of, where it is rounding alone: then eager PyTorch's own
            error may be as small as chance has it, and what one rounding of the largest of its
            kind is counts, too.
    """
    if mine.dtype != theirs.dtype or mine.shape != theirs.shape:
        return True
    if _is_close(mine, theirs):
        return False
    if exact is None or exact.shape != mine.shape:
        return _relative(mine, theirs, scale) > _ROUNDING.get(mine.dtype, 0.0)
    # The largest difference, and not a part of anything: that both are compared with is the same.
    least = 0.0
    if scale is not None and scale.by == "family":
        least = torch.finfo(mine.dtype).eps * scale.size
    return difference_of(mine, exact) > _TIMES_EAGERS * max(least, difference_of(theirs, exact))


def wrong_in(
    kept: Kept, eager: Kept, exact: Kept | None, scales: Mapping[str, Scale] = _NO_SCALES
) -> list[str]:
    """The names of the results that differ from eager's by more than rounding.

    Args:
        kept: What this process gave.
        eager: What eager PyTorch gave.
        exact: What it gave in float64, or None.
        scales: What errors are a part of, of results that are rounding alone (`scales_of`).
    """
    wide = exact.tensors if exact is not None else {}
    return [
        name
        for name, tensor in kept.tensors.items()
        if name in eager.tensors
        and is_off(tensor, eager.tensors[name], wide.get(name), scales.get(name))
    ]


def _relative(mine: Any, theirs: Any, scale: Scale | None = None) -> float:  # noqa: ANN401 - torch is Any to mypy
    if mine.shape != theirs.shape:
        return math.inf
    if not mine.numel():
        return 0.0
    difference = difference_of(mine, theirs)
    largest = largest_of(theirs) if scale is None else scale.size
    return difference / largest if largest else (math.inf if difference else 0.0)


def _is_close(mine: Any, theirs: Any) -> bool:  # noqa: ANN401 - see above
    """Whether `torch.testing` calls it close, with its tolerances for the dtype."""
    try:
        torch.testing.assert_close(mine, theirs, equal_nan=True)
    except AssertionError:
        return False
    return True
