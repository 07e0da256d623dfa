"""What a process of `inspect bench` gave, next to what others gave."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from inspector.capture.bench.errors import errors_of, follows_rounding, others_of, wrong_in
from inspector.capture.bench.scales import scales_of
from inspector.capture.calls.outputs import Kept, has_kept, load
from inspector.records.bench import OutputError, ResultErrors
from inspector.shared.result_names import input_of


def compared(kept: Kept, references: Mapping[str, str], *, is_eager: bool) -> ResultErrors:
    """Compares results with those of other processes.

    Args:
        references: Folders with what the others gave, by their names.
    """
    others = {
        name: load(Path(folder))
        for name, folder in references.items()
        if has_kept(Path(folder))  # that process may have failed
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
