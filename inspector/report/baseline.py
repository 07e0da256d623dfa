"""Findings that are known from an earlier report, and what a new one has instead."""

import dataclasses
from collections.abc import Mapping, Sequence

from inspector.report.finding import Finding


@dataclasses.dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier report, perhaps of a plain trace.

    Attributes:
        findings: As far as its JSON tells one from another: places have a file and a line alone.
    """

    name: str
    findings: tuple[Finding, ...]
    target: str = ""
    settings: Mapping[str, object] = dataclasses.field(default_factory=dict)
    torch: tuple[str, ...] = ()
    is_trace: bool = False


def compared(
    findings: Sequence[Finding], known: Sequence[Finding]
) -> tuple[tuple[bool, ...], tuple[Finding, ...]]:
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
                and (item.place.file == finding.place.file or not same_file)
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
