"""Parts of the code that stands in every exported kernel, taken out of it and run."""

from __future__ import annotations

import ast
from importlib.resources import files
from typing import Any

import torch


def functions(*names: str) -> dict[str, Any]:
    text = files("inspector.features.kernels.exported").joinpath("harness.txt").read_text("utf-8")
    wanted = [node for node in ast.parse(text).body if getattr(node, "name", "") in names]
    assert len(wanted) == len(names)
    found: dict[str, Any] = {"torch": torch}
    exec(compile(ast.Module(wanted, []), "harness.txt", "exec"), found)  # noqa: S102 - our own text
    return found


def test_a_value_that_was_padded_is_larger_than_the_buffer() -> None:
    shaped = functions("places_of", "shaped")["shaped"]
    buffer = torch.arange(6.0).view(3, 2)
    assert shaped(buffer, (4, 2), (2, 1)).tolist() == [[0, 1], [2, 3], [4, 5], [0, 0]]
    assert shaped(buffer, (2, 3), (1, 2)).tolist() == [[0, 2, 4], [1, 3, 5]]
    assert shaped(buffer, (0, 3), (3, 1)).shape == (0, 3)
