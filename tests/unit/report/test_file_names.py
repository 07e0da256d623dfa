"""Files have the shortest names that tell them apart."""

from __future__ import annotations

from inspector.report.file_names import line_texts, short_names
from inspector.run.kernel import NodeLine


def test_a_name_that_is_there_once_is_enough() -> None:
    assert short_names(["/p/a/model.py", "/p/b/layers.py", "/p/a/model.py"]) == {
        "/p/a/model.py": "model.py",
        "/p/b/layers.py": "layers.py",
    }


def test_equal_names_have_as_much_of_the_path_as_tells_them_apart() -> None:
    assert short_names(["/p/a/x/model.py", "/p/b/x/model.py", "/q/c/model.py", "model.py"]) == {
        "/p/a/x/model.py": "a/x/model.py",
        "/p/b/x/model.py": "b/x/model.py",
        "/q/c/model.py": "c/model.py",
        "model.py": "model.py",
    }
    assert short_names([]) == {}


def test_places_have_their_text_once() -> None:
    lines = [NodeLine("x", "/p/a.py", 3, "x = 1"), NodeLine("y", "/p/a.py", 3, "x = 1")]
    assert line_texts(lines, {"/p/a.py": "a.py"}) == (("a.py:3", "x = 1"),)
    assert line_texts(lines, {}, {("/p/a.py", 3): "y"}) == (("/p/a.py:3", "y"),)
