"""The table with the programs of all modules: importing these fills it."""

from __future__ import annotations

from tests.compile.recompiles import (
    attributes,
    dicts,
    failing,
    functions,
    instances,
    mixed,
    modules,
    nearest,
    objects,
    sizes,
    spelled,
    state,
    tensors,
    values,
    views,
    written,
)
from tests.compile.recompiles.table import PROGRAMS

__all__ = ["PROGRAMS"]

_FILLED_BY = (
    attributes, dicts, failing, functions, instances, mixed, modules, nearest, objects, sizes,
    spelled, state, tensors, values, views, written,
)  # fmt: skip
