"""Findings of one run, found again in another."""

import collections
import dataclasses
from collections.abc import Callable, Hashable, Iterator, Sequence

from inspector.report.finding import Finding


@dataclasses.dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding that only one side has, or that differs on side B."""

    before: Finding | None
    after: Finding | None

    @property
    def kind(self) -> str:
        """``gone``, ``new`` or ``changed``."""
        return "new" if self.before is None else "gone" if self.after is None else "changed"


def _name(finding: Finding) -> str:
    """The function without its class, which is not known without its source."""
    return finding.place.function.rpartition(".")[2]


def _code(finding: Finding) -> str:
    """The source line; what is known to be at none is equal to nothing else."""
    place = finding.place
    lines = (line.text.strip() for line in place.excerpt if line.number == place.line)
    return next(lines, finding.fingerprint)


def finding_changes(before: Sequence[Finding], after: Sequence[Finding]) -> Iterator[FindingChange]:
    """By fingerprint, else by rule, function and code; of equal ones the first is the first."""
    left, right, changed = list(before), list(after), []
    for key in _KEYS:
        places: dict[Hashable, list[Finding]] = collections.defaultdict(list)
        for finding in right:
            places[key(finding)].append(finding)
        for finding in list(left):
            if same := places[key(finding)]:
                now = same.pop(0)
                left, right = (
                    [item for item in side if item is not one]
                    for side, one in ((left, finding), (right, now))
                )
                if (finding.message, finding.records) != (now.message, now.records):
                    changed.append(FindingChange(finding, now))
    yield from (FindingChange(None, finding) for finding in right)
    yield from changed
    yield from (FindingChange(finding, None) for finding in left)


_KEYS: tuple[Callable[[Finding], Hashable], ...] = (
    lambda item: item.fingerprint,
    # In a file of another name.
    lambda item: (item.rule, item.gb_id, _name(item), _code(item), item.message),
    lambda item: (item.rule, item.gb_id, _name(item), _code(item)),
)
