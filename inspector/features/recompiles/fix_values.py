"""Facts about a number, another Python value, an object, or state that changes."""

import dataclasses
import re
from collections.abc import Iterator

from inspector.features.recompiles import case as recompile_case
from inspector.features.recompiles.case import Facts, FixCase
from inspector.features.recompiles.fix_shared import special, special_frame
from inspector.report.user_code.call_site import user_spelling
from inspector.report.wording import listed
from inspector.run.recompile import Answer, Origin, Recompile, RecompileClass
from inspector.shared.stack import StackFrame

_C = RecompileClass
_MODULE = re.compile(r"_modules\['[^']*'\]$")
_OPTIMIZERS = re.compile(r"[/\\]torch[/\\]optim[/\\]")
_STATE = re.compile(r"^self\.state\b")
_RATE = re.compile(r"^self\.param_groups\[\d+\]\[(['\"])lr\1\]$")
_FILLED = frozenset({_C.LENGTH, _C.KEYS})
_KINDS = {_C.STR: "a string", _C.ENUM: "an enum member", _C.CONSTANT: "a Python constant"}
# By torch's names in GlobalStateGuard (torch/csrc/dynamo/guards.cpp); the second since 2.15.
_MATMUL = "torch.backends.cuda.matmul"
_SETTINGS = {
    "allow_tf32": f"{_MATMUL}.allow_tf32",
    "cuda_matmul_precision": f"{_MATMUL}.fp32_precision",
    "allow_fp16_reduce": f"{_MATMUL}.allow_fp16_reduced_precision_reduction",
    "allow_bf16_reduce": f"{_MATMUL}.allow_bf16_reduced_precision_reduction",
}
_ITEM = ".item()"  # how guards spell the value of a tensor without dimensions
# A line that needs the number itself: it decides, counts, cuts, or is written into a text.
_DECIDING = re.compile(
    r"\b(?:if|elif|while|assert|for|range|and|or|not|math\.\w+|int|min|max)\b|[<>]|[=!]="
    r"|\[[^\[\]]*:[^\[\]]*\]|\bf['\"]"
)
# Behind what is indexed: a method that writes to it, and an assignment.
_ASSIGNS = r"\s*(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)"
_STORE = re.compile(_ASSIGNS)
_WRITES = {"copy_": "=", "add_": "+=", "sub_": "-=", "mul_": "*=", "div_": "/="}
_WRITING = re.compile(rf"\.({'|'.join(_WRITES)})\(([^,=]+)\)\s*$")
_PARTS = r"(?:\[[^\[\]]*\]|\.\w+)"
_IN_PLACE = re.compile(rf"{_PARTS}*\.\w*[a-z]_\(|{_PARTS}+{_ASSIGNS}")


def _index_line(case: FixCase) -> tuple[StackFrame, re.Match[str]] | None:
    """The line where a tensor without dimensions is an index, and what is indexed there.

    Torch reads its value, and makes it one.
    """
    if not case.first.name.endswith(_ITEM):
        return None
    index = user_spelling(case.first.name.removesuffix(_ITEM))
    frame = special_frame(case) if special(case) else case.first.caused_by
    pattern = rf"(?P<table>[A-Za-z_][\w.]*)\[\s*(?P<index>{re.escape(index)})\s*\]"
    found = re.search(pattern, frame.code) if frame else None
    return (frame, found) if frame and found else None


def indexed(case: FixCase) -> str:
    """The same with an index of one dimension, and what it is in place of.

    With one dimension it stays data (tried with torch 2.13); the result has that dimension more.
    """
    line = _index_line(case)
    if line is None:
        return ""
    frame, found = line
    instead = f"{found['table']}[{found['index']}.reshape(1)]"
    if written := _WRITING.match(frame.code, found.end()):
        value = f"{instead} {_WRITES[written[1]]} {written[2]}"
        return f"{value} in place of {found[0]}{written[0].rstrip()}"
    if _IN_PLACE.match(frame.code, found.end()):
        return ""  # a view is written to, and would be a copy
    if not _STORE.match(frame.code, found.end()):
        instead += ".squeeze(0)"
    return f"{instead} in place of {found[0]}"


def is_numpy_scalar(case: FixCase) -> bool:
    """Whether the line that needs its value makes a NumPy scalar: to Dynamo these are tensors."""
    frame = special_frame(case)
    scalar = rf"\b(?:np|numpy)\.(?:float|int|uint)\d+\(\s*{re.escape(case.name)}\s*\)"
    return frame is not None and re.search(scalar, frame.code) is not None


def is_data(case: FixCase) -> bool:
    """Whether no line needs the number itself: of a tensor, that would break the graph."""
    index = re.compile(rf"\[\s*{re.escape(case.name)}\s*\]")
    return not any(_DECIDING.search(code) or index.search(code) for code in _codes(case))


