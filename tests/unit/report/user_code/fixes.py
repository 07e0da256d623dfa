"""The fix of an advice for a piece of code, as a user would get it."""

import ast
import re
import textwrap

from inspector.features.breaks.advice.table import ALL
from inspector.report.user_code.reading import Span, read_text

BY_ID = {advice.id: advice for advice in ALL}


def fix(name: str, body: str, expression: str) -> str:
    """The fix for an expression in the body of a function, and the general one as an empty text."""
    text = "def forward(self, x, y, flag):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    before, found, _ = text.partition(expression)
    assert found
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
    ends = text.count("\n", 0, len(before) + len(expression)) + 1
    last = len(expression) if ends == line else 0
    code = read_text(text, Span(line, ends, column, column + last))
    advice = BY_ID[name]
    said = advice.fix_for(code)
    if said == advice.fix:
        return ""
    for part in re.findall(r"`([^`]+)`", said):
        whole = f"{part} pass" if part.endswith(":") else part
        ast.parse(whole if "return " not in part else f"def f():\n    {part}")
    return said
