"""The memory of a call, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.memory_wording import (
    memory_facts,
    memory_gains,
    memory_lines,
    others,
)
from inspector.findings.profiled import Profiled
from inspector.renderers.markdown.markup import cell, prose

_MOST_ROWS = 30


def memory_markdown(found: Profiled) -> Iterator[str]:
    """What a call allocates."""
    use = found.memory
    if use is None:
        return
    yield "### Memory"
    yield ""
    for label, text in memory_facts(use):
        yield f"- {prose(label)}: {prose(text)}"
    yield ""
    for title, call in (("at the peak", use.compiled), ("in eager", use.eager)):
        rows = memory_lines(call) if call is not None else []
        if not rows:
            continue
        yield f"| {title} | share | | | lines |"
        yield "|--:|--:|:--|:--|:--|"
        for row in rows[:_MOST_ROWS]:
            places = ", ".join(place for place, _ in row.places)
            texts = row.size, f"{row.share:.1%}", row.what, row.detail, places
            yield "| " + " | ".join(map(cell, texts)) + " |"
        rest = others(rows, _MOST_ROWS)
        if rest:
            yield f"| … {rest}, in the JSON report | | | | |"
        yield ""
    gains = list(memory_gains(use))
    if gains:
        yield "| could be saved (estimate) | because | fix |"
        yield "|--:|:--|:--|"
        for gain in gains:
            yield "| " + " | ".join(map(cell, gain)) + " |"
        yield ""
