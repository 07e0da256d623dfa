"""The identity of one compilation, in torch's own spelling."""

from __future__ import annotations

import dataclasses
import re

_TEXT = re.compile(
    r"(?:!(?P<autograd>\d{1,18})(?:/|$))?(?:(?P<frame>\d{1,18})/(?P<compile>\d{1,18}))?"
)


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class CompileId:
    """Which compilation of which frame.

    Attributes:
        frame_id: Number of the code object in the order in which Dynamo met them, or None for a
            compiled-autograd graph that belongs to no frame.
        frame_compile_id: Number of the compilation of that code object; above 0 is a recompilation.
        compiled_autograd_id: Number of the compiled-autograd graph that it belongs to, or None.
    """

    frame_id: int | None
    frame_compile_id: int | None
    compiled_autograd_id: int | None = None

    def __str__(self) -> str:
        """``0/1``, or ``!2/0/1`` below compiled autograd (torch._guards.CompileId, torch 2.13)."""
        frame = "" if self.frame_id is None else f"{self.frame_id}/{self.frame_compile_id}"
        if self.compiled_autograd_id is None:
            return frame or "-"
        return f"!{self.compiled_autograd_id}" + (f"/{frame}" if frame else "")

    @classmethod
    def parse(cls, text: str) -> CompileId | None:
        """The id that `str` wrote, or None where the text is none."""
        match = _TEXT.fullmatch(text)
        if match is None or not text:
            return None
        numbers = [match[name] for name in ("frame", "compile", "autograd")]
        return cls(*(None if number is None else int(number) for number in numbers))
