"""The page: one offline HTML file with everything that is known about a recording."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TextIO

from inspector.features.compile_time.report import ColdStartReport
from inspector.features.diff.report import DiffReport
from inspector.features.kernels.report import KernelsReport
from inspector.render.html.data import Json, page_data
from inspector.render.html.document import document
from inspector.render.html.flame import flames
from inspector.render.html.kernel_texts import KernelTexts, kernel_texts
from inspector.render.html.page_fields import page_fields
from inspector.report.page import Page
from inspector.run.run import Run
from inspector.run.source import Sources
from inspector.shared.roots import Roots

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
