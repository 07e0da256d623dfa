r"""The text of a failed guard, taken apart: `recompile_reasons` is text alone.

A reason is ``<compile id of the cache entry>: <guard>  # <user line>  # <file>:<line> in <name>``
and, in 2.11 to 2.13, ``\nUser stack trace:\n…`` (``get_guard_fail_reason_helper`` in
torch/_dynamo/guards.py). Torch writes ``x`` for ``L['x']`` in it (``strip_local_scope``).
"""

import dataclasses
import re

from inspector.records.stack import StackFrame
from inspector.trace.fields import MAX_GUARD_CHARACTERS
from inspector.trace.guard_shapes import Guard, guard_of
from inspector.trace.guard_text import comment_at, floats_by_name
from inspector.trace.printed_stack import printed_frames

_ENTRY = re.compile(r"\A(?P<id>(?:!\d+/)?\d+/\d+(?:_\d+)?): ")
_USER_STACK = "\nUser stack trace:\n"
# format_frame in torch/_utils_internal.py and torch/utils/_traceback.py: `file:line in name`.
_PLACE = re.compile(r"(?P<file>[^\s#()]+):(?P<line>\d+) in (?P<name>[^\s()]+|<\w+>)")
_HINT = re.compile(r" \(HINT: (?P<hint>.*)\)\s*\Z", re.DOTALL)
_LOCAL = re.compile(r"L\[\s*['\"](.*?)['\"]\s*\]")


@dataclasses.dataclass(frozen=True, slots=True)
class FailedGuard:
    """Why one cache entry did not fit.

    Attributes:
        entry: The compile id of the entry in torch's spelling, or an empty string.
        text: The guard as torch spells it, without the entry and what follows it.
        comment: What torch says behind the guard: user lines and remarks, or an empty string.
        caused_by: The line that the comment names first; of the file the last two parts alone.
    """

    entry: str
    guard: Guard
    text: str
    comment: str
    caused_by: StackFrame | None
    hint: str
    user_stack: tuple[StackFrame, ...]


def parse_reason(reason: str) -> FailedGuard:
    """Takes a reason apart; whatever it is, something comes out."""
    reason = floats_by_name(reason[:MAX_GUARD_CHARACTERS])
    match = _ENTRY.match(reason)
    whole = reason[match.end() :] if match else reason
    body, _, stack = whole.partition(_USER_STACK)
    at = comment_at(body)  # a string in the guard can look like a comment
    text, comment = (body[:at], body[at + 1 :]) if at >= 0 else (body, "")
    found = _HINT.search(comment) or _HINT.search(text)
    hint = found["hint"] if found else ""
    text, comment = _HINT.sub("", text), _HINT.sub("", comment)
    return FailedGuard(
        entry=match["id"] if match else "",
        guard=guard_of(text.strip()),
        text=text.strip(),
        comment=comment.strip(),
        caused_by=_place(comment),
        hint=hint,
        user_stack=printed_frames(stack) if stack else (),
    )


def stripped_source(source: str) -> str:
    """A source as reasons spell it: ``x.shape`` for ``L['x'].shape``; torch does since 2.7."""
    return _LOCAL.sub(r"\1", source)


def _place(comment: str) -> StackFrame | None:
    """The first ``code  # file:line in name`` of a comment; several guards can have one each."""
    match = _PLACE.search(comment)
    if match is None:
        return None
    code = comment[: match.start()].rpartition("#")[0].strip()
    return StackFrame(match["file"], int(match["line"]), match["name"], code)
