"""Findings that are known from an earlier report, and what a new one has instead."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Self

from inspector.report.finding import Finding
from inspector.report.severity import Severity


@dataclasses.dataclass(frozen=True, slots=True)
class KnownFinding:
    """A finding of an earlier report.

    Attributes:
        rule: Its rule's id.
        severity: How much it mattered.
        message: What was found.
        file: File name as it was shown, or an empty string.
        line: Line number from 1 as it was then, or 0.
        gb_id: Torch's id of a graph break, or None.
        fingerprint: What identifies it.
    """

    rule: str
    severity: Severity
    message: str
    file: str
    line: int
    gb_id: str | None
    fingerprint: str

    @classmethod
    def of(cls, finding: Finding) -> Self:
        """A finding as a later report will know it."""
        return cls(
            rule=finding.rule,
            severity=finding.severity,
            message=finding.message,
            file=finding.place.file,
            line=finding.place.line,
            gb_id=finding.gb_id,
            fingerprint=finding.fingerprint,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier report.

    Attributes:
        is_trace: Whether it was made of a plain trace.
    """

    name: str
    findings: tuple[KnownFinding, ...]
    target: str = ""
    settings: Mapping[str, object] = dataclasses.field(default_factory=dict)
    torch: tuple[str, ...] = ()
    is_trace: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """Findings against those of an earlier report.

    Attributes:
        is_new: For each finding, whether the earlier report does not have it.
    """

    is_new: tuple[bool, ...]
    fixed: tuple[KnownFinding, ...]


def compared(findings: Sequence[Finding], known: Sequence[KnownFinding]) -> Comparison:
    """Compares by fingerprint, and counts: two equal ones against one known make one new.

    Of several equal ones those are taken to be the known ones that lie in the known ones' files. A
    finding that is graver than the known one counts as new (a function that was compiled again, and
    now hits the recompile limit).
    """
    left = list(known)
    matched: set[int] = set()
    for same_file in (True, False):
        for index, finding in enumerate(findings):
            if index in matched:
                continue
            match = next((item for item in left if _is_it(finding, item, same_file)), None)
            if match is not None:
                left.remove(match)
                matched.add(index)
    fixed = list(left)
    for index, finding in enumerate(findings):
        # What has become graver is not gone.
        graver = (item for item in fixed if item.fingerprint == finding.fingerprint)
        item = None if index in matched else next(graver, None)
        if item is not None:
            fixed.remove(item)
    return Comparison(
        is_new=tuple(index not in matched for index in range(len(findings))), fixed=tuple(fixed)
    )


def _is_it(finding: Finding, known: KnownFinding, same_file: bool) -> bool:  # noqa: FBT001 - two passes
    return (
        known.fingerprint == finding.fingerprint
        and known.severity.rank <= finding.severity.rank
        and (known.file == finding.place.file or not same_file)
    )
