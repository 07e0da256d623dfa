"""Reasons against a fusion that have a sentence of ours are in the installed torch."""

import ast
import functools
import importlib
import re
from pathlib import Path

import pytest
import torch

from inspector.features.graph.reasons import KNOWN, Reason

SETTING = re.compile(r"torch\._inductor\.config\.(\w+(?:\.\w+)*)")


def test_every_reason_is_in_torchs_sources() -> None:
    folder = Path(torch.__file__).parent / "_inductor"
    texts = {
        node.value
        for name in ("scheduler.py", "choices.py", "codegen/simd.py")
        for node in ast.walk(ast.parse((folder / name).read_text("utf-8")))
        if isinstance(node, ast.Constant)
    }
    assert KNOWN.keys() - texts == set()


@pytest.mark.parametrize("reason", KNOWN.values())
def test_every_setting_that_is_named_is_there(reason: Reason) -> None:
    config = importlib.import_module("torch._inductor.config")
    for name in SETTING.findall(f"{reason.sentence} {reason.change}"):
        functools.reduce(getattr, name.split("."), config)
