"""Pages of the samples, and a browser to open them with; without one, these tests are skipped."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path("samples")
GALLERY = {
    "graph_breaks": SAMPLES / "graph_breaks" / "h200-inference.zip",
    "bert_base": SAMPLES / "bert_base" / "h200-inference.zip",
    "transformer_block": SAMPLES / "transformer_block" / "h200-inference.zip",
    "training_step": SAMPLES / "training_step" / "h200-training.zip",
}


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Writes a page once, by the name of its sample."""
    folder = tmp_path_factory.mktemp("pages")

    def page(name: str) -> Path:
        file = folder / f"{name}.html"
        if not file.exists():
            options = ["--compile"] if name == "transformer_block" else []
            _inspect("report", str(GALLERY[name]), *options, "-o", str(file))
        return file

    return page


@pytest.fixture(scope="session")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two recordings that differ in settings, findings and kernels."""
    file = tmp_path_factory.mktemp("compared") / "diff.html"
    before, after = GALLERY["graph_breaks"], SAMPLES / "training_step" / "h200-training.zip"
    _inspect("diff", str(before), str(after), "-o", str(file))
    return file


def _inspect(*arguments: str) -> None:
    command = [sys.executable, "-m", "inspector.cli", *arguments]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    playwright = pytest.importorskip("playwright.sync_api")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a file; a message on the console, or an error, fails the test."""
    found: list[str] = []
    contexts = []

    def open_page(file: Path, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: found.append(message.text))
        page.on("pageerror", lambda error: found.append(str(error)))
        page.on("request", lambda request: _of_page(request.url, found))
        page.goto(file.resolve().as_uri())
        page.wait_for_selector("main h1")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert found == []


def _of_page(url: str, found: list[str]) -> None:
    if not url.startswith(("file:", "data:")):
        found.append(f"loads {url}")
