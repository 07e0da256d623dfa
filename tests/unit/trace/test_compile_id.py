"""Compile ids in torch's spelling."""

import pytest

from inspector.trace.compile_id import CompileId


@pytest.mark.parametrize(
    ("compile_id", "text"),
    [(CompileId(0, 1), "0/1"), (CompileId(0, 1, 2), "!2/0/1"), (CompileId(None, None, 3), "!3")],
)
def test_text_and_back(compile_id: CompileId, text: str) -> None:
    assert str(compile_id) == text
    assert CompileId.parse(text) == compile_id


@pytest.mark.parametrize("text", ["", "None", "0", "a/b", "!", "0/1/2"])
def test_what_is_no_compile_id(text: str) -> None:
    assert CompileId.parse(text) is None
