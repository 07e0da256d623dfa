"""Findings with one cause as one finding, and the causes that most records come from."""

import collections
import dataclasses
from collections.abc import Iterator, Sequence

from inspector.report.finding import Finding
from inspector.report.user_code.call_site import user_spelling
from inspector.report.wording import count, listed, location, title
from inspector.run.recompile import Recompile

_MOST_CAUSES = 3
# Below either, the list of findings says it as well.
_LEAST_SHARE = 0.75
_LEAST_EACH = 2
_RECOMPILE = "recompile"


def by_cause(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """One finding for each cause, in the order given; the others of a cause are in `also`.

    Graph breaks of one line have one cause, and so do recompilations because of one attribute or
    dimension, in whatever function.
    """
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_cause(finding), []).append(finding)
    return tuple(_joined(members) for members in groups.values())


def cause_lines(findings: Sequence[Finding], recompiles: int) -> Iterator[str]:
    """What most graph breaks and recompilations come from, and the first thing to change.

    Args:
        findings: After `by_cause`.
        recompiles: How many recompilations there are in all.
    """
    breaks = [item for item in findings if item.gb_id is not None]
    lines = collections.Counter(
        {f"{item.place.file}:{item.place.line}": item.records for item in breaks}
    )
    if len(breaks) > 1:
        yield from _account(lines, sum(lines.values()), "line", "graph break")
    causes = collections.Counter({_named(item): len(item.recompiles) for item in findings
                                  if item.rule == _RECOMPILE and item.recompiles})  # fmt: skip
    if recompiles > 1 and causes:
        yield from _account(causes, max(recompiles, sum(causes.values())), "cause", "recompilation")


def _account(numbers: collections.Counter[str], total: int, noun: str, what: str) -> Iterator[str]:
    most = numbers.most_common(_MOST_CAUSES)
    accounted = sum(number for _, number in most)
    if accounted < max(_LEAST_SHARE * total, _LEAST_EACH * len(most)):
        return
    of = f"all {total}" if accounted == total else f"{accounted} of {total}"
    named = ", ".join(f"{name} ({number})" for name, number in most)
    verb = "accounts" if len(most) == 1 else "account"
    yield f"{count(len(most), noun)} {verb} for {of} {what}s: {named}"


def _cause(finding: Finding) -> object:
    if finding.gb_id is not None and finding.place.line:
        return finding.place.file, finding.place.line
    if finding.rule == _RECOMPILE and finding.recompiles:
        first = finding.recompiles[0]
        name = _name(first)
        if name:
            return first.kind, name, first.index, finding.place.file
    return id(finding)


def _name(recompile: Recompile) -> str:
    """The attribute or argument itself: one object has another name in each function."""
    return recompile.name.removesuffix(".size()").rpartition(".")[2]


def _named(finding: Finding) -> str:
    first = finding.recompiles[0]
    size = f".size({first.index})" if first.index is not None else ""
    name = user_spelling(first.name)
    if name.startswith("("):  # Dynamo's own name
        return f"a value {name}"
    return f"{name}{size}" if name else first.kind.value


def _joined(members: Sequence[Finding]) -> Finding:
    first, *others = members
    if not others:
        return first
    if first.gb_id is not None:
        texts = [f"{item.gb_id} {item.message}" for item in others]
        also = [f"also at this line: {listed(list(dict.fromkeys(texts)))}"]
    else:
        also = [f"same cause at {location(item.place)}: {title(item)}" for item in others]
    return dataclasses.replace(
        first,
        also=(*first.also, *also),
        records=sum(item.records for item in members),
        recompiles=tuple(each for item in members for each in item.recompiles),
    )
