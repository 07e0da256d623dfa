"""What a value of a call is called: of several outputs each has its number."""

from __future__ import annotations

import re

__all__ = ["value_named"]

# As `inspector.capture.outputs` names what it took apart: `output of input 1[0]`.
_INDEXED = re.compile(r"\boutput of (input \d+(?: \(called again\))?)\[(\d+)\](?!\[)")


def value_named(text: str) -> str:
    """``output of input 1[0]``, as it is kept, reads ``output 1 of input 1``."""
    return _INDEXED.sub(lambda found: f"output {int(found[2]) + 1} of {found[1]}", text)
