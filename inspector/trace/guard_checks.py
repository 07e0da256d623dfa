"""What a guard checks, typed, out of the code that torch prints for it.

The forms are those of ``GuardBuilder`` (torch/_dynamo/guards.py, 2.11 and 2.13). A guard of another
form, or of a kind that is not listed, keeps its text (`OtherCheck`).
"""

import ast
import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from inspector.records.recompiles import SeenValue, TensorFacts

_INT = r"-?\d{1,19}"
_SIZES = rf"\[((?:(?:{_INT}|None)(?:, )?)*)\]"
_TENSOR = re.compile(
    r"check_tensor\((?P<source>.*), (?P<type>[^,\s]+), DispatchKeySet\((?P<keys>[^)]*)\), "
    rf"(?P<dtype>torch\.\w+), device=(?P<device>None|\d+), requires_grad=(?P<grad>True|False), "
    rf"size={_SIZES}, stride={_SIZES}\)",
    re.DOTALL,
)
# Where no line of the program is known, torch's comment is the hint alone.
_OF_TYPE = r"type=(?P<type>.*?)(?: \(HINT: [^()]*\))?"
_TYPE = re.compile(rf"___check_type_id\(.*, (?P<id>\d+)\), {_OF_TYPE}", re.DOTALL)
_ID = re.compile(rf"___check_obj_id\(.*, (?P<id>\d+)\), {_OF_TYPE}", re.DOTALL)
_LENGTH = re.compile(r"len\(.*\) == (?P<length>\d{1,18})", re.DOTALL)
_CONTAINS = re.compile(
    r"(?P<not>not )?(?:___dict_contains\((?P<key>.*), [^,]*\)"
    r"|set\.__contains__\([^,]*, (?P<item>.*)\))",
    re.DOTALL,
)
_HASATTR = re.compile(r"(?P<not>not )?hasattr\(.*, '(?P<attribute>\w+)'\)(?P<false> == False)?")
_PARTS = re.compile(r", (?![^\[]*\])")  # a shape is one
_STATE = "___check_global_state() against "
_MARK = re.compile(r"_dynamo_\w+_indices|_dynamo_shape_ids|_dynamo_unbacked_bounds")


@dataclasses.dataclass(frozen=True, slots=True)
class EqualsCheck:
    """A Python value, whose type must be the same too."""

    text: str
    is_literal: bool = False
    value: object = None


@dataclasses.dataclass(frozen=True, slots=True)
class TypeCheck:
    """The exact class of a value."""

    type: str
    id: str


@dataclasses.dataclass(frozen=True, slots=True)
class IdCheck:
    """One certain object.

    Attributes:
        type: Its class (2.13), or its repr (2.11).
    """

    type: str
    id: str
    seen: SeenValue | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class LengthCheck:
    """How many items a container has."""

    length: int


@dataclasses.dataclass(frozen=True, slots=True)
class ContainsCheck:
    """Whether a dict or set has an item, or an object an attribute.

    Attributes:
        item: The repr of the key, or the attribute's name.
    """

    item: str
    expected: bool


@dataclasses.dataclass(frozen=True, slots=True)
class MarkCheck:
    """Whether a tensor has been marked (``mark_dynamic`` and the like)."""

    marks: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class RelationCheck:
    """A relation of sizes, strides or numbers, as a Python expression over sources."""

    expression: str


@dataclasses.dataclass(frozen=True, slots=True)
class AliasCheck:
    """That tensors are different ones.

    Attributes:
        text: What torch prints; empty for all but the first tensor.
    """

    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class GlobalStateCheck:
    """The state of the thread: grad mode, autocast, default dtype, number of threads, ….

    Attributes:
        state: The values by torch's names (``GlobalStateGuard`` in torch/csrc/dynamo/guards.cpp).
    """

    state: Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class OtherCheck:
    """Anything else."""

    text: str


Check: TypeAlias = (
    TensorFacts
    | EqualsCheck
    | TypeCheck
    | IdCheck
    | LengthCheck
    | ContainsCheck
    | MarkCheck
    | RelationCheck
    | AliasCheck
    | GlobalStateCheck
    | OtherCheck
)
_Reader: TypeAlias = Callable[[str, str], Check | None]


