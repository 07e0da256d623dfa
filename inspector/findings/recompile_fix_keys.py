"""What to write where a dict has other keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from inspector.findings.call_site import user_spelling
from inspector.findings.recompile_case import FixCase, is_of_set
from inspector.findings.recompile_fix_lengths import TENSORS, special_length
from inspector.findings.recompile_fix_limit import is_near_limit, raised_limit
from inspector.findings.recompile_key import is_number_of_keys, key_of, keys_of
from inspector.findings.wording import listed
from inspector.model.recompile import Origin, RecompileClass

_MOST_KEYS = 6
_LITERAL = re.compile(r"'[A-Za-z_]\w*'")
_FOUND = "compiled once, and then found: nothing is needed where there are few."
# Tried with a dict and with **kwargs, asked for a key and gone through, on torch 2.11 to 2.13.
_USUAL = (
    "as a tensor of its usual shape that leaves the result as it is (zeros where it is added, ones "
    "where it is a factor), as None or an empty tensor in its place is a program of its own, too"
)
_DEFAULT = "with a default of the same type where it is missing"


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
            f"Each set of {case.name} is a program of its own, and is compiled once. Take what "
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
    return (
        f"Each set of keys is a program of its own, {_FOUND} To have one: {how}{where}, {instead}."
    )


def _counted(case: FixCase) -> str:
    """Where the code asks how many there are, for which torch looks at all that is in the dict.

    A value of another shape compiles again, too (torch 2.11 to 2.13).
    """
    name = user_spelling(case.name)
    stack = case.first.guard_stack
    frame = stack[-1] if stack else case.first.caused_by
    line = f" at {case.place(frame)} (`{frame.code.strip()}`)" if frame and frame.code else ""
    bool_ = f"pass a bool beside {name}"
    if case.first.origin is not Origin.ARGUMENT:
        bool_ = f"keep a bool beside {name}, set where it is filled"
    return (
        f"Each set of keys in {name} is a program of its own, {_FOUND} To have two at most: "
        f"{bool_}, and ask for that in place of the number of keys{line}."
    )


def _order(case: FixCase) -> Iterator[str]:
    given = case.passed
    known = f"Each order of the keys is a program of its own, {_FOUND}"
    if case.name == case.site.parameters.keywords:
        yield f"{known} To have one: pass the keyword arguments of {case.called} in one order."
        return
    yield (
        f"Pass dict(sorted({given}.items())) in place of {given} {case.at_call}: the order of keys "
        "is part of the program."
    )


KEYS: Mapping[RecompileClass, Callable[[FixCase], Iterator[str]]] = {
    RecompileClass.KEYS: _keys,
    RecompileClass.ORDER: _order,
}
"""The advice by class."""
