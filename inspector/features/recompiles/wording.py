"""What a recompilation is about, in words that all renderers share."""

from collections.abc import Iterator, Mapping, Sequence

from inspector.features.recompiles.case import is_of_set, is_zero_one
from inspector.features.recompiles.changes import (
    also_changed,
    is_number_of_keys,
    keys_of,
    marked_with,
)
from inspector.features.recompiles.fix_shared import all_failed, bounds_of
from inspector.report.user_code.call_site import user_spelling
from inspector.report.wording import count, duration, listed
from inspector.run.recompile import Answer, Origin, Recompile, RecompileClass
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame, user_frame

_C = RecompileClass
_MOST_SHOWN = 4
_ORIGINS: Mapping[Origin, str] = {
    Origin.MODULE_ATTRIBUTE: "module attribute",
    Origin.ATTRIBUTE: "attribute",
    Origin.GLOBAL: "global",
    Origin.CLOSURE: "closure variable",
    Origin.ARGUMENT: "argument",
}
_VALUES = frozenset({_C.INT, _C.FLOAT, _C.BOOL, _C.STR, _C.ENUM, _C.CONSTANT})
_CHANGES: Mapping[RecompileClass, str] = {
    _C.DTYPE: "the dtype of {name} changes",
    _C.DEVICE: "the device of {name} changes",
    _C.LAYOUT: "the layout of {name} changes",
    _C.RANK: "the number of dimensions of {name} changes",
    _C.REQUIRES_GRAD: "requires_grad of {name} changes",
    _C.TENSOR_KIND: "the dispatch keys of {name} change",
    _C.ALIASING: "the aliasing of tensors changes{colon_name}",
    _C.VIEW: "{name} changes to or from a view of another tensor",
    _C.MARKS: "a different set of dimensions is marked as dynamic",
    _C.SYMBOLIC_SHAPE: "a condition on {names} fails",
    _C.NONE: "{name} changes to or from None",
    _C.LENGTH: "the length of {name} changes",
    _C.KEYS: "the keys of {name} change",
    _C.ORDER: "the order of the keys of {name} changes",
    _C.VARARGS: "the number of elements in *{name} changes",
    _C.ATTRIBUTE: "an attribute of {name} is added or removed",
    _C.TYPE: "the type of {name} changes",
    _C.FUNCTION: "a different function is passed as {name}",
    _C.OBJECT: "a different object is passed as {name}",
    _C.HOOKS: "hooks of a module change ({name})",
    _C.TRAINING: "the training flag changes ({name})",
    _C.GRAD_MODE: "the grad mode changes",
    _C.AUTOCAST: "autocast changes",
    _C.DEFAULT_DTYPE: "the default dtype changes",
    _C.DEFAULT_DEVICE: "the default device changes",
    _C.DETERMINISTIC: "the deterministic-algorithms setting changes",
    _C.NUM_THREADS: "the number of threads changes",
    _C.FUNCTION_MODE: "the torch-function modes change",
    _C.GLOBAL_STATE: "torch's global state changes{colon_name}",
    _C.BACKEND: "the backend changes",
    _C.DEALLOCATED: "{name} was deallocated",
    _C.NOTHING_KEPT: "all earlier compilations failed, so nothing is cached",
}
# Of what has no name: a bound method, mostly.
_KEPT: Mapping[RecompileClass, str] = {
    _C.DEALLOCATED: "a function kept across a graph break was deallocated",
    _C.FUNCTION: "a different function is kept across a graph break",
    _C.OBJECT: "a different object is kept across a graph break",
}
_ANSWERS: Mapping[Answer, str] = {
    Answer.DYNAMIC: "dynamic from then on",
    Answer.AGAIN: "any other value triggers a recompilation",
    Answer.LIMIT: "not compiled; the call ran eagerly",
    Answer.EAGER: "no graph",
    Answer.FAILED: "the compilation failed",
}
_DYNAMIC: Mapping[RecompileClass, str] = {
    _C.STRIDE: "the strides are dynamic from then on",
    _C.SYMBOLIC_SHAPE: "each outcome of the condition is compiled once",
}
# Where there are two values, and no further ones.
_BOUNDED = frozenset(
    [_C.BOOL, _C.NONE, _C.TRAINING, _C.GRAD_MODE, _C.REQUIRES_GRAD, _C.DETERMINISTIC, _C.ATTRIBUTE,
     _C.ALIASING, _C.VIEW]
)  # fmt: skip
_MOST_KEYS = 4