def is_keyword(case: FixCase) -> bool:
    """Whether a line passes it on by keyword: `alpha`, `eps` and the like take no tensor."""
    passed = re.compile(rf"\w=\s*[-+]?{re.escape(case.name)}\b")
    return any(passed.search(code) for code in _codes(case))


def _codes(case: FixCase) -> Iterator[str]:
    """The lines that put guards on it."""
    for use in case.first.symbols:
        yield from (frame.code for frame in use.guarded[-1:])
    yield from (frame.code for frame in case.first.guard_stack[-1:])
    if case.first.caused_by:
        yield case.first.caused_by.code


def as_tensor(case: FixCase) -> str:
    """How a tensor comes in its place."""
    given = case.argument
    is_variable = case.first.origin in {Origin.GLOBAL, Origin.CLOSURE}
    if given.path or is_variable or not (given.text or case.site.frame is None):
        return f"Make {case.passed} a tensor: use torch.tensor(…) where its value is set."
    return f"Pass it as a tensor: torch.tensor({given.text or case.name}) {case.at_call}."


def in_constructor(case: FixCase) -> str:
    """How the constructor of its module sets it: an attribute, or an item of a container."""
    match = re.search(r"\.(\w+)((?:\[[^\]]*\])*)$", case.name)
    return f"self.{match[1]}{match[2]}" if match else case.name


def torchs_own(case: FixCase) -> str:
    """What a module of torch keeps for itself: nobody passes it, or makes it a tensor."""
    return case.name if case.name.startswith("torch.") else ""


def is_optimizer_state(case: FixCase) -> bool:
    """Whether it is the state that an optimiser's first step makes.

    A step that finds it is compiled once: tried with SGD, Adam, AdamW, RMSprop and Adagrad on torch
    2.11 and 2.13.
    """
    return case.first.kind in _FILLED and _STATE.match(case.first.name) is not None


def without_state(item: Recompile, file: str) -> Recompile:
    """A recompilation without what Dynamo says of an optimiser's state beside another reason.

    It holds the states of those parameters alone that have a gradient (torch 2.13), so that their
    number differs where nothing was added or taken away.
    """
    if _OPTIMIZERS.search(file) is None:
        return item
    return dataclasses.replace(
        item,
        changes=tuple(
            change
            for change in item.changes
            if not (change.kind in _FILLED and _STATE.match(change.name))
            or (change.kind, change.name) == (item.kind, item.name)
        ),
    )


def is_no_tensor(case: FixCase) -> bool:
    """Whether no tensor can stand in its place: a gradient of zeros moves a momentum still."""
    others = [text for text in (case.before, case.now) if text and "None" not in text]
    return case.name.endswith(".grad") or not all("tensor" in text.lower() for text in others)


def types(case: FixCase) -> str:
    """`` (int and float)``."""
    known = [text for text in (case.before, case.now) if text]
    return f" ({' and '.join(known)})" if known else ""


FACTS: Facts = {
    # One that is a tensor is no constant.
    "is_learning_rate": lambda case: (
        case.first.kind is _C.FLOAT and _RATE.match(case.first.name) is not None
    ),
    "torchs_own_then": lambda case: (
        ""
        if any(each.answer is Answer.EAGER or each.limit for each in case.items)
        else ", and no change is needed"
    ),
    "of_optimizer": lambda case: _OPTIMIZERS.search(case.file) is not None,
    "kind_name": lambda case: _KINDS[case.first.kind],
    "passed_or_false": lambda case: case.argument.written or "False",
    "takes_keywords": lambda case: bool(case.site.parameters.keywords),
    "is_self": lambda case: case.first.name == "self",
    "is_module": lambda case: _MODULE.search(case.first.name) is not None,
    "is_bool_and_tensor": lambda case: recompile_case.is_bool_and_tensor(case.first),
    "other_function": lambda case: case.name.removesuffix(".__code__"),
    "state_parts": lambda case: (
        listed([_SETTINGS.get(part, part) for part in case.first.name.split()], 3)
        or "the global state"
    ),
    "kept_at": lambda case: f" at {case.place(case.crossed_break)}" if case.crossed_break else "",
    "of_module": lambda case: case.first.origin is Origin.MODULE_ATTRIBUTE,
    "of_global": lambda case: case.first.origin is Origin.GLOBAL,
    "index_place": lambda case: case.place(line[0]) if (line := _index_line(case)) else "",
    "index_keeps": lambda case: (
        "The result is the same (without .squeeze(0) it would have an extra dimension)"
        if ".squeeze(0)" in indexed(case)
        else "The written values are the same"
    ),
}
