"""Makes a `Recompile` out of what was logged of a compilation and of the cache entries before it."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.builder.nearest_entry import nearest
from inspector.builder.recompile_class import kind_of, ordered_keys, origin_of
from inspector.builder.recompile_facts import CompileFacts
from inspector.events.compile_id import CompileId
from inspector.events.envelope import RawFrame
from inspector.events.failed_guard import CausedBy, FailedGuard, parse_reason
from inspector.events.graph_break import TracebackFrame
from inspector.events.guard_lines import GuardLines
from inspector.events.guard_shapes import GuardShape
from inspector.events.recompile import InspectorRecompile
from inspector.model.compilation import Compilation
from inspector.model.recompile import (
    Answer,
    Known,
    Recompile,
    RecompileClass,
    SymbolUse,
    Value,
)
from inspector.model.roots import Roots
from inspector.model.stack import StackFrame, below_recorder

__all__ = ["make_recompile", "specialized_symbols"]

_ATTEMPT = re.compile(r"_\d+$")
_NO_REASON = "Unable to find recompilation reasons"  # torch/_dynamo/convert_frame.py, 2.11 to 2.13
_CLASS = re.compile(r"<(?:class|enum|flag) '(.+)'>")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+|\b\d{12,}\b")
_LENGTH = re.compile(r"(?:len|___tuple_iterator_len)\(.+\) == (\d+)")
_CONSTANT = re.compile(r"(?P<source>.+) == (?P<value>.+?)\s*(?:  # .*)?$")
_SIZES = re.compile(r"\b(?P<what>size|stride)=\[(?P<numbers>[^\]]*)\]")
_DYNAMIC_TOKEN = "AutoDynamic.token"  # noqa: S105 - torch/_dynamo/pgo.py: no value at all
_SCALARS = frozenset(
    [RecompileClass.INT, RecompileClass.FLOAT, RecompileClass.TYPE, RecompileClass.OTHER]
)
# Names of c10::ScalarType by number, c10/core/ScalarType.h, as `torch.get_default_dtype` gives them.
_DTYPES = {5: "torch.float16", 6: "torch.float32", 7: "torch.float64", 15: "torch.bfloat16"}


@dataclasses.dataclass(frozen=True, slots=True)
class _Case:
    """A failed guard with all that is known around it."""

    failed: FailedGuard
    name: str
    source: str
    kind: RecompileClass
    before: GuardLines
    now: GuardLines
    entry: CompileFacts
    facts: CompileFacts

    @property
    def seen(self) -> InspectorRecompile | None:
        return self.facts.seen


def make_recompile(
    item: Compilation, facts: CompileFacts, entries: Mapping[str, CompileFacts], roots: Roots
) -> Recompile:
    """What a compilation after the first of its code object was for.

    Args:
        item: The compilation.
        facts: What its log says beyond its outcome.
        entries: The same of the earlier compilations, by the text of their compile id.
        roots: Whose code a file is.
    """
    reasons = [reason for reason in item.recompile_reasons if _NO_REASON not in reason]
    failures = [parse_reason(reason) for reason in reasons] or [parse_reason("")]

    def entry_of(failed: FailedGuard) -> CompileFacts:
        return entries.get(_ATTEMPT.sub("", failed.entry), CompileFacts())

    failed = nearest(failures, facts, entry_of)
    entry = entry_of(failed)
    before, now = entry.lines(), facts.lines()
    name = failed.guard.source
    kind = kind_of(failed, before, now, facts.seen)
    source = _full_source(name, before, now, facts)
    case = _Case(failed, name, source, kind, before, now, entry, facts)
    symbols = tuple(_symbols(case, roots))
    stages = tuple((stage.stage, stage.time_ns) for stage in facts.spans.stages())
    return Recompile(
        compile_id=item.compile_id,
        entry=CompileId.parse(_ATTEMPT.sub("", failed.entry)),
        others=tuple(_others(failed, failures)),
        guard=_harmless(failed.text),
        comment=failed.comment,
        hint=failed.hint,
        source=source,
        name=name,
        index=failed.guard.index,
        kind=kind,
        origin=origin_of(name, source, kind, failed, before, facts.seen),
        before=_before(case),
        now=_now(case),
        answer=_answer(item, case),
        guard_stack=_printed(failed.user_stack, roots),
        caused_by=_caused_by(failed.caused_by),
        symbols=symbols,
        whitelist=facts.whitelist,
        call=item.call,
        stack=item.stack or _frames(facts.seen.stack if facts.seen else (), roots),
        time_ns=sum(time_ns for _, time_ns in stages) or item.duration_ns,
        stages=stages,
        failure=item.failure.reason.partition("\n")[0] if item.failure else "",
    )


def _harmless(guard: str) -> str:
    """A guard without the addresses in it, which differ from run to run."""
    return _ADDRESS.sub("", guard).replace(", )", ")")


def _others(failed: FailedGuard, failures: Sequence[FailedGuard]) -> Iterator[str]:
    for other in failures:
        if other is not failed:
            yield f"{other.entry}: {_harmless(other.text)}"


def _full_source(name: str, before: GuardLines, now: GuardLines, facts: CompileFacts) -> str:
    """The source in Dynamo's spelling: from a tree, or put together."""
    tensor = re.sub(r"\.(?:size|stride)\(\)\[\d+\]$|\.storage_offset\(\)$", "", name)
    rest = name[len(tensor) :]
    for lines in (before, now):
        if tensor in lines.full:
            return lines.full[tensor] + rest
    for became in facts.became:
        if became.source.replace("L['", "").replace("']", "", 1) == tensor:
            return became.source + rest
    match = re.match(r"(?P<base>[A-Za-z_]\w*)(?P<path>[.\[].*|)$", tensor)
    if match is None or match["base"] in {"G", "torch"}:
        return name
    return f"L['{match['base']}']{match['path']}{rest}"


