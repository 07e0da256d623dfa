"""Makes a `Recompile` out of what was logged of a compilation and of the entries before it."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from inspector.builder.guard_case import GuardCase, full_source, without_addresses
from inspector.builder.guard_values import before_of, now_of
from inspector.builder.nearest_entry import nearest
from inspector.builder.recompile_class import Context, kind_of
from inspector.builder.recompile_facts import CompileFacts
from inspector.builder.recompile_origin import origin_of
from inspector.builder.recompile_parts import (
    changed_sizes,
    held_by,
    limit_of,
    named_source,
    with_cells,
    wrapped,
)
from inspector.events.compile_id import CompileId
from inspector.events.envelope import RawFrame
from inspector.events.failed_guard import CausedBy, FailedGuard, parse_reason
from inspector.events.graph_break import TracebackFrame
from inspector.model.compilation import Compilation
from inspector.model.recompile import Answer, Change, Recompile, RecompileClass, SymbolUse
from inspector.model.roots import Roots
from inspector.model.stack import StackFrame, below_recorder

__all__ = ["make_recompile", "specialized_symbols"]

_CAN_BE_DYNAMIC = frozenset(
    [RecompileClass.SIZE, RecompileClass.STRIDE, RecompileClass.SYMBOLIC_SHAPE, RecompileClass.INT,
     RecompileClass.FLOAT, RecompileClass.TYPE]
)  # fmt: skip
_ATTEMPT = re.compile(r"_\d+$")
_NO_REASON = "Unable to find recompilation reasons"  # torch/_dynamo/convert_frame.py, 2.11 to 2.13
_MOST_ENTRIES = 16
_parsed = functools.lru_cache(maxsize=1024)(parse_reason)


def make_recompile(
    item: Compilation,
    facts: CompileFacts,
    entries: Mapping[str, CompileFacts],
    roots: Roots,
    superseded: Collection[CompileId] = (),
) -> Recompile:
    """What a compilation after the first of its code object was for.

    Args:
        item: The compilation.
        facts: What its log says beyond its outcome.
        entries: The same of the earlier compilations, by the text of their compile id.
        roots: Whose code a file is.
        superseded: The entries that were compiled once more with what changed made dynamic: what
            does not fit the later one does not fit them for the same reason.
    """
    reasons = [reason for reason in item.recompile_reasons if _NO_REASON not in reason]
    # Each recompilation names all entries before it: of hundreds the newest ones are enough.
    failures = [_parsed(reason) for reason in reasons[:_MOST_ENTRIES]] or [_parsed("")]

    def entry_of(failed: FailedGuard) -> CompileFacts:
        return entries.get(str(_entry_id(failed)), CompileFacts())

    current = [failed for failed in failures if _entry_id(failed) not in superseded]
    chosen, changes = nearest(current or failures, facts, entry_of)
    entry = entry_of(chosen)
    before, now = entry.lines(), facts.lines()
    failed = named_source(chosen, before)
    name = failed.guard.source
    context = Context(failed, before, now, facts.seen)
    kind = kind_of(context)
    source = full_source(name, before, now, facts)
    case = GuardCase(failed, name, source, kind, before, now, entry, facts)
    symbols = tuple(_symbols(case, roots))
    stages = tuple((stage.stage, stage.time_ns) for stage in facts.spans.stages())
    return Recompile(
        compile_id=item.compile_id,
        entry=_entry_id(failed),
        others=tuple(_others(chosen, failures)),
        guard=_harmless(failed.text),
        comment=failed.comment,
        hint=failed.hint,
        source=source,
        name=with_cells(name, facts.seen),
        index=failed.guard.index,
        dimensions=tuple(changed_sizes(case)),
        holds=held_by(case),
        kind=kind,
        origin=origin_of(context, source, kind),
        before=before_of(case),
        now=now_of(case),
        answer=_answer(item, case),
        guard_stack=_printed(failed.user_stack, roots),
        caused_by=_caused_by(failed.caused_by),
        symbols=symbols,
        whitelist=facts.whitelist,
        call=item.call,
        # Torch leaves out who called a function that is compiled for itself.
        stack=_frames(facts.seen.stack, roots) if facts.seen and facts.seen.stack else item.stack,
        time_ns=sum(time_ns for _, time_ns in stages) or item.duration_ns,
        stages=stages,
        failure=item.failure.reason.partition("\n")[0] if item.failure else "",
        changes=tuple(_with_origin(change, context) for change in changes),
        limit=limit_of(item),
        wraps=wrapped(before, now),
    )


def _entry_id(failed: FailedGuard) -> CompileId | None:
    return CompileId.parse(_ATTEMPT.sub("", failed.entry))


def _with_origin(change: Change, context: Context) -> Change:
    guard = dataclasses.replace(context.guard, source=change.name)
    own = dataclasses.replace(context, failed=dataclasses.replace(context.failed, guard=guard))
    origin = origin_of(own, change.source, change.kind)
    return dataclasses.replace(change, name=with_cells(change.name, context.seen), origin=origin)


def _harmless(guard: str) -> str:
    """A guard without the addresses in it, which differ from run to run."""
    return without_addresses(guard).replace(", )", ")")


def _others(failed: FailedGuard, failures: Sequence[FailedGuard]) -> Iterator[str]:
    for other in failures:
        if other is not failed:
            yield f"{other.entry}: {_harmless(other.text)}"


def _answer(item: Compilation, case: GuardCase) -> Answer:
    if item.hit_limit:
        return Answer.LIMIT
    if item.raised:
        return Answer.FAILED
    if not item.finished:
        return Answer.UNKNOWN
    if item.gave_nothing:
        return Answer.EAGER
    return Answer.DYNAMIC if _is_dynamic(case) else Answer.AGAIN


def _is_dynamic(case: GuardCase) -> bool:
    """Whether what changed is symbolic in what was compiled, and stayed so."""
    wanted = _symbol_sources(case)
    created = [symbol for symbol in case.facts.created() if symbol.source in wanted]
    open_ = [symbol for symbol in created if case.facts.specialized(symbol.source) is None]
    if case.kind not in _CAN_BE_DYNAMIC:
        return False  # sizes and numbers become symbolic; dimensions, dtypes and the like do not
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


def _symbol_sources(case: GuardCase) -> frozenset[str]:
    """What the symbols of a guard stand for."""
    if case.kind is RecompileClass.SIZE:
        return frozenset({f"{case.source}.size()[{case.failed.guard.index}]"})
    if case.kind is RecompileClass.SYMBOLIC_SHAPE:
        return frozenset(case.sources())
    return frozenset({case.source, f"{case.source}.item()"})


def _symbols(case: GuardCase, roots: Roots) -> Iterable[SymbolUse]:
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
                held_by=_held_by(case, symbol.source) if special and facts is case.entry else (),
            )
        if found:
            return


def _held_by(case: GuardCase, source: str) -> tuple[str, ...]:
    """The sources that are dynamic now and were not in the entry, where this one is dynamic too."""
    known = {symbol.source for symbol in case.entry.created()}
    now = [s.source for s in case.facts.created() if case.facts.specialized(s.source) is None]
    return tuple(name for name in now if name not in known) if source in now else ()


def _frames(stack: Iterable[RawFrame], roots: Roots) -> tuple[StackFrame, ...]:
    frames = [
        StackFrame(
            item.file, item.line, item.name, item.code, item.end_line, item.column, item.end_column
        )
        for item in stack
    ]
    return below_recorder(frames, roots)


def _printed(stack: Iterable[TracebackFrame], roots: Roots) -> tuple[StackFrame, ...]:
    frames = [StackFrame(item.file, item.line, item.name, item.code) for item in stack]
    return below_recorder(frames, roots)


def _caused_by(places: Iterable[CausedBy]) -> StackFrame | None:
    first = next(iter(places), None)
    return None if first is None else StackFrame(first.file, first.line, first.name, first.code)
