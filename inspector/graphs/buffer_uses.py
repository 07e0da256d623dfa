"""Why two kernels that use one tensor do not share their reads of it, in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inspector.events.fusion import Buffer, Uses
from inspector.graphs.fusion import Fusion
from inspector.graphs.reasons import Reason

__all__ = ["told_uses"]

# The kinds that say most stand first; what both use in the same way is no reason.
_SENTENCES = {
    "order": "{first} and {second} go over {tensor} in different orders: {left}; {right}.",
    "offset": "{first} and {second} use different parts of {tensor}: one begins at element {left}, "
    "the other at {right}.",
    "part": "{first} goes over {left} elements of {tensor}, {second} over {right}: their loops "
    "have different sizes.",
    "into": "{first} and {second} go over {left} and {right} elements, because one puts {tensor} "
    "into something larger (a concatenation, a pad).",
    "broadcast": "Of {first} and {second}, one uses each element of {tensor} several times: "
    "{left}; {right}.",
    "gather": "Of {first} and {second}, one takes elements of {tensor} by an index that is known "
    "only when it runs.",
    "index": "{first} and {second} use {tensor} by different indices: {left}; {right}.",
    "whole": "Of {first} and {second}, one needs all of {tensor} at once.",
}

_ORDER = "Put a transpose or .contiguous() before both or after both, not between them."
_SLICES = (
    "Compute on the whole tensor first, and slice what comes out, if most of it is needed: the "
    "rest is written, too."
)
_DIGITS = 20
# What takes elements by an index stays a kernel of its own wherever it stands.
_CHANGES = {"order": _ORDER, "offset": _SLICES, "part": _SLICES}


def told_uses(fusion: Fusion, uses: Sequence[Uses], names: tuple[str, str]) -> Reason | None:
    """The reason, or None where nothing tells the uses apart.

    Args:
        fusion: Knows the tensors.
        uses: How the two use what they share.
        names: What the two compute.
    """
    known = [use for use in uses if use.kind in _SENTENCES]
    if not known:
        return None
    use = min(known, key=lambda item: list(_SENTENCES).index(item.kind))
    buffer = fusion.buffers.get(use.buffer)
    kind = "into" if use.kind == "part" and _is_larger(use, buffer) else use.kind
    sentence = _SENTENCES[kind].format(
        first=names[0],
        second=names[1],
        tensor=_tensor(buffer, use.buffer),
        left=use.first,
        right=use.second,
    )
    return Reason(sentence, _CHANGES.get(kind, ""), "layout")


def _is_larger(use: Uses, buffer: Buffer | None) -> bool:
    """Whether one of the two goes over more elements than the tensor has."""
    if buffer is None or not all(isinstance(size, int) for size in buffer.shape):
        return False
    elements = math.prod(int(size) for size in buffer.shape)
    # A damaged recording can have more digits than Python reads.
    numbers = [text for text in (use.first, use.second) if text.isdecimal() and len(text) < _DIGITS]
    return any(int(text) > elements for text in numbers)


def _tensor(buffer: Buffer | None, name: str) -> str:
    """``the input of 512 by 1024``, ``the result of `relu` (8 by 64)``."""
    if buffer is None:
        return name
    sizes = " by ".join(map(str, buffer.shape)) or "one element"
    if buffer.kind in {"input", "constant"}:
        return f"the {buffer.kind} {name} ({sizes})"
    return f"`{buffer.origin}` ({sizes})" if buffer.origin else f"{name} ({sizes})"
