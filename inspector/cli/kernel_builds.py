"""Compiles the kernels of a report, with a line of progress."""

import dataclasses
import sys
from pathlib import Path

from inspector import plugins
from inspector.cli.progress import StatusLine
from inspector.errors import EnvironmentLacksError, UsageError
from inspector.features.kernels.binary.run import compile_kernels
from inspector.features.kernels.kernel_build_wording import shortest
from inspector.features.kernels.kernels_compiled import compilable, with_builds
from inspector.features.kernels.report import KernelRow, KernelsReport

TEXTS = ("ttir", "ttgir", "llir", "ptx", "sass")
"""What a compiled kernel can be shown as."""


def compiled(
    report: KernelsReport, *, python: str | None, progress: bool, only: str = ""
) -> KernelsReport:
    """Compiles the kernels, or ``only`` one, for the GPU that their code is for; analyses them."""
    # A candidate is compiled if it is asked for alone.
    rows = [
        row
        for row in compilable(report, candidates=bool(only))
        if not only or row.kernel.name == only
    ]
    if not rows:
        return report
    with StatusLine(enabled=progress) as line:
        builds = list(
            compile_kernels(
                [(row.kernel.name, row.kernel.source) for row in rows],
                python=python or sys.executable,
                on_progress=lambda done, of, name: line.show(
                    f"compiling kernels: {done} of {of} configurations · {name}"
                ),
            )
        )
    rules, rules_of_all = plugins.load_rules("kernel"), plugins.load_rules("kernels")
    return with_builds(report, builds, rules, rules_of_all)


def compiled_if_possible(
    report: KernelsReport, *, python: str | None, progress: bool
) -> KernelsReport:
    """The report with compiled kernels; without Triton it is what it was, and says so."""
    try:
        return compiled(report, python=python, progress=progress)
    except EnvironmentLacksError as error:
        notice = f"the kernels were not compiled: {error}"
        return dataclasses.replace(report, notices=(*report.notices, notice))


def text_of(row: KernelRow, kind: str) -> str:
    """One text of a compiled kernel: of the configuration with the shortest predicted time."""
    facts = row.facts
    if facts is None or not facts.build.configs:
        language = "C++" if row.kernel.language == "cpp" else row.kernel.language
        why = facts.build.error if facts else f"it is a {language} kernel"
        message = f"{row.kernel.name} was not compiled: {why.strip().partition(chr(10))[0]}."
        raise UsageError(message, "Show its source: --as source.")
    chosen = shortest(facts)
    config = chosen.config if chosen else facts.build.configs[0]
    file = config.text(kind)
    if file is None:
        there = [name for name, _ in config.texts]
        step = f"Try --as {' or --as '.join(there)}." if there else "Show its source: --as source."
        raise UsageError(f"{row.kernel.name} has no {kind}: {config.error.rstrip('.')}.", step)
    return Path(facts.build.folder, file).read_text(encoding="utf-8")
