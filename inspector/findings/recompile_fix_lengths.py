"""What to write where a container has another length."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping

from inspector.findings.recompile_case import FixCase
from inspector.findings.recompile_fix_shared import kept_fix
from inspector.model.recompile import Origin, RecompileClass

# The cache in the closure of what `functools.singledispatch` makes.
_DISPATCHED = re.compile(
    r"dispatch_cache\.data of dispatch of G\['(?P<name>\w+)'\](?P<rest>(?:\.\w+)*)"
)
_METHOD_DISPATCHED = re.compile(
    r".+\.(?P<name>\w+)\.dispatcher\.dispatch\.__closure__\[\d+\]\.cell_contents\.data"
)
TENSORS = frozenset({"torch.Tensor", "torch.nn.parameter.Parameter"})
"""What an item of a container can be so that a tensor can stand in its place."""


def special_length(case: FixCase) -> Iterator[str]:
    """What is known to be filled, of a list or a dict; nothing of any other one."""
    if case.kept_over:
        yield from kept_fix(case)
    elif (dispatched := _DISPATCHED.fullmatch(case.name)) is not None:
        function = dispatched["name"] + dispatched["rest"]
        yield _remembered(function, f"{function}.dispatch", "singledispatch")
    elif (dispatched := _METHOD_DISPATCHED.fullmatch(case.name)) is not None:
        made = f'type(model).__dict__["{dispatched["name"]}"].dispatcher.dispatch'
        yield _remembered(dispatched["name"], made, "singledispatchmethod")
    elif case.first.name.endswith("._modules"):
        owner = case.name.removesuffix("._modules")
        yield (
            f"Add all submodules to {owner} before the first call: each number of them is a "
            "program of its own, and is compiled once."
        )
    elif (key := _key_set(case)) is not None:
        yield from _keys_set(case, key)
    elif (frame := case.grown_at) is not None:
        yield (
            f"{case.called} itself makes {case.name} longer at {case.place(frame)} "
            f"(`{frame.code.strip()}`), so every call finds another length and recompiles. Return "
            f"the value, and add it in the caller {case.behind_call}."
        )
        if _is_attribute(case) and "[" not in case.name and case.first.holds in TENSORS | {""}:
            yield _one_tensor(case)


def _length(case: FixCase) -> Iterator[str]:
    yield from tuple(special_length(case)) or _held(case)


def _remembered(function: str, dispatch: str, made_by: str) -> str:
    return (
        f"{function} (functools.{made_by}) remembers in its first call which implementation a type "
        "has, so that the second finds it remembered, and is compiled once more; then nothing "
        f"changes. To save the compilation: {dispatch}(torch.Tensor), once before the first call, "
        f"with the type of what {function} is called with."
    )


def _held(case: FixCase) -> Iterator[str]:
    """By what the container holds."""
    if case.first.holds and case.first.holds not in TENSORS:
        yield (
            f"Give {case.passed} one length {case.before_call}: each length is a program of its "
            "own, and is compiled once."
        )
    elif _is_attribute(case):
        yield _one_tensor(case)
    elif case.first.holds:
        given = case.passed
        yield (
            f"Pass one tensor in place of {case.name}: torch.stack({given}) {case.at_call}, where "
            "the tensors have one shape, with its first size marked as dynamic, and operators over "
            "it in place of the loop."
        )
        yield f"Pad {given} to one length {case.at_call}."
    else:
        yield (
            f"Give {case.passed} one length in every call: each length is a program of its own, "
            "and is compiled once."
        )


def _key_set(case: FixCase) -> str | None:
    """The key under which a line writes into a dict whose number of keys changes, or None."""
    guard, stack = case.first.guard, case.first.guard_stack
    # A list that is empty cannot be written by index; what asks for a key fills none.
    is_len = guard.startswith("len(") and ("!=" in guard or case.first.kind is RecompileClass.KEYS)
    is_dict = is_len or (guard.startswith("not ") and "(" not in guard)
    frame = stack[-1] if stack else case.first.caused_by
    if frame is None or not is_dict:
        return None
    name = re.escape(case.name.rpartition(".")[2])
    found = re.search(rf"\b{name}\[(?P<key>[^\[\]:]+)\]\s*=(?!=)", frame.code)
    return found["key"].strip() if found else None


def _is_attribute(case: FixCase) -> bool:
    return case.first.origin in {Origin.MODULE_ATTRIBUTE, Origin.ATTRIBUTE, Origin.GLOBAL}


def _one_tensor(case: FixCase) -> str:
    return (
        f"Keep one tensor in place of the container {case.name}: allocate it at its full size "
        "once, write with index_copy_ or slices, and pass the length as a tensor."
    )


def _keys_set(case: FixCase, key: str) -> Iterator[str]:
    """A dict that the function fills: torch looks at how many keys it came with."""
    first, last = case.first.before, case.first.now
    grew = f" ({first.text} → {last.text})" if first and last else ""
    each = key if _is_literal(key) else f"one for each value of {key}"
    yield (
        f"A line fills {case.name} by key ({key}), so that a later call finds more keys in it"
        f"{grew}: each number of them is a program of its own, compiled once, and then found. "
        "Nothing is needed where the keys stay the same from then on. To save the compilation: "
        f"give {case.name} all of its keys before the first call ({each}, with None as its value, "
        "where nothing reads it before it is written)."
    )


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


LENGTHS: Mapping[RecompileClass, Callable[[FixCase], Iterator[str]]] = {
    RecompileClass.LENGTH: _length,
}
"""The advice by class."""
