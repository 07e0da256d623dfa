"""Kernels that gather single elements from addresses that come from memory."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.features.kernels.binary.ttgir import element_bytes
from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel_analysis import Access, AccessKind
from inspector.run.kernel_facts import KernelFacts

_LEAST_SHARE = 0.25
_SECTOR_BYTES = 32  # what memory delivers at least (CUDA C++ Programming Guide, device memory)


class IndirectRule(Rule[KernelFacts, Advised]):
    """A kernel gathers single elements.

    What it means:
        The address of each element comes from memory (an index tensor), and neighbouring threads
        take single elements from wherever it says.

    Why it matters:
        Memory delivers sectors of 32 bytes. If the places are apart, all of a sector is moved for
        one element, and what the caches hold decides. Whole rows (an embedding) are not concerned.

    Example:
        ``torch.gather(x, -1, index)`` along the last dimension, ``x[:, index]``.

    What to do:
        Let the index choose rows: transpose the tensor once, so that what one index takes is
        adjacent (``x.t().contiguous()[index]``), or sort the index. Where the index is a pattern
        (a flip, a shift, every other element), write it as a slice.
    """

    id = "kernel-indirect-loads"
    severity = Severity.INFO

    def check(self, kernel: KernelFacts) -> Iterator[Advised]:
        """In every configuration, a good part of what is loaded is gathered."""
        gathered: list[list[Access]] = []
        for facts in kernel.configs:
            loads = [a for a in facts.analysis.accesses if a.kind is AccessKind.LOAD]
            indirect = [a for a in loads if a.is_indirect and a.bits]
            single = [a for a in indirect if max(a.bits) <= 8 * element_bytes(a.dtype)]
            if not single or sum(a.bytes for a in single) < _LEAST_SHARE * sum(
                a.bytes for a in loads
            ):
                return
            gathered.append(single)
        worst = max(gathered[0], key=lambda access: access.bytes)
        size = element_bytes(worst.dtype)
        yield Advised(
            message="gathers single elements",
            why=f"line {worst.line} of its source takes {size} bytes from each place that an index "
            f"names, of sectors of {_SECTOR_BYTES} bytes",
            fix="Let the index choose whole rows: make what one index takes contiguous, once.",
            alternatives=("If the index is a pattern (a flip, a shift), write it as a slice.",),
        )


RULE = IndirectRule()
