"""Reads what the calls of a process allocate, and joins it with its code."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from inspector.events.memory_profile import memory_profile
from inspector.kernels.buffers import Buffers, read_buffers
from inspector.model.kernel import GraphCode, NodeLine
from inspector.model.run import Process
from inspector.model.source import Sources
from inspector.profiles.code_lines import CodeLines
from inspector.profiles.memory import CallMemory, MemoryUse
from inspector.profiles.memory_use import memory_use
from inspector.profiles.timed import TimedLaunch


def memory_by_input(
    process: Process,
    codes: Sequence[GraphCode],
    launches: Sequence[TimedLaunch],
    functions: Mapping[str, NodeLine],
    unread: list[str],
) -> dict[int, MemoryUse]:
    """The memory of a call with each input, by the input's number.

    Args:
        process: The process, whose log must still be there.
        codes: Its generated code.
        launches: What its calls launch.
        functions: The function that each compilation is of.
        unread: Gets what could not be read, one sentence each without a full stop.
    """
    if not process.memory_profiles:
        return {}
    code = CodeLines(list(_with_buffers(process, codes)), launches)
    found: dict[int, MemoryUse] = {}
    for payload in process.memory_profiles:
        try:
            profile = memory_profile(payload)
        except (OSError, ValueError) as error:
            unread.append(f"a profile of memory could not be read: {error}")
            continue
        use = memory_use(profile, code, functions)
        if use is not None:
            found[profile.input] = use
    return found


def with_code(use: MemoryUse, sources: Sources) -> MemoryUse:
    """The same with the text of lines that do not have it: those outside of compiled graphs."""
    return dataclasses.replace(
        use,
        compiled=_lines_with_code(use.compiled, sources),
        eager=None if use.eager is None else _lines_with_code(use.eager, sources),
    )


def _lines_with_code(call: CallMemory, sources: Sources) -> CallMemory:
    def read(line: NodeLine) -> NodeLine:
        text = line.code or sources.line(line.file, line.line) or ""
        return dataclasses.replace(line, code=text.strip())

    tensors = (dataclasses.replace(row, lines=tuple(map(read, row.lines))) for row in call.tensors)
    return dataclasses.replace(call, tensors=tuple(tensors))


def _with_buffers(
    process: Process, codes: Sequence[GraphCode]
) -> Iterator[tuple[GraphCode, Buffers]]:
    codes_read = (text for text in process.codes.texts if not text.is_ahead)
    texts = {text.file: text.text for text in codes_read if text.text is not None}
    for code in codes:
        text = texts.get(code.file)
        if code.file and text is not None:
            # Code that is no Python is not among the codes.
            yield code, read_buffers(text.text(), code)
