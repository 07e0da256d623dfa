"""Refusals of `CUTLASSScheduling` in torch/_inductor/codegen/cutlass/scheduling.py."""

from __future__ import annotations

import re
from collections.abc import Mapping

from inspector.graphs.refusals.reason import CONFIG, FUNCTIONAL, Known, every

KNOWN: Mapping[str, Known] = {
    "cutlass epilogue fusion is not enabled": every(
        "template",
        "{first} is a CUTLASS kernel, which could compute {second} before it stores its result; "
        "that is switched off.",
        f"{CONFIG}.cutlass.cutlass_epilogue_fusion_enabled = True, and "
        f"{CONFIG}.epilogue_fusion = True.",
    ),
    "epilogue fusion is only supported for TMA-enabled gemm ops": every(
        "template",
        "{first} is a CUTLASS kernel that does not store through the TMA, and only those that do "
        "can compute {second} before.",
        f"{CONFIG}.cutlass.cutlass_tma_only = True tries no others.",
    ),
}
"""By the format that torch gives."""


def _pattern(text: str) -> re.Pattern[str]:
    """Of a whole reason; a node's text in it can have several lines."""
    return re.compile(text, re.DOTALL)


# CUTLASS's reasons are f-strings. Their ``{first}`` is the template's buffer, not its operation.
PATTERNS: tuple[tuple[re.Pattern[str], Known], ...] = (
    (
        _pattern(r".* is not a ComputedBuffer"),
        every(
            "template",
            "The CUTLASS kernel {first} can compute only pointwise operators before it stores its "
            "result; a part of {second} is no loop over elements.",
        ),
    ),
    (
        _pattern(r".* is not a Pointwise op"),
        every(
            "template",
            "The CUTLASS kernel {first} can compute only pointwise operators before it stores its "
            "result; a part of {second} is not one.",
        ),
    ),
    (
        _pattern(r".* does not have a computed buffer name"),
        every(
            "template",
            "The CUTLASS kernel {first} can compute only operators whose result has a name of its "
            "own; a part of {second} has none.",
        ),
    ),
    (
        _pattern(r".*'s size: (.*) differs from .*'s size: (.*)"),
        every(
            "shape",
            "The result of the CUTLASS kernel {first} has the size {1}, that of {second} {0}.",
            "Put a slice, pad, concatenation or broadcast where both sizes are the same.",
        ),
    ),
    (
        _pattern(r".* has aliasing or mutation"),
        every(
            "mutation",
            "{second} writes in place, or into memory that another tensor shares: the CUTLASS "
            "kernel {first} cannot do that.",
            FUNCTIONAL,
        ),
    ),
    (
        _pattern(r".* is a reduction which is not yet supported by EVT"),
        every(
            "reduction",
            "{second} is a reduction, which the CUTLASS kernel {first} cannot compute before it "
            "stores its result.",
        ),
    ),
    (
        _pattern(
            r"Cannot fuse epilogue node .* into .*, likely due to unsupported operation: (.*)"
        ),
        every(
            "template",
            "The CUTLASS kernel {first} cannot compute {0}, which {second} needs, before it stores "
            "its result.",
        ),
    ),
    (
        _pattern(r"Cannot fuse epilogue node .* into .*\. Reason: (.*)"),
        every(
            "template",
            "The CUTLASS kernel {first} cannot compute {second} before it stores its result: {0}.",
        ),
    ),
)
"""Of the reasons that torch fills in itself; what the groups take is what `explain` fills in."""
