"""Which part of a cache key changed between two recordings.

Torch prints a key as lines ``[hash] name: value``, one per part
(``FxGraphCachePickler.debug_lines`` in torch/_inductor/codecache.py, 2.11 and 2.13). The hash
decides whether a part changed: a value can hold addresses, and can be cut off.
"""

import collections
import difflib
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from inspector.run.compile_time import Change, KeyChange, KeyVerdict
from inspector.run.run import Process, Run
from inspector.trace.caches import CacheLookup, CacheState

_LINE = re.compile(
    r"\[(?P<hash>\w+)\] (?P<name>[^\s:\[]+(?:\[[^\]]*\])?): ?(?P<value>.*)", re.DOTALL
)
# What a graph is known by in another recording: which cache, which code, its how-manieth
# compilation, forward or backward, and its how-manieth graph there.
_Graph: TypeAlias = tuple[int, str, str, str, int, bool, int]
_MOST_LINES = 40
_NAME = re.compile(r"(?P<part>[^\[]+)(?:\[(?P<item>.*)\])?", re.DOTALL)
_PRINTABLE = 0.9
# Parts whose names say little, of FxGraphHashDetails in torch/_inductor/codecache.py and
# AOTAutogradCacheDetails in torch/_functorch/_aot_autograd/autograd_cache.py, 2.11 and 2.13.
_WORDS = {
    "gm": "the graph itself",
    "torch_version": "torch itself (different version or sources)",
    "user_defined_triton_source": "the source of a user-defined Triton kernel",
    "triton_kernel_source_codes": "the source of a user-defined Triton kernel",
    "disable_amp": "autocast around the call",
    "aot_config": "arguments of AOTAutograd (inputs, their sources, dynamic shapes)",
    "inputs_to_check": "inputs whose alignment is checked",
}
_ITEM_WORDS = {
    "inductor_config": "torch._inductor.config.{}",
    "fx_kwargs": "Inductor argument {}",
    "system_info": "the machine: {}",
    "example_inputs": "input {}",
    "user_defined_triton_source": "the source of a user-defined Triton kernel ({})",
}
_TENSOR = re.compile(r"(?:TensorMetadata|TensorMetadataAndValues)\((?P<fields>.*)\)", re.DOTALL)
_FIELD = re.compile(r"(?:^|, )(\w+)=")


def key_changes(run: Run, other: Run) -> tuple[KeyChange, ...]:
    """How the cache keys of a run differ from those of another one.

    Graphs that were found in both recordings are left out, and those that only one of them has.
    """
    before, now = _graphs(other), _graphs(run)
    return tuple(
        _compared(graph, before[graph], lookup)
        for graph, lookup in now.items()
        if graph in before and {before[graph].state, lookup.state} != {CacheState.HIT}
    )


def unmatched(run: Run, other: Run) -> tuple[int, int]:
    """How many graphs only this run looked for, and how many only the other one."""
    before, now = _graphs(other), _graphs(run)
    return len(now.keys() - before.keys()), len(before.keys() - now.keys())


def _graphs(run: Run) -> dict[_Graph, CacheLookup]:
    """The graphs whose keys are known.

    Ranks are compared with the same rank, and other processes in order. A code object is known by
    the name of its file and its own, for its line and its folder can be others.
    """
    found: dict[_Graph, CacheLookup] = {}
    ordinals: collections.Counter[tuple[object, ...]] = collections.Counter()
    for index, process in enumerate(run.processes):
        rank = index if process.rank is None else process.rank
        frames = _frames(process)
        for lookup in process.lookups:
            if not lookup.key:
                continue
            file, name, number = frames.get(
                (lookup.compile_id, lookup.occurrence), ("", lookup.compile_id, 0)
            )
            graph = (rank, lookup.cache, file, name, number, lookup.is_backward)
            found[*graph, ordinals[graph]] = lookup
            ordinals[graph] += 1
    return found


