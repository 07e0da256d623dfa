"""What a failed guard wanted, and what it found, each with what it is known from."""

import ast
import re
from collections.abc import Mapping

from inspector.run.folding.dict_keys import keys_text, side_of
from inspector.run.folding.guard_case import TENSORS, GuardCase, without_addresses
from inspector.run.folding.recompile_facts import CompileFacts, GuardLines
from inspector.run.recompile import Known, RecompileClass, Value
from inspector.shared.units import with_article
from inspector.trace.guard_checks import GlobalStateCheck
from inspector.trace.guard_shapes import GuardShape

_CLASS = re.compile(r"<(?:class|enum|flag) '(.+)'>")
_ADDRESS = re.compile(r"___check_obj_id\(.*, (\d+)\)", re.DOTALL)
_LENGTH = re.compile(r"(?:len|___tuple_iterator_len)\(.+\) == (\d+)")
_SIZES = re.compile(r"\b(?P<what>size|stride)=\[(?P<numbers>[^\]]*)\]")
_DYNAMIC_TOKEN = "AutoDynamic.token"  # noqa: S105 - torch/_dynamo/pgo.py: no value at all
_WITH_VALUE = frozenset({GuardShape.EQUALS, GuardShape.NAN, GuardShape.IS_NONE})
_GRAD = " that requires grad"
_KEYS = frozenset({GuardShape.KEY, GuardShape.KEYS})
# Names of c10::ScalarType by number (c10/core/ScalarType.h), which the printed state has: the ones
# that can be a default or autocast's.
_DTYPES = {5: "torch.float16", 6: "torch.float32", 7: "torch.float64", 15: "torch.bfloat16"}


def before_of(case: GuardCase) -> Value | None:
    """What the guard wants, or None where only its type is known."""
    guard = case.guard
    address = _ADDRESS.search(case.failed.text) if guard.shape is GuardShape.IDENTITY else None
    seen = case.entry.identities.get(address[1]) if address else None
    # Of several entries that want other objects, the artifact of the call has one alone.
    seen = seen or (case.seen.before.get(case.name) if case.seen else None)
    if seen is not None and guard.shape in {GuardShape.IDENTITY, GuardShape.TENSOR_TYPE}:
        return Value(seen.text, Known.PROCESS)
    if guard.shape is GuardShape.GLOBAL_STATE:
        return _state(case.entry, guard.source)
    if guard.shape in _KEYS:
        return _keys(case.before, case.name) or _parsed(guard.before)
    if _is_number_of_keys(case):
        return _parsed(keys_text(side_of(case, is_now=False), guard.before))
    # Of an identity, torch 2.13 says the type alone.
    nothing = guard.shape is GuardShape.IDENTITY and _CLASS.fullmatch(guard.before or "")
    texts = {GuardShape.SYMBOLIC: case.failed.text, GuardShape.TENSOR_TYPE: _tensor_type(case)}
    return None if nothing else _parsed(texts.get(guard.shape, _ordered(guard.before)))


def _tensor_type(case: GuardCase) -> str:
    """The class of the tensor; where there is none now, that it was one tells more."""
    return (
        "a tensor"
        if case.kind is RecompileClass.NONE
        else case.before.types.get(case.name, "a tensor")
    )


def _is_number_of_keys(case: GuardCase) -> bool:
    return case.guard.shape is GuardShape.LENGTH and case.kind is RecompileClass.KEYS


def _ordered(text: str | None) -> str | None:
    """A set's items in order; Python shows them as they are hashed, which differs between runs."""
    inner = re.fullmatch(r"(frozenset\()?(\{.*\})\)?", text or "")
    try:
        value = ast.literal_eval(inner[2]) if inner else None
    except (ValueError, SyntaxError, TypeError):
        return text
    if inner is None or not isinstance(value, set):
        return text
    items = f"{{{', '.join(sorted(map(repr, value)))}}}"
    return f"frozenset({items})" if inner[1] else items


def now_of(case: GuardCase) -> Value | None:
    """What the guard found, from the surest of what tells it."""
    guard = case.guard
    if guard.now is not None:
        return _parsed(guard.now)
    if _is_number_of_keys(case):
        seen = case.seen_now
        length = _length(case.now, case.name)
        text = keys_text(
            side_of(case, is_now=True), length.text if length else seen.text if seen else None
        )
        return Value(text, Known.PROCESS if seen else Known.PARSED) if text else None
    if guard.shape is GuardShape.REQUIRES_GRAD:
        return Value("0" if guard.before in {"1", "True"} else "1", Known.PARSED)
    if guard.shape is GuardShape.SYMBOLIC:
        return _sizes_now(case)
    if guard.shape is GuardShape.GLOBAL_STATE:
        return _state(case.facts, guard.source)
    return _automatic_dynamic(case) or _seen_now(case) or _symbol_now(case) or _tree_now(case)


def _symbol_now(case: GuardCase) -> Value | None:
    """The value of what became symbolic, in the call that was traced."""
    # Torch makes a symbol of what is in a tensor without dimensions, which stays a tensor.
    is_tensor = case.now.types.get(case.name, "").endswith(TENSORS)
    wanted = {case.source} if is_tensor else {case.source, f"{case.source}.item()"}
    for symbol in case.facts.created():
        if symbol.source in wanted and symbol.text:
            return Value(symbol.text, Known.TRACE)
    return None


def _automatic_dynamic(case: GuardCase) -> Value | None:
    """The number that torch itself compared with the one before."""
    for became in case.facts.automatic_dynamic:
        is_value = became.what == "scalar" and became.now != _DYNAMIC_TOKEN
        if became.source == case.source and is_value:
            return Value(became.now, Known.TRACE)
    return None


