"""What to write against a recompilation: the line, and where it goes."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from inspector.findings.call_site import CallSite, user_spelling
from inspector.findings.wording import listed
from inspector.model.recompile import Answer, Origin, Recompile, RecompileClass, SymbolUse
from inspector.model.roots import Roots
from inspector.model.stack import StackFrame, user_frame

__all__ = ["FixCase", "dynamic_sources", "fixes", "is_zero_one"]

# c10/core/ScalarType.h, as guards print it.
_DTYPES: Mapping[str, str] = {
    "Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64",
    "Half": "float16", "Float": "float32", "Double": "float64", "BFloat16": "bfloat16",
    "Bool": "bool", "ComplexHalf": "complex32", "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}  # fmt: skip
_ZERO_ONE_VALUE = re.compile(r"(?:^|= )[01](?:$|,)")
_LIMIT = "torch._dynamo.config.recompile_limit"
_DEFAULT_LIMIT = 8
_ENVIRONMENT = "TORCH_COMPILE_DYNAMIC_SOURCES"


@dataclasses.dataclass(frozen=True, slots=True)
class FixCase:
    """Recompilations of one function for one reason.

    Attributes:
        items: They, in order; never none.
        site: Where the function is called from, and what is passed there.
        function: The function's name.
        roots: Whose code a file is.
    """

    items: tuple[Recompile, ...]
    site: CallSite
    function: str
    roots: Roots

    @property
    def first(self) -> Recompile:
        """The first of them."""
        return self.items[0]

    @property
    def name(self) -> str:
        """What changes as the user would write it in the function."""
        return user_spelling(re.sub(r"\.(?:size|stride)\(\)\[\d+\]$", "", self.first.name))

    @property
    def passed(self) -> str:
        """What changes as the caller writes it, or as the function does."""
        return self.site.expression or self.name

    @property
    def before_call(self) -> str:
        """Where a line goes that has to run before the call."""
        frame = self.site.frame
        if frame is None:
            return f"before {self.function} is called"
        return f"before the call at {self.roots.shown(frame.file)}:{frame.line}"

    @property
    def dimension(self) -> str:
        """The dimension that changes, as a number; of a symbolic size, out of its source."""
        if self.first.index is not None:
            return str(self.first.index)
        match = re.search(r"\.size\(\)\[(\d+)\]$", self.first.name)
        return match[1] if match else "0"


def fixes(case: FixCase) -> tuple[str, ...]:
    """What can be done, the best first; nothing where nobody knows."""
    advise = _ADVICE.get(case.first.kind)
    return tuple(dict.fromkeys(advise(case))) if advise else ()


def is_zero_one(item: Recompile) -> bool:
    """Whether a size of 0 or 1 is on one side: these get a graph of their own in any case."""
    sides = [value.text for value in (item.before, item.now) if value is not None]
    if item.kind is RecompileClass.SIZE:
        return any(text in {"0", "1"} for text in sides)
    if item.kind is RecompileClass.SYMBOLIC_SHAPE:
        now = item.now.text if item.now else ""
        return "0/1 specialization" in item.comment and bool(_ZERO_ONE_VALUE.search(now))
    return False


def dynamic_sources(items: Sequence[Recompile]) -> tuple[str, ...]:
    """The value for ``TORCH_COMPILE_DYNAMIC_SOURCES``: torch's own where it gave one.

    Torch lists all sources of a function that changed; of those, what failed here comes first.
    """
    own = [_tensor_of(item.source) for item in items if item.kind in _DYNAMIC and item.source]
    given = [source for item in items for source in item.whitelist]
    return tuple(dict.fromkeys((*own, *given)))


_DYNAMIC = frozenset(
    [RecompileClass.SIZE, RecompileClass.RANK, RecompileClass.INT, RecompileClass.FLOAT,
     RecompileClass.SYMBOLIC_SHAPE]
)  # fmt: skip


def _tensor_of(source: str) -> str:
    return re.sub(r"\.(?:size|stride)\(\)\[\d+\]$", "", source)


def _environment(case: FixCase) -> str:
    sources = ",".join(dynamic_sources(case.items))
    return f'Without a change of the source: {_ENVIRONMENT}="{sources}" in the environment.'


def _size(case: FixCase) -> Iterator[str]:
    line = f"torch._dynamo.mark_dynamic({case.passed}, {case.dimension})"
    special = next((use for use in case.first.symbols if use.specialized), None)
    if "_parameters[" in case.first.source or "force_parameter_static_shapes" in case.first.guard:
        yield (
            "Write torch._dynamo.config.force_parameter_static_shapes = False before the first "
            "compilation: the shapes of parameters are constants otherwise."
        )
    elif special is not None:
        yield _specialized(case, special)
    elif is_zero_one(case.first):
        yield from _zero_one(case)
    else:
        yield f"Write {line} {case.before_call}, the first one included."
        yield _environment(case)
        yield "Compile with torch.compile(…, dynamic=True): every size of every input is dynamic."


def _zero_one(case: FixCase) -> Iterator[str]:
    yield (
        f"Sizes 0 and 1 get a graph of their own, marked or not: keep them out of {case.function} "
        f"(pad the input), or write torch._dynamo.decorators.mark_unbacked({case.passed}, "
        f"{case.dimension}) {case.before_call}."
    )


def _specialized(case: FixCase, use: SymbolUse) -> str:
    frame = user_frame(use.guarded, case.roots)
    where = f" at {_place(case, frame)}" if frame else ""
    code = f" (`{frame.code.strip()}`)" if frame and frame.code else ""
    return (
        f"The size is made the constant {use.specialized}{where}{code}: no mark helps until that "
        f"line works for any size. Compare with >= instead of ==, or take the sizes of what is "
        f"made there from {case.name}.shape."
    )


def _place(case: FixCase, frame: StackFrame) -> str:
    return f"{case.roots.shown(frame.file)}:{frame.line}"


def _symbolic(case: FixCase) -> Iterator[str]:
    item = case.first
    if is_zero_one(item):
        yield from _zero_one(case)
        return
    if "duck sizing" in item.comment:
        yield (
            "Two sizes were equal when this was compiled, and torch assumed that they always are: "
            "write torch.fx.experimental._config.use_duck_shape = False before the first "
            "compilation, or compile first with sizes that differ."
        )
        return
    special = next((use for use in item.symbols if use.specialized), None)
    if special is not None:
        yield _specialized(case, special)
        return
    frame = _deciding(case)
    line = f"{_place(case, frame)}" if frame else "a line of the function"
    code = f" (`{frame.code.strip()}`)" if frame and frame.code else ""
    yield (
        f"The branch at {line}{code} depends on the size, and each side is compiled once. Write "
        f"both sides as one: torch.where(condition, a, b), torch.cond(condition, f, g, (…)), or "
        f"torch.clamp and slices; or choose {case.before_call}."
    )


def _deciding(case: FixCase) -> StackFrame | None:
    """The user line that put the guard on the size."""
    for use in case.first.symbols:
        frame = user_frame(use.guarded, case.roots)
        if frame is not None:
            return frame
    return case.first.caused_by


def _rank(case: FixCase) -> Iterator[str]:
    before = case.first.before.text if case.first.before else "the same number of"
    yield (
        f"Give {case.passed} {before} dimensions {case.before_call}: "
        f"{case.passed}.reshape(…) or {case.passed}.unsqueeze(0). A number of dimensions is never "
        "dynamic."
    )


def _stride(case: FixCase) -> Iterator[str]:
    yield f"Write {case.passed} = {case.passed}.contiguous() {case.before_call}."
    yield (
        "Where another memory format is meant: the same .contiguous(memory_format="
        "torch.channels_last) for every call."
    )


def _dtype(case: FixCase) -> Iterator[str]:
    wanted = case.first.before.text if case.first.before else ""
    dtype = f"torch.{_DTYPES.get(wanted, wanted)}"
    yield f"Write {case.passed} = {case.passed}.to({dtype}) {case.before_call}."
    yield "Each dtype that is meant is compiled once, and then found: then there is nothing to do."


def _device(case: FixCase) -> Iterator[str]:
    wanted = _device_name(case.first.before.text if case.first.before else "")
    yield f"Write {case.passed} = {case.passed}.to({wanted}) {case.before_call}."


def _device_name(text: str) -> str:
    if text.isdecimal():
        return f'"cuda:{text}"'
    match = re.match(r"DispatchKeySet\((\w+)", text)
    return f'"{match[1].lower()}"' if match else "device"


def _layout(case: FixCase) -> Iterator[str]:
    yield (
        f"Write {case.passed} = {case.passed}.to_dense() {case.before_call}: each layout is "
        "compiled for itself."
    )


def _requires_grad(case: FixCase) -> Iterator[str]:
    now = case.first.now.text if case.first.now else ""
    if now in {"1", "True"}:
        yield f"Write {case.passed} = {case.passed}.detach() {case.before_call}, if no gradient is needed."
    else:
        yield f"Write {case.passed}.requires_grad_() {case.before_call}, if its gradient is needed."
    yield "With and without a gradient are two programs: both are compiled once, and then found."


def _tensor_kind(case: FixCase) -> Iterator[str]:
    keys = case.first.now.text if case.first.now else ""
    if "FuncTorch" in keys:
        yield "Compile the transformed function: torch.compile(torch.vmap(f)), not torch.vmap(torch.compile(f))."
    elif "Conjugate" in keys:
        yield f"Write {case.passed} = {case.passed}.resolve_conj() {case.before_call}."
    elif "Negative" in keys:
        yield f"Write {case.passed} = {case.passed}.resolve_neg() {case.before_call}."
    else:
        yield f"Give {case.passed} as the same kind of tensor in every call."


def _aliasing(case: FixCase) -> Iterator[str]:
    yield (
        "Pass tensors that are distinct in every call, or the same one in every call: "
        f"{case.passed or 'x'}.clone() {case.before_call} where the second one is not to change."
    )


def _marks(case: FixCase) -> Iterator[str]:
    yield (
        f"Mark the same dimensions {case.before_call}, from the first call on: a mark that comes "
        "later is another program."
    )


def _int(case: FixCase) -> Iterator[str]:
    item = case.first
    special = next((use for use in item.symbols if use.specialized), None)
    if item.origin is Origin.MODULE_ATTRIBUTE:
        yield (
            "Write torch._dynamo.config.allow_unspec_int_on_nn_module = True before the first "
            f"compilation: {case.name} is a constant of each graph otherwise."
        )
        yield f"Pass the number to forward() as an argument, instead of reading {case.name} there."
        yield f"Make it a tensor: self.register_buffer('{_last(case.name)}', torch.tensor(…))."
    elif special is not None:
        yield _specialized(case, special)
    elif item.answer is Answer.DYNAMIC:
        yield f"Nothing is needed for further calls. {_environment(case)}"
        yield f"Pass it as a tensor: torch.tensor({case.passed})."
    elif item.origin is Origin.GLOBAL:
        yield (
            f"Pass {case.name} to {case.function} as an argument: a global int is a constant of "
            "each graph, an int argument becomes dynamic."
        )
        yield f"Make it a tensor: {case.name} = torch.tensor(…), changed in place."
    else:
        yield f"Pass it as a tensor: torch.tensor({case.passed}) {case.before_call}."
        yield _environment(case)


def _float(case: FixCase) -> Iterator[str]:
    if case.first.answer is Answer.DYNAMIC:
        yield f"Nothing is needed for further calls. {_environment(case)}"
    yield f"Pass it as a tensor: torch.tensor({case.passed}) {case.before_call}."


def _last(name: str) -> str:
    match = re.search(r"(\w+)\W*$", name)
    return match[1] if match else name


def _constant(case: FixCase) -> Iterator[str]:
    what = {
        RecompileClass.STR: "a string", RecompileClass.ENUM: "an enum member",
        RecompileClass.CONSTANT: "a Python constant",
    }.get(case.first.kind, "a Python value")  # fmt: skip
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
    if attribute:
        yield (
            f"Keep one tensor in place of the container {case.name}: allocate it at its full size "
            "once, write with index_copy_ or slices, and pass the length as a tensor."
        )
    else:
        yield (
            f"Pass one tensor in place of {case.name}: torch.stack({case.passed}) "
            f"{case.before_call}, whose first size is dynamic; the loop over it becomes an operator."
        )
        yield f"Pad {case.passed} to one length {case.before_call}."


def _varargs(case: FixCase) -> Iterator[str]:
    yield (
        f"Take one tensor instead of *{case.name}: torch.stack(tensors) {case.before_call}, whose "
        "first size is dynamic."
    )
    yield f"Pass the same number of arguments in every call, padded where there are fewer."


def _keys(case: FixCase) -> Iterator[str]:
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
        f"Pass the same object as {case.name} in every call: it is recognised by its identity. Make "
        "it once, outside of the calls."
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


_ADVICE: Mapping[RecompileClass, Callable[[FixCase], Iterator[str]]] = {
    RecompileClass.SIZE: _size,
    RecompileClass.STRIDE: _stride,
    RecompileClass.DTYPE: _dtype,
    RecompileClass.DEVICE: _device,
    RecompileClass.LAYOUT: _layout,
    RecompileClass.RANK: _rank,
    RecompileClass.REQUIRES_GRAD: _requires_grad,
    RecompileClass.TENSOR_KIND: _tensor_kind,
    RecompileClass.ALIASING: _aliasing,
    RecompileClass.MARKS: _marks,
    RecompileClass.SYMBOLIC_SHAPE: _symbolic,
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