def changed(item: Recompile) -> str:
    """What changes, as a clause: ``x.size(0) changes``."""
    name = user_spelling(item.name).removesuffix("._modules").removesuffix(".__code__")
    if equal := item.equal_sizes:
        sizes = (*equal.changed[:1], *(equal.kept or equal.changed[1:])[:1])
        return f"{' and '.join(map(user_spelling, sizes))} were both {equal.value} and now differ"
    if item.kind in {_C.SIZE, _C.STRIDE}:
        return _sizes(item)
    if item.kind in _VALUES:
        origin = _ORIGINS.get(item.origin, "value")
        what = "value" if item.name.startswith(("___stack", "`")) else origin
        return f"the {item.kind.value} {what} {name} changes"
    if item.kind is _C.SYMBOLIC_SHAPE and not item.symbols and " " in item.name:
        return f"the condition {item.name} fails"
    if item.kind is _C.RANK:
        same = [change.name for change in item.changes if change.kind is item.kind]
        name = joined(list(dict.fromkeys([name, *map(user_spelling, same)])))
    text = _special(item) or _CHANGES.get(item.kind)
    if text is None:
        return f"a guard fails: {item.guard or 'torch does not say which'}"
    names = ", ".join(user_spelling(use.source) for use in item.symbols) or name
    colon_name = f": {item.name}" if item.name else ""
    return text.format(name=name or "an object", names=names or "tensors", colon_name=colon_name)


def joined(names: Sequence[str]) -> str:
    """``a, b and c``."""
    *others, last = names
    return f"{listed(others, 2)} and {last}" if others else last


def _sizes(item: Recompile) -> str:
    tensors = marked_with(item) or {item.name: [item.index or 0]}
    what = "size" if item.kind is _C.SIZE else "stride"
    if is_zero_one(item):
        return f"{user_spelling(item.name)}.{what}({item.index}) changes to or from 0 or 1"
    sizes = [
        f"{user_spelling(tensor)}.{what}({index})"
        for tensor, indexes in tensors.items()
        for index in indexes
    ]
    return f"{joined(sizes)} change{'s' if len(sizes) == 1 else ''}"


def _special(item: Recompile) -> str:
    if item.name.startswith(("___stack", "`")) and item.kind in _KEPT:
        return _KEPT[item.kind]
    if item.kind is _C.LENGTH and item.name.endswith("._modules"):
        return "the number of submodules of {name} changes"
    if item.kind is _C.FUNCTION and item.origin is Origin.GLOBAL:
        return "the global function {name} changes"
    return keys_changed(item) if item.kind is _C.KEYS else ""


def reason_lines(items: Sequence[Recompile]) -> Iterator[str]:
    """The guard, then each recompilation: what it wanted and found, its time, what became of it."""
    if items[0].guard:
        yield f"this guard failed: {items[0].guard}"
    for item in items[:_MOST_SHOWN]:
        yield _line(item)
        yield from _with_it(item)
    more = len(items) - _MOST_SHOWN
    if more > 0:
        yield f"… and {more} more"


def _with_it(item: Recompile) -> Iterator[str]:
    """What would have failed after it."""
    also = also_changed(item)
    if also:
        said = [f"{changed(other)}{values(other)}" for other in also]
        yield f"    also: {listed(said, 3)}"


def values(item: Recompile) -> str:
    """What the guard wants and what it found, in brackets."""
    return f" ({item.before} → {item.now})" if item.before and item.now else ""


def _line(item: Recompile) -> str:
    entry = f" (cache entry {item.entry})" if item.entry else ""
    before, now = item.before, item.now
    if item.new_keys or item.missing_keys:
        # What both sides have is no news.
        before, now = (
            ", ".join(f"{word} {listed(keys, _MOST_KEYS)}" for word, keys in sides if keys)
            for sides in (
                (("with", item.missing_keys), ("without", item.new_keys)),
                (("with", item.new_keys), ("without", item.missing_keys)),
            )
        )
    nothing = "no cache entry" if item.kind is _C.NOTHING_KEPT else "unknown guard"
    values = " → ".join(filter(None, (before, now or (before and "another value"))))
    answer = _answer(item)
    return f"{item.compile_id}: {values or item.guard or nothing}{entry}" + (
        f"; {answer}" if answer else ""
    )


