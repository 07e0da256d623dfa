"""The table with the programs of all modules: importing these fills it."""

from __future__ import annotations

import importlib

from tests.compile.recompiles.table import PROGRAMS

__all__ = ["PROGRAMS"]

for _name in (
    "attributes", "dicts", "failing", "functions", "instances", "mixed", "modules", "nearest",
    "objects", "sizes", "spelled", "state", "tensors", "values", "views", "written",
):  # fmt: skip
    importlib.import_module(f"tests.compile.recompiles.{_name}")
