"""Findings that are known from an earlier report, and what a new one has instead."""

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
        severity: Severity in the earlier report.
        message: Message of the finding.
        file: File name as it was shown, or an empty string.
        line: Line number in the earlier report, from 1, if known.
        gb_id: Torch's id of a graph break, or None.
        fingerprint: Fingerprint that identifies the finding across reports.
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
    """An earlier report, perhaps of a plain trace."""

    name: str
    findings: tuple[KnownFinding, ...]
    target: str = ""
    settings: Mapping[str, object] = dataclasses.field(default_factory=dict)
    torch: tuple[str, ...] = ()
    is_trace: bool = False


def compared(
    findings: Sequence[Finding], known: Sequence[KnownFinding]
) -> tuple[tuple[bool, ...], tuple[KnownFinding, ...]]:
    """For each finding whether it is new, and the known ones that are gone.

    Findings are counted: two with the fingerprint of one known finding make one new. Those in the
    known one's file are taken first. What has become graver is new, and not gone (a function that
    was compiled again, and now hits the recompile limit).
    """
    left = list(known)
    matched: set[int] = set()
    for same_file in (True, False):
        for index, finding in enumerate(findings):
            same = (
                item
                for item in left
                if item.fingerprint == finding.fingerprint
                and item.severity.rank <= finding.severity.rank
                and (item.file == finding.place.file or not same_file)
            )
            if index not in matched and (match := next(same, None)):
                left.remove(match)
                matched.add(index)
    is_new = tuple(index not in matched for index in range(len(findings)))
    for finding in (item for item, new in zip(findings, is_new, strict=True) if new):
        graver = next((item for item in left if item.fingerprint == finding.fingerprint), None)
        if graver is not None:
            left.remove(graver)
    return is_new, tuple(left)
