"""Tells logs that lie in a folder twice, of which one is enough."""

from __future__ import annotations

import collections
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path


def copies_of(logs: Sequence[Path]) -> Mapping[Path, Path]:
    """The logs that are copies, each with the first log of the same content.

    Two processes never write the same: every record has its time. Logs without content are no
    copies of each other: a process that compiled nothing leaves one.
    """
    by_size = collections.defaultdict(list)
    for log in logs:
        if (size_bytes := _size_bytes(log)) > 0:
            by_size[size_bytes].append(log)
    copies: dict[Path, Path] = {}
    for group in by_size.values():
        first: dict[bytes, Path] = {}
        for log in group if len(group) > 1 else ():
            if digest := _digest(log):
                original = first.setdefault(digest, log)
                if original != log:
                    copies[log] = original
    return copies


def _size_bytes(log: Path) -> int:
    try:
        return log.stat().st_size
    except OSError:
        return 0  # reading it says what is wrong


def _digest(log: Path) -> bytes:
    try:
        with log.open("rb") as content:
            return hashlib.file_digest(content, "sha256").digest()
    except OSError:
        return b""
