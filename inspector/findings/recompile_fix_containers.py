"""What to write where a list or a dict has another length or other keys."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inspector.findings.call_site import user_spelling
from inspector.findings.recompile_case import Advice, FixCase, is_of_set, is_zero_one
from inspector.findings.recompile_changes import is_number_of_keys, key_of, keys_of
from inspector.findings.recompile_fix_shared import is_near_limit, kept_fix, raised_limit
from inspector.findings.wording import count, listed
from inspector.model.recompile import Answer, Change, Origin, Recompile, RecompileClass

TENSORS = frozenset({"torch.Tensor", "torch.nn.parameter.Parameter"})
"""What an item of a container can be so that a tensor can stand in its place."""
_MOST_KEYS = 6
_LITERAL = re.compile(r"'[A-Za-z_]\w*'")
_FOUND = "is compiled once: nothing is needed where there are few."
# Tried with a dict and with **kwargs, asked for a key and gone through, on torch 2.11 to 2.13.
_USUAL = (
    "as a tensor of its usual shape that leaves the result as it is (zeros where it is added, ones "
    "where it is a factor), as None or an empty tensor in its place is a program of its own, too"
)
_DEFAULT = "with a default of the same type where it is missing"
_APPENDS = re.compile(r"\b(?:cat|concat|concatenate|hstack|vstack)\(")
_OF_SELF = re.compile(r"L\['self'\]\.\w+$")
_EMPTY = frozenset(
    [RecompileClass.NONE, RecompileClass.LENGTH, RecompileClass.KEYS, RecompileClass.TYPE]
)
_STATIC = (
    "For one decode program, use a static cache: allocate it at its full length before the first "
    "call, write into it with `index_copy_` at a position that is a tensor, and mask the rest."
)


def special_length(case: FixCase) -> Iterator[str]:
    """What is known to be filled, of a list or a dict; nothing of any other one."""
    if case.kept_over:
        yield from kept_fix(case)
    elif case.first.name.endswith("._modules"):
        owner = case.name.removesuffix("._modules")
        yield f"Add all submodules to {owner} before the first call: each number is compiled once."
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


def _held(case: FixCase) -> Iterator[str]:
    """By what the container holds."""
    if case.first.holds and case.first.holds not in TENSORS:
        yield f"Give {case.passed} one length {case.before_call}: each length is compiled once."
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
        yield f"Give {case.passed} one length in every call: each length is compiled once."


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
        f"{grew}: each number of them is compiled once. "
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


def _keys(case: FixCase) -> Iterator[str]:
    special = tuple(special_length(case))
    if is_of_set(case.first):
        yield from _set(case)
    elif special:
        yield from special
    else:
        yield _counted(case) if any(map(is_number_of_keys, case.items)) else _given(case)
        if is_near_limit(case):
            yield from raised_limit(case, "sets of keys")


def _set(case: FixCase) -> Iterator[str]:
    if not case.first.guard.startswith(("set.", "not set.")):
        yield (
            f"Each set of {case.name} is compiled once. Take what "
            f"{case.called} asks of it out {case.before_call}, and pass that as a bool."
        )
        return
    member = (case.first.before.text if case.first.before else "").rpartition(" ")[2]
    yield (
        f"With and without {member or 'it'} in {case.name} are two programs, each compiled "
        f"once: nothing is needed. To have one: pass {member or 'it'} as a tensor of bool."
    )


def _given(case: FixCase) -> str:
    """The same keys in every call, with what in place of a missing one."""
    keys = keys_of(case.items)
    is_tensor = case.first.holds in {*TENSORS, ""}
    instead = _USUAL if is_tensor else _DEFAULT
    if len(keys) > 1:
        instead = instead.replace("as a tensor of its", "each as a tensor of its", 1)
    # Which keys the code asks for has no order; what goes through all of them meets them in one.
    walked = any(item.before and not key_of(item.before.text) for item in case.items)
    is_keywords = case.name == case.site.parameters.keywords
    order = " with all keys in one order" if walked and keys else ""
    what = f"the keys {listed(keys, _MOST_KEYS)}" if len(keys) > 1 else f"the key {' '.join(keys)}"
    if is_keywords:
        given = [f"{key[1:-1]}=…" if _LITERAL.fullmatch(key) else key for key in keys]
        passed = listed(given, _MOST_KEYS) if given else "the same keyword arguments"
        how = f"pass {passed} in every call of {case.called}{order}"
    elif keys:
        how = f"give {user_spelling(case.name)} {what} in every call{order}"
    else:
        how = f"give {user_spelling(case.name)} the same keys in every call"
    where = "" if is_keywords else f" ({case.before_call})"
    return f"Each set of keys {_FOUND} To have one: {how}{where}, {instead}."


def _counted(case: FixCase) -> str:
    """Where the code asks how many there are, for which torch looks at all that is in the dict."""
    name = user_spelling(case.name)
    stack = case.first.guard_stack
    frame = stack[-1] if stack else case.first.caused_by
    line = f" at {case.place(frame)} (`{frame.code.strip()}`)" if frame and frame.code else ""
    bool_ = f"pass a bool beside {name}"
    if case.first.origin is not Origin.ARGUMENT:
        bool_ = f"keep a bool beside {name}, set where it is filled"
    return (
        f"Each set of keys in {name} {_FOUND} To have two at most: "
        f"{bool_}, and ask for that in place of the number of keys{line}."
    )


def _order(case: FixCase) -> Iterator[str]:
    given = case.passed
    known = f"Each order of the keys {_FOUND}"
    if case.name == case.site.parameters.keywords:
        yield f"{known} To have one: pass the keyword arguments of {case.called} in one order."
        return
    yield (
        f"Pass dict(sorted({given}.items())) in place of {given} {case.at_call}: the order of keys "
        "is part of the program."
    )


CONTAINERS: Advice = {
    RecompileClass.LENGTH: _length,
    RecompileClass.KEYS: _keys,
    RecompileClass.ORDER: _order,
}


def growing_cache(case: FixCase) -> Iterator[str]:
    """That nothing is needed, where the cache is dynamic in the end; nothing of anything else.

    Then there are a program without it (prefill), one for the first call with it (decode), and one
    for all later calls. Where the function itself appends to a tensor of its own, sizes 0 and 1
    have a program each.
    """
    if own := _appended(case):
        yield own
        yield _STATIC
        return
    last = case.history[-1] if case.history else None
    changes = [change for item in case.history for change in _changes(item)]
    empty = {_container(change.source) for change in changes if _is_empty_first(change)}
    grown = [change for change in _changes(last) if _grows(change)]
    of_cache = [change for change in grown if _is_in(change.source, empty)]
    # The program asks one attribute of its own whether it is empty, and not the others.
    other = {
        _size(change)
        for change in grown
        if change not in of_cache and not _OF_SELF.match(change.source)
    }
    grown = of_cache
    # What grows together with another input is a batch.
    if last is None or last.answer is not Answer.DYNAMIC or not other.isdisjoint(map(_size, grown)):
        return
    if not grown:
        return
    is_about = any(_is_in(change.source, empty) for item in case.items for change in item.changes)
    if not is_about or len(case.items) > 1 or any(item.limit for item in case.history):
        return
    name = user_spelling(grown[0].name)
    programs = count(len(case.history) + 1, "program")
    yield (
        f"Nothing needs fixing: prefill (without {name}), the first decode step and later decode "
        f"steps are {programs}, each compiled once. The length of {name} is dynamic since then, "
        "so further steps compile nothing."
    )
    yield _STATIC


def _appended(case: FixCase) -> str:
    """What there is to know where a line of the function appends to what it keeps."""
    line, first = case.set_at, case.first
    if line is None or not is_zero_one(first) or not _APPENDS.search(line.code):
        return ""
    if any(item.limit for item in case.history):
        return ""
    name = user_spelling(first.name)
    grows = f"`{line.code.strip()}` ({case.place(line)}) makes {name} longer in every call."
    if case.history and case.history[-1].answer is Answer.DYNAMIC:
        programs = count(len(case.history) + 1, "program")
        return (
            f"Nothing needs fixing: {grows} That makes {programs}, each compiled once. The length "
            "is dynamic since then, so further calls compile nothing."
        )
    return (
        f"{grows} Sizes 0 and 1 get a program each, and longer ones share a dynamic one, so calls "
        "after that compile nothing."
    )


def _changes(item: Recompile | None) -> tuple[Change, ...]:
    return item.changes if item is not None else ()


def _container(source: str) -> str:
    """The pair of keys and values of which the program tests one: ``L['caches'][0]``."""
    before, found, _ = source.rpartition("[")
    return before if found and source.endswith("]") and "[" in before else source


def _is_empty_first(change: Change) -> bool:
    """Whether there was nothing in it: None, an empty container, a size of 0."""
    if change.kind is RecompileClass.SIZE:
        return change.before == "0"
    return change.kind in _EMPTY and change.before in {"None", "0", "no keys"}


def _grows(change: Change) -> bool:
    """Whether a size is larger than before, and dynamic."""
    sizes = change.before, change.now
    is_size = change.kind is RecompileClass.SIZE and all(map(str.isdecimal, sizes))
    return is_size and int(change.before) < int(change.now)


def _size(change: Change) -> tuple[int | None, str, str]:
    return change.index, change.before, change.now


def _is_in(source: str, containers: set[str]) -> bool:
    return any(source == each or source.startswith((f"{each}.", f"{each}[")) for each in containers)