def _answer(item: Compilation, case: _Case) -> Answer:
    if item.hit_limit:
        return Answer.LIMIT
    if item.raised:
        return Answer.FAILED
    if not item.finished:
        return Answer.UNKNOWN
    return Answer.DYNAMIC if _is_dynamic(case) else Answer.AGAIN


def _is_dynamic(case: _Case) -> bool:
    """Whether what changed is symbolic in what was compiled, and stayed so."""
    wanted = _symbol_sources(case)
    created = [symbol for symbol in case.facts.created() if symbol.source in wanted]
    open_ = [symbol for symbol in created if case.facts.specialized(symbol.source) is None]
    if case.kind is RecompileClass.RANK:
        return False  # sizes become symbolic, and the number of dimensions does not
    if case.kind is RecompileClass.STRIDE:
        prefix = f"{case.source}.stride()"
        return any(
            symbol.source.startswith(prefix) and case.facts.specialized(symbol.source) is None
            for symbol in case.facts.created()
        )
    return bool(open_)


def specialized_symbols(facts: CompileFacts, roots: Roots) -> tuple[SymbolUse, ...]:
    """The symbolic sizes of a compilation that a line made constant."""
    return tuple(
        SymbolUse(
            symbol=symbol.symbol,
            source=symbol.source,
            value=symbol.text or None,
            made=_frames(symbol.stack, roots),
            guarded=_frames(special.stack, roots),
            specialized=special.value,
        )
        for symbol in facts.created()
        if (special := facts.specialized(symbol.source)) is not None
    )


def _symbol_sources(case: _Case) -> frozenset[str]:
    """What the symbols of a guard stand for."""
    if case.kind is RecompileClass.SIZE:
        return frozenset({f"{case.source}.size()[{case.failed.guard.index}]"})
    if case.kind is RecompileClass.SYMBOLIC_SHAPE:
        return frozenset(_sources_of(case))
    return frozenset({case.source, f"{case.source}.item()"})


def _sources_of(case: _Case) -> Iterable[str]:
    for name in case.failed.guard.sources:
        yield _full_source(name, case.before, case.now, case.facts)


