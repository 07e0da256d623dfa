"""Pages of the rules and the advice: ``python -m tests.rule_docs [FOLDER]`` writes them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from inspector.features.breaks.advice.advice import Advice
from inspector.features.breaks.advice.table import ALL
from inspector.plugins import load_all_rules
from inspector.report.rule import Rule
from inspector.report.wording import versions

_ADVICE = (
    "What is advised on a graph break, with a program that breaks and the same program mended.",
    "`tests/compile/advice_child.py` runs both: the first breaks with one of the ids, the second",
    "has no graph break, computes the same (values, gradients, dtypes, shapes) and writes the",
    "same.",
)
_HINTS = (
    "## Hints of torch that do not hold",
    "",
    "Tried on torch 2.11 to 2.13; the advice leaves them out, or says what they cost.",
    "",
    "- GB0059, `reorderable_logging_functions`: `print` of a shape or a list breaks the graph",
    "  still (GB0296); tensors, numbers and text do not.",
    "- GB0109, an integer tensor for `tolist()`: breaks the graph still (GB0033).",
    "- GB0253, `enable_faithful_generator_behavior`: a generator from outside breaks it still.",
    "- GB0007, `dont_skip_tracing`: `random.choice` and the like break it still.",
    "- GB0291, `ignore_logging_functions`: no break, and the record is lost.",
    "- GB0014, `allow_rnn`: no break, and training then fails to compile.",
)
_FOLDER = Path(__file__).resolve().parents[1] / "docs" / "rules"


def pages() -> dict[str, str]:
    """Text by file name: one page per rule and per advice, and their list."""
    rules = load_all_rules()
    index = ["# Rules", "", "| rule | severity | |", "| --- | --- | --- |"]
    index += [f"| [{r.id}]({r.id}.md) | {r.severity.value} | {r.title()} |" for r in rules]
    index += ["", "## Advice on graph breaks", "", *_ADVICE, "", "| advice | | graph breaks |"]
    index += ["| --- | --- | --- |"]
    index += [f"| [{a.id}](advice/{a.id}.md) | {_cell(a.title)} | {_ids(a)} |" for a in ALL]
    index += ["", *_HINTS]
    texts = {"README.md": "\n".join(index) + "\n"} | {f"{r.id}.md": _page(r) for r in rules}
    return texts | {f"advice/{a.id}.md": _advice_page(a) for a in ALL}


def _ids(advice: Advice) -> str:
    return ", ".join(kind.gb_id for kind in advice.kinds)


def _cell(text: str) -> str:
    """Text in a cell of a table: names with underscores are no emphasis."""
    return text.replace("_", "\\_").replace("|", "\\|")


def _advice_page(advice: Advice) -> str:
    name, _, rest = advice.title.partition(" ")
    # A name of code at the beginning stays as it is.
    title = f"{name.capitalize() if name.isalpha() else name} {rest}".rstrip()
    lines = [f"# {advice.id}", "", f"{_cell(title)}."]
    if advice.other_way_of:
        ways = " and ".join(f"[{name}]({name}.md)" for name in advice.other_way_of)
        lines += ["", f"Another way than {ways}."]
    lines += ["", *(f"- {kind.gb_id} {_cell(kind.gb_type)}" for kind in advice.kinds)]
    lines += ["", "## What to do", "", advice.fix]
    lines += ["", "## Before", "", "```python", advice.before.rstrip(), "```"]
    lines += ["", "## After", "", "```python", advice.after.rstrip(), "```"]
    lines += ["", "## What it keeps", "", advice.keeps]
    lines += ["", f"Tested on torch {versions(advice.tested_on)}."]
    return "\n".join(lines) + "\n"


def _page(rule: Rule[Any, Any]) -> str:
    lines = [f"# {rule.id}", "", f"{rule.title()} (severity: {rule.severity.value})."]
    for title, body in rule.sections().items():
        lines += ["", f"## {title}", "", body.replace("::\n", ":\n")]
    return "\n".join(lines).replace("``", "`") + "\n"


def main() -> None:
    """Writes the pages."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else _FOLDER
    (folder / "advice").mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