def parse_check(kind: str, code: str, source: str) -> Check:
    """What a guard checks."""
    reader = _READERS.get(kind)
    found = reader(code, source) if reader else None
    return found or OtherCheck(code)


def check_parts(code: str) -> list[str]:
    """``num_threads=2`` for each part of the global state; of other checks what commas separate."""
    state = _state(code, "")
    if isinstance(state, GlobalStateCheck):
        return [f"{name}={value}" for name, value in state.state.items()]
    return _PARTS.split(code)


def _tensor(code: str, _source: str) -> Check | None:
    match = _TENSOR.fullmatch(code)
    if match is None:
        return None
    return TensorFacts(
        type=match["type"],
        keys=tuple(key for key in match["keys"].split(", ") if key),
        dtype=match["dtype"],
        device_index=None if match["device"] == "None" else int(match["device"]),
        requires_grad=match["grad"] == "True",
        size=_sizes(match[match.re.groups - 1]),
        stride=_sizes(match[match.re.groups]),
    )


def _sizes(text: str) -> tuple[int | None, ...]:
    return tuple(
        None if item == "None" else int(item) for item in text.split(", ") if item.strip(" ,")
    )


def _equals(code: str, source: str) -> Check | None:
    left, found, text = code.partition(f"{source} == ")
    if not found or left:
        return RelationCheck(code) if "isnan(" in code else None
    try:
        return EqualsCheck(text, is_literal=True, value=ast.literal_eval(text))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return EqualsCheck(text)


def _matching(pattern: re.Pattern[str], check: Callable[[re.Match[str]], Check]) -> _Reader:
    def read(code: str, _source: str) -> Check | None:
        match = pattern.fullmatch(code)
        return check(match) if match else None

    return read


def _length(code: str, _source: str) -> Check | None:
    match = _LENGTH.fullmatch(code)
    if match:
        return LengthCheck(int(match["length"]))
    return LengthCheck(0) if code.startswith("not ") else None


def _attribute(code: str, _source: str) -> Check | None:
    if mark := _MARK.search(code):
        return MarkCheck((mark[0],))
    match = _HASATTR.fullmatch(code)
    if match is None:
        return None
    return ContainsCheck(match["attribute"], expected=not (match["not"] or match["false"]))


def _state(code: str, _source: str) -> Check | None:
    if not code.startswith(_STATE):
        return None
    try:
        state = json.loads(code.removeprefix(_STATE))
    except (ValueError, RecursionError):
        return None
    return GlobalStateCheck(state) if isinstance(state, dict) else None


def _relation(code: str, _source: str) -> Check | None:
    # Also of saved-tensor hooks and the like, which are no relations of sizes.
    return RelationCheck(code) if "L[" in code or "G[" in code else None


_has_item = _matching(
    _CONTAINS, lambda match: ContainsCheck(match["key"] or match["item"], expected=not match["not"])
)
_READERS: dict[str, _Reader] = {
    "TENSOR_MATCH": _tensor,
    "EQUALS_MATCH": _equals,
    "TRUE_MATCH": _equals,
    "FALSE_MATCH": _equals,
    "NONE_MATCH": lambda *_: EqualsCheck("None", is_literal=True),
    "FLOAT_IS_NAN": _equals,
    "TYPE_MATCH": _matching(_TYPE, lambda match: TypeCheck(match["type"].strip(), match["id"])),
    "ID_MATCH": _matching(_ID, lambda match: IdCheck(match["type"].strip(), match["id"])),
    "LENGTH_CHECK": _length,
    "DICT_LENGTH": _length,
    "DICT_CONTAINS": _has_item,
    "SET_CONTAINS": _has_item,
    "NO_HASATTR": _attribute,
    "DIMENSION_DYNAMIC_MARKING_GUARD": _attribute,
    "DYNAMIC_INDICES": _attribute,
    "LAMBDA_GUARD": _relation,
    "SYMBOLIC_SHAPE_GUARD": _relation,
    "NO_TENSOR_ALIASING": lambda code, _: AliasCheck(code),
    # Below both objects, and printed below the first alone.
    "OBJECT_ALIASING": lambda code, source: _relation(code, source) or AliasCheck(code),
    "STORAGE_OVERLAPPING": lambda code, _: AliasCheck(code),
    "GLOBAL_STATE": _state,
}
