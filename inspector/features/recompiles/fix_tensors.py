"""Facts about a tensor that changes, for ``recompile_fixes.md``."""

import re
from collections.abc import Mapping

from inspector.features.recompiles.case import Facts, FixCase, with_method
from inspector.features.recompiles.fix_shared import lowered
from inspector.features.recompiles.marks import changing_sizes, mark_fix, marks_of, of_parameters
from inspector.report.user_code.call_site import user_spelling
from inspector.report.wording import count, listed
from inspector.run.recompile import EqualSizes, RecompileClass
from inspector.shared.stack import user_frame

_C = RecompileClass
_LAST_OF_FOUR = 3
_SIDES = 2
_MOST_NAMED = 6
_ARRAY = "___from_numpy("
_TRUE = frozenset({"1", "True"})
_ON_SIZES = re.compile(r"\.(?:size|stride|storage_offset|shape)\b")
# c10/core/ScalarType.h, as guards print it.
_DTYPES: Mapping[str, str] = {
    "Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64",
    "Half": "float16", "Float": "float32", "Double": "float64", "BFloat16": "bfloat16",
    "Bool": "bool", "ComplexHalf": "complex32", "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}  # fmt: skip


def mark(case: FixCase) -> str:
    """The line that marks all sizes that change, with those that hold them."""
    held = next((use for use in case.first.symbols if use.held_by), None)
    if held is None:
        return mark_fix(case)
    others = listed(list(map(user_spelling, held.held_by)), 3)
    return f"{mark_fix(case)} Also mark the sizes that are equal to it: {others}."


def equal_sizes(case: FixCase) -> EqualSizes:
    """The sizes that were equal in the first call."""
    return case.shown(case.first).equal_sizes or EqualSizes("", ("",), ())


def mark_of_equal(case: FixCase) -> str:
    """The line that marks those that are another size now."""
    changing = (
        f"{name}.size()[{index}]"
        for name, indexes in changing_sizes((*case.items, *case.history)).items()
        for index in indexes
    )
    equal = case.first.equal_sizes
    return marks_of(case, dict.fromkeys((*(equal.changed if equal else ()), *changing)))


def is_on_sizes(case: FixCase) -> bool:
    """Whether a condition asks for sizes, as most do; where torch shows none of it, too."""
    item = case.first
    texts = (item.guard, item.name, *(use.source for use in item.symbols))
    is_shown = bool(item.guard) and "Shape guard failed" not in item.guard
    return not is_shown or any(_ON_SIZES.search(text) for text in texts)


def is_another_value_each_time(case: FixCase) -> bool:
    """Whether a number has to equal another one in each: any other condition has two sides."""
    is_one = len(case.items) > _SIDES and all("==" in each.guard for each in case.items)
    return is_one and not is_on_sizes(case)


def is_one_size_each_time(case: FixCase) -> bool:
    """Whether each compilation is for one size: Inductor's backward of a convolution asks so."""
    guards = {item.guard for item in case.items}
    is_each = len(case.items) >= _SIDES and len(guards) == len(case.items)
    return is_each and all("==" in guard for guard in guards) and is_on_sizes(case)


def deciding_line(case: FixCase) -> str:
    """The user line that put the guard on the size."""
    frames = (user_frame(use.guarded, case.roots) for use in case.first.symbols)
    frame = next((each for each in frames if each is not None), case.first.caused_by)
    if frame and not frame.code:  # torch names its own line if there is no other one
        return f"{case.place(frame)} in torch"
    return case.line(frame) if frame else "a line of the function"


def dimensions(case: FixCase) -> str:
    """``3 dimensions``, the larger of both; and which others have another number of them."""
    sides = [case.before, case.now]
    others = dict.fromkeys(
        case.shown_name(change.name)
        for item in case.items
        for change in item.changes
        if change.kind is _C.RANK and change.name != case.first.name
    )
    also = f" (likewise {listed(list(others), 3)})" if others else ""
    numbers = [int(text) for text in sides if text.isdecimal()]
    return f"{count(max(numbers), 'dimension') if numbers else 'as many dimensions'}{also}"


def can_be_channels_last(case: FixCase) -> bool:
    """Whether one of them has four dimensions."""
    indexes = [change.index or 0 for item in case.items for change in item.changes]
    return max([case.first.index or 0, *indexes]) >= _LAST_OF_FOUR


def of_one_dtype(case: FixCase) -> str:
    """What makes all of them of the dtype that came first."""
    is_array = case.first.name.startswith(_ARRAY)

    def converts(wanted: str) -> str:
        dtype = _DTYPES.get(wanted, wanted)
        return f".astype(np.{dtype})" if is_array else f".to(torch.{dtype.removeprefix('torch.')})"

    return case.converted_all(converts)


def _device_name(text: str) -> str:
    if text.isdecimal():
        return f'"cuda:{text}"'
    match = re.match(r"DispatchKeySet\((\w+)", text)
    return f'"{match[1].lower()}"' if match else "device"


def requires_grad_now(case: FixCase) -> bool:
    """Whether it required none in an earlier call: it may be needed, or come along by chance."""
    return case.now in _TRUE


def _names(case: FixCase) -> list[str]:
    """All that changed in this way: fixing one of several helps in none."""
    changed = {
        change.name: None
        for item in case.items
        for change in item.changes
        if change.kind is _C.REQUIRES_GRAD and (change.now in _TRUE) is requires_grad_now(case)
    }
    return [*dict.fromkeys((case.first.name, *changed))]


def detached(case: FixCase) -> str:
    """What is passed in their place: what is set would be set for everybody."""
    given = {name: case.site.passed(name) for name in _names(case)}
    whole = [
        with_method(each.text, each.path) if each.text else case.shown_name(name)
        for name, each in given.items()
    ]
    texts = [with_method(text, ".detach()") for text in dict.fromkeys(whole)]
    return listed(texts, _MOST_NAMED)


FACTS: Facts = {
    "is_parameter": lambda case: of_parameters(case.first.source),
    # Dynamo makes its sizes constants because a module holds it.
    "is_static_parameter": lambda case: (
        of_parameters(case.first.source) or "force_parameter_static_shapes" in case.first.guard
    ),
    # Parameters that have another dtype are a module that is converted.
    "is_converted": lambda case: any(
        change.kind is _C.DTYPE and of_parameters(change.source)
        for item in case.items
        for change in item.changes
    ),
    # What requires a gradient, as the function has it, and as the caller passes it.
    "differentiated": lambda case: listed([*map(case.shown_name, _names(case))], _MOST_NAMED),
    "passed_differentiated": lambda case: listed(
        [case.site.passed(name).written or case.shown_name(name) for name in _names(case)],
        _MOST_NAMED,
    ),
    "gradients": lambda case: (
        "one of their gradients is" if len(_names(case)) > 1 else "its gradient is"
    ),
    "has_array": lambda case: any(name.startswith(_ARRAY) for name in changing_sizes(case.items)),
    "mark_clause": lambda case: lowered(mark(case)),
    "has_equal_sizes": lambda case: case.first.equal_sizes is not None,
    "equal_dimension": lambda case: user_spelling(equal_sizes(case).changed[0]),
    "equal_value": lambda case: equal_sizes(case).value,
    "contiguous": lambda case: case.converted_all(lambda _: ".contiguous()"),
    "on_one_device": lambda case: case.converted_all(lambda wanted: f".to({_device_name(wanted)})"),
    "dense": lambda case: case.converted_all(lambda _: ".to_dense()"),
    "is_transformed": lambda case: "FuncTorch" in case.now,
    "is_inference": lambda case: ("Autograd" in case.now) != ("Autograd" in case.before),
    "is_conjugate": lambda case: "Conjugate" in case.now,
    "is_negative": lambda case: "Negative" in case.now,
    "resolve_conj": lambda case: case.converted(".resolve_conj()"),
    "resolve_neg": lambda case: case.converted(".resolve_neg()"),
    "first_alias": lambda case: case.now.partition(" is not ")[0],
    "second_alias": lambda case: case.now.partition(" is not ")[2],
    "passed_or_x": lambda case: case.passed or "x",
    "passed_tensor": lambda case: case.passed or "the tensor",
}
