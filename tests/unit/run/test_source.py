"""The source text that a recording carries."""

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
