"""What a recompilation is about, in words that all renderers share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.events.failed_guard import stripped_source
from inspector.findings.call_site import user_spelling
from inspector.findings.recompile_case import is_of_set, is_zero_one, tensor_of
from inspector.findings.recompile_changes import (
    also_changed,
    is_number_of_keys,
    keys_of,
    marked_with,
)
from inspector.findings.recompile_fix_shared import all_failed, bounds_of
from inspector.findings.wording import count, duration, listed
from inspector.model.recompile import (
    Answer,
    EqualSizes,
    Origin,
    Recompile,
    RecompileClass,
    SymbolUse,
)
from inspector.model.roots import Roots
from inspector.model.stack import StackFrame, user_frame

_MOST_TOLD = 4
_SIZE = re.compile(r"(.+)\.size\(\)\[(\d+)\]")
_TWO = "each of the two is compiled once"
_ORIGINS: Mapping[Origin, str] = {
    Origin.MODULE_ATTRIBUTE: "module attribute",
    Origin.ATTRIBUTE: "attribute",
    Origin.GLOBAL: "global",
    Origin.CLOSURE: "closure variable",
    Origin.ARGUMENT: "argument",
}
_VALUES: Mapping[RecompileClass, str] = {
    RecompileClass.INT: "int", RecompileClass.FLOAT: "float", RecompileClass.BOOL: "bool",
    RecompileClass.STR: "str", RecompileClass.ENUM: "enum", RecompileClass.CONSTANT: "constant",
}  # fmt: skip
_CHANGES: Mapping[RecompileClass, str] = {
    RecompileClass.DTYPE: "the dtype of {name} changes",
    RecompileClass.DEVICE: "the device of {name} changes",
    RecompileClass.LAYOUT: "the layout of {name} changes",
    RecompileClass.RANK: "the number of dimensions of {name} changes",
    RecompileClass.REQUIRES_GRAD: "requires_grad of {name} changes",
    RecompileClass.TENSOR_KIND: "the dispatch keys of {name} change",
    RecompileClass.ALIASING: "whether tensors are the same one changes{among}",
    RecompileClass.VIEW: "{name} is a view of another tensor, or no longer",
    RecompileClass.MARKS: "dimensions are marked differently",
    RecompileClass.SYMBOLIC_SHAPE: "a condition on {names} fails",
    RecompileClass.NONE: "{name} is None, or no longer",
    RecompileClass.LENGTH: "the length of {name} changes",
    RecompileClass.KEYS: "the keys of {name} change",
    RecompileClass.ORDER: "the order of the keys of {name} changes",
    RecompileClass.VARARGS: "the number of elements in *{name} changes",
    RecompileClass.ATTRIBUTE: "an attribute of {name} comes or goes",
    RecompileClass.TYPE: "the type of {name} changes",
    RecompileClass.FUNCTION: "another function is passed as {name}",
    RecompileClass.OBJECT: "another object is passed as {name}",
    RecompileClass.HOOKS: "hooks of a module change ({name})",
    RecompileClass.TRAINING: "the training flag changes ({name})",
    RecompileClass.GRAD_MODE: "the grad mode changes",
    RecompileClass.AUTOCAST: "autocast changes",
    RecompileClass.DEFAULT_DTYPE: "the default dtype changes",
    RecompileClass.DEFAULT_DEVICE: "the default device changes",
    RecompileClass.DETERMINISTIC: "the choice of deterministic algorithms changes",
    RecompileClass.NUM_THREADS: "the number of threads changes",
    RecompileClass.FUNCTION_MODE: "the torch-function modes change",
    RecompileClass.GLOBAL_STATE: "torch's global state changes{of}",
    RecompileClass.BACKEND: "another backend is asked for",
    RecompileClass.DEALLOCATED: "{name} was deallocated",
    RecompileClass.NOTHING_KEPT: "nothing is kept of the compilations before, which failed",
}
# Of what has no name: a bound method, mostly.
_KEPT: Mapping[RecompileClass, str] = {
    RecompileClass.DEALLOCATED: "a function that was kept over a graph break was deallocated",
    RecompileClass.FUNCTION: "another function is kept over a graph break",
    RecompileClass.OBJECT: "another object is kept over a graph break",
}
_ANSWERS: Mapping[Answer, str] = {
    Answer.DYNAMIC: "dynamic since: the next value does not compile again",
    Answer.AGAIN: "another value compiles again",
    Answer.LIMIT: "nothing was compiled: the call ran eagerly",
    Answer.EAGER: "no graph came of it",
    Answer.FAILED: "the compilation failed",
}
# Where there are two values, and no further ones.
_BOUNDED = frozenset(
    [RecompileClass.BOOL, RecompileClass.NONE, RecompileClass.TRAINING, RecompileClass.GRAD_MODE,
     RecompileClass.REQUIRES_GRAD, RecompileClass.DETERMINISTIC, RecompileClass.ATTRIBUTE,
     RecompileClass.ALIASING, RecompileClass.VIEW]
)  # fmt: skip
_MOST_KEYS = 4
_OF_DICT: Mapping[RecompileClass, str] = {
    RecompileClass.KEYS: "each set of keys is compiled once",
    RecompileClass.ORDER: "each order is compiled once",
}


def changed(item: Recompile) -> str:
    """What changes, as a clause: ``dimension 0 of x changes``."""
    name = user_spelling(item.name).removesuffix("._modules").removesuffix(".__code__")
    if item.equal_sizes is not None:
        return _equal(item.equal_sizes)
    if item.kind in {RecompileClass.SIZE, RecompileClass.STRIDE}:
        return _sizes(item, name)
    if item.kind in _VALUES:
        origin = _ORIGINS.get(item.origin, "value")
        what = "value" if item.name.startswith(("___stack", "`")) else origin
        return f"the {_VALUES[item.kind]} {what} {name} changes"
    if item.kind is RecompileClass.SYMBOLIC_SHAPE and not item.symbols and " " in item.name:
        return f"the condition {item.name} fails"
    if item.kind is RecompileClass.RANK:
        same = [change.name for change in item.changes if change.kind is item.kind]
        *others, last = dict.fromkeys([name, *map(user_spelling, same)])
        name = f"{listed(others, 2)} and {last}" if others else name
    text = _special(item) or _CHANGES.get(item.kind)
    if text is None:
        return (
            f"a guard fails: {item.guard}" if item.guard else "torch did not say which guard failed"
        )
    names = ", ".join(user_spelling(stripped_source(use.source)) for use in item.symbols) or name
    of = f": {item.name}" if item.name else ""
    among = f": {names}" if names else ""
    return text.format(name=name or "an object", names=names or "tensors", of=of, among=among)


def _equal(equal: EqualSizes) -> str:
    one, two = (*equal.changed[:1], *(equal.kept or equal.changed[1:])[:1])
    sizes = f"{dimension_of(one)} and {dimension_of(two)}"
    return f"{sizes} were both {equal.value} when it was compiled, and differ now"


def dimension_of(size: str) -> str:
    """``dimension 1 of past`` for ``past.size()[1]``; a number as it is."""
    match = _SIZE.fullmatch(user_spelling(size))
    return f"dimension {match[2]} of {match[1]}" if match else user_spelling(size)


def _sizes(item: Recompile, name: str) -> str:
    what = "size" if item.kind is RecompileClass.SIZE else "stride"
    if is_zero_one(item):
        return f"the {what} of dimension {item.index} of {name} changes to or from 0 or 1"
    tensors = marked_with(item)
    if not tensors:
        tensors = {item.name: list(item.dimensions) or [item.index or 0]}
    many = len(tensors) > 1 or len(next(iter(tensors.values()))) > 1
    of = [
        f"dimension{'s' if len(indexes) > 1 else ''} {listed([str(n) for n in indexes])} of "
        f"{user_spelling(tensor)}"
        for tensor, indexes in tensors.items()
    ]
    shown = of[0] if len(of) == 1 else f"{listed(of[:-1], 2)} and {of[-1]}"
    return f"the {what}s of {shown} change" if many else f"the {what} of {shown} changes"


def _special(item: Recompile) -> str:
    if item.name.startswith(("___stack", "`")) and item.kind in _KEPT:
        return _KEPT[item.kind]
    if item.kind is RecompileClass.LENGTH and item.name.endswith("._modules"):
        return "the number of submodules of {name} changes"
    if item.kind is RecompileClass.FUNCTION and item.origin is Origin.GLOBAL:
        return "the global function {name} is another one"
    if item.kind is RecompileClass.KEYS:
        return keys_changed(item)
    return ""


def told(items: Sequence[Recompile]) -> Iterator[str]:
    """The guard, then each recompilation: what it wanted and found, its time, what became of it."""
    if items[0].guard:
        yield f"this guard failed: {items[0].guard}"
    for item in items[:_MOST_TOLD]:
        yield _line(item)
        yield from _with_it(item)
    more = len(items) - _MOST_TOLD
    if more > 0:
        yield f"… and {more} more"


def _with_it(item: Recompile) -> Iterator[str]:
    """What would have failed behind it, and what other entries say."""
    also = also_changed(item)
    if also:
        said = [f"{changed(other)}{values(other)}" for other in also]
        yield f"    with it {listed(said, 3)}"
    # That older entries want other values of the same thing is no news.
    name = tensor_of(item.name)
    about = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") if name else None
    others = [text for text in item.others if about is None or not about.search(text)]
    if others:
        yield f"    other entries: {listed(others, 3)}"


def values(item: Recompile) -> str:
    """What the guard wants and what it found, in brackets."""
    if item.before is None or item.now is None:
        return ""
    return f" ({item.before.text} → {item.now.text})"


def _line(item: Recompile) -> str:
    entry = f" (cache entry {item.entry})" if item.entry else ""
    before = item.before.text if item.before else ""
    now = item.now.text if item.now else ""
    if item.new_keys or item.missing_keys:
        before, now = key_sides(item)
    is_none = item.kind is RecompileClass.NOTHING_KEPT
    values = {
        (True, True): f"{before} → {now}",
        (True, False): f"{before}, now another value",
        (False, True): f"now {now}",
        (False, False): item.guard or ("no cache entry" if is_none else "no guard is known"),
    }[bool(before), bool(now)]
    answer = _answer(item)
    return f"{item.compile_id}: {values}{entry}{f'; {answer}' if answer else ''}"


def _answer(item: Recompile) -> str:
    if item.limit and item.limit.raised:
        return "nothing was compiled: the call failed"
    if item.answer is Answer.DYNAMIC:
        return _dynamic(item)
    if item.answer is Answer.AGAIN and is_zero_one(item):
        return "sizes 0 and 1 get a graph of their own, and others do not need it"
    if item.answer is Answer.AGAIN and compiled_by_keys(item):
        return compiled_by_keys(item)
    if item.answer is Answer.AGAIN:
        return _TWO if item.kind in _BOUNDED else _ANSWERS[item.answer]
    return _ANSWERS.get(item.answer, "")


def _dynamic(item: Recompile) -> str:
    if item.kind is RecompileClass.STRIDE:
        return "the strides are dynamic since: others may fit"
    if item.equal_sizes is not None:
        return "each size is dynamic on its own since then"
    if item.kind is RecompileClass.SYMBOLIC_SHAPE:
        return "the size stays dynamic: each side of the condition is compiled once"
    if item.bounds:
        return f"dynamic since, within {bounds_of(item)}: what is beyond compiles again"
    return _ANSWERS[item.answer]


def compile_cost(items: Sequence[Recompile]) -> str:
    """What the compilations took; an empty string where nothing was compiled, or nobody knows."""
    took = [item.time_ns for item in items if item.time_ns and not item.hit_limit]
    if not took:
        return ""
    each = f", {duration(min(took))} to {duration(max(took))} each" if len(took) > 1 else ""
    times = f"{duration(sum(took))} for {count(len(took), 'compilation')}{each}"
    if all_failed(items):
        return f"{times}; spent again in every call like these, as nothing is kept of what fails"
    return f"{times}; spent once, and no part of a warm call's time"


def told_notes(items: Sequence[Recompile], roots: Roots) -> Iterator[str]:
    """What else there is to know, one sentence each."""
    yield from _places(items[0], roots)
    if items[0].equal_sizes is not None:
        yield "dynamic=True gives sizes that are equal in the first call one symbol (duck shaping)"
    if any(item.answer is Answer.EAGER for item in items):
        yield (
            "Dynamo skips a function of which it could make no graph: from then on all of it runs "
            "eagerly, also for what was compiled before"
        )
    limit = next((item.limit for item in items if item.limit), None)
    if limit and limit.raised:
        yield (
            f"behind the limit ({limit.name} = {limit.number}) a call that no compiled version "
            "fits raises FailOnRecompileLimitHit, as fullgraph=True or fail_on_recompile_limit_hit "
            "asks for; nothing runs eagerly"
        )
    elif limit and not limit.keeps_versions:
        yield (
            f"at the limit ({limit.name} = {limit.number}) this torch runs the whole function "
            "eagerly from then on, also where a compiled version fits"
        )
    elif any(item.hit_limit for item in items):
        which = f" ({limit.name} = {limit.number})" if limit else ""
        yield (
            f"behind the limit{which} Dynamo compiles this function no more: whenever no compiled "
            "version fits, all of it runs eagerly"
        )


def _places(item: Recompile, roots: Roots) -> Iterator[str]:
    for use in item.symbols:
        yield from _symbol(use, roots)
    if item.guard_stack:
        frame = user_frame(item.guard_stack, roots) or item.guard_stack[-1]
        yield f"the guard comes from {_shown(frame, roots)}"
    elif item.caused_by and not item.symbols:
        yield f"the guard comes from {_shown(item.caused_by, roots)}, as torch prints it"


def _symbol(use: SymbolUse, roots: Roots) -> Iterator[str]:
    made, tied = user_frame(use.made, roots), user_frame(use.guarded, roots)
    if made:
        yield f"{use.symbol} ({use.source}) is made for {_shown(made, roots)}"
    if tied:
        what = f"made the constant {use.specialized} at" if use.specialized else "guarded at"
        yield f"{use.symbol} is {what} {_shown(tied, roots)}"


def _shown(frame: StackFrame, roots: Roots) -> str:
    code = f": {frame.code.strip()}" if frame.code.strip() else ""
    return f"{roots.shown(frame.file)}:{frame.line}{code}"


def keys_changed(item: Recompile) -> str:
    """What changes, with ``{name}`` for the dict; an empty string where that is not known."""
    if is_of_set(item):
        return "what is in {name} changes"
    keys = keys_of([item])
    # Keys may have braces, which have a meaning in what this is put into.
    shown = listed(keys, _MOST_KEYS).replace("{", "{{").replace("}", "}}")
    if keys:
        come = f"s {shown} come and go" if len(keys) > 1 else f" {shown} comes and goes"
        return f"the key{come} in {{name}}"
    return "the number of keys in {name} changes" if is_number_of_keys(item) else ""


def key_sides(item: Recompile) -> tuple[str, str]:
    """``with 'a', without 'b'`` on either side: what both have is no news."""
    return _side(item.missing_keys, item.new_keys), _side(item.new_keys, item.missing_keys)


def _side(there: Sequence[str], missing: Sequence[str]) -> str:
    sides = (("with", there), ("without", missing))
    return ", ".join(f"{word} {listed(keys, _MOST_KEYS)}" for word, keys in sides if keys)


def compiled_by_keys(item: Recompile) -> str:
    """What each program is compiled for, where that is a set or an order of keys."""
    return "" if is_of_set(item) else _OF_DICT.get(item.kind, "")
