"""The distributed job that this process is a part of, as its launcher says it."""

from __future__ import annotations

import os

from inspector.errors import UsageError

__all__ = ["check_alone", "world_size"]


def world_size() -> int:
    """How many processes the job has; 1 outside of one."""
    text = os.environ.get("WORLD_SIZE", "")
    return int(text) if text.isascii() and text.isdecimal() else 1


def check_alone() -> None:
    """Refuses to start several processes of a model whose ranks have to be there together.

    Raises:
        UsageError: This process is one of several.
    """
    if world_size() > 1:
        message = f"inspect bench starts its own processes, and this is one of {world_size()}."
        raise UsageError(
            message, "Run it without a launcher, or take part in the job with: inspect profile"
        )
