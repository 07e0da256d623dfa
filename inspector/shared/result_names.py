"""What results of calls are called where processes compare them (`inspect bench`)."""

import re

AGAIN = " (called again)"
"""Behind ``input 1`` in what a later call with it gives."""
AFTER = " after "
"""Between what a call changes and the call."""
_INPUT = re.compile(r"\binput (\d+)")


def names_input(name: str) -> bool:
    """Whether a result is one of an input; else it is one of all."""
    return _INPUT.search(name) is not None


def input_of(name: str) -> int:
    """The number of the input that a result belongs to, from 0."""
    found = _INPUT.search(name)
    return int(found[1]) - 1 if found else 0
