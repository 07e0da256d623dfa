"""More programs for the advice than its pages show, by its id: programs/<id>.md."""

from __future__ import annotations

import re
from pathlib import Path

_PROGRAM = re.compile(
    r"^## ([^\n]+)\n(?:(?!## |```)[^\n]*\n)*```python\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


def _programs(title: str) -> dict[str, tuple[str, ...]]:
    """The programs below a title."""
    pages = sorted((Path(__file__).parent / "programs").glob("*.md"))
    found = {page.stem: _PROGRAM.findall(page.read_text(encoding="utf-8")) for page in pages}
    return {
        name: tuple(text for above, text in programs if above == title)
        for name, programs in found.items()
    }


VARIANTS = _programs("Breaks in the same way")
"""What is to be mended in the same way, among it what comes of hints of torch that do not help."""
_AFTER = _programs("After")
PAIRS = {
    name: tuple(zip(befores, _AFTER[name], strict=True))
    for name, befores in _programs("Before").items()
}
"""Before and after, for what one would not expect: what writes in place, odd shapes, NaN."""
