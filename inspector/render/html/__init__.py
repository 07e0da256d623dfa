"""The page: one offline HTML file with everything that is known about a recording."""

import dataclasses
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

from inspector.features.compile_time.report import ColdStartReport
from inspector.features.diff.report import DiffReport
from inspector.features.kernels.binary.sass import read_ptx_lines, sass_lines
from inspector.features.kernels.kernel_build_wording import shortest
from inspector.features.kernels.report import KernelRow, KernelsReport
from inspector.render.html.data import FormTexts, Json, KernelTexts, page_data
from inspector.render.html.document import document
from inspector.render.html.flame import flames
from inspector.report.page import Page
from inspector.run.run import Run
from inspector.run.source import Sources
from inspector.shared.roots import Roots

# Where Triton is installed is nobody else's business.
_SITE_PACKAGES = re.compile(r'(?<=[\s"\[])/[^\s"]*/site-packages/')
_WITH_VIEWS = frozenset({"cold-start", "diff", "explain", "graph", "guards", "kernels", "profile"})


def write_page(reports: Iterable[tuple[str, Json, Page | None, object]], stream: TextIO) -> None:
    """Writes reports of one run as one HTML file: of each its kind, its JSON, its page, itself."""
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
            pages[kind] = {"findings": report.get("findings", []), **_page_fields(page)}
        if isinstance(itself, KernelsReport):
            texts = {row.kernel.name: found for row in itself.rows if (found := _texts(row))}
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


def _texts(row: KernelRow) -> FormTexts:
    """What a kernel was compiled to, in the configuration with the shortest predicted time."""
    facts = row.facts
    if facts is None or not facts.build.configs:
        return {}
    chosen = shortest(facts)
    config = chosen.config if chosen else facts.build.configs[0]
    files = {form: config.text(form) for form in ("ttgir", "ptx", "sass")}
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


def _page_fields(page: Page) -> dict[str, Any]:
    """The blocks, each with the name of its type; findings are in the JSON of the report."""
    return {
        "kind": page.kind,
        "headline": page.headline,
        "summary": list(page.summary),
        "sections": [
            {"title": section.title, "blocks": _fields(section.blocks)} for section in page.sections
        ],
        "notes": [list(note) for note in page.notes],
        "next_steps": list(page.next_steps),
    }


def _fields(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named = {
            item.name: _fields(getattr(value, item.name)) for item in dataclasses.fields(value)
        }
        return {"type": type(value).__name__, **named}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_fields(item) for item in value]
    return value
