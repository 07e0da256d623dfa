"""Rules about C++ kernels."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from inspector.findings.finding import Finding, Place
from inspector.findings.place import fingerprint, make_place
from inspector.findings.rule import Documented
from inspector.model.cpp_kernel import CppFacts
from inspector.model.kernel import Kernel
from inspector.model.run import Run
from inspector.model.stack import StackFrame


@dataclasses.dataclass(frozen=True, slots=True)
class CppAdvice:
    """What a rule says of one kernel.

    Attributes:
        message: What was found, in one sentence without a full stop, behind the kernel's name.
        why: Why it happened.
        fix: What to do, the best advice first.
        alternatives: What else can be done.
        notes: Further facts.
        nodes: Names of the nodes that it is about; all of the kernel's where there are none.
    """

    message: str
    why: str
    fix: str
    alternatives: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()


class CppRule(Documented, is_kind=True):
    """Something that can be found in a C++ kernel."""

    @abc.abstractmethod
    def look(self, facts: CppFacts, cores: int | None) -> CppAdvice | None:
        """What there is to say of a kernel, or None.

        Args:
            facts: The kernel.
            cores: Cores of the machine, or None where nobody knows.
        """


def cpp_findings(run: Run, kernels: Sequence[Kernel], rules: Iterable[CppRule]) -> list[Finding]:
    """What the rules find in the C++ kernels of a run; each kernel is looked at once."""
    cores = next((_cores(process.hardware.get("cores")) for process in run.processes), None)
    known = {kernel.source: kernel for kernel in reversed(kernels) if kernel.cpp is not None}
    distinct = tuple(reversed(known.values()))
    found = [item for rule in rules for item in _found(run, distinct, rule, cores)]
    return sorted(found, key=lambda finding: finding.severity.rank)


def _found(
    run: Run, kernels: Sequence[Kernel], rule: CppRule, cores: int | None
) -> Iterator[Finding]:
    for kernel in kernels:
        advice = rule.look(kernel.cpp, cores) if kernel.cpp is not None else None
        if advice is not None:
            yield _finding(run, kernel, rule, advice)


def _finding(run: Run, kernel: Kernel, rule: CppRule, advice: CppAdvice) -> Finding:
    about = [node for node in kernel.nodes if node.node in advice.nodes] or kernel.nodes
    lines = [node for node in about if node.line]
    last = lines[-1] if lines else None
    frame = StackFrame(last.file, last.line, "", code=last.code) if last else None
    others = sorted({f"{node.file.rpartition('/')[2]}:{node.line}" for node in lines[:-1]})
    also = (f"it computes {', '.join(others)} as well",) if len(others) > 1 else ()
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        message=f"{kernel.name} {advice.message}",
        place=make_place(run, frame) if frame else Place(),
        why=advice.why,
        fix=advice.fix,
        alternatives=advice.alternatives,
        notes=(*advice.notes, *also),
        fingerprint=fingerprint(run, frame, rule.id, *kernel.aten),
        evidence="inspector_cpp_kernel" if kernel.cpp and kernel.cpp.said else "parsed",
    )


def _cores(value: object) -> int | None:
    return value if isinstance(value, int) else None