def _symbols(case: _Case, roots: Roots) -> Iterable[SymbolUse]:
    """The symbols of the guard: where they were made, and which line tied them down.

    Those of the entry that did not fit; where it had none, those of what was compiled instead and
    made constant at once.
    """
    wanted = _symbol_sources(case)
    for facts in (case.entry, case.facts):
        found = [symbol for symbol in facts.created() if symbol.source in wanted]
        for symbol in found:
            special, guard = facts.specialized(symbol.source), facts.guarded(symbol.symbol)
            if facts is case.facts and special is None:
                continue
            at = special.stack if special else guard.stack if guard else ()
            yield SymbolUse(
                symbol=symbol.symbol,
                source=symbol.source,
                value=symbol.text or None,
                made=_frames(symbol.stack, roots),
                guarded=_frames(at, roots),
                specialized=special.value if special else None,
            )
        if found:
            return


def _before(case: _Case) -> Value | None:
    guard = case.failed.guard
    seen = case.seen.before.get(case.name) if case.seen else None
    if seen is not None and guard.shape in {GuardShape.IDENTITY, GuardShape.TENSOR_TYPE}:
        return Value(seen.text, Known.PROCESS)
    if guard.shape is GuardShape.GLOBAL_STATE:
        return _state(case.before, guard.source)
    if guard.shape is GuardShape.SYMBOLIC:
        return Value(case.failed.text, Known.PARSED)
    if guard.shape in {GuardShape.KEY, GuardShape.KEYS}:
        keys = ordered_keys(case.before, case.name)
        return Value(f"keys {', '.join(keys)}", Known.PARSED) if keys else _parsed(guard.before)
    if guard.shape is GuardShape.TENSOR_TYPE:
        return Value("a tensor", Known.PARSED)
    if guard.shape is GuardShape.IDENTITY and _CLASS.fullmatch(guard.before or ""):
        return None  # the type alone, which says nothing about which object it was
    return _parsed(guard.before)


def _now(case: _Case) -> Value | None:
    guard = case.failed.guard
    if guard.now is not None:
        return _parsed(guard.now)
    if guard.shape is GuardShape.REQUIRES_GRAD:
        return Value("0" if guard.before in {"1", "True"} else "1", Known.PARSED)
    if guard.shape is GuardShape.SYMBOLIC:
        return _sizes_now(case)
    if guard.shape is GuardShape.GLOBAL_STATE:
        return _state(case.now, guard.source)
    for became in case.facts.became:
        is_value = became.what == "scalar" and became.now != _DYNAMIC_TOKEN
        if became.source == case.source and is_value:
            return Value(became.now, Known.TRACE)
    return _seen_now(case) or _tree_now(case)


def _seen_now(case: _Case) -> Value | None:
    seen = case.seen.now.get(case.name) if case.seen else None
    if seen is None:
        return None
    if case.failed.guard.shape is GuardShape.TYPE:
        return Value(seen.type, Known.PROCESS)
    if case.failed.guard.shape in {GuardShape.KEY, GuardShape.KEYS} and seen.keys:
        return Value(f"keys {', '.join(seen.keys)}", Known.PROCESS)
    return Value(seen.text, Known.PROCESS)


def _tree_now(case: _Case) -> Value | None:
    """What the guard tree of what was compiled instead wants of the same source."""
    name, shape = case.name, case.failed.guard.shape
    if shape is GuardShape.TYPE:
        return _parsed(case.now.types.get(name))
    if shape in {GuardShape.KEY, GuardShape.KEYS}:
        keys = ordered_keys(case.now, name)
        return Value(f"keys {', '.join(keys)}", Known.PARSED) if keys else None
    for _, text in case.now.leaves.get(name, ()):
        length, constant = _LENGTH.match(text), _CONSTANT.match(text)
        if shape is GuardShape.LENGTH and length:
            return Value(length[1], Known.PARSED)
        if constant and shape in {GuardShape.EQUALS, GuardShape.NAN, GuardShape.IS_NONE}:
            return _parsed(constant["value"])
        if " is None" in text:
            return Value("None", Known.PARSED)
    if shape is GuardShape.LENGTH:
        keys = ordered_keys(case.now, name)
        return Value(str(len(keys)), Known.PARSED) if keys else None
    kind = case.now.types.get(name)
    return Value(f"a {_class_name(kind)}", Known.PARSED) if kind else None


