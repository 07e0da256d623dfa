"""What rules find in kernels and in the code that launches them, as findings with their places."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from inspector.report.finding import Finding, Place
from inspector.report.place import fingerprint, make_place
from inspector.report.rule import Advised, Rule
from inspector.report.wording import count
from inspector.run.cost import Cost, CostKind
from inspector.run.cpp_kernel import CppFacts
from inspector.run.kernel import Call, GraphCode, Kernel
from inspector.run.kernel_facts import Bound, KernelFacts
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
    """What rules find in kernels as they are launched, the costliest first; costs are predicted.

    Those in `rules` look at one kernel at a time, if it takes long enough to matter.
    """
    findings: list[Finding] = []

    def add(rule: KernelRule | KernelsRule, kernel: KernelFacts, advised: Advised) -> None:
        name, at_stake_ns = kernel.build.name, advised.at_stake_ns
        finding = advised.finding(
            rule, f"{name} ", place_of(kernel), f"{rule.id}:{name}", "compiled kernel"
        )
        cost = None
        if at_stake_ns is not None:
            cost = Cost(
                kind=CostKind.COMPUTED,
                cost_ns=at_stake_ns * kernel.launches,
                executions_per_call=kernel.launches,
                note="predicted, not measured",
            )
        findings.append(dataclasses.replace(finding, cost=cost))

    for rule in rules:
        for kernel in filter(matters, kernels):
            for advised in rule.check(kernel):
                add(rule, kernel, advised)
    for rule_of_all in rules_of_all:
        for advised in rule_of_all.check(kernels):
            if advised.kernel is not None:
                add(rule_of_all, advised.kernel, advised)
    return sorted(
        findings, key=lambda item: (-((item.cost.cost_ns or 0) if item.cost else 0), item.rule)
    )


def matters(kernel: KernelFacts) -> bool:
    """Whether a kernel has configurations, and a predicted time that a fix could shorten."""
    is_small = all(
        facts.prediction is not None and facts.prediction.bound is Bound.SMALL
        for facts in kernel.configs
    )
    return not is_small and (kernel.time_ns is None or kernel.time_ns >= _LEAST_NS)


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
    also = (f"it also contains code from {', '.join(others)}",) if len(others) > 1 else ()
    place = make_place(run, frame) if frame else Place()
    evidence = "inspector_cpp_kernel" if kernel.cpp and kernel.cpp.recorded else "parsed"
    key = fingerprint(run, frame, rule.id, *kernel.aten)
    return advised.finding(rule, f"{kernel.name} ", place, key, evidence, also)


def code_findings(
    run: Run, graphs: Sequence[GraphCode], rules: Iterable[CodeRule]
) -> list[Finding]:
    """What the rules find in the graphs that run, once for each operator and line."""
    findings: list[Finding] = []
    for rule in rules:
        same: dict[tuple[str, str, int], list[tuple[Call, Advised]]] = {}
        for call in (call for graph in graphs if not graph.alternative for call in graph.calls):
            node = call.called
            line = (node.file, node.line) if node else ("", 0)
            for advised in rule.check(call):
                same.setdefault((call.name, *line), []).append((call, advised))
        for calls in same.values():
            call, advised = calls[0]
            frame = call.called.frame if call.called else None
            place = make_place(run, frame) if frame else Place()
            times = (f"it is called {count(len(calls), 'time')}",) if len(calls) > 1 else ()
            key = fingerprint(run, frame, rule.id, call.name)
            findings.append(advised.finding(rule, "", place, key, "output code", times))
    return findings
