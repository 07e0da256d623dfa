"""Keeps source lines right where LLVM counts the lines of inline assembly.

Triton writes every access to global memory as inline assembly. The LLVM of Triton 3.9 gives each
line of it a line of its own, one after the other, so that a load in line 25 seems to be in line 29.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

_BLOCK = re.compile(r"// begin inline asm.*?// end inline asm", re.DOTALL)
_PLACE = re.compile(r"^[ \t]*\.loc[^\n]*\n", re.MULTILINE)


def corrected(ptx: str) -> str:
    """PTX in which inline assembly belongs to the line that it begins in."""

    def without_later(match: re.Match[str]) -> str:
        block = match[0]
        places = list(_PLACE.finditer(block))
        for place in reversed(places[1:]):
            block = block[: place.start()] + block[place.end() :]
        return block

    return _BLOCK.sub(without_later, ptx)


@contextlib.contextmanager
def right_lines() -> Iterator[None]:
    """Hands corrected PTX to ptxas; what it compiles to is the same, but for the lines."""
    from triton.backends.nvidia.compiler import CUDABackend

    original = CUDABackend.make_cubin

    def make_cubin(self: Any, src: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - Triton's own
        return original(self, corrected(src), *args, **kwargs)

    CUDABackend.make_cubin = make_cubin
    try:
        yield
    finally:
        CUDABackend.make_cubin = original
