"""The comments that Inductor writes before a kernel's definition and before each launch."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

# get_kernel_metadata in torch/_inductor/utils.py
_HEAD = re.compile(
    r"# Topologically Sorted Source Nodes: \[(?P<nodes>[^\]]*)\], "
    r"Original ATen: \[(?P<aten>[^\]]*)\]"
)
_FRAGMENT = re.compile(r"#   %(?P<name>\w+) : .* = call_")
# define_user_defined_triton_kernel in torch/_inductor/codegen/wrapper.py
_PATH = re.compile(r"# Original path: (?P<file>.+):(?P<line>\d+)$")
# Between a comment and what it is about stand at most other statements about streams.
_MOST_LINES = 400


@dataclasses.dataclass(frozen=True, slots=True)
class Comment:
    """What a comment says.

    Attributes:
        file: Of a kernel that the user wrote, its file, or an empty string.
    """

    nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    file: str = ""
    line: int = 0
    lowered: tuple[str, ...] = ()


def comment_before(source: Sequence[str], line: int) -> Comment:
    """The comment about the statement that begins in a line, from 1; an empty one if none is."""
    seen_comment = False
    lowered: list[str] = []
    for number in range(line - 2, max(line - _MOST_LINES, -1), -1):
        text = source[number].strip()
        found = _HEAD.match(text)
        if found is not None:
            nodes, aten = _names(found["nodes"]), _names(found["aten"])
            return Comment(nodes, aten, lowered=tuple(reversed(lowered)))
        fragment = _FRAGMENT.match(text)
        if fragment is not None:
            lowered.append(fragment["name"])
        path = _PATH.match(text)
        if path is not None:
            return Comment(file=path["file"], line=int(path["line"]))
        if text.startswith("#"):
            seen_comment = True
        elif seen_comment or not text.startswith(("stream", "raw_stream", "buf", "del ")):
            break
    return Comment()


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
