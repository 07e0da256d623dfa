"""The user's lines that something computes as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.model.kernel import NodeLine


def line_fields(lines: Iterable[NodeLine]) -> list[dict[str, object]]:
    """Where each is, its text, and what it makes."""
    return [
        {
            "file": line.file,
            "line": line.line,
            "code": line.code or None,
            "makes": list(line.makes),
        }
        for line in lines
    ]
