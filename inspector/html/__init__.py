"""The page: one offline HTML file with everything that is known about a recording."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TextIO

from inspector.findings.cold_start import ColdStartReport
from inspector.findings.diff_report import DiffReport
from inspector.findings.kernels_report import KernelsReport
from inspector.html.data import Json, page_data
from inspector.html.document import document
from inspector.html.flame import flames
from inspector.html.kernel_texts import KernelTexts, kernel_texts
from inspector.html.page_fields import page_fields
from inspector.model.roots import Roots
from inspector.model.run import Run
from inspector.model.source import Sources
from inspector.pages.page import Page

__all__ = ["write_page"]

_WITH_VIEWS = frozenset({"cold-start", "diff", "explain", "graph", "guards", "kernels", "profile"})


def write_page(reports: Iterable[tuple[str, Json, Page | None, object]], stream: TextIO) -> None:
    """Writes reports of one run as one HTML file.

    Args:
        reports: The kind of each report, its JSON, its page, and itself.
        stream: Where it is written to.
    """
    fields: dict[str, Json] = {}
    pages: dict[str, Json] = {}
    sources, roots, title, headline = Sources(), Roots(), "report", ""
    texts: KernelTexts = {}
    lanes: list[Json] = []
    for kind, report, page, itself in reports:
        fields[kind] = report
        if kind == "explain" and page is not None:
            headline = page.headline
        if page is not None and kind not in _WITH_VIEWS:
            pages[kind] = {"findings": report.get("findings", []), **page_fields(page)}
        if isinstance(itself, KernelsReport):
            texts = kernel_texts(itself)
        if isinstance(itself, ColdStartReport):
            lanes = flames(itself.run)
        if isinstance(itself, DiffReport):
            lanes = [
                {**lane, "title": f"{letter}: {lane['title']}"}
                for letter, side in zip("AB", (itself.before, itself.after), strict=True)
                for lane in flames(side.run)
            ]
        run = getattr(itself, "run", None)
        if isinstance(run, Run):
            sources, roots, title = run.sources, run.roots, run.meta.target or run.meta.name
    data = page_data(fields, pages, texts, (sources, roots))
    data.index.update(title=title, headline=headline)
    chunks = {**data.chunks, **({"flame": lanes} if lanes else {})}
    stream.write(document(dataclasses.replace(data, chunks=chunks), title))
