"""Names of files that are short, and tell each from the others."""

import collections
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from inspector.run.kernel import NodeLine


def short_names(files: Iterable[str]) -> Mapping[str, str]:
    """The end of each path that no other has: ``model.py``; ``a/model.py`` and ``b/model.py``."""
    left = {file: file.split("/") for file in files}
    found: dict[str, str] = {}
    length = 1
    while left:
        ends = {file: "/".join(parts[-length:]) for file, parts in left.items()}
        times = collections.Counter(ends.values())
        for file, end in ends.items():
            if times[end] == 1 or length >= len(left[file]):
                found[file] = end
                del left[file]
        length += 1
    return found


Places: TypeAlias = tuple[tuple[str, str], ...]
PlacedRow: TypeAlias = tuple[*tuple[str, ...], Places]
"""The cells of a row, and the user's lines that it is about."""


def line_texts(
    lines: Iterable[NodeLine],
    names: Mapping[str, str],
    code: Mapping[tuple[str, int], str] | None = None,
) -> Places:
    """Places with the text of each, every place once: ``model.py:31`` and ``y = x + 1``."""
    texts = {
        f"{names.get(line.file, line.file)}:{line.line}": line.code
        if code is None
        else code.get((line.file, line.line), "")
        for line in lines
    }
    return tuple(texts.items())
