"""How far results are from those of other processes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from inspector.capture.bench.scales import (
    Elements,
    Scale,
    epsilon_of,
    is_close,
    largest_of,
    scales_of,
)
from inspector.capture.calls.outputs import SavedResults, difference_of, has_saved_results, load
from inspector.records.bench import OutputError, ResultErrors
from inspector.shared.bench import LEARNING_RATE
from inspector.shared.result_names import AFTER, input_of

# Without float64, as a part of the largest element: what deep models lose.
_ROUNDING = {torch.float32: 1e-3, torch.float16: 1e-2, torch.bfloat16: 5e-2}
# What a step is off by as a part of itself: compiled, Adam's powers of its betas are of float32,
# and 1 - 0.999**2 has lost three digits there.
_LEAST_STEP = 1e-4 * LEARNING_RATE
_NO_SCALES: Mapping[str, Scale] = MappingProxyType({})
_MOST_TEXT = 40
# As `inspector.capture.bench.changed` names what is trained.
_TRAINED = re.compile(rf"parameter (.*){AFTER}(input .*)")
_GRADIENT = "gradient of {} with {}"


def compared(kept: SavedResults, references: Mapping[str, str], *, is_eager: bool) -> ResultErrors:
    """Compares results with those of other processes, which are in folders by their names."""
    others = {
        name: load(Path(folder))
        for name, folder in references.items()
        if has_saved_results(Path(folder))  # that process may have failed
    }
    eager, exact = others.get("eager"), others.get("float64")
    plain = kept if is_eager else eager
    scales = scales_of(plain, exact) if plain is not None else {}
    differ: list[OutputError] = []
    if eager is not None and not is_eager:
        both = set(map(input_of, kept.names)) & set(map(input_of, eager.names))
        draws = kept.draws or eager.draws
        differ += (
            item
            for item in others_of("eager", kept, eager)
            if input_of(item.name) in both  # neither side fails with the input
            and not follows_rounding(item.name, scales)
            # What is drawn can decide what there is, and of what size, but not of which dtype.
            and not (draws and not (item.name in kept.tensors and item.name in eager.tensors))
        )
    of_another_kind = {(item.reference, item.name) for item in differ}
    errors = [
        item
        for name, other in others.items()
        for item in errors_of(name, kept, other, scales)
        if (item.reference, item.name) not in of_another_kind
    ]
    off = [item.name for item in differ]
    # Compiled code draws other random numbers, and that is no fault.
    if eager is not None and not (kept.draws or eager.draws):
        off += [name for name in wrong_in(kept, eager, exact, scales) if name not in off]
    return ResultErrors(errors=(*errors, *differ), uncompared=kept.uncompared, wrong=tuple(off))


def errors_of(
    reference: str,
    kept: SavedResults,
    expected: SavedResults,
    scales: Mapping[str, Scale] = _NO_SCALES,
) -> Iterator[OutputError]:
    """The error of each result that both have.

    The largest difference of two elements is told as a part of the largest element: single elements
    near 0 say nothing about a result, and a result that is rounding alone says nothing about its
    own error. Infinity and NaN in the same places are no difference.

    Args:
        scales: What errors are a part of, of results that are rounding alone (`scales_of`).
    """
    for name, mine in kept.tensors.items():
        theirs = expected.tensors.get(name)
        if theirs is None:
            continue
        yield OutputError(
            reference,
            name,
            _relative(mine, theirs, scales.get(name)),
            scale=_scale(name, scales),
            # Elsewhere dtypes differ on purpose.
            mine=_described(kept, name) if mine.shape != theirs.shape else "",
            theirs=_described(expected, name) if mine.shape != theirs.shape else "",
        )
    for name, text in kept.others.items():
        if text != expected.others.get(name, text):
            sides = _described(kept, name), _described(expected, name)
            yield OutputError(reference, name, math.inf, "itself", *sides)


def others_of(reference: str, kept: SavedResults, expected: SavedResults) -> Iterator[OutputError]:
    """What is there on one side alone, or is of another kind or dtype there."""
    unknown = {*kept.uncompared, *expected.uncompared}
    for name in dict.fromkeys((*expected.names, *kept.names)):
        mine, theirs = (_kind(side, name) for side in (kept, expected))
        if mine != theirs and name not in unknown and not _is_no_gradient(kept, expected, name):
            sides = _described(kept, name), _described(expected, name)
            yield OutputError(reference, name, math.inf, "itself", *sides)


def _is_no_gradient(kept: SavedResults, expected: SavedResults, name: str) -> bool:
    """Whether it is a gradient of zeros on one side, and none on the other.

    AOTAutograd makes zeros where a graph's output has no part in what is differentiated.
    """
    gradient = kept.tensors.get(name, expected.tensors.get(name))
    is_gradient = name.startswith("gradient of ") and gradient is not None
    return is_gradient and not bool(gradient.count_nonzero())


def _kind(kept: SavedResults, name: str) -> str:
    tensor = kept.tensors.get(name)
    return str(tensor.dtype) if tensor is not None else "other" if name in kept.others else ""


def _described(kept: SavedResults, name: str) -> str:
    """``float32[2, 3]``, ``None``; empty where there is nothing."""
    tensor = kept.tensors.get(name)
    if tensor is None:
        return kept.others.get(name, "")[:_MOST_TEXT]
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def _scale(name: str, scales: Mapping[str, Scale]) -> str:
    return scales[name].by if name in scales else "itself"


def is_off(
    mine: Any, theirs: Any, exact: Any = None, scale: Scale | None = None, *, by_mean: bool = False
) -> bool:
    """Whether a result differs from eager's by more than rounding.

    Args:
        exact: The same in float64, which says how large eager PyTorch's own error is; or None.
        scale: What its error is a part of, where it is rounding alone: then eager PyTorch's own
            error may be as small as chance has it, and what one rounding of the largest of its
            kind is counts, too.
        by_mean: Whether single elements say nothing, and what is close by `torch.testing` may be
            off all the same: a step is short beside the parameter.
    """
    if mine.dtype != theirs.dtype or mine.shape != theirs.shape:
        return True
    if not by_mean and is_close(mine, theirs):
        return False
    if exact is None or exact.shape != mine.shape:
        return not by_mean and _relative(mine, theirs, scale) > _ROUNDING.get(mine.dtype, 0.0)
    is_of_family = scale is not None and scale.by == "family"
    least = epsilon_of(mine) * scale.size if scale is not None and is_of_family else 0.0
    least = max(least, _LEAST_STEP if by_mean else 0.0)
    return Elements(mine, theirs, exact).are_farther(least, by_mean=by_mean)


def wrong_in(
    kept: SavedResults,
    eager: SavedResults,
    exact: SavedResults | None,
    scales: Mapping[str, Scale] = _NO_SCALES,
) -> list[str]:
    """The names of the results that differ from eager's by more than rounding."""
    wide = exact.tensors if exact is not None else {}
    found = []
    for name, tensor in kept.tensors.items():
        if name not in eager.tensors or follows_rounding(name, scales):
            continue
        both = tensor, eager.tensors[name], wide.get(name)
        by_mean = _TRAINED.fullmatch(name) is not None
        if is_off(*both, scales.get(name), by_mean=by_mean):
            found.append(name)
    for name, text in kept.others.items():
        theirs = eager.others.get(name, text)
        # A time, an address, a drawn name is another one in each process of eager PyTorch, too.
        if text != theirs and (exact or eager).others.get(name) == theirs:
            found.append(name)
    return found


def follows_rounding(name: str, scales: Mapping[str, Scale]) -> bool:
    """Whether it is a parameter whose gradient is rounding alone.

    The step of Adam is as long for such a gradient as for any other.
    """
    trained = _TRAINED.fullmatch(name)
    return trained is not None and _GRADIENT.format(*trained.groups()) in scales


def _relative(mine: Any, theirs: Any, scale: Scale | None = None) -> float:
    if mine.shape != theirs.shape:
        return math.inf
    if not mine.numel():
        return 0.0
    difference = difference_of(mine, theirs)
    largest = largest_of(theirs) if scale is None else scale.size
    return difference / largest if largest else (math.inf if difference else 0.0)
