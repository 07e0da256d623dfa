"""Reads what the calls of a process allocate, and joins it with its code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.events.memory_profile import memory_profile
from inspector.kernels.buffers import Buffers, read_buffers
from inspector.model.kernel import GraphCode, NodeLine
from inspector.model.run import Process
from inspector.profiles.code_lines import CodeLines
from inspector.profiles.memory import MemoryUse
from inspector.profiles.memory_use import memory_use
from inspector.profiles.timed import TimedLaunch

__all__ = ["memory_by_input"]


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


def _with_buffers(
    process: Process, codes: Sequence[GraphCode]
) -> Iterator[tuple[GraphCode, Buffers]]:
    texts = {text.file: text.text for text in process.codes.texts if text.text is not None}
    for code in codes:
        text = texts.get(code.file)
        if code.file and text is not None:
            # Code that is no Python is not among the codes.
            yield code, read_buffers(text.text(), code)
