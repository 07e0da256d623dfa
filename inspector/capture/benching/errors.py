"""How far results are from those of another process."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import torch

from inspector.capture.benching.scales import Scale, difference_of, largest_of, number_of
from inspector.capture.outputs import Kept

__all__ = ["errors_of", "is_off", "others_of", "wrong_in"]

# So many times eager PyTorch's own error is no rounding any more.
_TIMES_EAGERS = 10.0
_OF_NUMBERS = 1e-3
# Where nobody knows that, as a part of the largest element: what deep models lose.
_ROUNDING = {torch.float32: 1e-3, torch.float16: 1e-2, torch.bfloat16: 5e-2}
_NO_SCALES: Mapping[str, Scale] = MappingProxyType({})
_MOST_TEXT = 40
# As `inspector.capture.benching.worker` names results.
_INPUT = re.compile(r"\binput \d+")
_AGAIN = " (called again)"


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
        relative = _relative(mine, theirs, scales.get(name))
        yield {
            "reference": reference,
            "name": name,
            "relative": relative,
            "scale": _scale(name, scales),
            "within": _is_close(mine, theirs) if mine.dtype == theirs.dtype else None,
            "nan": float(theirs.isnan().float().mean()) if theirs.numel() else 0.0,
            # Elsewhere dtypes differ on purpose.
            **(_sides(kept, expected, name) if mine.shape != theirs.shape else {}),
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
                **({} if math.isfinite(relative) else _sides(kept, expected, name)),
            }


def others_of(reference: str, kept: Kept, expected: Kept) -> Iterator[Mapping[str, object]]:
    """What is there on one side alone, or is of another kind or dtype there.

    Args:
        reference: The name of what it is compared with.
        kept: What this process gave.
        expected: What the other one gave.
    """
    unknown = {*kept.uncompared, *expected.uncompared}
    for name in dict.fromkeys((*expected.names, *kept.names)):
        mine, theirs = (_kind(side, name) for side in (kept, expected))
        if mine != theirs and name not in unknown:
            yield {
                "reference": reference,
                "name": name,
                "relative": math.inf,
                "scale": "itself",
                "within": False,
                **_sides(kept, expected, name),
            }


def _kind(kept: Kept, name: str) -> str:
    tensor = kept.tensors.get(name)
    if tensor is None:
        return "other" if name in kept.others else ""
    return str(tensor.dtype)


def _sides(kept: Kept, expected: Kept, name: str) -> Mapping[str, str]:
    """What is there on both sides, where no number says how far they are apart."""
    return {"mine": _described(kept, name), "theirs": _described(expected, name)}


def _described(kept: Kept, name: str) -> str:
    """``float32[2, 3]``, ``None``; empty where there is nothing."""
    tensor = kept.tensors.get(name)
    if tensor is None:
        return kept.others.get(name, "")[:_MOST_TEXT]
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


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
    least = 0.0
    if scale is not None and scale.by == "family":
        least = torch.finfo(mine.dtype).eps * scale.size
    return _is_farther(_Elements(mine, theirs, exact), least, _epsilon_of(mine))


class _Elements:
    """Elements of a result, of eager PyTorch's, and in float64, each as wide as they go."""

    def __init__(self, mine: Any, theirs: Any, exact: Any) -> None:  # noqa: ANN401 - torch is Any
        wide = torch.complex128 if any(map(torch.is_complex, (mine, theirs, exact))) else None
        self._limit = _largest_number(mine)
        self._mine, self._theirs, self.exact = (
            each.to(wide or torch.float64) for each in (mine, theirs, exact)
        )
        # Where eager PyTorch overflows and float64 does not, nothing is known of what is right.
        self._known = self._theirs.isfinite() & self.exact.isfinite()

    @property
    def has_other_limits(self) -> bool:
        """Whether it is infinite or NaN where it should not be, or the other way around."""
        same = (self._theirs == self.exact) | (self._theirs.isnan() & self.exact.isnan())
        is_mine = (self._mine == self._theirs) | (self._mine.isnan() & self._theirs.isnan())
        misses = same & ~self.exact.isfinite() & ~is_mine
        # What comes close to the largest number of a dtype may overflow in one program alone.
        fits = self.exact.abs() < self._limit / 2
        return bool((misses | (self._known & fits & ~self._mine.isfinite())).any())

    def differences(self) -> tuple[Any, Any]:
        """How far its elements and eager PyTorch's are from those in float64."""
        known = self._known & self._mine.isfinite()
        return (self._mine - self.exact)[known].abs(), (self._theirs - self.exact)[known].abs()

    def size(self) -> float:
        """The root of the mean square in float64."""
        return _rms(self.exact[self._known].abs())


def _is_farther(elements: _Elements, least: float, epsilon: float) -> bool:
    """Whether a result is much farther from float64's than eager PyTorch's is.

    That is so of its largest difference, or of the root of the mean square of all of them: one
    element in which eager PyTorch is far off would let anything pass in all others. Neither is a
    part of anything: that both are compared with is the same.

    Args:
        elements: The elements of all three.
        least: What counts as eager PyTorch's own error at least.
        epsilon: The rounding of its dtype, which a mean may be below by chance.
    """
    if elements.has_other_limits:
        return True
    mine, theirs = elements.differences()
    if not mine.numel():
        return False
    if float(mine.max()) > _TIMES_EAGERS * max(least, float(theirs.max())):
        return True
    floor = max(least, epsilon * elements.size())
    return _rms(mine) > _TIMES_EAGERS * max(floor, _rms(theirs))


def _rms(differences: Any) -> float:  # noqa: ANN401 - torch is Any
    return float(differences.square().mean().sqrt()) if differences.numel() else 0.0


def _epsilon_of(tensor: Any) -> float:  # noqa: ANN401 - torch is Any
    is_rounded = tensor.is_floating_point() or tensor.is_complex()
    return float(torch.finfo(tensor.dtype).eps) if is_rounded else 0.0


def _largest_number(tensor: Any) -> float:  # noqa: ANN401 - torch is Any
    is_rounded = tensor.is_floating_point() or tensor.is_complex()
    return float(torch.finfo(tensor.dtype).max) if is_rounded else math.inf


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
    found = [
        name
        for name, tensor in kept.tensors.items()
        if name in eager.tensors
        and is_off(tensor, eager.tensors[name], wide.get(name), scales.get(name))
    ]
    for name, text in kept.others.items():
        theirs = eager.others.get(name, text)
        if text != theirs and not _of_numbers(text, theirs, scales.get(name)) < _OF_NUMBERS:
            found += [] if _changes_by_itself(eager, name) else [name]
    return found


def _changes_by_itself(eager: Kept, name: str) -> bool:
    """Whether eager PyTorch gives another text or number when it is called again.

    The time of day, the address of an object. What counts is another matter: calls are counted
    alike in all processes.
    """
    where, found, rest = name.partition(_AGAIN)
    again = f"{where}{rest}" if found else _INPUT.sub(rf"\g<0>{_AGAIN}", name, count=1)
    mine, other = eager.others.get(name, ""), eager.others.get(again, "")
    is_counted = all(map(_is_count, (mine, other)))
    return bool(other) and mine != other and not is_counted


def _is_count(text: str) -> bool:
    return text.lstrip("-").isdecimal() or text in {"True", "False", "None"}


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
