"""Code in sentences: what is held together on a line, and set as code."""

import pytest

from inspector.report.code_spans import code_spans

CASES = [
    (
        "Write a = a.to(torch.float32); b = b.half() before the call at conv.py:5.",
        ["a = a.to(torch.float32); b = b.half()", "conv.py:5"],
    ),
    (
        "variable first: batch = {'ids': torch.ones(1, 8), 'm': x}. Call f(batch['m'], 0) and",
        ["batch = {'ids': torch.ones(1, 8), 'm': x}", "f(batch['m'], 0)"],
    ),
    ("torch's own (8 by default), or the user's. It isn't (pad the input), e.g. 2.13.", []),
    (
        "switched off (NO_COMPILE, torch.compiler.disable).",
        ["NO_COMPILE", "torch.compiler.disable"],
    ),
    ("Compile with torch.compile(…, dynamic=True): all.", ["torch.compile(…, dynamic=True)"]),
    ("""SOURCES="L['a b']['c'],L['x']" in it""", ["""SOURCES="L['a b']['c'],L['x']\""""]),
    ("Hoist the choice out of Model.forward: name is", ["Model.forward"]),
    ("config.limit = 16 before it", ["config.limit = 16"]),
    ("Call f(x (which never closes and so on", []),
    ("0/1: 'a' → 'b' (cache entry 0/0)", []),
    ("", []),
    ("f(x, 1), g(y).", ["f(x, 1)", "g(y)"]),
]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_what_is_code(text: str, wanted: list[str]) -> None:
    assert [text[start:end] for start, end in code_spans(text)] == wanted


def test_a_long_text_is_read_in_linear_time() -> None:
    for text in ("name (" * 20_000, "x" * 100_000, "a.b" * 30_000, "'" * 50_000):
        assert not [*code_spans(text)]
