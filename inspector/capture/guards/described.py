"""Values of the program in a few words, for what a failed guard looks at.

No ``__repr__``, property or ``__getattr__`` of the program is called.
"""

from __future__ import annotations

import collections
import enum
import re
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch

from inspector.records.recompiles import SeenValue, TensorFacts
from inspector.shared.units import with_article

_MOST_TEXT = 80
# Classes that hold torch's functions and the methods of tensors, and that nobody writes.
_TORCH_OWN = re.compile(r"^(?:_VariableFunctionsClass\.|(?=TensorBase\.))")
_MOST_KEYS = 16
_CONSTANTS = (int, float, complex, bytes, torch.dtype, torch.device, torch.layout,
              torch.memory_format, range, slice)  # fmt: skip
_SETS = (set, frozenset)
_CONTAINERS: tuple[Any, ...] = (list, tuple, dict, *_SETS, collections.deque)
_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType,
              types.MethodDescriptorType, types.WrapperDescriptorType)  # fmt: skip
KNOWN_BY_ADDRESS = frozenset({"enum", "function", "class"})
"""Kinds of objects that guards know by their address, and that have a name."""


def described(value: Any) -> SeenValue:
    """A value in a few words; what is no plain value is named by its type."""
    kind, text = next(
        (kind, str(show(value))) for kind, fits, show in _KINDS if fits(value)
    )  # the last fits all
    container = next((kind for kind in _CONTAINERS if isinstance(value, kind)), None)
    is_tensor = type(value) in {torch.Tensor, torch.nn.Parameter}
    return SeenValue(
        type=_type_name(type(value)),
        kind=kind,
        text=text,
        keys=_keys(value) if isinstance(value, dict) else (),
        length=None if container is None else container.__len__(value),
        tensor=_tensor_facts(value) if is_tensor else None,
        identity=str(id(value)) if kind in KNOWN_BY_ADDRESS else "",
    )


def _keys(value: dict[Any, Any]) -> tuple[str, ...]:
    keys = list(dict.keys(value))[:_MOST_KEYS]
    are_simple = all(type(key) in {str, int, bool} for key in keys)
    return tuple(repr(key)[:_MOST_TEXT] for key in keys) if are_simple else ()


def _tensor_facts(value: Any) -> TensorFacts:
    """What ``TENSOR_MATCH`` looks at (torch/csrc/dynamo/guards.cpp)."""
    try:
        strides = tuple(value.stride())
    except RuntimeError:  # a sparse tensor has none
        strides = ()
    keys = str(torch._C._dispatch_keys(value))  # noqa: SLF001 - what torch's guards print
    return TensorFacts(
        type=type(value).__name__,
        keys=tuple(keys.partition("(")[2].rpartition(")")[0].split(", ")),
        dtype=str(value.dtype),
        device_index=value.device.index,
        requires_grad=bool(value.requires_grad),
        size=tuple(value.shape),
        stride=strides,
    )


def _set_text(value: Any) -> str:
    """A set of plain items as Python shows it; of any other the number of its items."""
    items = list(_SETS[isinstance(value, frozenset)].__iter__(value))
    if len(items) > _MOST_KEYS or any(type(item) not in _PLAIN for item in items):
        return str(len(items))
    shown = ", ".join(sorted(map(repr, items)))
    text = f"{{{shown}}}" if items else "set()"
    return _cut(f"frozenset({text})" if isinstance(value, frozenset) else text)


def _type_name(kind: type) -> str:
    module, name = kind.__module__, kind.__qualname__
    return name if module == "builtins" else f"{module}.{name}"


def _function_text(value: Any) -> str:
    inner = getattr(value, "__func__", value)
    name = _TORCH_OWN.sub("torch.", getattr(inner, "__qualname__", type(value).__name__))
    code = getattr(inner, "__code__", None)
    return f"{name} {_code_place(code)}" if isinstance(code, types.CodeType) else str(name)


def _code_place(code: types.CodeType) -> str:
    file = code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"({file}:{code.co_firstlineno})"


def _short(value: object) -> str:
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"


def _member_text(value: Any) -> str:
    """``Mode.TRAIN``; of a flag without a name its number: ``Pass(0)``."""
    name = value._name_
    kind = type(value).__name__
    return f"{kind}({value._value_!r})" if name is None else f"{kind}.{name}"


def _fits(kinds: type | tuple[type, ...]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kinds)


def _exactly(kinds: Sequence[type]) -> Callable[[object], bool]:
    return lambda value: type(value) in kinds


_KINDS: tuple[tuple[str, Callable[[object], bool], Callable[[Any], object]], ...] = (
    ("none", lambda value: value is None, str),
    ("enum", _fits(enum.Enum), _member_text),
    ("bool", _exactly((bool,)), repr),
    ("int", _exactly((int,)), _short),
    ("float", _exactly((float,)), repr),
    ("str", _exactly((str,)), _short),
    ("constant", _exactly(_CONSTANTS), _short),
    ("function", _fits(FUNCTIONS), _function_text),
    ("function", _fits(types.CodeType), lambda value: f"{value.co_qualname} {_code_place(value)}"),
    ("class", _fits(type), _type_name),
    (
        "tensor",
        _exactly((torch.Tensor, torch.nn.Parameter)),
        lambda value: f"a tensor of {str(value.dtype).removeprefix('torch.')}{list(value.shape)}",
    ),
    ("module", _fits(torch.nn.Module), lambda value: with_article(_type_name(type(value)))),
    ("container", _fits(_SETS), _set_text),
    *(("container", _fits(kind), kind.__len__) for kind in _CONTAINERS),
    ("object", lambda _value: True, lambda value: with_article(_type_name(type(value)))),
)
