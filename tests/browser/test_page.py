"""Pages in a real browser: every view, the chain from a line to a kernel, keyboard, and text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import GALLERY

Pages = Callable[[str], Path]
Opened = Callable[..., Any]


@pytest.mark.parametrize("name", sorted(GALLERY))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_opens(name: str, scheme: str, pages: Pages, opened: Opened) -> None:
    page = opened(pages(name), color_scheme=scheme)
    links = page.locator("nav[aria-label=Views] a")
    assert links.count() >= 6
    for number in range(links.count()):
        links.nth(number).click()
        page.wait_for_selector("main h1, main h2")
        assert page.locator("main").inner_text().strip()
        assert "Loading" not in page.locator("main").inner_text()


def test_a_line_leads_to_its_nodes_its_kernel_and_its_time(pages: Pages, opened: Opened) -> None:
    page = opened(pages("bert_base"))
    page.locator("section[aria-labelledby=lines] a").first.click()
    chosen = page.locator(".selection").inner_text()
    assert "modeling_bert.py:348" in chosen
    assert "graph nodes" in chosen
    assert "kernel launches" in chosen
    assert "µs" in chosen
    assert page.locator(".node.on").count() > 0
    assert page.locator(".source .line.on").count() == 1


def test_a_node_leads_to_its_line_and_its_kernel(pages: Pages, opened: Opened) -> None:
    page = opened(pages("graph_breaks"))
    page.get_by_role("link", name="Code", exact=True).click()
    page.locator(".node", has_text="relu").first.click()
    assert page.locator(".source .line.on").count() == 1
    assert "relu" in page.locator(".source .line.on code").inner_text()
    kernel = page.locator("select[aria-label=Kernel]")
    assert "relu" in kernel.evaluate("e => e.selectedOptions[0].textContent")
    assert page.locator("section[aria-label=Kernel] .line").count() > 3


def test_a_kernel_leads_to_its_lines_and_nodes(pages: Pages, opened: Opened) -> None:
    page = opened(pages("bert_base"))
    page.get_by_role("link", name="Kernels", exact=True).click()
    page.locator("tbody a", has_text="gelu").first.click()
    page.get_by_role("button", name="Show next to source and graph").click()
    page.wait_for_selector(".node.on")
    assert page.locator(".source .line.on").count() >= 1


def test_a_finding_leads_to_its_line(pages: Pages, opened: Opened) -> None:
    page = opened(pages("graph_breaks"))
    page.locator("#break-1 .meta a").click()
    assert page.url.rpartition("#")[2].startswith("line-")
    assert "print" in page.locator(".source .line.on code").inner_text()
    assert page.locator(".source .line.on .mark.break").count() == 1


@pytest.mark.parametrize("hash_", ["break-3", "kernel-2", "graph-0-4", "guards"])
def test_deep_links_open_what_they_name(hash_: str, pages: Pages, opened: Opened) -> None:
    page = opened(pages("graph_breaks"))
    page.goto(page.url.partition("#")[0] + f"#{hash_}")
    page.wait_for_timeout(200)
    seen = {"break-3": "#break-3", "kernel-2": "tr.chosen", "graph-0-4": "aside", "guards": "h1"}
    assert page.locator(seen[hash_]).first.is_visible()


def test_search_finds_and_opens_by_keyboard(pages: Pages, opened: Opened) -> None:
    page = opened(pages("bert_base"))
    page.keyboard.press("Control+k")
    page.keyboard.type("gelu")
    page.wait_for_selector("dialog li")
    page.keyboard.press("Enter")
    page.wait_for_selector("tr.chosen")
    assert "gelu" in page.locator("tr.chosen th").inner_text()


def test_arrow_keys_walk_the_nodes(pages: Pages, opened: Opened) -> None:
    page = opened(pages("graph_breaks"))
    page.get_by_role("link", name="Code", exact=True).click()
    page.locator(".node").nth(2).click()
    before = page.locator(".node[aria-selected=true] .node-name").inner_text()
    page.locator(".nodes").focus()
    page.keyboard.press("ArrowDown")
    after = page.locator(".node[aria-selected=true] .node-name").inner_text()
    assert before != after


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


def test_it_prints(pages: Pages, opened: Opened, tmp_path: Path) -> None:
    page = opened(pages("graph_breaks"))
    page.emulate_media(media="print")
    assert not page.locator("header.top").is_visible()
    page.pdf(path=tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").stat().st_size > 10_000
