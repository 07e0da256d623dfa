"""The distributed job that this process is a part of, as its launcher says it."""

import os

from inspector.errors import UsageError

_MOST_DIGITS = 9


def world_size() -> int:
    """How many processes the job has; 1 outside of one."""
    text = os.environ.get("WORLD_SIZE", "")
    is_number = text.isascii() and text.isdecimal() and len(text) < _MOST_DIGITS
    return int(text) if is_number and "RANK" in os.environ else 1


def check_single_rank(what: str) -> None:
    """Refuses to start several processes of a model whose ranks have to be there together."""
    if world_size() > 1:
        message = f"{what} starts its own processes and cannot run as one of {world_size()} ranks."
        raise UsageError(
            message,
            "Run it without a launcher (RANK and WORLD_SIZE unset), or measure inside the job "
            "with: inspect profile",
        )
