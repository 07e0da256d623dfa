"""What is known of a C++ kernel: its text, and what was recorded of how it was made."""

import dataclasses

from inspector.records.kernels import CppKernelLoops, CppNest


@dataclasses.dataclass(frozen=True, slots=True)
class CppText:
    """The text of a C++ kernel.

    Attributes:
        loops: Of each innermost loop over elements whether its body calls ``at::vec``.
        parallel_vars: Variables of the parallel loops, each listed once.
        is_template: Whether there are loops of another form.
    """

    loops: tuple[bool, ...]
    parallel_vars: tuple[str, ...] = ()
    is_template: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class CppFacts:
    """Facts about a C++ kernel.

    Attributes:
        recorded: What was recorded of it, or None (a plain trace, a cache hit).
    """

    text: CppText
    recorded: CppKernelLoops | None
    cores: int | None = None

    @property
    def scalar_nests(self) -> tuple[CppNest, ...]:
        """Nests with loops of which none is vectorised, as Inductor made them."""
        return tuple(nest for nest in self.nests if not any(loop.is_vector for loop in nest.loops))

    @property
    def nests(self) -> tuple[CppNest, ...]:
        """All nests with loops, as Inductor made them."""
        nests = whole_nests(self.recorded) if self.recorded else ()
        return tuple(nest for nest in nests if nest.loops)

    @property
    def vector_loops(self) -> int:
        """Innermost loops that work with vectors."""
        return sum(self.text.loops)

    @property
    def loops(self) -> int:
        """Innermost loops."""
        return len(self.text.loops)

    @property
    def is_parallel(self) -> bool:
        """Whether threads share any of its loops."""
        return bool(self.text.parallel_vars)


def whole_nests(recorded: CppKernelLoops) -> tuple[CppNest, ...]:
    """The nests of a kernel, each with all of its loops: those that it shares, too."""
    found: list[CppNest] = []
    for nest in recorded.nests:
        found += (
            [dataclasses.replace(item, loops=(*nest.loops, *item.loops)) for item in nest.inner]
            if nest.inner
            else [nest]
        )
    return tuple(found)
