"""Large C++ kernels that leave cores idle."""

import math
from collections.abc import Iterator

from inspector.features.kernels.cpp_wording import nest_text
from inspector.records.kernels import CppNest
from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.report.wording import count
from inspector.run.cpp_kernel import CppFacts

# Some 100 µs of one core: threads of OpenMP that are there already begin within 10 µs.
_LEAST_ELEMENTS = 262_144


class CppSerial(Rule[CppFacts, Advised]):
    """A large C++ kernel leaves cores idle."""

    id = "cpp-serial-kernel"
    severity = Severity.WARNING

    def check(self, facts: CppFacts) -> Iterator[Advised]:
        """Says so of the largest such loop."""
        recorded, cores = facts.recorded, facts.cores or 0
        if recorded is None or cores < 2:  # noqa: PLR2004 - several
            return
        large = [nest for nest in facts.nests if (nest.elements or 0) >= _LEAST_ELEMENTS]
        iterations = [(nest, _shared(nest)) for nest in large]
        idle = [(nest, n) for nest, n in iterations if n is not None and n * 2 < cores]
        if not idle:
            return
        nest, shared = max(idle, key=lambda pair: pair[0].elements or 0)
        yield Advised(
            message=f"keeps {count(min(shared, cores), 'core')} of {cores} busy"
            if recorded.threads > 1
            else f"runs on one of {cores} cores",
            why=_why(nest, shared, recorded.threads, recorded.min_chunk_size),
            fix=_LONGER_FIRST if recorded.threads > 1 else _THREADS,
            nodes=nest.node_names,
        )


def _shared(nest: CppNest) -> int | None:
    """How many iterations threads share; 1 for a serial loop, None where sizes are symbols."""
    begin = next((at for at, loop in enumerate(nest.loops) if loop.parallel), None)
    if begin is None:
        return 1
    loops = nest.loops[begin : begin + nest.loops[begin].parallel]
    if not all(loop.size.isdecimal() and loop.steps.isdecimal() for loop in loops):
        return None
    return math.prod(math.ceil(int(loop.size) / max(int(loop.steps), 1)) for loop in loops)


def _why(nest: CppNest, shared: int, threads: int, least: int) -> str:
    elements = count(nest.elements or 0, "element")
    if threads <= 1:
        return (
            f"{elements} ({nest_text(nest)}), and torch was using one thread when the kernel was "
            "compiled"
        )
    if any(loop.parallel for loop in nest.loops):
        return (
            f"{elements}, but only {count(shared, 'iteration')} to share among threads "
            f"({nest_text(nest)})"
        )
    if (nest.elements or 0) // threads < least:
        return f"{elements} on {threads} threads is fewer than {least} per thread"
    return f"{elements} ({nest_text(nest)}) that Inductor could not parallelize"


_THREADS = (
    "torch.set_num_threads(n) before compiling, or OMP_NUM_THREADS=n: kernels are generated for as "
    "many threads as torch has then."
)
_LONGER_FIRST = "Put a longer dimension first: Inductor parallelizes the outer loops."

RULE = CppSerial()
