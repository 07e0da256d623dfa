"""What is on Python's stack behind an expression, against what Python itself leaves there."""

import pytest

from inspector.report.user_code.reading import Span, read_text
from inspector.report.user_code.stack_values import stack_values

FUNCTION = "def f(x, n, d, broken):\n{body}\n"


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("return broken()", ["broken()"]),
        ("return x * n + broken()", ["(x * n)", "broken()"]),
        ("return add(x[:n], broken() * n, alpha=n)", ["add", "x[:n]", "broken()"]),
        ("return add(x, alpha=n, beta=broken())", ["add", "x", "n", "broken()"]),
        ("d.append(broken())", ["d.append", "broken()"]),
        ("t = (n, n * 2, broken(), x)", ["n", "(n * 2)", "broken()"]),
        ("t = [n, *x, broken()]", []),
        ("x[0] += n * broken()", ["x", "0", "x[0]", "n", "broken()"]),
        ("x.y += broken()", ["x", "x.y", "broken()"]),
        ("x += broken()", ["x", "broken()"]),
        ("x[n : broken()] = 0", []),  # the value of an assignment comes before its target
        ("return x[n : broken()]", ["x", "n", "broken()"]),
        ("return 0 < n < broken()", ["n", "broken()"]),
        ("return n if broken() else x", ["broken()"]),
        ("for i in x: d[i](broken())", ["", "d[i]", "broken()"]),
        ("for i in broken(): pass", ["broken()"]),
        ("with a, b: x = n + broken()", ["", "", "n", "broken()"]),
        ("with a, b(broken()): pass", ["", "b", "broken()"]),
        ("try: x = n + broken()\n  except E: pass", ["n", "broken()"]),
        ("try: pass\n  except E: x = n + broken()", []),
        ("return {n: broken()}", []),
        ("return add(**d, k=broken())", []),
        ("return [broken() for i in x]", []),
        ("return lambda: broken()", ["broken()"]),
    ],
)
def test_the_operands_before_and_the_result(body: str, values: list[str]) -> None:
    text = FUNCTION.format(body=f"  {body}")
    before = text[: text.index("broken()")]
    line, column = before.count("\n") + 1, len(before.rpartition("\n")[2])
    code = read_text(text, Span(line, line, column, column + len("broken()")))

    assert list(stack_values(code)) == values
