"""The source text that a recording carries."""

import ast

import pytest

from inspector.run.source import Sources

TEXT = """\
import x

@decorated
class A:
    y = 1
    if y:
        def f(self):
            z = [lambda: 0]
            class B:
                async def g(self): ...
            return z
    try:
        pass
    except ValueError:
        def h(): ...

def last(): ...
"""


def sources(text: str, first: int = 1, *, file: str = "a.py") -> Sources:
    return Sources({file: dict(enumerate(text.split("\n"), first))}, frozenset({file}))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (1, "<module>"),
        (3, "A"),
        (5, "A"),
        (7, "A.f"),
        (8, "A.f"),
        (9, "A.f.B"),
        (10, "A.f.B.g"),
        (11, "A.f"),
        (15, "A.h"),
        (16, "<module>"),
        (17, "last"),
        (99, "<module>"),
    ],
)
def test_the_function_or_class_around_a_line(line: int, name: str) -> None:
    assert sources(TEXT).qualname("a.py", line) == name


@pytest.mark.parametrize("text", ["def f(:", "a\0b", "(" * 5000, "-" * 100_000 + "1"])
def test_what_is_no_python_has_no_names(text: str) -> None:
    assert sources(text).qualname("a.py", 1) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f(): ...", 1),
        ("@a\n@b(\n    1,\n)\n# why\n\nasync  def f(): ...\ndef g(): ...", 7),
        ("    @a\n    # why\n    class A: ...", 3),
        ("@a", 1),
    ],
)
def test_the_definition_after_its_decorators(text: str, line: int) -> None:
    assert sources(text).definition_line("a.py", 1) == line


def test_a_long_chain_of_branches_has_names() -> None:
    chain = "if a: pass\n" + "elif b: pass\n" * 500 + "def f(): ..."

    assert sources(chain).qualname("a.py", 502) == "f"


def test_a_function_has_its_own_line_numbers() -> None:
    text = "    def f(self):\n        return self"
    known = Sources(
        {"a.py": dict(enumerate(text.split("\n"), 7))}, functions={"a.py": (range(7, 9),)}
    )
    found = known.function("a.py", 8)
    assert found is not None
    (function,) = [node for node in ast.walk(ast.parse(found)) if isinstance(node, ast.FunctionDef)]
    assert (function.lineno, function.end_lineno, function.col_offset) == (7, 8, 4)
    assert known.function("a.py", 9) is None
    assert known.function("b.py", 8) is None


def test_of_two_functions_the_inner_one_is_given() -> None:
    text = "def f():\n    def g():\n        return 1\n    return g"
    ranges = (range(1, 5), range(2, 4))
    known = Sources({"a.py": dict(enumerate(text.split("\n"), 1))}, functions={"a.py": ranges})
    assert known.function("a.py", 3) == "if True:\n    def g():\n        return 1"
    assert known.function("a.py", 4) == text


def test_no_lines_are_made_up_for_a_damaged_number() -> None:
    far = 10**12
    known = Sources({"a.py": {far: "def f(): ..."}}, functions={"a.py": (range(far, far + 1),)})
    assert known.function("a.py", far) is None
