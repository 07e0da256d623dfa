"""What kernels were compiled to, where a report compiled them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from inspector.findings.kernel_build_wording import shortest
from inspector.findings.kernels_report import KernelRow, KernelsReport

KernelTexts: TypeAlias = dict[str, dict[str, str]]
"""By kernel, its texts by form."""

_FORMS = ("ttgir", "ptx", "sass")


def kernel_texts(report: KernelsReport) -> KernelTexts:
    """The texts of each compiled kernel, of the configuration with the shortest predicted time."""
    return {row.kernel.name: found for row in report.rows if (found := _texts(row))}


def _texts(row: KernelRow) -> dict[str, str]:
    facts = row.facts
    if facts is None or not facts.build.configs:
        return {}
    chosen = shortest(facts)
    config = chosen.config if chosen else facts.build.configs[0]
    files = {form: config.text(form) for form in _FORMS}
    return {
        form: Path(facts.build.folder, file).read_text(encoding="utf-8")
        for form, file in files.items()
        if file is not None
    }
