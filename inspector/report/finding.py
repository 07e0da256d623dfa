"""A rule at a place, with evidence and a fix."""

import dataclasses

from inspector.report.severity import Severity
from inspector.run.cost import Cost
from inspector.run.recompile import Recompile
from inspector.run.source import SourceLine
from inspector.run.verification import AdviceTrial
from inspector.shared.edit import Rewrite


@dataclasses.dataclass(frozen=True, slots=True)
class StackLine:
    """One frame of a stack, as displayed.

    Attributes:
        file: File name relative to the project or to its packages.
        line: Line number from 1.
        name: Name of the function; for Dynamo's resume functions, the name of the original
            function.
        code: The source line, or an empty string.
        owner: Whose code it is: ``project``, ``library``, ``torch``, ``stdlib`` or ``generated``.
    """

    file: str
    line: int
    name: str
    code: str
    owner: str


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """A place in the source.

    Attributes:
        file: File name relative to the project or to its packages; empty where unknown.
        line: Line number from 1, or 0 where unknown.
        end_line: Last line, or None.
        column: First column, 0-based, in characters, or None where torch does not say.
        end_column: Column after the last one, or None.
        function: Qualified name of the enclosing function, if known.
        excerpt: The source lines around it.
        stack: The user's stack, outermost frame first.
    """

    file: str = ""
    line: int = 0
    end_line: int | None = None
    column: int | None = None
    end_column: int | None = None
    function: str = ""
    excerpt: tuple[SourceLine, ...] = ()
    stack: tuple[StackLine, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Example:
    """A program with the problem of a finding, and the fixed program; both were run.

    Attributes:
        id: Its name, for ``inspect rule``.
        title: The problem, as a short noun phrase.
        before: A complete program with the problem.
        after: The same program without the problem.
        keeps: Which behavior of the program the fix preserves and which it changes.
        tested_on: Versions of torch (``2.13``) on which both were run.
    """

    id: str
    title: str
    before: str
    after: str
    keeps: str
    tested_on: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """A problem that a rule found at one place in the code.

    Attributes:
        rule: The rule's id.
        severity: Severity of the finding.
        message: The finding, in one sentence without a full stop.
        place: Where.
        why: Why it happened.
        fix: What to do, the best advice first; empty if unknown.
        alternatives: Alternatives, best first.
        example: The problem and the fix as programs, or None.
        hints: All of torch's own hints, in torch's order.
        notes: Further facts, one sentence each.
        also: Where else it is, or what else is here, likewise.
        records: Number of log records of the finding.
        fingerprint: Fingerprint that does not change when lines are inserted above.
        gb_id: Torch's id of a graph break, or None.
        gb_type: Torch's name of a graph break, or None.
        url: Torch's page about it, or an empty string.
        outcome: What happens to the frame after the graph break, if the finding is one.
        evidence: Source of the finding, such as ``compilation_metrics`` or ``parsed``.
        later: Whether it occurred only in calls after the first call with each input.
        cost: Cost per warm call, or None if not measured or not applicable.
        is_new: Whether it is new since the baseline, or None without a baseline.
        fails_gate: Whether it makes the gate fail.
        rewrites: What to do, as changes of the file that can be tried as they stand.
        verified: Trials of settings and code changes that removed the finding.
        processes: The processes that it was found in, by their index in the run.
        recompiles: The recompilations that it is about, in order.
        output: The full output of the compiler, or empty.
    """

    rule: str
    severity: Severity
    message: str
    place: Place = dataclasses.field(default_factory=Place)
    why: str = ""
    fix: str = ""
    alternatives: tuple[str, ...] = ()
    example: Example | None = None
    hints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    records: int = 1
    fingerprint: str = ""
    gb_id: str | None = None
    gb_type: str | None = None
    url: str = ""
    outcome: str = ""
    evidence: str = ""
    later: bool = False
    cost: Cost | None = None
    is_new: bool | None = None
    fails_gate: bool = False
    rewrites: tuple[Rewrite, ...] = ()
    verified: tuple[AdviceTrial, ...] = ()
    processes: tuple[int, ...] = (0,)
    recompiles: tuple[Recompile, ...] = ()
    output: str = ""

    @property
    def all_notes(self) -> tuple[str, ...]:
        """Additional facts, one sentence each, including other places where the problem occurs."""
        return (*self.notes, *self.also)
