"""Rules: what can be found, each documented next to where it is defined."""

from __future__ import annotations

import abc
import dataclasses
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypedDict, TypeVar

from inspector.report.documentation import Documentation, read_documentation
from inspector.report.finding import Finding, Place
from inspector.report.place import fingerprint, make_place
from inspector.report.severity import Severity
from inspector.run.kernel_facts import KernelFacts
from inspector.run.run import Run
from inspector.shared.stack import StackFrame

SECTIONS = ("What it means", "Why it matters", "Example", "What to do")

S = TypeVar("S")
"""What a rule looks at: a run, a compiled kernel or all of them, a C++ kernel, a call."""
F = TypeVar("F")
"""What it makes of it: `Finding`, or `Advised` where the caller knows the place."""


class At(TypedDict):
    """The fields of a finding that its rule and its place say."""

    rule: str
    severity: Severity
    place: Place
    fingerprint: str


class Rule(abc.ABC, Generic[S, F]):
    """Something that can be found.

    Its documentation is ``ID.md`` next to its module, with the sections `SECTIONS`. It is read, and
    thereby checked, when the class is made.
    """

    id: ClassVar[str]
    severity: ClassVar[Severity]
    documentation: ClassVar[Documentation]

    def __init_subclass__(cls) -> None:
        """Checks name and severity, and reads the documentation."""
        super().__init_subclass__()
        if missing := [name for name in ("id", "severity") if name not in vars(cls)]:
            raise TypeError(f"{cls.__name__} lacks {', '.join(missing)}")
        module = Path(sys.modules[cls.__module__].__file__ or "")
        cls.documentation = read_documentation(module.with_name(f"{cls.id}.md"), SECTIONS)

    @abc.abstractmethod
    def check(self, subject: S, /) -> Iterable[F]:
        """What this rule finds in its subject."""

    def at(
        self,
        run: Run,
        frame: StackFrame | None,
        *kind: str,
        stack: Sequence[StackFrame] = (),
        severity: Severity | None = None,
    ) -> At:
        """What `Finding` has of this rule at a frame; `kind` tells several of a line apart."""
        return {
            "rule": self.id,
            "severity": severity or self.severity,
            "place": make_place(run, frame, stack),
            "fingerprint": fingerprint(run, frame, self.id, *kind),
        }

    @classmethod
    def title(cls) -> str:
        """What was found, in one sentence without its full stop."""
        return cls.documentation.lead.rstrip(".")


@dataclasses.dataclass(frozen=True, slots=True)
class Advised:
    """What a rule says of a kernel or a call, whose place its caller knows.

    Attributes:
        message: What was found, in one sentence without a full stop; of a kernel, behind its name.
        at_stake_ns: Predicted time of one launch that it costs, or None if unknown.
        kernel: The kernel that it is about, of a rule that looks at all of them.
        nodes: Names of the nodes of a C++ kernel that it is about; all where there are none.
    """

    message: str
    why: str
    fix: str
    alternatives: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    at_stake_ns: int | None = None
    kernel: KernelFacts | None = None
    nodes: tuple[str, ...] = ()

    def finding(  # noqa: PLR0913, PLR0917 - what only the caller knows
        self,
        rule: Rule[Any, Advised],
        name: str,
        place: Place,
        fingerprint: str,
        evidence: str,
        notes: tuple[str, ...] = (),
    ) -> Finding:
        """The finding, with `name` in front of the message and `notes` behind its own."""
        return Finding(
            rule=rule.id,
            severity=rule.severity,
            message=name + self.message,
            place=place,
            why=self.why,
            fix=self.fix,
            alternatives=self.alternatives,
            notes=(*self.notes, *notes),
            fingerprint=fingerprint,
            evidence=evidence,
        )