def _answer(item: Recompile) -> str:
    text = _ANSWERS.get(item.answer, "")
    if item.limit and item.limit.raised:
        text = "not compiled; the call failed"
    elif item.answer is Answer.AGAIN:
        if is_zero_one(item):
            text = "sizes 0 and 1 each get their own graph; all other sizes can share one"
        elif item.kind in {_C.KEYS, _C.ORDER} and not is_of_set(item):
            text = f"each {'set' if item.kind is _C.KEYS else 'order'} of keys is compiled once"
        elif item.kind in _BOUNDED:
            text = "each of the two values gets its own compilation"
    elif item.answer is Answer.DYNAMIC:
        if item.equal_sizes is not None:
            text = "each size has its own dynamic symbol from then on"
        elif item.kind in _DYNAMIC:
            text = _DYNAMIC[item.kind]
        elif item.bounds:
            text = f"dynamic from then on, within {bounds_of(item)}"
    return text


def compile_cost(items: Sequence[Recompile]) -> str:
    """What the compilations took; an empty string where nothing was compiled, or it is unknown."""
    took = [item.time_ns for item in items if item.time_ns and not item.hit_limit]
    if not took:
        return ""
    each = f", {duration(min(took))}–{duration(max(took))} each" if len(took) > 1 else ""  # noqa: RUF001 - a range
    times = f"{duration(sum(took))} for {count(len(took), 'compilation')}{each}"
    return f"{times}; " + ("repeated in every such call" if all_failed(items) else "one-time cost")


def reason_notes(items: Sequence[Recompile], roots: Roots) -> Iterator[str]:
    """What else there is to know, one sentence each."""
    yield from _places(items[0], roots)
    if items[0].equal_sizes is not None:
        yield "dynamic=True uses one symbol for sizes that are equal in the first call"
    if any(item.answer is Answer.EAGER for item in items):
        yield (
            "Dynamo produced no graph and skips the function from then on: it runs eagerly, even "
            "if an earlier compiled version matches"
        )
    limit = next((item.limit for item in items if item.limit), None)
    if limit is None:
        if any(item.hit_limit for item in items):
            yield "once the limit is reached, calls that match no compiled version run eagerly"
        return
    at = f"({limit.name} = {limit.number})"
    if limit.raised:
        yield (
            f"once the limit {at} is reached, a call that matches no compiled version raises "
            "FailOnRecompileLimitHit (fullgraph=True or fail_on_recompile_limit_hit is set)"
        )
    elif limit.keeps_versions:
        yield f"once the limit {at} is reached, calls that match no compiled version run eagerly"
    else:
        yield f"once the limit {at} is reached, this version of torch runs every call eagerly"


def _places(item: Recompile, roots: Roots) -> Iterator[str]:
    for use in item.symbols:
        made, tied = user_frame(use.made, roots), user_frame(use.guarded, roots)
        if made:
            yield f"{use.symbol} ({use.source}) is created at {_shown(made, roots)}"
        if tied:
            what = f"specialized on {use.specialized} at" if use.specialized else "guarded at"
            yield f"{use.symbol} is {what} {_shown(tied, roots)}"
    if item.guard_stack:
        frame = user_frame(item.guard_stack, roots) or item.guard_stack[-1]
        yield f"the guard comes from {_shown(frame, roots)}"
    elif item.caused_by and not item.symbols:
        yield f"the guard comes from {_shown(item.caused_by, roots)}, according to torch"


def _shown(frame: StackFrame, roots: Roots) -> str:
    code = f": {frame.code.strip()}" if frame.code.strip() else ""
    return f"{roots.shown(frame.file)}:{frame.line}{code}"


def keys_changed(item: Recompile) -> str:
    """What changes, with ``{name}`` for the dict; an empty string where that is not known."""
    if is_of_set(item):
        return "the contents of {name} change"
    keys = keys_of([item])
    # Keys may have braces, which have a meaning in what this is put into.
    shown = listed(keys, _MOST_KEYS).replace("{", "{{").replace("}", "}}")
    if keys:
        if len(keys) > 1:
            return f"the keys {shown} are present in {{name}} only in some calls"
        return f"the key {shown} is present in {{name}} only in some calls"
    return "the number of keys in {name} changes" if is_number_of_keys(item) else ""
