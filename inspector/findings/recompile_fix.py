"""What to write against a recompilation: the line, and where it goes."""

from __future__ import annotations

from inspector.findings.recompile_case import FixCase
from inspector.findings.recompile_fix_tensors import TENSORS
from inspector.findings.recompile_fix_values import VALUES
from inspector.model.recompile import Answer, RecompileClass

__all__ = ["fixes"]

_NUMBERS = frozenset({RecompileClass.INT, RecompileClass.FLOAT})
_ADVICE = {**TENSORS, **VALUES}


def fixes(case: FixCase) -> tuple[str, ...]:
    """What can be done, the best first; nothing where nobody knows."""
    advise = _ADVICE.get(case.first.kind)
    found = tuple(advise(case)) if advise else ()
    if any(item.answer is Answer.EAGER for item in case.items):
        # What becomes dynamic is what Dynamo could make no graph of.
        found = tuple(text for text in found if "dynamic" not in text.lower())
        found = found if case.first.kind not in _NUMBERS else ()
        last = (
            f"Call an uncompiled {case.function} where there is nothing to compile, so that Dynamo "
            "never meets a call of which it can make no graph."
        )
        found = (*found, last)
    return tuple(dict.fromkeys(found))
