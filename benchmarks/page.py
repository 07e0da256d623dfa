"""How fast a page opens and answers, and what tlparse makes of the same recording.

Run it with the pages' recordings::

    python benchmarks/page.py samples/bert_base/h200-inference.zip big.zip

Headless Chromium opens each page from the disk several times. *First content* is when the overview
has its headline; *interactions* are pinning a line, choosing another graph, and a search, each
until the browser has drawn.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from zipfile import ZipFile

from playwright.sync_api import Page, sync_playwright

_OPENED = 7
_FIRST = "document.querySelector('main h1') !== null"
# Two frames: the first draws what the event changed.
_INTERACTION = """async (act) => {
  const start = performance.now();
  eval(act);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - start;
}"""
_ACTIONS = {
    "pin": "location.hash = location.hash === '#graph-0-40' ? '#graph-0-60' : '#graph-0-40'",
    "switch": "(() => { const s = document.querySelector('select[aria-label=Graph]');"
    " s.selectedIndex = (s.selectedIndex + 1) % s.options.length;"
    " s.dispatchEvent(new Event('change', { bubbles: true })); })()",
    "search": "(() => { const key = { key: 'k', ctrlKey: true };"
    " document.dispatchEvent(new KeyboardEvent('keydown', key));"
    " const i = document.querySelector('dialog input');"
    " i.value = i.value === 'cos' ? 'sin' : 'cos';"
    " i.dispatchEvent(new Event('input', { bubbles: true })); })()",
}


def main() -> None:
    """Prints one row for each recording."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recordings", nargs="+", type=Path)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=asked.chromium, args=["--no-sandbox"])
        for recording in asked.recordings:
            file = Path(folder, f"{recording.stem}.html")
            begun = time.monotonic()
            command = [sys.executable, "-m", "inspector.cli", "report", str(recording)]
            command += ["-o", str(file)]
            subprocess.run(command, check=True, capture_output=True)
            row = {
                "recording": str(recording),
                "recording_bytes": recording.stat().st_size,
                "page_bytes": file.stat().st_size,
                "written_s": round(time.monotonic() - begun, 2),
                **_browsed(browser.new_page, file),
                "tlparse": _tlparse(recording, Path(folder, "tlparse")),
            }
            print(json.dumps(row, indent=2))
        browser.close()


def _browsed(new_page: object, file: Path) -> dict[str, object]:
    opened = []
    for _ in range(_OPENED):
        page: Page = new_page(bypass_csp=True)  # type: ignore[operator]
        begun = time.monotonic()
        page.goto(file.as_uri())
        page.wait_for_function(_FIRST)
        opened.append((time.monotonic() - begun) * 1e3)
        if len(opened) < _OPENED:
            page.close()
    page.evaluate("location.hash = '#code'")
    page.wait_for_selector(".node")
    times = {
        name: statistics.median(page.evaluate(_INTERACTION, act) for _ in range(_OPENED))
        for name, act in _ACTIONS.items()
    }
    return {
        "first_content_ms": round(statistics.median(opened)),
        "interaction_ms": {name: round(ms, 1) for name, ms in times.items()},
    }


def _tlparse(recording: Path, folder: Path) -> dict[str, object] | None:
    """Files, bytes and seconds of tlparse's output, where it is installed."""
    program = shutil.which("tlparse")
    if program is None:
        return None
    unpacked = folder / "log"
    with ZipFile(recording) as archive:
        archive.extractall(unpacked)
    log = max(unpacked.rglob("*.log"), key=lambda path: path.stat().st_size)
    begun = time.monotonic()
    output = folder / "output"
    command = [program, "--no-browser", "--overwrite", str(log), "-o", str(output)]
    done = subprocess.run(command, check=False, capture_output=True)
    files = [path for path in output.rglob("*") if path.is_file()]
    return {
        "exit_code": done.returncode,
        "files": len(files),
        "bytes": sum(path.stat().st_size for path in files),
        "seconds": round(time.monotonic() - begun, 2),
    }


if __name__ == "__main__":
    main()
