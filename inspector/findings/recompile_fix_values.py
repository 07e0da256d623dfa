"""What to write where a Python value, an object or the state around the call changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from inspector.findings.recompile_case import FixCase, environment, kept_fix, specialized_fix
from inspector.findings.wording import listed
from inspector.model.recompile import Answer, Origin, RecompileClass

__all__ = ["VALUES"]

_LIMIT = "torch._dynamo.config.recompile_limit"
_DEFAULT_LIMIT = 8
_TENSORS = frozenset({"torch.Tensor", "torch.nn.parameter.Parameter"})


def _int(case: FixCase) -> Iterator[str]:
    item = case.first
    special = next((use for use in item.symbols if use.specialized), None)
    if case.kept_over:
        yield from kept_fix(case)
    elif item.origin is Origin.MODULE_ATTRIBUTE:
        yield (
            "Write torch._dynamo.config.allow_unspec_int_on_nn_module = True before the first "
            f"compilation: {case.name} is a constant of each graph otherwise."
        )
        yield environment(case)
        yield f"Pass the number to forward() as an argument, instead of reading {case.name} there."
        yield f"Make it a tensor: self.register_buffer('{_last(case.name)}', torch.tensor(…))."
    elif special is not None:
        yield specialized_fix(case, special)
    elif item.answer is Answer.DYNAMIC:
        yield f"Nothing is needed for further calls. {environment(case)}"
        yield f"Pass it as a tensor: torch.tensor({case.passed})."
    elif item.origin is Origin.GLOBAL:
        yield (
            f"Pass {case.name} to {case.function} as an argument: a global int is a constant of "
            "each graph, an int argument becomes dynamic."
        )
        yield f"Make it a tensor: {case.name} = torch.tensor(…), changed in place."
    else:
        yield f"Pass it as a tensor: torch.tensor({case.passed}) {case.before_call}."
        yield environment(case)


def _float(case: FixCase) -> Iterator[str]:
    if case.kept_over:
        yield from kept_fix(case)
        return
    if case.first.answer is Answer.DYNAMIC:
        yield f"Nothing is needed for further calls. {environment(case)}"
    yield f"Pass it as a tensor: torch.tensor({case.passed}) {case.before_call}."


def _last(name: str) -> str:
    match = re.search(r"(\w+)\W*$", name)
    return match[1] if match else name


def _constant(case: FixCase) -> Iterator[str]:
    what = {
        RecompileClass.STR: "a string", RecompileClass.ENUM: "an enum member",
        RecompileClass.CONSTANT: "a Python constant",
    }.get(case.first.kind, "a Python value")  # fmt: skip
    if case.kept_over:
        yield from kept_fix(case)
        return
    yield (
        f"Hoist the choice out of {case.function}: {case.name} is {what}, and each value is a "
        f"program of its own. Compile one function per value, and choose among them "
        f"{case.before_call}."
    )
    yield (
        f"Where the values are few: write {_LIMIT} = {_needed(case)} before the first compilation "
        "(8 by default), so that each is compiled once and then found."
    )


def _needed(case: FixCase) -> int:
    return max(2 * _DEFAULT_LIMIT, 2 * len(case.items))


def _bool(case: FixCase) -> Iterator[str]:
    yield (
        f"Two values are two programs, each compiled once: nothing is needed. To have one: pass "
        f"{case.name} as a tensor, and write torch.where({case.name}, a, b) for the branch."
    )


def _none(case: FixCase) -> Iterator[str]:
    yield (
        f"With and without {case.name} are two programs, each compiled once. To have one: pass a "
        f"tensor that changes nothing (torch.zeros(…)) instead of None {case.before_call}."
    )


def _length(case: FixCase) -> Iterator[str]:
    attribute = case.first.origin in {Origin.MODULE_ATTRIBUTE, Origin.ATTRIBUTE}
    if case.kept_over:
        yield from kept_fix(case)
    elif case.first.name.endswith("._modules"):
        owner = case.name.removesuffix("._modules")
        yield (
            f"Add all submodules to {owner} before the first call: each number of them is a "
            "program of its own, and is compiled once."
        )
    elif case.first.holds and case.first.holds not in _TENSORS:
        yield (
            f"Give {case.passed} one length {case.before_call}: each length is a program of its "
            "own, and is compiled once."
        )
    elif attribute:
        yield (
            f"Keep one tensor in place of the container {case.name}: allocate it at its full size "
            "once, write with index_copy_ or slices, and pass the length as a tensor."
        )
    else:
        yield (
            f"Pass one tensor in place of {case.name}: torch.stack({case.passed}) "
            f"{case.before_call}, whose first size is dynamic; the loop becomes an operator."
        )
        yield f"Pad {case.passed} to one length {case.before_call}."


def _varargs(case: FixCase) -> Iterator[str]:
    yield (
        f"Take one tensor instead of *{case.name}: torch.stack(tensors) {case.before_call}, whose "
        "first size is dynamic."
    )
    yield "Pass the same number of arguments in every call, padded where there are fewer."


def _keys(case: FixCase) -> Iterator[str]:
    if case.first.guard.startswith("set.__contains__("):
        member = (case.first.before.text if case.first.before else "").rpartition(" ")[2]
        yield (
            f"With and without {member or 'it'} in {case.name} are two programs, each compiled "
            f"once: nothing is needed. To have one: pass {member or 'it'} as a tensor of bool."
        )
        return
    yield (
        f"Give {case.passed} the same keys in every call, with a default where one is missing "
        f"({case.before_call})."
    )


def _order(case: FixCase) -> Iterator[str]:
    yield (
        f"Write {case.passed} = dict(sorted({case.passed}.items())) {case.before_call}: the order "
        "of keys is part of the program."
    )


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
    if case.first.name.endswith("']") and "_modules[" in case.first.name:
        yield (
            f"Keep a module of one class in {case.name}{of}, and set it before the first call: "
            "each class is a program of its own, and is compiled once."
        )
        return
    yield (
        f"Pass {case.name} of one type in every call{of}: convert it {case.before_call}. Types "
        "that are meant to differ are compiled once each."
    )


def _function(case: FixCase) -> Iterator[str]:
    yield (
        f"Compile one function for each {case.name}, outside of the calls: {case.name} is part of "
        "the program. A lambda that is made anew for each call is another function each time: make "
        "it once."
    )


def _object(case: FixCase) -> Iterator[str]:
    yield (
        f"Pass the same object as {case.name} in every call: it is known by its identity. Make it "
        "once, outside of the calls."
    )


def _hooks(_case: FixCase) -> Iterator[str]:
    yield "Register all hooks before the first call, and leave them; torch.compile traces them."


def _training(_case: FixCase) -> Iterator[str]:
    yield (
        "train() and eval() are two programs, each compiled once: nothing is needed. Call the mode "
        "once for a phase, and not around single calls."
    )


def _mode(what: str) -> Callable[[FixCase], Iterator[str]]:
    def advise(case: FixCase) -> Iterator[str]:
        yield (
            f"Call {case.function} under the same {what} in every call; where both are meant "
            "(training and validation), each is compiled once, and then found."
        )

    return advise


def _set_once(line: str) -> Callable[[FixCase], Iterator[str]]:
    def advise(_case: FixCase) -> Iterator[str]:
        yield f"Set it once, before the first compilation: {line}."

    return advise


def _global_state(case: FixCase) -> Iterator[str]:
    part = listed(case.first.name.split(), 3) or "the global state"
    yield f"Set {part} once, before the first compilation, and leave it."


def _backend(_case: FixCase) -> Iterator[str]:
    yield (
        "Call torch.compile once for the function and keep the result, with one backend object: a "
        "lambda or a partial that is made anew is another backend."
    )


def _deallocated(case: FixCase) -> Iterator[str]:
    yield f"Keep what {case.name or 'the guard looks at'} refers to alive between the calls."


VALUES: Mapping[RecompileClass, Callable[[FixCase], Iterator[str]]] = {
    RecompileClass.INT: _int,
    RecompileClass.FLOAT: _float,
    RecompileClass.BOOL: _bool,
    RecompileClass.STR: _constant,
    RecompileClass.NONE: _none,
    RecompileClass.ENUM: _constant,
    RecompileClass.CONSTANT: _constant,
    RecompileClass.LENGTH: _length,
    RecompileClass.KEYS: _keys,
    RecompileClass.ORDER: _order,
    RecompileClass.VARARGS: _varargs,
    RecompileClass.ATTRIBUTE: _attribute,
    RecompileClass.TYPE: _type,
    RecompileClass.FUNCTION: _function,
    RecompileClass.OBJECT: _object,
    RecompileClass.HOOKS: _hooks,
    RecompileClass.TRAINING: _training,
    RecompileClass.GRAD_MODE: _mode("grad mode"),
    RecompileClass.AUTOCAST: _mode("autocast"),
    RecompileClass.DEFAULT_DTYPE: _set_once("torch.set_default_dtype(…)"),
    RecompileClass.DEFAULT_DEVICE: _set_once("torch.set_default_device(…)"),
    RecompileClass.DETERMINISTIC: _set_once("torch.use_deterministic_algorithms(…)"),
    RecompileClass.NUM_THREADS: _set_once("torch.set_num_threads(…)"),
    RecompileClass.FUNCTION_MODE: _mode("torch-function modes"),
    RecompileClass.GLOBAL_STATE: _global_state,
    RecompileClass.BACKEND: _backend,
    RecompileClass.DEALLOCATED: _deallocated,
}
"""The advice by class."""
