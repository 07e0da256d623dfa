"""Facts about a list or a dict that changes, for ``recompile_fixes.md``."""

import ast
import re

from inspector.features.recompiles import case as recompile_case
from inspector.features.recompiles.case import Facts, FixCase, is_zero_one
from inspector.features.recompiles.changes import is_number_of_keys, key_of, keys_of
from inspector.features.recompiles.fix_shared import reader
from inspector.report.user_code.call_site import user_spelling
from inspector.report.wording import count, listed
from inspector.run.recompile import Answer, Change, Origin, RecompileClass

_C = RecompileClass
_TENSORS = frozenset({"torch.Tensor", "torch.nn.parameter.Parameter"})
_MOST_KEYS = 6
_LITERAL = re.compile(r"'[A-Za-z_]\w*'")
# Tried with a dict and with **kwargs, asked for a key and gone through, on torch 2.11 to 2.13.
_USUAL = (
    "as zeros of the usual shape if there is no value (ones for a product); None or an empty "
    "tensor needs another graph"
)
_DEFAULT = "with a default of the same type if it is missing"
_APPENDS = re.compile(r"\b(?:cat|concat|concatenate|hstack|vstack)\(")
_OF_SELF = re.compile(r"L\['self'\]\.\w+$")
_EMPTY = frozenset({_C.NONE, _C.LENGTH, _C.KEYS, _C.TYPE})


def owner_of_modules(case: FixCase) -> str:
    """The module whose submodules are counted; empty of anything else."""
    is_modules = case.first.name.endswith("._modules")
    return case.name.removesuffix("._modules") if is_modules else ""


def written_key(case: FixCase) -> str:
    """The key under which a line writes into a dict whose number of keys changes; else empty."""
    guard = case.first.guard
    # A list that is empty cannot be written by index; what asks for a key fills none.
    is_len = guard.startswith("len(") and ("!=" in guard or case.first.kind is _C.KEYS)
    is_dict = is_len or (guard.startswith("not ") and "(" not in guard)
    line = reader(case)
    if line is None or not is_dict:
        return ""
    name = re.escape(case.name.rpartition(".")[2])
    found = re.search(rf"\b{name}\[(?P<key>[^\[\]:]+)\]\s*=(?!=)", line.code)
    return found["key"].strip() if found else ""


def growth(case: FixCase) -> str:
    """`` (0 → 1)``."""
    return f" ({case.before} → {case.now})" if case.before and case.now else ""


def each_key(case: FixCase) -> str:
    """The keys that a line writes: one, or as many as a name has values."""
    key = written_key(case)
    try:
        ast.literal_eval(key)
    except (ValueError, SyntaxError):
        return f"one for each value of {key}"
    return key


def is_attribute(case: FixCase) -> bool:
    """Whether it outlives the call."""
    return case.first.origin in {Origin.MODULE_ATTRIBUTE, Origin.ATTRIBUTE, Origin.GLOBAL}


def known_by_bool(case: FixCase) -> str:
    """Where a bool goes that says whether there are any."""
    name = user_spelling(case.name)
    if case.first.origin is not Origin.ARGUMENT:
        return f"keep a bool next to {name}, and set it where {name} is filled"
    return f"pass a bool next to {name}"


def is_keywords(case: FixCase) -> bool:
    """Whether it is the function's ``**kwargs``."""
    return case.name == case.site.parameters.keywords


def same_keys(case: FixCase) -> str:
    """How the same keys come in every call."""
    keys = keys_of(case.items)
    # Which keys the code asks for has no order; what goes through all of them meets them in one.
    walked = any(item.before and not key_of(item.before) for item in case.items)
    order = " with all keys in the same order" if walked and keys else ""
    if is_keywords(case):
        given = [f"{key[1:-1]}=…" if _LITERAL.fullmatch(key) else key for key in keys]
        passed = listed(given, _MOST_KEYS) if given else "the same keyword arguments"
        return f"pass {passed} in every call of {case.called}{order}"
    what = f"the keys {listed(keys, _MOST_KEYS)}" if len(keys) > 1 else f"the key {' '.join(keys)}"
    return (
        f"give {user_spelling(case.name)} {what if keys else 'the same keys'} in every call{order}"
    )


