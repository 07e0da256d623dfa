"""What the source of a Triton kernel says of it: the arguments of its heuristics."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping

from inspector.features.kernels.literals import value_of

_MODULE = "triton_heuristics."


@dataclasses.dataclass(frozen=True, slots=True)
class Heuristics:
    """The decorator of a kernel (torch/_inductor/runtime/triton_heuristics.py, 2.11 to 2.13).

    Attributes:
        kind: Its name: ``pointwise``, ``reduction``, ``persistent_reduction``, ``template``, …
        size_hints: Size by the name of the index.
    """

    name: str = ""
    kind: str = ""
    size_hints: Mapping[str, int] = dataclasses.field(default_factory=dict)
    signature: Mapping[str, str] = dataclasses.field(default_factory=dict)
    inductor_meta: Mapping[str, object] = dataclasses.field(default_factory=dict)
    options: Mapping[str, object] = dataclasses.field(default_factory=dict)


def read_heuristics(source: str) -> Heuristics:
    """Reads the decorator; an empty one where there is none, or where it is no Python."""
    try:
        module = ast.parse(source)
    except (SyntaxError, MemoryError, RecursionError):
        return Heuristics()
    for function in module.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        for decorator in function.decorator_list:
            name = ast.unparse(decorator.func) if isinstance(decorator, ast.Call) else ""
            if name.startswith(_MODULE) and isinstance(decorator, ast.Call):
                found = _heuristics(name.removeprefix(_MODULE), decorator)
                return dataclasses.replace(found, name=function.name)
    return Heuristics()


def _heuristics(kind: str, call: ast.Call) -> Heuristics:
    values = {item.arg: value_of(item.value) for item in call.keywords if item.arg}
    hints = _mapping(values.pop("size_hints", {}))
    meta = _mapping(values.pop("triton_meta", {}))
    inductor_meta = _mapping(values.pop("inductor_meta", {}))
    values.pop("filename", None)
    others = {name: value for name, value in meta.items() if name != "signature"}
    return Heuristics(
        kind=kind,
        size_hints={name: size for name, size in hints.items() if isinstance(size, int)},
        signature={name: str(kind) for name, kind in _mapping(meta.get("signature")).items()},
        inductor_meta=inductor_meta,
        options={**values, "triton_meta": others},
    )


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
