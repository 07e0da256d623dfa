"""What a process of `inspect bench` gave, beside what others gave."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from inspector.capture.benching.errors import errors_of, others_of, wrong_in
from inspector.capture.benching.scales import scales_of
from inspector.capture.benching.varied import without_padding
from inspector.capture.outputs import Kept, load

__all__ = ["Compared", "compared", "input_of"]

_INPUT = re.compile(r"\binput (\d+)")


@dataclasses.dataclass(frozen=True, slots=True)
class Compared:
    """How far results are from those of others; names are those of results.

    Attributes:
        errors: See `inspector.capture.benching.errors.errors_of`.
        uncompared: What could not be compared.
        wrong: What is off by more than rounding.
        padding_changes: Of padded calls, what is off without what belongs to the padding.
        uncut: Of padded calls, what nobody knows of which part belongs to the padding.
    """

    errors: tuple[Mapping[str, object], ...]
    uncompared: tuple[str, ...]
    wrong: tuple[str, ...]
    padding_changes: tuple[str, ...]
    uncut: tuple[str, ...]


def compared(
    kept: Kept,
    references: Mapping[str, str],
    *,
    is_eager: bool,
    padded_sizes: Callable[[int], Mapping[int, int]] | None,
) -> Compared:
    """Compares results with those of other processes.

    Args:
        kept: What this process gave.
        references: Folders with what the others gave, by their names.
        is_eager: Whether this process is eager PyTorch.
        padded_sizes: Of padded calls, the sizes of an input that are padded; else None.
    """
    others = {
        name: load(Path(folder))
        for name, folder in references.items()
        if any(Path(folder).iterdir())  # that process may have failed
    }
    eager, exact = others.get("eager"), others.get("float64")
    # Whatever calls draw: what they give is of the same kind.
    differ = (
        [] if eager is None or is_eager else _of_both(others_of("eager", kept, eager), kept, eager)
    )
    uncut: tuple[str, ...] = ()
    if padded_sizes is not None:
        kept, uncut = _without_padding(kept, eager or exact or kept, padded_sizes)
    plain = kept if is_eager else eager
    scales = scales_of(plain, exact) if plain is not None else {}
    found = [
        item for name, other in others.items() for item in errors_of(name, kept, other, scales)
    ]
    off = [str(item["name"]) for item in differ]
    # Compiled code draws other random numbers, and that is no fault. (The state of XLA's changes
    # whether anything is drawn or not.)
    if eager is not None and not (kept.draws or eager.draws):
        off += [name for name in wrong_in(kept, eager, exact, scales) if name not in off]
    # What a model makes of the padding is no fault of the compiler's.
    padded = {name for name in off if padded_sizes is not None and padded_sizes(input_of(name))}
    return Compared(
        errors=(*_without(found, differ), *differ),
        uncompared=kept.uncompared,
        wrong=tuple(name for name in off if name not in padded),
        padding_changes=tuple(name for name in off if name in padded),
        uncut=uncut,
    )


def input_of(name: str) -> int:
    """The number of the input that a result belongs to, from 0."""
    numbers = _INPUT.findall(name)
    return int(numbers[0]) - 1 if numbers else 0


def _of_both(
    others: Iterable[Mapping[str, object]], kept: Kept, eager: Kept
) -> list[Mapping[str, object]]:
    """Those of inputs that no side fails with."""
    both = set(map(input_of, kept.names)) & set(map(input_of, eager.names))
    return [item for item in others if input_of(str(item["name"])) in both]


def _without(
    errors: Iterable[Mapping[str, object]], others: Iterable[Mapping[str, object]]
) -> list[Mapping[str, object]]:
    """The errors of what is not told otherwise."""
    told = {(item["reference"], item["name"]) for item in others}
    return [item for item in errors if (item["reference"], item["name"]) not in told]


def _without_padding(
    kept: Kept, expected: Kept, padded_sizes: Callable[[int], Mapping[int, int]]
) -> tuple[Kept, tuple[str, ...]]:
    """Results without what belongs to the padding; and those that no such part is known of."""
    parts = {
        name: without_padding(tensor, expected.tensors[name], padded_sizes(input_of(name)))
        for name, tensor in kept.tensors.items()
        if name in expected.tensors
    }
    found = {name: part for name, part in parts.items() if part is not None}
    uncut = tuple(name for name, part in parts.items() if part is None)
    return dataclasses.replace(kept, tensors=found), uncut
