"""What kernels were compiled to, where a report compiled them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from inspector.features.kernels.binary.sass import read_ptx_lines, sass_lines
from inspector.features.kernels.kernel_build_wording import shortest
from inspector.features.kernels.report import KernelRow, KernelsReport

KernelTexts: TypeAlias = dict[str, dict[str, tuple[str, Sequence[tuple[int, int]]]]]
"""By kernel, its texts by form, each with pairs of a line and the source line it comes from."""

# Where Triton is installed is nobody else's business.
_SITE_PACKAGES = re.compile(r'(?<=[\s"\[])/[^\s"]*/site-packages/')
_FORMS = ("ttgir", "ptx", "sass")


def kernel_texts(report: KernelsReport) -> KernelTexts:
    """The texts of each compiled kernel, of the configuration with the shortest predicted time."""
    return {row.kernel.name: found for row in report.rows if (found := _texts(row))}


def _texts(row: KernelRow) -> dict[str, tuple[str, Sequence[tuple[int, int]]]]:
    facts = row.facts
    if facts is None or not facts.build.configs:
        return {}
    chosen = shortest(facts)
    config = chosen.config if chosen else facts.build.configs[0]
    files = {form: config.text(form) for form in _FORMS}
    texts = {
        form: Path(facts.build.folder, file).read_text(encoding="utf-8")
        for form, file in files.items()
        if file is not None
    }
    ptx = read_ptx_lines(texts.get("ptx", ""))
    lines = {"ptx": ptx.instructions, "sass": sass_lines(texts.get("sass", ""), ptx.callers)}
    return {
        form: (_SITE_PACKAGES.sub("", text), lines.get(form, ())) for form, text in texts.items()
    }
