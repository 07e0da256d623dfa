"""Stacks that torch prints into its messages, as Python prints them."""

import dataclasses
import re

from inspector.records.stack import StackFrame

# At the beginning of a line, or behind words ("input stack trace:   File …").
_FRAME = re.compile(r'(?:^|\s)File "(?P<file>.+?)", line (?P<line>\d{1,9})(?:, in (?P<name>.+))?$')
_CARETS = re.compile(r"[ ~^]*[~^][ ~^]*")


def printed_frames(text: str) -> tuple[StackFrame, ...]:
    """Reads the frames out of a text, outermost first; whatever stands around them is passed over.

    Args:
        text: A message, or a node's ``stack_trace`` (``File "model.py", line 3, in forward`` and
            the line's source below, perhaps with carets).
    """
    frames: list[StackFrame] = []
    for line in text.split("\n"):
        if found := _FRAME.search(line):
            name = (found["name"] or "").strip()
            frames.append(StackFrame(found["file"], int(found["line"]), name))
        elif frames and line.startswith("    "):
            frames[-1] = _extended(frames[-1], line[4:])
    return tuple(frames)


def _extended(frame: StackFrame, text: str) -> StackFrame:
    are_carets = _CARETS.fullmatch(text) is not None
    if not frame.code and not are_carets:
        return dataclasses.replace(frame, code=text.rstrip())
    if frame.code and not frame.parsed and are_carets:
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        return dataclasses.replace(frame, column=start, end_column=end, parsed=True)
    return frame  # further lines of an expression over several lines (Python 3.13)
