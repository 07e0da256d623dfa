"""What a failed guard wanted, and what it found."""

import ast
import re
from collections.abc import Iterable

from inspector.run.folding.dict_keys import keys_text, side_of
from inspector.run.folding.guard_case import TENSORS, GuardCase, without_addresses
from inspector.run.folding.recompile_facts import GuardLines
from inspector.run.recompile import Change, RecompileClass
from inspector.shared.units import with_article
from inspector.trace.guard_shapes import GuardShape

_CLASS = re.compile(r"<(?:class|enum|flag) '(.+)'>")
_ADDRESS = re.compile(r"___check_obj_id\(.*, (\d+)\)", re.DOTALL)
_WITH_VALUE = frozenset({GuardShape.EQUALS, GuardShape.NAN, GuardShape.IS_NONE})
_GRAD = " that requires grad"
_KEYS = frozenset({GuardShape.KEY, GuardShape.KEYS})


def before_of(case: GuardCase, changes: Iterable[Change]) -> str:
    """What the guard wants; empty where only its type is known."""
    guard = case.guard
    address = _ADDRESS.search(case.failed.text) if guard.shape is GuardShape.IDENTITY else None
    seen = case.entry.identities.get(address[1]) if address else None
    # Of several entries that want other objects, the artifact of the call has one alone.
    seen = seen or (case.seen.before.get(case.name) if case.seen else None)
    if seen is not None and guard.shape in {GuardShape.IDENTITY, GuardShape.TENSOR_TYPE}:
        return seen.text
    if guard.shape in _KEYS:
        return _keys(case.before, case.name) or _parsed(guard.before)
    if _is_number_of_keys(case):
        return _parsed(keys_text(side_of(case, is_now=False), guard.before))
    # Of an identity, torch 2.13 says the type alone.
    nothing = guard.shape is GuardShape.IDENTITY and _CLASS.fullmatch(guard.before or "")
    texts = {GuardShape.SYMBOLIC: case.failed.text, GuardShape.TENSOR_TYPE: _tensor_type(case)}
    text = None if nothing else texts.get(guard.shape, _ordered(guard.before))
    found = change_of(case, changes) if text is None else None
    return _parsed(found.before if found else text)


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


def now_of(case: GuardCase, changes: Iterable[Change]) -> str:
    """What the guard found, from the surest of what tells it."""
    guard = case.guard
    if guard.now is not None:
        return _parsed(guard.now)
    if _is_number_of_keys(case):
        seen = case.seen_now
        text = keys_text(side_of(case, is_now=True), seen.text if seen else None)
        if text:
            return text
    if guard.shape is GuardShape.REQUIRES_GRAD:
        return "0" if guard.before in {"1", "True"} else "1"
    change = change_of(case, changes)
    found = _parsed(change.now) if change else ""
    if guard.shape is GuardShape.SYMBOLIC and found:
        return found
    keys = _keys(case.now, case.name) if guard.shape in _KEYS else ""
    return _seen_now(case) or _symbol_now(case) or keys or found or _type_now(case)


def _type_now(case: GuardCase) -> str:
    match = _CLASS.fullmatch(case.now.types.get(case.name, ""))
    return with_article(_public(match[1])) if match else ""


def change_of(case: GuardCase, changes: Iterable[Change]) -> Change | None:
    """What the guard trees of both sides say of the guard's own source, or None."""
    name = case.failed.text if case.guard.shape is GuardShape.SYMBOLIC else case.name
    same = (each for each in changes if (each.kind, each.name) == (case.kind, name))
    return next((each for each in same if each.index in {None, case.guard.index}), None)


def _symbol_now(case: GuardCase) -> str:
    """The value of what became symbolic, in the call that was traced."""
    # Torch makes a symbol of what is in a tensor without dimensions, which stays a tensor.
    is_tensor = case.now.types.get(case.name, "").endswith(TENSORS)
    wanted = {case.source} if is_tensor else {case.source, f"{case.source}.item()"}
    for symbol in case.facts.created():
        if symbol.source in wanted and symbol.text:
            return symbol.text
    return ""


def _seen_now(case: GuardCase) -> str:
    seen = case.seen_now
    if seen is None:
        return ""
    if case.guard.shape is GuardShape.TYPE:
        return _public(seen.type)
    if case.guard.shape in _KEYS and seen.keys:
        return f"keys {', '.join(seen.keys)}"
    is_number = case.guard.shape in _WITH_VALUE and seen.kind == "container"
    is_number = is_number and seen.text.isdecimal()
    text = f"{with_article(seen.type)} with {seen.text} items" if is_number else seen.text
    if case.kind is RecompileClass.TYPE and seen.tensor and seen.tensor.requires_grad:
        text += _GRAD
    return text


def _keys(lines: GuardLines, name: str) -> str:
    keys = lines.ordered_keys(name)
    return f"keys {', '.join(keys)}" if keys else ""


def _parsed(text: str | None) -> str:
    if not text:
        return ""
    match = _CLASS.fullmatch(text.strip())
    return _public(match[1]) if match else without_addresses(text).strip()


def _public(name: str) -> str:
    """A class as users import it."""
    return name.replace("torch.nn.parameter.", "torch.nn.")
