"""What a process of `inspect bench` gave, beside what others gave."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from inspector.capture.benching.errors import errors_of, follows_rounding, others_of, wrong_in
from inspector.capture.benching.scales import scales_of
from inspector.capture.benching.varied import without_padding
from inspector.capture.outputs import Kept, has_kept, load
from inspector.model.result_names import input_of


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
        if has_kept(Path(folder))  # that process may have failed
    }
    eager, exact = others.get("eager"), others.get("float64")
    whole = kept
    uncut: tuple[str, ...] = ()
    if padded_sizes is not None:
        kept, uncut = _without_padding(kept, eager or exact or kept, padded_sizes)
    plain = kept if is_eager else eager
    scales = scales_of(plain, exact) if plain is not None else {}
    differ: list[Mapping[str, object]] = []
    if eager is not None and not is_eager:
        differ += (
            item
            for item in _others(whole, eager, padded_sizes)
            if not follows_rounding(str(item["name"]), scales)
        )
    found = [
        item for name, other in others.items() for item in errors_of(name, kept, other, scales)
    ]
    off = [str(item["name"]) for item in differ]
    # Compiled code draws other random numbers, and that is no fault.
    if eager is not None and not (kept.draws or eager.draws):
        off += [name for name in wrong_in(kept, eager, exact, scales) if name not in off]
    # What a model makes of the padding is no fault of the compiler's.
    kinds = {str(item["name"]) for item in differ}
    padded = {
        name
        for name in off
        if padded_sizes is not None and padded_sizes(input_of(name)) and name not in kinds
    }
    return Compared(
        errors=(*_without(found, differ), *differ),
        uncompared=kept.uncompared,
        wrong=tuple(name for name in off if name not in padded),
        padding_changes=tuple(name for name in off if name in padded),
        uncut=uncut,
    )


def _others(
    kept: Kept, eager: Kept, padded_sizes: Callable[[int], Mapping[int, int]] | None
) -> list[Mapping[str, object]]:
    """What is of another kind, of inputs that no side fails with.

    What is drawn can decide what there is, and of what size, but not of which dtype. What a padded
    call does to its arguments it does to copies of them.
    """
    both = set(map(input_of, kept.names)) & set(map(input_of, eager.names))
    found = []
    for item in others_of("eager", kept, eager):
        name = str(item["name"])
        is_drawn = (kept.draws or eager.draws) and not (
            name in kept.tensors and name in eager.tensors
        )
        is_copy = name.startswith("argument ") and padded_sizes and padded_sizes(input_of(name))
        if input_of(name) in both and not is_drawn and not is_copy:
            found.append(item)
    return found


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
