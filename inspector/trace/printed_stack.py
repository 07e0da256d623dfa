"""Stacks that torch prints into its messages, as Python prints them."""

import re

from inspector.records.stack import StackFrame

# At the beginning of a line, or behind words ("input stack trace:   File …").
_FRAME = re.compile(r'(?:^|\s)File "(?P<file>.+?)", line (?P<line>\d+)(?:, in (?P<name>.+))?$')
_CARETS = re.compile(r"^\s*[\^~]+\s*$")


def printed_frames(text: str) -> tuple[StackFrame, ...]:
    """Reads the frames out of a text; whatever stands around them is passed over.

    Args:
        text: A message, or a node's ``stack_trace`` (``File "model.py", line 3, in forward`` and
            the line's source below).
    """
    frames: list[StackFrame] = []
    expects_code = False
    for line in text.splitlines():
        found = _FRAME.search(line)
        if found:
            name = (found["name"] or "").strip()
            frames.append(StackFrame(found["file"], int(found["line"]), name))
            expects_code = True
        elif expects_code:
            last = frames.pop()
            code = "" if _CARETS.match(line) else line.strip()
            frames.append(StackFrame(last.file, last.line, last.name, code))
            expects_code = False
    return tuple(frames)
