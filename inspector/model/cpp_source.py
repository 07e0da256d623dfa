"""What the text of a C++ kernel says of its loops."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class TextLoop:
    """One ``for`` of the kernel's text.

    Attributes:
        parallel: Over how many loops OpenMP shares it; 0 for none.
        is_collapsed: Whether it is shared together with a loop around it.
        uses_vectors: Whether its body, without the loops inside of it, calls ``at::vec``.
        gathers: Vectors in that body that are filled element by element.
        is_innermost: Whether no loop over elements is inside of it.
    """

    var: str
    size: str
    step: int
    line: int
    depth: int
    parallel: int = 0
    is_collapsed: bool = False
    uses_vectors: bool = False
    gathers: int = 0
    is_innermost: bool = True

    @property
    def is_vector(self) -> bool:
        """Whether what it does, it does with vectors: along itself, or along a loop around it."""
        return self.uses_vectors


@dataclasses.dataclass(frozen=True, slots=True)
class CppText:
    """The text of a C++ kernel.

    Attributes:
        loops: Loops over elements, in order: not over lanes, remainders and accumulators.
        regions: How often OpenMP begins to run in parallel.
    """

    loops: tuple[TextLoop, ...]
    regions: int = 0
    unread: tuple[str, ...] = ()

    @property
    def innermost(self) -> tuple[TextLoop, ...]:
        """The loops whose body does the work."""
        return tuple(loop for loop in self.loops if loop.is_innermost)

    @property
    def parallel_vars(self) -> tuple[str, ...]:
        """The variables of the loops that threads share, each once."""
        found = (loop.var for loop in self.loops if loop.parallel or loop.is_collapsed)
        return tuple(dict.fromkeys(found))