def _seen_now(case: GuardCase) -> Value | None:
    seen = case.seen_now
    if seen is None:
        return None
    if case.guard.shape is GuardShape.TYPE:
        return Value(_public(seen.type), Known.PROCESS)
    if case.guard.shape in _KEYS and seen.keys:
        return Value(f"keys {', '.join(seen.keys)}", Known.PROCESS)
    is_number = case.guard.shape in _WITH_VALUE and seen.kind == "container"
    is_number = is_number and seen.text.isdecimal()
    text = f"{with_article(seen.type)} with {seen.text} items" if is_number else seen.text
    if case.kind is RecompileClass.TYPE and seen.tensor and seen.tensor.requires_grad:
        text += _GRAD
    return Value(text, Known.PROCESS)


def _tree_now(case: GuardCase) -> Value | None:
    """What the guard tree of what was compiled instead wants of the same source."""
    name, shape = case.name, case.guard.shape
    kind = case.now.types.get(name)
    if shape is GuardShape.TYPE:
        return _parsed(kind)
    if shape in _KEYS:
        return _keys(case.now, name)
    if shape is GuardShape.LENGTH:
        return _length(case.now, name)
    for _, text in case.now.leaves.get(name, ()):
        constant = text.partition(" == ")[2]
        if constant and shape in {GuardShape.EQUALS, GuardShape.NAN, GuardShape.IS_NONE}:
            return _parsed(constant)
        if text.endswith(" is None"):
            return Value("None", Known.PARSED)
    match = _CLASS.fullmatch(kind or "")
    shown = _public(match[1]) if match else kind
    return Value(with_article(shown), Known.PARSED) if shown else None


def _length(lines: GuardLines, name: str) -> Value | None:
    """The length that a tree wants: of a dict, the number of its keys."""
    for _, text in lines.leaves.get(name, ()):
        length = _LENGTH.match(text)
        if length:
            return Value(length[1], Known.PARSED)
    keys = lines.ordered_keys(name)
    return Value(str(len(keys)), Known.PARSED) if keys else None


def _keys(lines: GuardLines, name: str) -> Value | None:
    keys = lines.ordered_keys(name)
    return Value(f"keys {', '.join(keys)}", Known.PARSED) if keys else None


def _sizes_now(case: GuardCase) -> Value | None:
    """The sizes of a symbolic guard in the call that did not fit."""
    found: dict[str, str] = {}
    known = Known.TRACE
    created = {symbol.source: symbol.text for symbol in case.facts.created()}
    for name, source in zip(case.guard.sources, case.sources(), strict=True):
        value = created.get(source)
        if not value:
            value, known = _tree_size(case.now, name), Known.PARSED
        if not value and case.seen and name in case.seen.now:
            value, known = case.seen.now[name].text, Known.PROCESS
        if value:
            found[name] = value
    text = ", ".join(f"{name} = {value}" for name, value in found.items())
    return Value(text, known) if text else None


def _tree_size(lines: GuardLines, name: str) -> str:
    """A fixed size in a TENSOR_MATCH of the tree, or an empty string."""
    match = re.fullmatch(r"(?P<tensor>.+)\.(?P<what>size|stride)\(\)\[(?P<index>\d+)\]", name)
    if match is None:
        return next(
            filter(None, (text.partition(" == ")[2] for _, text in lines.leaves.get(name, ()))), ""
        )
    for text in lines.of_kind(match["tensor"], "TENSOR_MATCH"):
        for sizes in _SIZES.finditer(text):
            numbers = [number.strip() for number in sizes["numbers"].split(",")]
            index = int(match["index"])
            if sizes["what"] == match["what"] and index < len(numbers):
                return "" if numbers[index] == "None" else numbers[index]
    return ""


def _state(facts: CompileFacts, parts: str) -> Value | None:
    """The parts of the global state that changed, as a guard tree has them."""
    entry = facts.entry()
    checks = (guard.check for guard in entry.guards) if entry else ()
    state = next((each.state for each in checks if isinstance(each, GlobalStateCheck)), None)
    if state is None:
        return None
    shown = [
        f"{part}={value}" for part in parts.split() if (value := _part(state, part)) is not None
    ]
    return Value(", ".join(shown), Known.PARSED) if shown else None


def _part(state: Mapping[str, object], part: str) -> str | None:
    """One part; of autocast (per device) torch prints lists, in the order of its devices."""
    autocast = state.get("autocast_state")
    match = re.fullmatch(r"autocast\((\w+)\)_(enabled|dtype)", part)
    if match and isinstance(autocast, dict):
        values = autocast.get(match[2])
        # at::autocast::_AUTOCAST_SUPPORTED_DEVICES (aten/src/ATen/autocast_mode.h) begins with CPU.
        if match[1] == "cpu" and isinstance(values, list) and values:
            return str(_DTYPES.get(values[0], values[0]) if match[2] == "dtype" else values[0])
        return None
    value = state.get(part)
    if part == "default_dtype" and isinstance(value, int):
        return _DTYPES.get(value, str(value))
    return None if value is None or isinstance(value, dict | list) else str(value)


def _parsed(text: str | None) -> Value | None:
    if not text:
        return None
    match = _CLASS.fullmatch(text.strip())
    return Value(_public(match[1]) if match else without_addresses(text).strip(), Known.PARSED)


def _public(name: str) -> str:
    """A class as users import it."""
    return name.replace("torch.nn.parameter.", "torch.nn.")
