"""Kernels that spend their time on 64-bit offsets."""

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel_analysis import AccessKind, InstructionKind
from inspector.run.kernel_facts import ConfigFacts, KernelFacts

_INTEGER = {InstructionKind.INTEGER.value, "instruction issue"}
_LEAST_SHARE = 0.5


class Int64Rule(Rule[KernelFacts, Advised]):
    """A kernel spends time on 64-bit offsets."""

    id = "kernel-int64-offsets"
    severity = Severity.INFO

    def check(self, kernel: KernelFacts) -> Iterator[Advised]:
        """Direct accesses have 64-bit offsets, and integers take much of the predicted time."""
        if not all(_is_concerned(facts) for facts in kernel.configs):
            return
        lines = kernel.configs[0].analysis.int64_lines
        sizes = [name for name, kind in kernel.build.arguments if kind == "i64"]
        if not sizes and not kernel.is_users:
            return  # an index computed by the operator itself, as interpolation does
        is_dynamic = all(name.startswith("ks") for name in sizes)
        noun = "line" if len(lines) == 1 else "lines"
        yield Advised(
            message="computes its offsets in 64 bits",
            why=f"see {noun} {', '.join(map(str, lines[:4]))} of its source"
            + (f": {' and '.join(sizes)} is 64-bit" if sizes else ""),
            fix=_BASE if kernel.is_users else _FIXED if is_dynamic else _SPLIT,
        )


_BASE = "Compute the base of a block in 64 bits, and the offsets inside it in 32 bits."
_FIXED = (
    "Its sizes are dynamic: compile it for fixed ones (dynamic=False), or set "
    "torch._inductor.config.assume_32bit_indexing = True where no tensor has 2**31 elements."
)
_SPLIT = (
    "Split the tensor into parts of fewer than 2**31 elements, for example with a smaller batch."
)


def _is_concerned(facts: ConfigFacts) -> bool:
    wide = any(
        access.index_bits == 64 and not access.is_indirect  # noqa: PLR2004 - the width
        for access in facts.analysis.accesses
        if access.kind is not AccessKind.ATOMIC
    )
    if not wide or not facts.analysis.int64_lines:
        return False
    prediction = facts.prediction
    if prediction is None or prediction.compute_ns is None:
        return True
    is_integer = prediction.unit in _INTEGER
    return is_integer and prediction.compute_ns >= _LEAST_SHARE * (prediction.memory_ns or 0)


RULE = Int64Rule()
