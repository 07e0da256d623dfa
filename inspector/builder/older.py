"""Graph breaks and the recompile limit in logs of torch 2.4 and 2.5, which have no record of them.

What is there of breaks: the metrics' ``restart_reasons`` (torch traces a function again, up to the
break), and the functions that Dynamo makes to go on after a break, whose names have its line. A
data-dependent branch restarts nothing and is known by such a function alone. A break in a loop,
where Dynamo skips the function, leaves nothing.

Of a call that the limit refused torch 2.5 logs why it would have been compiled, and nothing more;
torch 2.4 logs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.builder.compilation import CompilationDraft, OlderBreak
from inspector.model.stack import plain_name, resumed_line

# A restart for another reason is logged as its exception's class.
_NO_REASON = "<class '"


def complete_older(drafts: Sequence[CompilationDraft]) -> None:
    """Gives the compilations of older logs what can be told from the whole log.

    Args:
        drafts: The compilations, in the order in which they began.
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
    return tuple(text for text in reasons if not text.startswith(_NO_REASON))
