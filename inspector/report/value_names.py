"""What a value of a call is called: of several outputs each has its place."""

import re

# As `inspector.capture.calls.leaves` names what it took apart: `output of input 1[0]['a'].keys`.
_PLACED = re.compile(
    r"\boutput of (input \d+(?: \(called again\))?)"
    r"((?:\[(?:\d+|'[^']*'|\"[^\"]*\")\]|\.[^\W\d]\w*)+)"
)


def value_named(text: str) -> str:
    """``output of input 1[0]``, as it is kept, reads ``output[0] of input 1``."""
    return _PLACED.sub(r"output\2 of \1", text)
