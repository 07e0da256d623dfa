"""Commands that are worth running next, as they are typed."""

from __future__ import annotations

import shlex

from inspector.model.run import Run

__all__ = ["command_about"]


def command_about(run: Run, command: str, *options: str) -> str:
    """``inspect graph logs --stage dynamo``: a command about what was read, by the name it has.

    Args:
        run: What was read.
        command: ``graph``.
        options: What is typed behind it.
    """
    # What begins with a dash would be taken for an option.
    place = f"./{run.place}" if run.place.startswith("-") else run.place
    return shlex.join(("inspect", command, *filter(None, (place,)), *options))
