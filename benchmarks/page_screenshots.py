"""Takes a picture of every view of a page, light and dark, wide and narrow.

python benchmarks/page_screenshots.py report.html pictures/
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

_SIZES = {"wide": (1280, 800), "narrow": (390, 844)}


def main() -> None:
    """One PNG for each view, size and color scheme."""
    file, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        program = shutil.which("chromium")
        browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            for size, (width, height) in _SIZES.items():
                page = browser.new_page(
                    viewport={"width": width, "height": height}, color_scheme=scheme
                )
                page.goto(file.as_uri())
                page.wait_for_selector("main h1")
                links = page.locator("nav[aria-label=Views] a")
                for number in range(links.count()):
                    links.nth(number).click()
                    page.wait_for_timeout(400)
                    name = links.nth(number).inner_text().lower().replace(" ", "-")
                    page.screenshot(path=folder / f"{name}.{size}.{scheme}.png")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
