"""Inputs as a person writes them on the command line: ``--input 'ids=i64[1,128]<30522'``.

The grammar (white space is allowed between tokens)::

    input    = [ NAME "=" ] value
    value    = tensor | "true" | "false" | "none" | number | string | list | tuple | dict
    tensor   = DTYPE "[" [ size { "," size } ] "]" [ "<" limit ]
    list     = "[" [ value { "," value } [ "," ] ] "]"
    tuple    = "(" [ value "," [ value { "," value } [ "," ] ] ] ")"
    dict     = "{" [ key ":" value { "," key ":" value } [ "," ] ] "}"
    key      = NAME | string | integer
    string   = as in Python, in single or double quotes
    number   = an integer or a decimal, as in Python: 3, -1, 0.5, 1e-5

``f32[]`` is a tensor without dimensions. ``<limit`` gives random whole numbers from 0 to below the
limit, which an embedding's size asks for; without it they are 0 or 1. Floating-point tensors
are drawn from the standard normal distribution, booleans are even odds. Dtypes are spelled as in
`inspector.shared.dtypes`, and torch's own names are understood. ``True``, ``False`` and ``None``
are understood too.

With a name, an input is a keyword argument; without one, it is the next positional argument.
"""

from __future__ import annotations

import dataclasses
import keyword
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from inspector.shared.dtypes import DType


@dataclasses.dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor to be filled with random elements."""

    dtype: DType
    shape: tuple[int, ...]
    limit: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class ValueSpec:
    """A plain Python value."""

    value: bool | float | str | None


@dataclasses.dataclass(frozen=True, slots=True)
class SequenceSpec:
    """A list, or a tuple, of inputs."""

    items: tuple[Spec, ...]
    is_tuple: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class MappingSpec:
    """A dict of inputs."""

    items: tuple[tuple[str | int, Spec], ...]


Spec: TypeAlias = TensorSpec | ValueSpec | SequenceSpec | MappingSpec


@dataclasses.dataclass(frozen=True, slots=True)
class InputSpec:
    """One ``--input``.

    Attributes:
        name: The keyword argument it is for, or None for the next positional one.
    """

    name: str | None
    value: Spec


def describe(spec: InputSpec | Spec) -> str:
    """The text that `inspector.shared.input_parser.parse_input` reads as `spec`."""
    match spec:
        case InputSpec(name, value):
            return describe(value) if name is None else f"{name}={describe(value)}"
        case TensorSpec(dtype, shape, limit):
            below = "" if limit is None else f"<{limit}"
            return f"{dtype.name}[{','.join(map(str, shape))}]{below}"
        case SequenceSpec(items, is_tuple):
            inside = ", ".join(map(describe, items))
            comma = "," if len(items) == 1 else ""
            return f"({inside}{comma})" if is_tuple else f"[{inside}]"
        case MappingSpec(items):
            pairs = (f"{_describe_key(key)}: {describe(value)}" for key, value in items)
            return "{" + ", ".join(pairs) + "}"
        case ValueSpec(bool() | None as value):
            return str(value).lower()
        case ValueSpec(value):
            return repr(value)


def _describe_key(key: str | int) -> str:
    if isinstance(key, str) and key.isascii() and key.isidentifier():
        return repr(key) if keyword.iskeyword(key) else key
    return repr(key)