def _sizes_now(case: _Case) -> Value | None:
    """The sizes of a symbolic guard in the call that did not fit."""
    found: dict[str, str] = {}
    known = Known.TRACE
    created = {symbol.source: symbol.text for symbol in case.facts.created()}
    for name, source in zip(case.failed.guard.sources, _sources_of(case), strict=True):
        value = created.get(source)
        if not value:
            value, known = _tree_size(case.now, name), Known.PARSED
        if not value and case.seen and name in case.seen.now:
            value, known = case.seen.now[name].text, Known.PROCESS
        if value:
            found[name] = value
    text = ", ".join(f"{name} = {value}" for name, value in found.items())
    return Value(text, known) if text else None


def _tree_size(lines: GuardLines, name: str) -> str:
    """A fixed size in a TENSOR_MATCH of the tree, or an empty string."""
    match = re.fullmatch(r"(?P<tensor>.+)\.(?P<what>size|stride)\(\)\[(?P<index>\d+)\]", name)
    if match is None:
        return next((m["value"] for _, text in lines.leaves.get(name, ())
                     if (m := _CONSTANT.match(text))), "")  # fmt: skip
    for text in lines.of_kind(match["tensor"], "TENSOR_MATCH"):
        for sizes in _SIZES.finditer(text):
            numbers = [number.strip() for number in sizes["numbers"].split(",")]
            index = int(match["index"])
            if sizes["what"] == match["what"] and index < len(numbers):
                return "" if numbers[index] == "None" else numbers[index]
    return ""


def _state(lines: GuardLines, parts: str) -> Value | None:
    """The parts of the global state that changed, out of the tree's JSON."""
    text = lines.state()
    start, end = text.find("{"), text.rfind("}")
    try:
        state = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except ValueError:
        state = None
    if not isinstance(state, dict):
        return None
    shown = [
        f"{part}={value}" for part in parts.split() if (value := _part(state, part)) is not None
    ]
    return Value(", ".join(shown), Known.PARSED) if shown else None


def _part(state: Mapping[str, object], part: str) -> str | None:
    """One part; of autocast (per device) torch prints lists, in the order of its devices."""
    autocast = state.get("autocast_state")
    match = re.fullmatch(r"autocast\((\w+)\)_(enabled|dtype)", part)
    if match and isinstance(autocast, dict):
        values = autocast.get(match[2])
        # at::autocast::_AUTOCAST_SUPPORTED_DEVICES (aten/src/ATen/autocast_mode.h) begins with CPU.
        if match[1] == "cpu" and isinstance(values, list) and values:
            return str(_DTYPES.get(values[0], values[0]) if match[2] == "dtype" else values[0])
        return None
    value = state.get(part)
    if part == "default_dtype" and isinstance(value, int):
        return _DTYPES.get(value, str(value))
    return None if value is None or isinstance(value, dict | list) else str(value)


def _parsed(text: str | None) -> Value | None:
    if not text:
        return None
    match = _CLASS.fullmatch(text.strip())
    return Value(match[1] if match else _ADDRESS.sub("", text).strip(), Known.PARSED)


def _class_name(text: str) -> str:
    match = _CLASS.fullmatch(text)
    return match[1] if match else text


def _frames(stack: Iterable[RawFrame], roots: Roots) -> tuple[StackFrame, ...]:
    frames = [StackFrame(item.file, item.line, item.name, item.code) for item in stack]
    return below_recorder(frames, roots)


def _printed(stack: Iterable[TracebackFrame], roots: Roots) -> tuple[StackFrame, ...]:
    frames = [StackFrame(item.file, item.line, item.name, item.code) for item in stack]
    return below_recorder(frames, roots)


def _caused_by(places: Iterable[CausedBy]) -> StackFrame | None:
    first = next(iter(places), None)
    return None if first is None else StackFrame(first.file, first.line, first.name, first.code)
