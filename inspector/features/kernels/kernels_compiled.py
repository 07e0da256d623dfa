"""Joins a report on kernels with what they were compiled to."""

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping

from inspector.features.kernels.binary.facts import facts_of
from inspector.features.kernels.kernel_findings import KernelRule, KernelsRule, kernel_findings
from inspector.features.kernels.report import KernelRow, KernelsReport
from inspector.report.finding import Place
from inspector.report.place import make_place
from inspector.run.kernel import Call, Kernel
from inspector.run.kernel_facts import KernelFacts
from inspector.shared.gpu_table import find_gpu
from inspector.shared.gpus import Gpu
from inspector.shared.kernel_build import KernelBuild

NOT_COMPILED = "kernels not compiled: pass --compile for registers, SASS and predicted times"


def not_compiled(report: KernelsReport) -> KernelsReport:
    """The report of a recording, whose kernels are compiled only on request."""
    if not compilable(report):
        return report
    return dataclasses.replace(report, notices=(*report.notices, NOT_COMPILED))


def compilable(report: KernelsReport, *, candidates: bool = False) -> tuple[KernelRow, ...]:
    """The kernels that Triton compiles."""
    return tuple(
        row
        for row in report.rows
        if row.kernel.language == "triton" and (candidates or not row.is_candidate)
    )


def gpu_of(report: KernelsReport) -> Gpu | None:
    """The GPU that the code is for: the absent one, else the first that was recorded."""
    if report.gpu is not None:
        return report.gpu
    for process in report.run.processes:
        gpus = process.hardware.get("gpus")
        for entry in gpus if isinstance(gpus, list) else ():
            name = entry.get("name") if isinstance(entry, dict) else None
            found = find_gpu(str(name)) if name else None
            if found is not None:
                return found
    return None


def with_builds(
    report: KernelsReport,
    builds: Iterable[KernelBuild],
    rules: Iterable[KernelRule],
    rules_of_all: Iterable[KernelsRule],
) -> KernelsReport:
    """The report with what each kernel was compiled to, and findings about that."""
    gpu = gpu_of(report)
    by_source = {build.source_sha256: build for build in builds}
    rows = tuple(_row(report, row, by_source, gpu) for row in report.rows)
    compiled = [(row, row.facts) for row in rows if row.facts is not None]
    known = {facts.build.key: row for row, facts in compiled}

    def place_of(kernel: KernelFacts) -> Place:
        """The user's own kernel, or the first of the user's lines that a kernel computes."""
        row = known.get(kernel.build.key)
        nodes = (row.kernel.definition, *row.kernel.nodes) if row else ()
        node = next((node for node in nodes if node.line), None)
        return make_place(report.run, node.frame) if node else Place()

    found = kernel_findings([facts for _, facts in compiled], place_of, rules, rules_of_all)
    notices = [
        f"{facts.build.name} could not be compiled: {facts.build.error.strip().splitlines()[0]}"
        for _, facts in compiled
        if facts.build.error.strip()
    ]
    if gpu is None and any(facts.configs for _, facts in compiled):
        notices.append("unknown GPU: no occupancy and no predicted times")
    return dataclasses.replace(
        report, rows=rows, findings=(*report.findings, *found), notices=(*report.notices, *notices)
    )


def _row(
    report: KernelsReport, row: KernelRow, by_source: dict[str, KernelBuild], gpu: Gpu | None
) -> KernelRow:
    build = by_source.get(hashlib.sha256(row.kernel.source.encode()).hexdigest())
    if build is None:
        return row
    # Other graphs can have another kernel of its name.
    calls = (call for index in row.graphs for call in report.graphs[index].calls)
    first = next((call for call in calls if call.name == row.kernel.name), None)
    known, grid = _at_launch(row.kernel, first)
    facts = facts_of(build, gpu, known=known, launches=row.launches, grid=grid)
    return dataclasses.replace(row, facts=dataclasses.replace(facts, aten=row.kernel.aten))


def _at_launch(kernel: Kernel, call: Call | None) -> tuple[Mapping[str, int], tuple[int, ...]]:
    """Numbers that the first launch of a user's kernel has: its scalars, and blocks by axis.

    Inductor's own have theirs in the source.
    """
    if call is None or not kernel.is_user_written:
        return {}, ()
    names = [name for name, kind in kernel.signature.items() if kind != "constexpr"]
    given = dict(zip(names, call.arguments, strict=False))
    known = {name: int(text) for name, text in given.items() if text.isdecimal()}
    fixed = kernel.inductor_meta.get("fixed_grid")
    blocks = call.arguments[-len(fixed) :] if isinstance(fixed, list) and fixed else ()
    return known, tuple(map(int, blocks)) if all(map(str.isdecimal, blocks)) else ()
