"""Kernels that gather single elements from addresses that come from memory."""

from collections.abc import Iterator

from inspector.features.kernels.binary.ttgir import element_bytes
from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel_analysis import Access, AccessKind
from inspector.run.kernel_facts import KernelFacts

_LEAST_SHARE = 0.25
_SECTOR_BYTES = 32  # what memory delivers at least (CUDA C++ Programming Guide, device memory)


class IndirectRule(Rule[KernelFacts, Advised]):
    """A kernel gathers single elements."""

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
            why=f"line {worst.line} of its source reads {size} bytes at each indexed address, from "
            f"sectors of {_SECTOR_BYTES} bytes",
            fix="Make the index select whole rows: make the elements for one index contiguous.",
            alternatives=("If the index is a pattern (a flip, a shift), use a slice instead.",),
        )


RULE = IndirectRule()
