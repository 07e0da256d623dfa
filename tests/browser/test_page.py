"""Pages in a real browser: every view, the chain from a line to a kernel, keyboard, and text."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.report import every_report
from inspector.plugins import fields, render_html, report_kind
from inspector.render.html import write_page
from inspector.run.sources.recording import opened as open_recording
from inspector.run.sources.recording import read_run
from tests.browser.conftest import GALLERY

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
expect = pytest.importorskip("playwright.sync_api").expect

_SERIOUS = {"serious", "critical"}
Pages = Callable[[str], Path]
Opened = Callable[..., Any]


@pytest.mark.parametrize("name", sorted(GALLERY))
def test_every_view_opens(name: str, pages: Pages, opened: Opened) -> None:
    page = opened(pages(name), color_scheme="dark" if name == "bert_base" else "light")
    links = page.locator("nav[aria-label=Views] a")
    assert links.count() >= 6
    for number in range(links.count()):
        links.nth(number).click()
        page.wait_for_selector("main h1, main h2")
        expect(page.locator("main")).not_to_contain_text("Loading")
        assert page.locator("main").inner_text().strip()


def test_a_line_leads_to_its_nodes_its_kernel_and_its_time(pages: Pages, opened: Opened) -> None:
    page = opened(pages("bert_base"))
    page.locator("section[aria-labelledby=lines] a").first.click()
    chosen = page.locator(".selection")
    for text in ("modeling_bert.py:348", "graph nodes", "kernel launches", "µs"):
        expect(chosen).to_contain_text(text)
    expect(page.locator(".node.on").first).to_be_visible()
    expect(page.locator(".source .line.on")).to_have_count(1)


def test_a_kernel_leads_to_its_lines_and_nodes(pages: Pages, opened: Opened) -> None:
    page = opened(pages("bert_base"))
    page.get_by_role("link", name="Kernels", exact=True).click()
    page.locator("tbody a", has_text="gelu").first.click()
    page.get_by_role("button", name="Show next to source and graph").click()
    expect(page.locator(".node.on").first).to_be_visible()
    expect(page.locator(".source .line.on").first).to_be_visible()


@pytest.mark.parametrize("hash_", ["break-3", "kernel-2", "graph-0-4", "guards"])
def test_deep_links_open_what_they_name(hash_: str, pages: Pages, opened: Opened) -> None:
    page = opened(pages("graph_breaks"))
    page.goto(page.url.partition("#")[0] + f"#{hash_}")
    seen = {"break-3": "#break-3", "kernel-2": "tr.chosen", "graph-0-4": "aside", "guards": "h1"}
    expect(page.locator(seen[hash_]).first).to_be_visible()


def test_search_finds_and_opens_by_keyboard(pages: Pages, opened: Opened) -> None:
    page = opened(pages("bert_base"))
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog[open] input")
    page.keyboard.type("gelu")
    page.wait_for_selector("dialog li")
    page.keyboard.press("Enter")
    expect(page.locator("tr.chosen th")).to_contain_text("gelu")


def test_the_list_of_a_large_graph_draws_what_is_seen(pages: Pages, opened: Opened) -> None:
    page = opened(pages("bert_base"))
    page.get_by_role("link", name="Graphs", exact=True).click()
    page.wait_for_selector(".node")
    assert page.locator(".node").count() < 100
    page.locator(".nodes").evaluate("e => e.scrollTop = e.scrollHeight")
    page.wait_for_selector(".node.output")


def test_a_narrow_screen_scrolls_in_one_direction(pages: Pages, opened: Opened) -> None:
    page = opened(pages("bert_base"), viewport={"width": 390, "height": 844})
    for view in ("overview", "code", "graphs", "kernels", "guards", "compile", "memory"):
        page.evaluate(f"location.hash = '{view}'")
        page.wait_for_timeout(150)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


_RUNS = "window.hit = 1"
_HOSTILE = (
    f"<script>{_RUNS}</script>",
    f"</script><script>{_RUNS}</script>",
    f"<img src=x onerror='{_RUNS}'>",
    f"<svg onload='{_RUNS}'>",
    "<iframe src=//a.example>",
    f"'\"><script>{_RUNS}</script>",
    "'><b>bold</b>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    f"javascript:{_RUNS}",
    f"<a href='javascript:{_RUNS}'>x</a>",
    "&lt;b&gt;",
    "&#x3c;b&#x3e;",
    "<style>*{display:none}</style>",
    "<link rel=stylesheet href=//a.example>",
    "<base href=//a.example>",
    "<meta http-equiv=refresh content='0;url=//a.example'>",
    "<form action=//a.example>",
    f"${{{_RUNS}}}",
    "{{constructor.constructor('window.hit=1')()}}",
    f"`{_RUNS}`",
    "\x00\x01\x1b[31m",
    "\u202eabc",
    "\ud83d",
    f"<math><mi//xlink:href='data:x,<script>{_RUNS}</script>'>",
    "%3Cscript%3E",
    f"<template><script>{_RUNS}</script></template>",
    "a" * 5_000,
)
_TEXTS = {
    "after", "because", "before", "change", "code", "comment", "context", "detail", "explanation",
    "fix", "function", "guard", "message", "module", "name", "now", "path", "reason", "source",
    "target", "text", "title", "why",
}  # fmt: skip


def _hostile(value: Any, texts: Iterator[str], key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _hostile(item, texts, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_hostile(item, texts, key) for item in value]
    return f"{value} {next(texts)}" if isinstance(value, str) and key in _TEXTS else value


def test_recorded_text_runs_nothing_and_is_no_markup(tmp_path: Path, opened: Opened) -> None:
    texts = itertools.cycle(_HOSTILE)
    file = tmp_path / "hostile.html"
    with open_recording(GALLERY["graph_breaks"]) as recording, file.open("w") as stream:
        run = read_run(recording, explains_recompiles=True)
        reports = list(every_report(run))
        made = [(report_kind(item), _hostile(fields(item), texts), None, run) for item in reports]
        write_page(made, stream)
    page = opened(file)
    views = ("overview", "code", "graphs", "kernels", "guards", "compile", "memory", "kernel-1")
    markup = "main :is(script, img, iframe, style, link, base, form, template, b b)"
    for view in views:
        page.evaluate(f"location.hash = '{view}'")
        page.wait_for_timeout(200)
        assert page.evaluate("window.hit") is None
        assert page.locator(markup).count() == 0
    page.evaluate("location.hash = 'overview'")
    page.wait_for_selector(".verdict")
    assert "<script>" in page.locator("main").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    scheme: str, pages: Pages, compared: Path, opened: Opened
) -> None:
    def serious() -> list[str]:
        violations = axe.Axe().run(page).response["violations"]
        return [item["id"] for item in violations if item["impact"] in _SERIOUS]

    page = opened(compared, color_scheme=scheme, bypass_csp=True)
    page.locator("button.name").first.click()
    assert serious() == []
    page = opened(pages("graph_breaks"), color_scheme=scheme, bypass_csp=True)
    found = []
    for view in ("overview", "line-0-20", "graph-0-2", "kernel-1", "guards", "compile", "memory"):
        page.evaluate(f"location.hash = '{view}'")
        page.wait_for_timeout(300)
        found += [(view, item) for item in serious()]
    assert found == []


def test_a_comparison_has_settings_findings_and_kernels(compared: Path, opened: Opened) -> None:
    page = opened(compared)
    titles = page.locator("main h2").all_inner_texts()
    assert titles[:4] == [
        "Settings that differ", "Totals", "Findings", "Graphs (captured graphs)",
    ]  # fmt: skip
    assert titles.count("Kernels") == 1
    expect(page.locator("section", has_text="Settings that differ").first).to_contain_text("train")
    expect(page.locator(".kind", has_text="Gone")).to_contain_text("5 findings")
    name = page.locator("table.sorted tbody th").first
    before = name.inner_text()
    page.get_by_role("button", name="Time A").click()
    expect(name).not_to_have_text(before)
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Time A")
    page.locator("button.name").first.click()
    expect(page.locator("tr.below")).to_contain_text("@triton.jit")


def test_spans_of_compilation_zoom_and_are_walked_by_keyboard(pages: Pages, opened: Opened) -> None:
    page = opened(pages("graph_breaks"))
    page.evaluate("location.hash = 'compile'")
    spans = page.locator(".flame > div")
    expect(spans.filter(has_text="0/0 forward")).to_be_visible()
    whole = spans.count()
    spans.filter(has_text="4/0").click()
    expect(spans).not_to_have_count(whole)
    expect(page.locator(".told")).to_contain_text("compilation 4/0")
    page.locator(".flame").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".told")).to_contain_text("entire_frame_compile")
    page.get_by_role("button", name="Zoom out").click()
    expect(spans).to_have_count(whole)


def test_memory_is_drawn_as_measured_or_as_an_estimate(
    pages: Pages, opened: Opened, tmp_path: Path
) -> None:
    page = opened(pages("training_step"))
    page.evaluate("location.hash = 'memory'")
    expect(page.locator("main h1")).to_contain_text("of eager")
    expect(page.locator(".curve")).to_have_count(2)
    page.locator(".plot").hover()
    expect(page.locator(".cursor")).to_have_count(1)
    file = tmp_path / "graphs.html"
    with open_recording(GALLERY["bert_base"]) as recording, file.open("w") as stream:
        reports = every_report(read_run(recording))
        render_html([item for item in reports if report_kind(item) != "profile"], stream)
    page = opened(file)
    page.evaluate("location.hash = 'memory'")
    expect(page.locator("main")).to_contain_text("An estimate")


def test_reasons_for_what_is_not_fused_are_reached_by_keyboard(
    pages: Pages, opened: Opened
) -> None:
    page = opened(pages("bert_base"))
    page.get_by_role("link", name="Graphs", exact=True).click()
    page.get_by_role("button", name="Why not fused").press("Enter")
    page.locator(".apart-list button").first.press("Enter")
    expect(page.locator(".apart-list li.on")).to_contain_text("is a library call")
    expect(page.locator(".edge.apart.on")).to_have_count(1)


def test_a_line_of_a_kernel_marks_its_instructions(pages: Pages, opened: Opened) -> None:
    page = opened(pages("transformer_block"))
    page.goto(f"{page.url}#kernel-0")
    page.get_by_role("button", name="SASS").click()
    source, instructions = (page.locator(".linked .rows").nth(number) for number in range(2))
    instructions.locator(".line", has_text="LDC.64 R2").first.click()
    expect(source.locator(".line.on")).to_contain_text("tmp0 = tl.load")
    source.locator(".line", has_text="tmp24 = tl.load").click()
    expect(instructions.locator(".line.on").first).to_be_visible()
    page.locator("details.configs summary").click()
    expect(page.locator("details.configs tbody")).to_contain_text("XBLOCK=")