def instead_of_missing(case: FixCase) -> str:
    """What is passed for a key that is missing."""
    if case.first.holds not in _TENSORS | {""}:
        return _DEFAULT
    return f"each {_USUAL}" if len(keys_of(case.items)) > 1 else _USUAL


def appended(case: FixCase) -> str:
    """That a line of the function appends to a tensor that it keeps; empty where none does."""
    line, first = case.set_at, case.first
    if line is None or not is_zero_one(first) or not _APPENDS.search(line.code):
        return ""
    name = user_spelling(first.name)
    text = f"`{line.code.strip()}` ({case.place(line)}) makes {name} longer in every call."
    return "" if _has_hit_limit(case) else text


def _is_dynamic_at_last(case: FixCase) -> bool:
    return bool(case.history) and case.history[-1].answer is Answer.DYNAMIC


def growing_cache(case: FixCase) -> str:
    """The name of a cache whose length is dynamic in the end; empty of anything else.

    Then there are a program without it (prefill), one for the first call with it (decode), and one
    for all later calls.
    """
    if not _is_dynamic_at_last(case) or len(case.items) > 1 or _has_hit_limit(case):
        return ""
    changes = [change for item in case.history for change in item.changes]
    empty = set()
    for change in changes:
        if _is_empty_first(change):
            # The pair of keys and values of which the program tests one: ``L['caches'][0]``.
            before, found, _ = change.source.rpartition("[")
            is_of_pair = found and change.source.endswith("]") and "[" in before
            empty.add(before if is_of_pair else change.source)
    if not any(_is_in(change.source, empty) for change in case.first.changes):
        return ""
    grown = [
        change
        for change in case.history[-1].changes
        if change.kind is _C.SIZE
        and change.before.isdecimal()
        and change.now.isdecimal()
        and int(change.before) < int(change.now)
    ]
    of_cache = [change for change in grown if _is_in(change.source, empty)]
    # The program asks one attribute of its own whether it is empty, and not the others.
    other = {
        (change.index, change.before, change.now)
        for change in grown
        if change not in of_cache and not _OF_SELF.match(change.source)
    }
    # What grows together with another input is a batch.
    is_batch = any((each.index, each.before, each.now) in other for each in of_cache)
    return user_spelling(of_cache[0].name) if of_cache and not is_batch else ""


def _has_hit_limit(case: FixCase) -> bool:
    return any(item.limit for item in case.history)


def _is_empty_first(change: Change) -> bool:
    """Whether there was nothing in it: None, an empty container, a size of 0."""
    if change.kind is _C.SIZE:
        return change.before == "0"
    return change.kind in _EMPTY and change.before in {"None", "0", "no keys"}


def _is_in(source: str, containers: set[str]) -> bool:
    return any(source == each or source.startswith((f"{each}.", f"{each}[")) for each in containers)


FACTS: Facts = {
    "is_of_set": lambda case: recompile_case.is_of_set(case.first),
    "asks_for_member": lambda case: case.first.guard.startswith(("set.", "not set.")),
    "member": lambda case: case.before.rpartition(" ")[2] or "it",
    "grown_at": lambda case: case.grown.get(case.first.name),
    # The line at which the function makes the container longer.
    "grown_at_line": lambda case: (
        case.line(line) if (line := case.grown.get(case.first.name)) is not None else ""
    ),
    "holds_tensors": lambda case: case.first.holds in _TENSORS,
    "holds_no_tensor": lambda case: case.first.holds not in {"", *_TENSORS},
    # Whether one tensor can take the place of all of it.
    "becomes_tensor": lambda case: (
        is_attribute(case) and "[" not in case.name and case.first.holds in {"", *_TENSORS}
    ),
    "reader_line": lambda case: (
        f" at {case.line(line)}" if (line := reader(case)) is not None and line.code else ""
    ),
    "is_dynamic_at_last": _is_dynamic_at_last,
    "counts_keys": lambda case: any(map(is_number_of_keys, case.items)),
    "where_given": lambda case: "" if is_keywords(case) else f" ({case.before_call})",
    "programs": lambda case: count(len(case.history) + 1, "program"),
}
