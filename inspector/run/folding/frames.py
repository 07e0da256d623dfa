"""Makes the frames of a process out of what was logged of its compilations."""

import dataclasses
from collections.abc import Iterator, Sequence

from inspector.run.compilation import Compilation, Frame
from inspector.run.folding.compilation import CompilationDraft, OlderBreak
from inspector.run.folding.recompile import make_recompile
from inspector.run.folding.recompile_facts import CompileFacts
from inspector.run.folding.recompile_sizes import specialized_symbols
from inspector.run.recompile import RecompileClass
from inspector.shared.roots import Roots
from inspector.shared.stack import plain_name, resumed_line
from inspector.trace.compile_id import CompileId

# A restart for another reason is logged as its exception's class.
_OTHER_RESTART = "<class '"


def make_frames(
    drafts: Sequence[CompilationDraft], roots: Roots, *, explains_recompiles: bool = True
) -> Iterator[Frame]:
    """The frames that Dynamo met, in order, with what their recompilations were for."""
    _complete_older(drafts)
    compilations = _compilations if explains_recompiles else _outcomes
    for own in _by_frame(drafts):
        first = own[0]
        yield Frame(
            frame_id=first.compile_id.frame_id,
            name=first.name,
            file=first.file,
            first_line=first.first_line,
            compilations=tuple(compilations(own, roots)),
        )


def _by_frame(drafts: Sequence[CompilationDraft]) -> list[list[CompilationDraft]]:
    """The compilations by code object: after a reset, torch gives its numbers to others."""
    frames: list[list[CompilationDraft]] = []
    newest: dict[int | None, list[CompilationDraft]] = {}
    known: dict[tuple[object, ...], list[CompilationDraft]] = {}
    for draft in drafts:
        frame_id = draft.compile_id.frame_id
        code = (frame_id, draft.file, draft.first_line, draft.name)
        # At the recompile limit torch says the number alone.
        found = known.get(code) if draft.name else newest.get(frame_id)
        if found is None:
            found = []
            frames.append(found)
        newest[frame_id] = known[code] = found
        found.append(draft)
    return frames


def _outcomes(drafts: Sequence[CompilationDraft], roots: Roots) -> Iterator[Compilation]:
    for draft in drafts:
        yield draft.build(roots)
        draft.facts.forget()


def _compilations(drafts: Sequence[CompilationDraft], roots: Roots) -> Iterator[Compilation]:
    """The compilations of a code object, and of all after the first what they were for."""
    entries: dict[str, CompileFacts] = {}
    superseded: set[CompileId] = set()
    is_kept = False
    for draft in drafts:
        item = draft.build(roots)
        specialized = specialized_symbols(draft.facts, roots)
        if specialized:
            item = dataclasses.replace(item, specialized=specialized)
        if item.is_recompile or item.hit_limit:
            recompile = make_recompile(item, draft.facts, entries, roots, superseded)
            if recompile.entry and recompile.supersedes:
                superseded.add(recompile.entry)
            if not is_kept and not item.recompile_reasons:
                recompile = dataclasses.replace(recompile, kind=RecompileClass.NOTHING_KEPT)
            item = dataclasses.replace(item, recompile=recompile)
        is_kept = is_kept or not item.raised
        entries[str(item.compile_id)] = draft.facts
        yield item
    for facts in entries.values():
        facts.forget()


def _complete_older(drafts: Sequence[CompilationDraft]) -> None:
    """Gives the compilations of older logs what can be told from the whole log.

    Torch 2.4 and 2.5 have no record of graph breaks and of the recompile limit. What is there of
    breaks: the metrics' ``restart_reasons`` (torch traces a function again, up to the break), and
    the functions that Dynamo makes to go on after a break, whose names have its line. A
    data-dependent branch restarts nothing and is known by such a function alone. A break in a loop,
    where Dynamo skips the function, leaves nothing. Of a call that the limit refused torch 2.5 logs
    why it would have been compiled, and nothing more; torch 2.4 logs nothing.
    """
    functions: dict[tuple[str, str], list[CompilationDraft]] = {}
    for draft in drafts:
        if draft.metrics is not None and not draft.metrics.logs_breaks:
            functions.setdefault((draft.file, plain_name(draft.name)), []).append(draft)
    for own in functions.values():
        for draft, older in _breaks(own):
            draft.older_break = older
    for draft in drafts[:-1]:
        draft.is_last = False
    for draft in drafts if functions else ():
        if draft.metrics is None and not draft.stack and draft.recompile_reasons:
            draft.is_refused = True


def _breaks(own: Sequence[CompilationDraft]) -> Iterator[tuple[CompilationDraft, OlderBreak]]:
    """The compilations of a function and of what goes on behind its breaks that broke."""
    lines = _lines(own)
    explained = {draft.name for draft in own if _reasons(draft)}
    for number, draft in enumerate(own):
        reasons, found = _reasons(draft), lines.get(draft.name, ())
        if reasons or (found and draft.name not in explained):
            behind = (resumed_line(item.name) for item in own[number + 1 :])
            line = next((line for line in behind if line in found), None)
            yield draft, OlderBreak(reasons, line or next(iter(found), draft.first_line))


def _lines(own: Sequence[CompilationDraft]) -> dict[str, tuple[int, ...]]:
    """The lines at which each code object broke, by its name: what is resumed there comes next."""
    lines: dict[str, tuple[int, ...]] = {}
    known: set[str] = set()
    for number, draft in enumerate(own):
        line = resumed_line(draft.name)
        if line is None or draft.name in known:
            continue
        known.add(draft.name)
        before = next((item for item in reversed(own[:number]) if item.name != draft.name), None)
        if before is not None:
            lines[before.name] = (*lines.get(before.name, ()), line)
    return lines


def _reasons(draft: CompilationDraft) -> tuple[str, ...]:
    reasons = draft.metrics.restart_reasons if draft.metrics else ()
    return tuple(text for text in reasons if not text.startswith(_OTHER_RESTART))
