"""The page: one offline HTML file with everything that is known about a recording."""

import base64
import dataclasses
import hashlib
import html
import importlib.resources
import re
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

import orjson

from inspector.features.compile_time.report import ColdStartReport
from inspector.features.diff.report import DiffReport
from inspector.features.kernels.binary.sass import read_ptx_lines, sass_lines
from inspector.features.kernels.kernel_build_wording import shortest
from inspector.features.kernels.report import KernelRow, KernelsReport
from inspector.render.html.data import Data, FormTexts, Json, KernelTexts, page_data
from inspector.render.html.strings import Strings
from inspector.report.compile_names import SpanNames, lane_names
from inspector.report.json.encode import cleaned
from inspector.report.page import Page
from inspector.run.lanes import Lane
from inspector.run.run import Run
from inspector.run.source import Sources
from inspector.shared.roots import Roots

# Where Triton is installed is nobody else's business.
_SITE_PACKAGES = re.compile(r'(?<=[\s"\[])/[^\s"]*/site-packages/')
_WITH_VIEWS = frozenset({"cold-start", "diff", "explain", "graph", "guards", "kernels", "profile"})
_TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="app"><noscript>This page needs JavaScript; it loads nothing.</noscript></div>
{chunks}
<script>{script}</script>
</body>
</html>
"""
_MOST_SPANS = 4_000
"""Of a lane; the shortest are left out."""


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
        if isinstance(itself, DiffReport) and page is not None:
            fields[kind] = {**report, "sections": _page_fields(page)["sections"]}
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


def document(data: Data, title: str) -> str:
    """The page as one HTML file.

    The policy lets nothing run but the app, and nothing be loaded: neither by the app nor by text
    that was recorded.
    """
    script, style = _bundled("app.js"), _bundled("app.css")
    policy = (
        "default-src 'none'; "
        f"script-src 'sha256-{_digest(script)}'; style-src 'sha256-{_digest(style)}'; "
        "img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'"
    )
    chunks = "\n".join(
        f'<script type="application/octet-stream" id="chunk-{name}">{_packed(value)}</script>'
        for name, value in {"index": data.index, **data.chunks}.items()
    )
    return _TEMPLATE.format(
        policy=policy, title=html.escape(title), style=style, chunks=chunks, script=script
    )


def _packed(value: object) -> str:
    """Deflated JSON in base 64, which no recorded text can end."""
    return base64.b64encode(zlib.compress(orjson.dumps(cleaned(value)), 9)).decode()


def _bundled(name: str) -> str:
    folder = importlib.resources.files("inspector.render.html") / "bundle"
    return folder.joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def flames(run: Run) -> list[dict[str, Any]]:
    """One flame graph for each lane of each process; none where spans were not kept.

    Returns:
        Times are in µs since the first span of the process; ``name``, ``stage`` and ``compile_id``
        are places in ``texts``.
    """
    found = []
    for process, titles in zip(run.processes, lane_names(run), strict=True):
        names = SpanNames(run, process)
        origin_ns = min((lane.begins_ns[0] for lane in process.lanes), default=0)
        found += [
            {"title": title, **_columns(lane, names, origin_ns)}
            for title, lane in zip(titles, process.lanes, strict=True)
        ]
    return found


def _columns(lane: Lane, names: SpanNames, origin_ns: int) -> dict[str, Any]:
    lengths = sorted(map(int.__sub__, lane.ends_ns, lane.begins_ns), reverse=True)
    least_ns = lengths[_MOST_SPANS] if len(lengths) > _MOST_SPANS else -1
    texts = Strings()
    columns: dict[str, Any] = {
        key: [] for key in ("begin", "length", "depth", "name", "stage", "compile_id")
    }
    ends_ns: list[int] = []
    for span in lane.spans():
        if span.end_ns - span.begin_ns <= least_ns:
            continue
        while ends_ns and ends_ns[-1] <= span.begin_ns:
            ends_ns.pop()
        columns["begin"].append((span.begin_ns - origin_ns) // 1000)
        columns["length"].append((span.end_ns - span.begin_ns) // 1000)
        columns["depth"].append(len(ends_ns))
        columns["name"].append(texts.number(names.name(span)))
        columns["stage"].append(texts.number(span.stage))
        columns["compile_id"].append(texts.number(span.compile_id))
        ends_ns.append(span.end_ns)
    return {**columns, "texts": texts.texts(), "left_out": len(lane) - len(columns["begin"])}
