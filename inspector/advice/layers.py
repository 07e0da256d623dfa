"""Layers that Dynamo does not take apart."""

from __future__ import annotations

import ast
import re

from inspector.advice.advice import case
from inspector.advice.code import Code, dotted_name

_PACKING = r"\b(?:pack_padded_sequence|pack_sequence|pad_packed_sequence)\b"


def _packs(code: Code) -> bool:
    """Whether the function packs sequences, or takes packed ones apart."""
    return any(
        isinstance(node, ast.Call) and re.search(_PACKING, dotted_name(node.func)) is not None
        for node in (ast.walk(code.function) if code.function else ())
    )


ADVICE = (
    case("packed-sequence"),
    case("packed-recurrent-layer", where=_packs),
    case("recurrent-layer"),
    case("scripted-module"),
)
