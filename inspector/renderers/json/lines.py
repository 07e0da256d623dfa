"""The user's lines that something computes as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspector.model.kernel import NodeLine

__all__ = ["line_fields"]


def line_fields(
    lines: Iterable[NodeLine], code: Mapping[tuple[str, int], str] | None = None
) -> list[dict[str, object]]:
    """Where each is, its text, and what it makes.

    Args:
        lines: The lines.
        code: The text of lines, where they do not have it themselves.
    """
    known = code or {}
    return [
        {
            "file": line.file,
            "line": line.line,
            "code": line.code or known.get((line.file, line.line)),
            "makes": list(line.makes),
        }
        for line in lines
    ]
