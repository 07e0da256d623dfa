"""docs/rules/*.md out of the rules' docstrings: ``python -m tests.rule_docs [--regenerate]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from inspector.findings.rule import Rule
from inspector.plugins import load_analyses

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "rules"


def pages() -> dict[str, str]:
    """Text by file name: one page per rule, and their list."""
    rules: list[Rule] = [module.RULE for module in load_analyses()]
    index = ["# Rules", "", "| rule | severity | |", "| --- | --- | --- |"]
    index += [f"| [{r.id}]({r.id}.md) | {r.severity.value} | {r.title()} |" for r in rules]
    return {"README.md": "\n".join(index) + "\n"} | {f"{r.id}.md": _page(r) for r in rules}


def _page(rule: Rule) -> str:
    lines = [f"# {rule.id}", "", f"{rule.title()} (severity: {rule.severity.value})."]
    for title, body in rule.sections().items():
        lines += ["", f"## {title}", "", body.replace("::\n", ":\n")]
    return "\n".join(lines).replace("``", "`") + "\n"


def main() -> int:
    """Writes the pages, or says which differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--regenerate", action="store_true")
    if parser.parse_args().regenerate:
        FOLDER.mkdir(exist_ok=True)
        for name, text in pages().items():
            (FOLDER / name).write_text(text)
        return 0
    stale = [name for name, text in pages().items() if (FOLDER / name).read_text() != text]
    print("\n".join(f"docs/rules/{name} is stale" for name in stale))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
