"""What is known of a C++ kernel: its text, and what was recorded of how it was made."""

from __future__ import annotations

import dataclasses

from inspector.model.cpp_source import CppText
from inspector.records.kernels import CppKernelLoops, CppLoop, CppNest


@dataclasses.dataclass(frozen=True, slots=True)
class CppFacts:
    """What is known of a C++ kernel.

    Attributes:
        text: Its loops, as its text has them.
        said: What was recorded of it, or None (a plain trace, a cache hit).
        cores: Cores of the machine, or None where nobody knows.
    """

    text: CppText
    said: CppKernelLoops | None
    cores: int | None = None

    @property
    def scalar_nests(self) -> tuple[CppNest, ...]:
        """Nests with loops of which none is vectorised, as Inductor said."""
        return tuple(nest for nest in self.nests if not _is_vector(nest.loops))

    @property
    def nests(self) -> tuple[CppNest, ...]:
        """All nests with loops, as Inductor said."""
        nests = whole_nests(self.said) if self.said else ()
        return tuple(nest for nest in nests if nest.loops)

    @property
    def vector_loops(self) -> int:
        """Innermost loops that work with vectors."""
        return sum(loop.is_vector for loop in self.text.innermost)

    @property
    def loops(self) -> int:
        """Innermost loops."""
        return len(self.text.innermost)

    @property
    def is_parallel(self) -> bool:
        """Whether threads share any of its loops."""
        return bool(self.text.parallel_vars)


def whole_nests(said: CppKernelLoops) -> tuple[CppNest, ...]:
    """The nests of a kernel, each with all of its loops: those that it shares, too."""
    found: list[CppNest] = []
    for nest in said.nests:
        found += (
            [dataclasses.replace(item, loops=(*nest.loops, *item.loops)) for item in nest.inner]
            if nest.inner
            else [nest]
        )
    return tuple(found)


def _is_vector(loops: tuple[CppLoop, ...]) -> bool:
    return any(loop.is_vector for loop in loops)
