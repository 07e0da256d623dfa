"""Stacks as Python's `faulthandler` writes them, the innermost frame first."""

import re
from pathlib import PurePath

from inspector.shared.roots import Owner, Roots

STACK_FILE = "stacks"
"""Where a process of `inspect bench` writes them, in its folder."""
STACK_SIGNAL = "SIGUSR1"
"""On which it does so; by name, as not every system has it."""

_THREAD = re.compile(r"^(?P<current>Current thread|Thread) ", re.MULTILINE)
_FRAME = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<name>.+)$', re.MULTILINE)
_OWN = str(PurePath(__file__).parent.parent)


def place_in_dump(text: str) -> str:
    """The innermost line of the program's own that a process was at: ``model.py:31 in forward``.

    Args:
        text: What `faulthandler` wrote; a crash while it did so may have cut it off.

    Returns:
        An empty string where no line of any thread is the program's.
    """
    roots = Roots(own=_OWN)
    places: list[str] = []
    threads = list(_THREAD.finditer(text))
    ends = [*(thread.start() for thread in threads), len(text)][1:]
    for begin, end in zip(threads, ends, strict=True):
        frames = _FRAME.finditer(text, begin.end(), end)
        own = [frame for frame in frames if roots.owner(frame["file"]) is Owner.PROJECT]
        if own:
            first = own[0]
            places.append(f"{PurePath(first['file']).name}:{first['line']} in {first['name']}")
            if begin["current"] == "Current thread":
                return places[-1]
    # The main thread is the last one that is written.
    return places[-1] if places else ""
