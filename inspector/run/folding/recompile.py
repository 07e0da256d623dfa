"""Makes a `Recompile` out of what was logged of a compilation and of the entries before it."""

import dataclasses
import functools
import re
from collections.abc import Collection, Iterable, Mapping

from inspector.run.cache_entries.entry import is_inside
from inspector.run.compilation import Compilation
from inspector.run.folding.dict_keys import came_and_went
from inspector.run.folding.guard_case import GuardCase, without_addresses
from inspector.run.folding.guard_values import before_of, now_of
from inspector.run.folding.nearest_entry import nearest
from inspector.run.folding.recompile_class import kind_of
from inspector.run.folding.recompile_facts import CompileFacts
from inspector.run.folding.recompile_parts import (
    held_by,
    limit_of,
    named_source,
    origin_of,
    with_cells,
    wrapped,
)
from inspector.run.folding.recompile_sizes import (
    bounds_of,
    equal_sizes,
    guarded_symbols,
    is_dynamic,
)
from inspector.run.recompile import Answer, Change, OtherInstance, Recompile
from inspector.shared.roots import Roots
from inspector.shared.stack import below_recorder
from inspector.trace.compile_id import CompileId
from inspector.trace.failed_guard import FailedGuard, parse_reason

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
        entries: The same of the earlier compilations, by the text of their compile id.
        superseded: The entries that were compiled once more with what changed made dynamic: what
            does not fit the later one does not fit them for the same reason.
    """
    reasons = [reason for reason in item.recompile_reasons if _NO_REASON not in reason]
    # Each recompilation names all entries before it: of hundreds the newest ones are enough.
    failures = [_parsed(reason) for reason in reasons[:_MOST_ENTRIES]] or [_parsed("")]
    current = [failed for failed in failures if _entry_id(failed) not in superseded]

    def entry_of(failed: FailedGuard) -> CompileFacts:
        return entries.get(str(_entry_id(failed)), CompileFacts())

    chosen, changes = nearest(current or failures, facts, entry_of)
    entry = entry_of(chosen)
    failed, seen = named_source(chosen, entry.lines()), facts.seen
    case = GuardCase(failed, entry, facts)
    case = dataclasses.replace(case, kind=kind_of(case))
    came, went = came_and_went(case, changes)
    stages = tuple((stage.stage, stage.time_ns) for stage in facts.spans.stages())
    return Recompile(
        compile_id=item.compile_id,
        entry=_entry_id(failed),
        guard=_harmless(failed.text),
        comment=failed.comment,
        hint=failed.hint,
        source=case.source,
        name=with_cells(case.name, seen),
        index=failed.guard.index,
        holds=held_by(case, (*came, *went)),
        kind=case.kind,
        origin=origin_of(case, case.source, case.kind),
        before=before_of(case, changes),
        now=now_of(case, changes),
        answer=_answer(item, case),
        guard_stack=below_recorder(failed.user_stack, roots),
        caused_by=failed.caused_by,
        symbols=tuple(guarded_symbols(case, roots)),
        whitelist=facts.whitelist,
        call=item.call,
        # Torch leaves out who called a function that is compiled for itself.
        stack=below_recorder(seen.stack, roots) if seen and seen.stack else item.stack,
        first_stack=below_recorder(facts.seen.first_stack, roots) if facts.seen else (),
        time_ns=sum(time_ns for _, time_ns in stages) or item.duration_ns,
        stages=stages,
        failure=item.failure.reason.partition("\n")[0] if item.failure else "",
        changes=tuple(_with_origin(change, case) for change in changes),
        limit=limit_of(item),
        wraps=wrapped(case.before, case.now),
        new_keys=came,
        missing_keys=went,
        bounds=tuple(bounds_of(facts, changes, roots)),
        equal_sizes=equal_sizes(case, changes),
        other_instance=_other_instance(
            (case.name, *(change.name for change in changes)),
            entry,
            facts,
            hit_limit=item.hit_limit,
        ),
    )


def _other_instance(
    names: Iterable[str], entry: CompileFacts, facts: CompileFacts, *, hit_limit: bool
) -> OtherInstance | None:
    """The object that has what changed, where it is another one; else None."""
    changed = tuple(names)
    known = facts.instances or (facts.seen.instances if facts.seen else {})
    for name, now in known.items():
        before = entry.instances.get(name)
        if before is None or before.number == now.number:
            continue
        if any(each == name or is_inside(each, (name,)) for each in changed):
            alive = facts.seen.alive.get(name) if facts.seen else None
            # Others of the class share the code where each is compiled, and may where it is full.
            alive = alive if alive and (alive.alone or hit_limit) else None
            return OtherInstance(
                name,
                (before.type, now.type),
                (before.number, now.number),
                alive.count if alive else None,
                alone=alive is not None and alive.alone,
            )
    return None


def _entry_id(failed: FailedGuard) -> CompileId | None:
    return CompileId.parse(_ATTEMPT.sub("", failed.entry))


def _with_origin(change: Change, case: GuardCase) -> Change:
    guard = dataclasses.replace(case.guard, source=change.name)
    own = dataclasses.replace(case, failed=dataclasses.replace(case.failed, guard=guard))
    origin = origin_of(own, change.source, change.kind)
    return dataclasses.replace(change, name=with_cells(change.name, case.seen), origin=origin)


def _harmless(guard: str) -> str:
    """A guard without the addresses in it, which differ from run to run."""
    return without_addresses(guard).replace(", )", ")")


def _answer(item: Compilation, case: GuardCase) -> Answer:
    if item.hit_limit:
        return Answer.LIMIT
    if item.raised:
        return Answer.FAILED
    if not item.finished:
        return Answer.UNKNOWN
    if item.gave_nothing:
        return Answer.EAGER
    return Answer.DYNAMIC if is_dynamic(case) else Answer.AGAIN
