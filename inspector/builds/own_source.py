"""From lines of a generated source to lines of the file that a person's kernel stands in.

Inductor copies the text of a ``triton.jit`` function, and of those that it calls, line by line
(torch/_inductor/codegen/wrapper.py, user_defined_triton_kernel_transitive_closure_source_code).
"""

from __future__ import annotations

import re

_FUNCTION = re.compile(r"^\s*def \w+\(")


def lines_in_file(source: str, file_text: str) -> dict[int, int]:
    """Line of the file by line of the source, both from 1; lines that were not copied are left out.

    A function is found where its lines are the same but for indentation; where the file has it
    several times, the first place is taken that has most of its lines.
    """
    copied, written = source.splitlines(), file_text.splitlines()
    found: dict[int, int] = {}
    for start, line in enumerate(copied):
        if not _FUNCTION.match(line):
            continue
        places = [at for at, text in enumerate(written) if text.strip() == line.strip()]
        lengths = [_same(copied[start:], written[at:]) for at in places]
        if lengths:
            longest = max(lengths)
            at = places[lengths.index(longest)]
            found.update({start + k + 1: at + k + 1 for k in range(longest)})
    return found


def _same(copied: list[str], written: list[str]) -> int:
    """How many lines are the same, up to the end of the function."""
    length = 0
    for mine, theirs in zip(copied, written, strict=False):
        if mine.strip() != theirs.strip():
            break
        if length and (_FUNCTION.match(mine) or mine.startswith("@")):
            break
        length += 1
    return length