def _frames(process: Process) -> Mapping[tuple[str, int], tuple[str, str, int]]:
    """(file name, name, how-manieth compilation of it) by compile id and occurrence."""
    found: dict[tuple[str, int], tuple[str, str, int]] = {}
    numbers: collections.Counter[tuple[str, str]] = collections.Counter()
    for time in process.compile_times:
        key = (time.compile_id, time.occurrence)
        if key in found:
            continue
        code = (time.file.replace("\\", "/").rpartition("/")[2], time.name or time.compile_id)
        found[key] = (*code, numbers[code])
        numbers[code] += 1
    return found


def _compared(graph: _Graph, before: CacheLookup, now: CacheLookup) -> KeyChange:
    old, new = key_parts(before.components), key_parts(now.components)
    are_known = bool(before.components and now.components)
    changes = tuple(
        change_of(name, was and was[1], is_now and is_now[1])
        for name in (dict.fromkeys((*new, *old)) if are_known else ())
        for was, is_now in [(old.get(name), new.get(name))]
        if was is None or is_now is None or was[0] != is_now[0]
    )
    if before.key == now.key:
        verdict, changes = KeyVerdict.SAME, ()
    elif changes:
        verdict = KeyVerdict.CHANGED
    else:
        verdict = KeyVerdict.HIDDEN if are_known else KeyVerdict.UNKNOWN
    return KeyChange(
        cache=now.cache,
        process=graph[0],
        name=graph[3],
        compile_id=now.compile_id,
        is_backward=now.is_backward,
        before=before.state.value,
        now=now.state.value,
        verdict=verdict,
        changes=changes,
    )


def key_parts(lines: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Hash and value of each part of a key, by torch's name of it."""
    matches = (_LINE.fullmatch(line) for line in lines)
    return {match["name"]: (match["hash"], match["value"]) for match in matches if match}


def change_of(name: str, before: str | None, now: str | None) -> Change:
    """A part that changed, with the changed lines alone.

    Args:
        name: Torch's name of the part: ``gm``, ``inductor_config[max_autotune]``.
        before: Its value as torch printed it, or None where the key had no such part.
    """
    words = part_words(name)
    # Printed alike, hashed differently: a set in another order, an object of the same name.
    is_alike = before is not None and before == now
    if is_alike or not all(_is_readable(text) for text in (before, now) if text):
        return Change(name, words, (), (), opaque=True)
    sides = []
    for lines in _changed_lines(name.partition("[")[0], before, now):
        more = len(lines) - _MOST_LINES
        sides.append((*lines[:_MOST_LINES], *([f"… {more:,} more lines"] if more > 0 else ())))
    return Change(name, words, sides[0], sides[1], opaque=False)


def part_words(name: str) -> str:
    """What a part of a key is."""
    match = _NAME.fullmatch(name)
    part, item = (match["part"], match["item"]) if match else (name, None)
    if item is not None and part in _ITEM_WORDS:
        return _ITEM_WORDS[part].format(item)
    return _WORDS.get(part) or (part if item is None else f"{part}[{item}]")


def _changed_lines(
    part: str, before: str | None, now: str | None
) -> tuple[Sequence[str], Sequence[str]]:
    old, new = (_split(part, text) for text in (before, now))
    if not old or not new:
        return old, new
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changed = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        [line for _, begin, end, _, _ in changed for line in old[begin:end]],
        [line for _, _, _, begin, end in changed for line in new[begin:end]],
    )


def _split(part: str, text: str | None) -> list[str]:
    """The lines of a value: of a tensor's description one per field."""
    if text is None:
        return []
    tensor = _TENSOR.fullmatch(text) if part == "example_inputs" else None
    if tensor is None:
        return [line.rstrip() for line in text.splitlines() if line.strip()] or [text]
    fields = tensor["fields"]
    starts = [match.start() for match in _FIELD.finditer(fields)]
    ends = [*starts[1:], len(fields)]
    return [
        fields[start:end].removeprefix(", ").replace("=", " = ", 1)
        for start, end in zip(starts, ends, strict=True)
    ] or [text]


def _is_readable(text: str) -> bool:
    """Whether a person can read it: torch prints bytes and pickles as if they were text."""
    if "\N{REPLACEMENT CHARACTER}" in text:
        return False
    shown = sum(character.isprintable() or character in "\n\t" for character in text)
    return shown >= _PRINTABLE * len(text)
