"""What to write against a recompilation: the line, and where it goes."""

from __future__ import annotations

from inspector.findings.recompile_case import FixCase
from inspector.findings.recompile_fix_tensors import TENSORS
from inspector.findings.recompile_fix_values import VALUES

__all__ = ["fixes"]

_ADVICE = {**TENSORS, **VALUES}


def fixes(case: FixCase) -> tuple[str, ...]:
    """What can be done, the best first; nothing where nobody knows."""
    advise = _ADVICE.get(case.first.kind)
    return tuple(dict.fromkeys(advise(case))) if advise else ()
