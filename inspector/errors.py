"""Every kind of failure that a user can meet, each with its exit code.

A message says in one sentence what happened, and ``next_step`` says what to do about it. The
command line prints both and no traceback; ``INSPECTOR_DEBUG=1`` shows the traceback too.
"""

from __future__ import annotations

ALSO_WITHOUT = "also without torch.compile"
"""What is said of a call that fails by itself: the compiler has no part in it."""

TRACEBACK_BELOW = "The traceback below shows where."
"""The next step of a failure with the user's own traceback, where that is shown."""


class InspectorError(Exception):
    """A failure that ends the command.

    Attributes:
        message: One sentence: what happened.
        next_step: What to do next, or an empty string.
        detail: Lines to show below the message (the user's own traceback, say), or an empty string.
        exit_code: The exit code of the command.
    """

    exit_code = 2

    def __init__(self, message: str, next_step: str = "", *, detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


class UsageError(InspectorError):
    """The command line, the target or the inputs are not what they should be."""

    exit_code = 2


class RecordingError(InspectorError):
    """A recording or a trace cannot be read, found or written."""

    exit_code = 2


class ModelFailedError(InspectorError):
    """The user's model or program failed; ``detail`` has the user's own traceback."""

    exit_code = 3


class EnvironmentLacksError(InspectorError):
    """The environment lacks something that was asked for: torch, a backend's package, a GPU."""

    exit_code = 4


BY_EXIT_CODE: dict[int, type[InspectorError]] = {
    kind.exit_code: kind for kind in (UsageError, ModelFailedError, EnvironmentLacksError)
}
"""What a process of ours failed of, by its exit code."""
