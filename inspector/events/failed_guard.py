r"""The text of a failed guard, taken apart: `recompile_reasons` is text alone.

A reason is ``<compile id of the cache entry>: <guard>  # <user line>  # <file>:<line> in <name>``
and, in 2.11 to 2.13, ``\nUser stack trace:\n…`` (``get_guard_fail_reason_helper`` in
torch/_dynamo/guards.py). Torch writes ``x`` for ``L['x']`` in it (``strip_local_scope``).
"""

from __future__ import annotations

import ast
import dataclasses
import re

from inspector.events.fields import MAX_GUARD_CHARACTERS
from inspector.events.float_guards import floats_by_name
from inspector.events.graph_break import parse_stack
from inspector.events.guard_shapes import Guard, guard_of
from inspector.records.stack import StackFrame

_ENTRY = re.compile(r"\A(?P<id>(?:!\d+/)?\d+/\d+(?:_\d+)?): ")
_USER_STACK = "\nUser stack trace:\n"
_COMMENT = "  # "
_MAX_COMMENTS = 8  # of a guard that are tried; a string can look like one
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
        caused_by: The lines that the comment names; of their files torch shows two parts alone.
        user_stack: The user's stack where the guard was made, outermost first.
    """

    entry: str
    guard: Guard
    text: str
    comment: str
    caused_by: tuple[StackFrame, ...]
    hint: str
    user_stack: tuple[StackFrame, ...]


def parse_reason(reason: str) -> FailedGuard:
    """Takes a reason apart; whatever it is, something comes out."""
    reason = floats_by_name(reason[:MAX_GUARD_CHARACTERS])
    match = _ENTRY.match(reason)
    whole = reason[match.end() :] if match else reason
    body, _, stack = whole.partition(_USER_STACK)
    text, comment = split_comment(body)
    found = _HINT.search(comment) or _HINT.search(text)
    hint = found["hint"] if found else ""
    text, comment = _HINT.sub("", text), _HINT.sub("", comment)
    return FailedGuard(
        entry=match["id"] if match else "",
        guard=guard_of(text.strip()),
        text=text.strip(),
        comment=comment.strip(),
        caused_by=tuple(_places(comment)),
        hint=hint,
        user_stack=parse_stack(stack) if stack else (),
    )


def stripped_source(source: str) -> str:
    """A source as reasons spell it: ``x.shape`` for ``L['x'].shape``."""
    return _LOCAL.sub(r"\1", source)


def split_comment(body: str) -> tuple[str, str]:
    """The guard and its comment; a string in the guard can look like a comment."""
    start = body.find(_COMMENT)
    first = start
    for _ in range(_MAX_COMMENTS):
        if start < 0:
            break
        if _is_expression(body[:start].strip()):
            return body[:start], body[start + len(_COMMENT) :]
        start = body.find(_COMMENT, start + 1)
    if first < 0:
        return body, ""
    return body[:first], body[first + len(_COMMENT) :]


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _places(comment: str) -> list[StackFrame]:
    """Every ``code  # file:line in name`` of a comment; ``and`` joins those of several guards."""
    found: list[StackFrame] = []
    begin = 0
    for match in _PLACE.finditer(comment):
        before = comment[begin : match.start()]
        code = before.rpartition("#")[0].strip() if "#" in before else ""
        code = code.partition(") and ")[2] if ") and " in code else code
        found.append(StackFrame(match["file"], int(match["line"]), match["name"], code.strip()))
        begin = match.end()
    return found
