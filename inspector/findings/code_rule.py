"""Rules about the code that launches kernels."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator, Sequence

from inspector.findings.finding import Finding, Place
from inspector.findings.kernel_rule import Advised
from inspector.findings.place import fingerprint, make_place
from inspector.findings.rule import Documented
from inspector.findings.wording import count
from inspector.model.kernel import Call, GraphCode
from inspector.model.run import Run
from inspector.model.stack import StackFrame


class CodeRule(Documented, is_kind=True):
    """Something that can be found in the output code of a graph, call by call."""

    @abc.abstractmethod
    def look(self, call: Call) -> Advised | None:
        """What there is to say of a call, or None; the message begins the sentence."""


def code_findings(
    run: Run, graphs: Sequence[GraphCode], rules: Iterable[CodeRule]
) -> list[Finding]:
    """What the rules find in the graphs that run, once for each operator and line."""
    return [finding for rule in rules for finding in _found(run, graphs, rule)]


def _found(run: Run, graphs: Sequence[GraphCode], rule: CodeRule) -> Iterator[Finding]:
    same: dict[tuple[str, str, int], list[tuple[Call, Advised]]] = {}
    for graph in graphs:
        for call in () if graph.alternative else graph.calls:
            advised = rule.look(call)
            if advised is not None:
                node = call.called
                line = (node.file, node.line) if node else ("", 0)
                same.setdefault((call.name, *line), []).append((call, advised))
    for calls in same.values():
        yield _finding(run, rule, *calls[0], len(calls))


def _finding(run: Run, rule: CodeRule, call: Call, advised: Advised, calls: int) -> Finding:
    node = call.called
    frame = StackFrame(node.file, node.line, "", code=node.code) if node else None
    times = (f"there are {count(calls, 'call')} of it",) if calls > 1 else ()
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        message=advised.message,
        place=make_place(run, frame) if frame else Place(),
        why=advised.why,
        fix=advised.fix,
        alternatives=advised.alternatives,
        notes=(*advised.notes, *times),
        fingerprint=fingerprint(run, frame, rule.id, call.name),
        evidence="output code",
    )
