"""Writes the gallery, the pictures of the README, and pictures of every view of a page.

python benchmarks/page_screenshots.py pictures/               # the gallery and the README's, too
python benchmarks/page_screenshots.py pictures/ report.html   # of these pages alone

Views are taken light and dark, 1280 by 800 and 390 by 844.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

_ROOT = Path(__file__).parents[1]
_GALLERY, _IMAGES = _ROOT / "docs" / "gallery", _ROOT / "docs" / "images"
_SIZES = {"wide": (1280, 800), "narrow": (390, 844)}
_PAGES = {
    "graph_breaks": "report samples/graph_breaks/h200-inference.zip",
    "bert_base": "report samples/bert_base/h200-inference.zip",
    "transformer_block": "report samples/transformer_block/h200-inference.zip --compile",
    "compare": "diff samples/transformer_block/h200-inference.zip"
    " samples/transformer_block/h200-graphs-training.zip",
}
# Of the README: the page, the view, and what is clicked.
_PICTURES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "overview": ("graph_breaks", "overview", ()),
    "code": ("bert_base", "code", (".source .line >> nth=13", ".node:has-text('addmm_1')")),
    "graphs": ("bert_base", "graphs", ()),
    "kernels": (
        "transformer_block", "kernel-0",
        ("button:has-text('SASS')", ".linked .line:has-text('tmp0 = tl.load')"),
    ),
    "compile": ("graph_breaks", "compile", ()),
    "compare": ("compare", "compare", ()),
}  # fmt: skip


def main() -> None:
    """One PNG for each view, size and color scheme."""
    folder, pages = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    with sync_playwright() as play:
        program = shutil.which("chromium")
        browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        if not pages:
            pages = _written()
            _readme(browser)
        for page in pages:
            _views(browser, page, folder / page.stem)
        browser.close()


def _written() -> list[Path]:
    _GALLERY.mkdir(exist_ok=True)
    for name, arguments in _PAGES.items():
        command = [sys.executable, "-m", "inspector.cli", *arguments.split()]
        command += ["-o", str(_GALLERY / f"{name}.html")]
        subprocess.run(command, check=True, cwd=_ROOT, capture_output=True)
    return sorted(_GALLERY.glob("*.html"))


def _readme(browser: Browser) -> None:
    for image, (name, view, clicks) in _PICTURES.items():
        page = _opened(browser, _GALLERY / f"{name}.html", "wide", "light", view)
        for selector in clicks:
            page.locator(selector).first.click()
        page.mouse.move(0, 0)
        page.wait_for_timeout(400)
        file = _IMAGES / f"page-{image}.png"
        page.screenshot(path=file)
        Image.open(file).convert("RGB").quantize(128).save(file, optimize=True)
        page.close()


def _views(browser: Browser, file: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        for size in _SIZES:
            page = _opened(browser, file, size, scheme)
            links = page.locator("nav[aria-label=Views] a")
            for number in range(links.count()):
                links.nth(number).click()
                page.wait_for_timeout(400)
                name = links.nth(number).inner_text().lower().replace(" ", "-")
                page.screenshot(path=folder / f"{name}.{size}.{scheme}.png")
            page.close()


def _opened(browser: Browser, file: Path, size: str, scheme: str, view: str = "") -> Page:
    width, height = _SIZES[size]
    viewport = {"width": width, "height": height}
    page = browser.new_page(viewport=viewport, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{file.resolve().as_uri()}#{view}")
    page.wait_for_selector("main h1")
    return page


if __name__ == "__main__":
    main()
