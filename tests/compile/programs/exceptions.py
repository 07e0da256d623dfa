"""More programs for the advice of inspector/advice/error_classes.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_LEAVING = BY_ID["exception-leaves"].before


VARIANTS = {
    "exception-leaves": (
        _LEAVING.replace(
            "@torch",
            """\
class TooLong(ValueError):
    def __init__(self, message):
        super().__init__(message)


@torch""",
            1,
        ).replace("raise ValueError", "raise TooLong"),
    ),
}
