"""What rules find in kernels and in the code that launches them, as findings with their places."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence

from inspector.report.finding import Finding, Place
from inspector.report.place import fingerprint, make_place
from inspector.report.rule import Advised, Rule
from inspector.report.wording import count
from inspector.run.cost import Cost, CostKind
from inspector.run.cpp_kernel import CppFacts
from inspector.run.kernel import Call, GraphCode, Kernel
from inspector.run.kernel_facts import ConfigFacts, KernelFacts
from inspector.run.kernel_prediction import Bound
from inspector.run.run import Run

KernelRule = Rule[KernelFacts, Advised]
KernelsRule = Rule[Sequence[KernelFacts], Advised]
CppRule = Rule[CppFacts, Advised]
CodeRule = Rule[Call, Advised]

_LEAST_NS = 5_000


def kernel_findings(
    kernels: Sequence[KernelFacts],
    place_of: Callable[[KernelFacts], Place],
    rules: Iterable[KernelRule] = (),
    rules_of_all: Iterable[KernelsRule] = (),
) -> list[Finding]:
    """What rules find in compiled kernels, the costliest first; what it costs is predicted.

    Args:
        kernels: The kernels in the order in which they are launched.
        rules: Rules that look at one kernel at a time, if it takes long enough to matter.
        rules_of_all: Rules that look at all kernels.
    """
    found = [
        _of_kernel(rule, kernel, place_of(kernel), advised)
        for rule in rules
        for kernel in kernels
        if matters(kernel)
        for advised in rule.check(kernel)
    ]
    for rule in rules_of_all:
        for advised in rule.check(kernels):
            if advised.kernel is not None:
                place = place_of(advised.kernel)
                found.append(_of_kernel(rule, advised.kernel, place, advised))
    return sorted(found, key=_rank)


def _of_kernel(
    rule: KernelRule | KernelsRule, kernel: KernelFacts, place: Place, advised: Advised
) -> Finding:
    cost = None
    if advised.at_stake_ns is not None:
        cost = Cost(
            kind=CostKind.COMPUTED,
            cost_ns=advised.at_stake_ns * kernel.launches,
            executions_per_call=kernel.launches,
            note="predicted, not measured",
        )
    name = kernel.build.name
    found = advised.finding(rule, f"{name} ", place, f"{rule.id}:{name}", "compiled kernel")
    return dataclasses.replace(found, cost=cost)


def _rank(finding: Finding) -> tuple[int, str]:
    cost = finding.cost.cost_ns if finding.cost else None
    return -(cost or 0), finding.rule


def matters(kernel: KernelFacts) -> bool:
    """Whether a kernel has configurations, and a predicted time that mending could shorten."""
    if not kernel.configs:
        return False
    if all(_is_small(facts) for facts in kernel.configs):
        return False
    return kernel.time_ns is None or kernel.time_ns >= _LEAST_NS


def _is_small(facts: ConfigFacts) -> bool:
    return facts.prediction is not None and facts.prediction.bound is Bound.SMALL


def cpp_findings(run: Run, kernels: Sequence[Kernel], rules: Iterable[CppRule]) -> list[Finding]:
    """What the rules find in the C++ kernels of a run; each kernel is looked at once."""
    cores = next((process.hardware.get("cores") for process in run.processes), None)
    known = {kernel.source: kernel for kernel in reversed(kernels) if kernel.cpp is not None}
    found = [
        _of_cpp(run, rule, kernel, advised)
        for rule in rules
        for kernel in reversed(known.values())
        if kernel.cpp is not None
        for advised in rule.check(
            dataclasses.replace(kernel.cpp, cores=cores if isinstance(cores, int) else None)
        )
    ]
    return sorted(found, key=lambda finding: finding.severity.rank)


def _of_cpp(run: Run, rule: CppRule, kernel: Kernel, advised: Advised) -> Finding:
    about = [node for node in kernel.nodes if node.node in advised.nodes] or kernel.nodes
    lines = [node for node in about if node.line]
    frame = lines[-1].frame if lines else None
    others = sorted({f"{node.file.rpartition('/')[2]}:{node.line}" for node in lines[:-1]})
    also = (f"it computes {', '.join(others)} as well",) if len(others) > 1 else ()
    place = make_place(run, frame) if frame else Place()
    evidence = "inspector_cpp_kernel" if kernel.cpp and kernel.cpp.said else "parsed"
    key = fingerprint(run, frame, rule.id, *kernel.aten)
    return advised.finding(rule, f"{kernel.name} ", place, key, evidence, also)


def code_findings(
    run: Run, graphs: Sequence[GraphCode], rules: Iterable[CodeRule]
) -> list[Finding]:
    """What the rules find in the graphs that run, once for each operator and line."""
    return [finding for rule in rules for finding in _in_code(run, graphs, rule)]


def _in_code(run: Run, graphs: Sequence[GraphCode], rule: CodeRule) -> Iterator[Finding]:
    same: dict[tuple[str, str, int], list[tuple[Call, Advised]]] = {}
    for graph in graphs:
        for call in () if graph.alternative else graph.calls:
            node = call.called
            line = (node.file, node.line) if node else ("", 0)
            for advised in rule.check(call):
                same.setdefault((call.name, *line), []).append((call, advised))
    for calls in same.values():
        call, advised = calls[0]
        node = call.called
        frame = node.frame if node else None
        place = make_place(run, frame) if frame else Place()
        times = (f"there are {count(len(calls), 'call')} of it",) if len(calls) > 1 else ()
        key = fingerprint(run, frame, rule.id, call.name)
        yield advised.finding(rule, "", place, key, "output code", times)
