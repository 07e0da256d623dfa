"""The refusals of Inductor's scheduler, one by one.

Read from the code around each ``WhyNoFuse`` in torch 2.11 and 2.13: torch/_inductor/scheduler.py,
choices.py, codegen/simd.py and codegen/cutlass/scheduling.py. Other torch versions word and check
some of it otherwise; tests/compile/test_fusion_reasons.py fails where the installed one does.

``{first}`` is the node that torch names first. It is mostly the earlier one, but not always: torch
tries templates and foreach kernels in both orders, and codegen/simd.py puts the pointwise node
before the reduction. Where the order matters, the sentence says what is true of each.
"""

from __future__ import annotations

from collections.abc import Mapping

from inspector.graphs.refusals import choices, cutlass, scheduler, simd
from inspector.graphs.refusals.cutlass import PATTERNS
from inspector.graphs.refusals.reason import Kind, Known, Reason

__all__ = ["KNOWN", "PATTERNS", "Kind", "Known", "Reason"]

KNOWN: Mapping[str, Known] = {
    **scheduler.KNOWN,
    **choices.KNOWN,
    **simd.KNOWN,
    **cutlass.KNOWN,
}
"""By the format that torch gives."""
