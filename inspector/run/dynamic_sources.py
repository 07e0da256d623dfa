"""What has to be dynamic from the first call on, for a function to be compiled once."""

import re
from collections.abc import Sequence

from inspector.run.recompile import Recompile, RecompileClass

# The base of a view; what a graph break keeps on the stack, which is no input that torch knows.
_NO_INPUT = re.compile(r"\._base\b|\b___stack\d")
_FLOAT = RecompileClass.FLOAT
_SIZE_OR_INT = frozenset({RecompileClass.SIZE, RecompileClass.INT})
_DYNAMIC = frozenset({*_SIZE_OR_INT, RecompileClass.SYMBOLIC_SHAPE, RecompileClass.RANK})


def dynamic_sources(
    items: Sequence[Recompile], history: Sequence[Recompile] = ()
) -> tuple[str, ...]:
    """The value for ``TORCH_COMPILE_DYNAMIC_SOURCES``: torch's own where it gave one.

    Torch lists all sources of a function that changed; of those, what failed here comes first. The
    base of a view is left out: it is no input, and a size of it that is dynamic is one more guard,
    which fails where the input is no view. So is what a graph break keeps on the stack. So are
    floats: torch takes no notice of them there (`wrap_symfloat` in
    torch/_dynamo/variables/builder.py, 2.13; tried).
    """
    every = (*items, *history)
    own = [tensor_of(item.source) for item in items if item.kind in _DYNAMIC and item.source]
    also = [
        tensor_of(change.source)
        for item in items
        for change in item.changes
        if change.kind in _SIZE_OR_INT and not change.is_zero_one and change.specialized is None
    ]
    given = [source for item in items for source in item.whitelist]
    floats = {change.source for item in every for change in item.changes if change.kind is _FLOAT}
    floats |= {item.source for item in every if item.kind is _FLOAT}
    found = dict.fromkeys((*own, *also, *given))
    return tuple(
        source for source in found if source not in floats and not _NO_INPUT.search(source)
    )


def tensor_of(source: str) -> str:
    """The tensor of a size or a stride; any other source as it is."""
    return re.sub(r"\.(?:size|stride)\(\)\[\d+\]$", "", source)
