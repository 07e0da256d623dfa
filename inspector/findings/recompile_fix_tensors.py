"""What to write where a tensor changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from inspector.events.failed_guard import stripped_source
from inspector.findings.around_calls import around_calls
from inspector.findings.constant_sizes import specialized_use
from inspector.findings.recompile_case import Advice, FixCase, is_zero_one
from inspector.findings.recompile_fix_shared import (
    beyond,
    environment,
    kept_fix,
    parted,
    specialized_fix,
)
from inspector.findings.recompile_marks import (
    changing_sizes,
    mark_fix,
    marks_of,
    of_parameters,
)
from inspector.findings.recompile_wording import dimension_of
from inspector.findings.wording import count, listed
from inspector.model.recompile import Change, EqualSizes, Recompile, RecompileClass
from inspector.model.stack import StackFrame, user_frame

_LAST_OF_FOUR = 3
_SIDES = 2
# c10/core/ScalarType.h, as guards print it.
_DTYPES: Mapping[str, str] = {
    "Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64",
    "Half": "float16", "Float": "float32", "Double": "float64", "BFloat16": "bfloat16",
    "Bool": "bool", "ComplexHalf": "complex32", "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}  # fmt: skip

_DYNAMIC_STATE = "force_parameter_static_shapes=False, force_nn_module_property_static_shapes=False"


def _size(case: FixCase) -> Iterator[str]:
    special = specialized_use(case.first, case.history)
    guard = case.first.guard
    if case.kept_over:
        yield from kept_fix(case)
    elif of_parameters(case.first.source) or "force_parameter_static_shapes" in guard:
        yield environment(case)
        yield (
            f"Make {around_calls(_DYNAMIC_STATE)}: the shapes of what modules hold are constants "
            "otherwise, and with both they are dynamic from the second one on."
        )
    elif case.first.equal_sizes is not None:
        yield from _equal(case, case.first.equal_sizes)
    elif special is not None:
        yield specialized_fix(case, special)
    elif is_zero_one(case.first):
        yield from _zero_one(case)
    elif beyond(case.first) is not None:
        yield from _parted(case)
    else:
        if any(name.startswith("___from_numpy(") for name in changing_sizes(case.items)):
            yield environment(case)  # an array has no marks
        yield _mark(case)
        yield environment(case)
        if case.apart_by is None:  # else it has been said
            yield (
                "Compile with torch.compile(…, dynamic=True): every size of every input is dynamic."
            )


def _mark(case: FixCase) -> str:
    held = next((use for use in case.first.symbols if use.held_by), None)
    if held is None:
        return mark_fix(case)
    others = listed([dimension_of(stripped_source(name)) for name in held.held_by], 3)
    return f"{mark_fix(case).removesuffix('.')}, and mark what has the same size too: {others}."


def _parted(case: FixCase) -> Iterator[str]:
    """What was compiled first and what made it dynamic are on two sides of a condition."""
    bound = beyond(case.first)
    if bound is None:
        return
    told = parted(case, bound, "sizes", "and no mark makes one of the two")
    yield f"{told} To save that: {_lower(_mark(case))}"
    named = environment(case)
    yield f"The same {_lower(named)}" if named else ""


def _equal(case: FixCase, equal: EqualSizes) -> Iterator[str]:
    """Sizes that share a symbol; a mark gives each its own (tried on torch 2.13)."""
    changing = (
        f"{name}.size()[{index}]"
        for name, indexes in changing_sizes((*case.items, *case.history)).items()
        for index in indexes
    )
    yield marks_of(case, dict.fromkeys((*equal.changed, *changing)))
    yield (
        "Set torch.fx.experimental._config.use_duck_shape = False before the first compilation: "
        "equal sizes then get a symbol each."
    )
    shown = case.shown(case.first).equal_sizes or equal
    first = dimension_of(shown.changed[0])
    yield f"Make the first call with another size of {first} than {equal.value}."


def _zero_one(case: FixCase) -> Iterator[str]:
    yield (
        f"Sizes 0 and 1 get a graph of their own, marked or not: keep them out of {case.called} "
        "(pad the input). Each is compiled once."
    )


_ON_SIZES = re.compile(r"\.(?:size|stride|storage_offset|shape)\b")


def _is_on_sizes(item: Recompile) -> bool:
    """Whether a condition asks for sizes, as most do; where torch shows none of it, too."""
    texts = (item.guard, item.name, *(use.source for use in item.symbols))
    is_shown = bool(item.guard) and "Shape guard failed" not in item.guard
    return not is_shown or any(_ON_SIZES.search(text) for text in texts)


def _symbolic(case: FixCase) -> Iterator[str]:
    item = case.first
    if is_zero_one(item):
        yield from _zero_one(case)
        return
    if item.equal_sizes is not None:
        yield from _equal(case, item.equal_sizes)
        return
    frame = _deciding(case)
    line = f"{case.place(frame)}" if frame else "a line of the function"
    code = f" (`{frame.code.strip()}`)" if frame and frame.code else ""
    # An equality holds for one value; any other condition has sides.
    is_one = len(case.items) > _SIDES and all("==" in each.guard for each in case.items)
    if is_one and not _is_on_sizes(item):
        yield (
            f"What {line}{code} reads was another value in each of {len(case.items)} compilations: "
            f"it is a constant of each graph. Keep it outside of {case.called}, or in a tensor "
            "that is changed in place."
        )
        return
    what = "size" if _is_on_sizes(item) else "number"
    yield (
        f"The condition at {line}{code} depends on the {what}: each side is compiled once, and "
        "nothing is needed."
    )


def _deciding(case: FixCase) -> StackFrame | None:
    """The user line that put the guard on the size."""
    for use in case.first.symbols:
        frame = user_frame(use.guarded, case.roots)
        if frame is not None:
            return frame
    return case.first.caused_by


def _rank(case: FixCase) -> Iterator[str]:
    before, now = (value.text if value else "" for value in (case.first.before, case.first.now))
    others = dict.fromkeys(
        case.shown_name(change.name)
        for item in case.items
        for change in item.changes
        if change.kind is RecompileClass.RANK and change.name != case.first.name
    )
    also = f" (likewise {listed(list(others), 3)})" if others else ""
    numbers = [int(text) for text in (before, now) if text.isdecimal()]
    dimensions = count(max(numbers), "dimension") if numbers else "as many dimensions"
    yield (
        "A number of dimensions is never dynamic: each is compiled once. For one program, give "
        f"{case.passed} {dimensions}{also} in every call."
    )


def _stride(case: FixCase) -> Iterator[str]:
    yield case.converted_all(lambda _: ".contiguous()")
    indexes = [change.index or 0 for item in case.items for change in item.changes]
    if max([case.first.index or 0, *indexes]) >= _LAST_OF_FOUR:
        yield (
            "Where another memory format is meant: the same .contiguous(memory_format="
            "torch.channels_last) for every call."
        )


def _dtype(case: FixCase) -> Iterator[str]:
    if any(_is_converted(change) for item in case.items for change in item.changes):
        yield (
            "The parameters are of another dtype, too: it is another module, or it was converted. "
            "Each dtype is compiled once: nothing is needed. To have one: convert it once, before "
            "the first call."
        )
        return
    is_array = case.first.name.startswith("___from_numpy(")

    def converts(wanted: str) -> str:
        dtype = _DTYPES.get(wanted, wanted)
        return f".astype(np.{dtype})" if is_array else f".to(torch.{dtype.removeprefix('torch.')})"

    yield case.converted_all(converts)
    yield "Each dtype that is meant is compiled once: then there is nothing to do."


def _is_converted(change: Change) -> bool:
    return change.kind is RecompileClass.DTYPE and of_parameters(change.source)


def _device(case: FixCase) -> Iterator[str]:
    yield case.converted_all(lambda wanted: f".to({_device_name(wanted)})")


def _device_name(text: str) -> str:
    if text.isdecimal():
        return f'"cuda:{text}"'
    match = re.match(r"DispatchKeySet\((\w+)", text)
    return f'"{match[1].lower()}"' if match else "device"


def _layout(case: FixCase) -> Iterator[str]:
    yield f"{case.converted_all(lambda _: '.to_dense()')} Each layout is compiled for itself."


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _tensor_kind(case: FixCase) -> Iterator[str]:
    keys = case.first.now.text if case.first.now else ""
    before = case.first.before.text if case.first.before else ""
    if "FuncTorch" in keys:
        yield (
            "Compile the transformed function: torch.compile(torch.vmap(f)), not "
            "torch.vmap(torch.compile(f))."
        )
    # c10::InferenceMode: such tensors have no autograd keys.
    elif ("Autograd" in keys) != ("Autograd" in before):
        yield (
            f"One of the two calls is under torch.inference_mode(), or {case.passed} was made "
            "under it: do both under the same mode, or use torch.no_grad() for both."
        )
    elif "Conjugate" in keys:
        yield case.converted(".resolve_conj()")
    elif "Negative" in keys:
        yield case.converted(".resolve_neg()")
    else:
        yield f"Give {case.passed} as the same kind of tensor in every call."


def _aliasing(case: FixCase) -> Iterator[str]:
    now = case.first.now.text if case.first.now else ""
    safe = "if the function writes into neither"
    parts = now.split(" is not ")
    if len(parts) == 2:  # noqa: PLR2004 - the two sides
        yield (
            "Pass distinct tensors in every call: an earlier one has one tensor as both "
            f"{parts[0]} and {parts[1]}; pass a clone() of it as {parts[0]} there, {safe}."
        )
        return
    yield (
        f"Pass distinct tensors in every call: {case.passed or 'x'}.clone() {case.before_call} in "
        f"place of the second one, {safe}."
    )


def _view(case: FixCase) -> Iterator[str]:
    name = case.passed or "the tensor"
    yield (
        f"{name} is a view of another tensor in one call and none in the other, and torch looks at "
        f"the size of what it is a view of: write {name} = {name}.clone() "
        f"{case.before_call}, so that it never is one."
    )


def _marks(case: FixCase) -> Iterator[str]:
    yield (
        f"Mark the same dimensions {case.before_call}, from the first call on: a mark that comes "
        "later is another program."
    )


TENSORS: Advice = {
    RecompileClass.SIZE: _size,
    RecompileClass.STRIDE: _stride,
    RecompileClass.DTYPE: _dtype,
    RecompileClass.DEVICE: _device,
    RecompileClass.LAYOUT: _layout,
    RecompileClass.RANK: _rank,
    RecompileClass.TENSOR_KIND: _tensor_kind,
    RecompileClass.ALIASING: _aliasing,
    RecompileClass.VIEW: _view,
    RecompileClass.MARKS: _marks,
    RecompileClass.SYMBOLIC_SHAPE: _symbolic,
}
