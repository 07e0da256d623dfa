"""What to write where a Python value or an object changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.findings.recompile_case import Advice, FixCase, is_bool_and_tensor
from inspector.findings.recompile_fix_containers import CONTAINERS
from inspector.findings.recompile_fix_numbers import NUMBERS
from inspector.findings.recompile_fix_shared import is_near_limit, kept_fix, raised_limit
from inspector.model.recompile import RecompileClass

_MODULE = re.compile(r"_modules\['[^']*'\]$")


def _constant(case: FixCase) -> Iterator[str]:
    what = {
        RecompileClass.STR: "a string", RecompileClass.ENUM: "an enum member",
        RecompileClass.CONSTANT: "a Python constant",
    }.get(case.first.kind, "a Python value")  # fmt: skip
    if case.kept_over:
        yield from kept_fix(case)
        return
    if case.set_at is not None and case.is_always_new:
        place, code = case.place(case.set_at), case.set_at.code.strip()
        yield (
            f"{case.called} itself sets {case.name} at {place} (`{code}`), and each compilation "
            f"found another value: {what} is a constant of each graph. Set it outside, "
            f"{case.by_call}, and pass what the graph needs of it as a tensor."
        )
        return
    yield (
        f"{case.name} is {what}, and each value is compiled once: nothing is needed where the "
        f"values are few. Hoist the choice among many out of {case.called}: look up what the value "
        f"stands for {case.before_call}, and pass that as a tensor."
    )
    if is_near_limit(case):
        yield from raised_limit(case)


def _bool(case: FixCase) -> Iterator[str]:
    given = case.argument.written or "False"
    yield (
        f"{_two(case, 'Two values are two programs, each compiled once')}: pass {case.name} as a "
        f"tensor of bool, torch.tensor({given}), and write torch.where({case.name}, a, b) in "
        "place of the branch, which would break the graph."
    )


def _none(case: FixCase) -> Iterator[str]:
    known = f"With and without {case.name} are two programs, each compiled once"
    if case.set_at is not None:
        place, code = case.place(case.set_at), case.set_at.code.strip()
        yield (
            f"{known}: nothing is needed. To have one: {case.called} itself sets it at {place} "
            f"(`{code}`); set it before the first call, so that it is there in every one."
        )
    # A gradient of zeros still moves a parameter that has a momentum.
    elif not _is_of_tensor(case) or case.name.endswith(".grad"):
        yield f"{known}: nothing is needed."
    else:
        yield (
            f"{_two(case, known)}: pass a tensor instead of None that leaves the result as it is "
            f"(zeros where {case.name} is added, ones where it is a factor), in the shape that it "
            "has otherwise."
        )


def _is_of_tensor(case: FixCase) -> bool:
    """Whether it is a tensor where it is not None, as far as that is known."""
    sides = [value.text for value in (case.first.before, case.first.now) if value]
    others = [text for text in sides if text and "None" not in text]
    return all("tensor" in text.lower() for text in others)


def _two(case: FixCase, known: str) -> str:
    """What two values cost, and what the advice behind it is for."""
    if case.multiplied:
        return "To have half as many programs"
    return f"{known}: nothing is needed. To have one"


def _varargs(case: FixCase) -> Iterator[str]:
    if case.site.parameters.keywords:
        return  # a decorator's wrapper, which passes on whatever it gets
    yield (
        f"Take one tensor instead of *{case.name}: torch.stack([…]) {case.at_call}, where the "
        "tensors have one shape, with its first size marked as dynamic."
    )
    yield "Pass the same number of arguments in every call, padded where there are fewer."


def _attribute(case: FixCase) -> Iterator[str]:
    yield (
        f"Set the attribute in the constructor of {case.name}, to None where there is no value "
        "yet, so that it is there in every call."
    )


def _type(case: FixCase) -> Iterator[str]:
    kinds = [value.text for value in (case.first.before, case.first.now) if value]
    of = f" ({' and '.join(kinds)})" if kinds else ""
    if case.kept_over:
        yield from kept_fix(case)
        return
    if case.first.name == "self":
        return  # nobody converts the object whose method it is
    if _MODULE.search(case.first.name):
        yield (
            f"Keep a module of one class in {case.name}{of}, and set it before the first call: "
            "each class is compiled once."
        )
        return
    if is_bool_and_tensor(case.first):
        yield (
            f"Pass {case.name} as a Python bool in every call: {case.passed} = bool({case.passed}) "
            f"{case.before_call}. Each value is compiled once."
        )
        return
    yield (
        f"Pass {case.name} of one type in every call{of}: convert it {case.before_call}. Types "
        "that are meant to differ are compiled once each."
    )


def _function(case: FixCase) -> Iterator[str]:
    name = case.name.removesuffix(".__code__")
    yield (
        f"{name} is part of the program: each is compiled once, and nothing is needed where they "
        "are few. A lambda that is made in each call is another function each time: make it once."
    )
    if is_near_limit(case):
        yield from raised_limit(case)


def _object(case: FixCase) -> Iterator[str]:
    yield (
        f"Pass the same object as {case.name} in every call: it is known by its identity. Make it "
        "once, outside of the calls."
    )


VALUES: Advice = {
    **NUMBERS,
    **CONTAINERS,
    RecompileClass.BOOL: _bool,
    RecompileClass.STR: _constant,
    RecompileClass.NONE: _none,
    RecompileClass.ENUM: _constant,
    RecompileClass.CONSTANT: _constant,
    RecompileClass.VARARGS: _varargs,
    RecompileClass.ATTRIBUTE: _attribute,
    RecompileClass.TYPE: _type,
    RecompileClass.FUNCTION: _function,
    RecompileClass.OBJECT: _object,
}
