"""Makes the frames of a process out of what was logged of its compilations."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from inspector.builder.compilation import CompilationDraft
from inspector.builder.older import complete_older
from inspector.builder.recompile import make_recompile
from inspector.builder.recompile_facts import CompileFacts
from inspector.builder.recompile_symbols import specialized_symbols
from inspector.events.compile_id import CompileId
from inspector.model.compilation import Compilation, Frame
from inspector.model.recompile import RecompileClass
from inspector.model.roots import Roots


def make_frames(
    drafts: Sequence[CompilationDraft], roots: Roots, *, explains_recompiles: bool = True
) -> Iterator[Frame]:
    """The frames that Dynamo met, in order, with what their recompilations were for.

    Args:
        drafts: The compilations, in the order in which they began.
        roots: Whose code a file is.
        explains_recompiles: Whether it is found out what each recompilation was for.
    """
    complete_older(drafts)
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
