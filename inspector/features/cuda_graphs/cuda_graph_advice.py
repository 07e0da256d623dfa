"""What to do where torch makes no CUDA graph, or makes one again."""

import dataclasses
import functools
import re
from pathlib import Path


@dataclasses.dataclass(frozen=True, slots=True)
class Advice:
    """What a reason means, and what helps."""

    title: str
    why: str
    fix: str
    alternatives: tuple[str, ...] = ()


# `total.add_(x)`, `self.cache.copy_(y)`, `buffer[i] = y`, `total += x`.
_IN_PLACE = re.compile(
    r"(?P<name>[A-Za-z_][\w.]*)(?:\.[a-z]\w*_\(|(?:\[[^\]]*\])+\s*(?:[-+*/@|&]|//)?=[^=]|"
    r"\s*(?:[-+*/@|&]|//)=)"
)
_UNKNOWN = Advice("unknown reason", "", "")


@functools.cache
def _known() -> dict[str, Advice]:
    """The advice of ``cuda_graph_skips.md`` by the expression for torch's words."""
    page = Path(__file__).with_name("cuda_graph_skips.md").read_text(encoding="utf-8")
    found = {}
    for section in page.split("\n## ")[1:]:
        reason, *paragraphs = (" ".join(text.split()) for text in section.strip().split("\n\n"))
        title, why, fix, *others = paragraphs
        found[reason] = Advice(title, why, fix, tuple(others))
    return found


def skip_advice(reason: str, line: str = "") -> Advice:
    """What is known of a reason; of one that nobody knows, that."""
    found = next((advice for text, advice in _known().items() if re.search(text, reason)), _UNKNOWN)
    changed = _IN_PLACE.search(line)
    name = changed["name"] if changed else "x"
    return dataclasses.replace(
        found,
        fix=found.fix.replace("{name}", name),
        alternatives=tuple(text.replace("{name}", name) for text in found.alternatives),
    )
