"""Reads what the calls of a process allocate, and joins it with its code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.features.kernels.buffers import Buffers, read_buffers
from inspector.features.profile.code_lines import CodeLines
from inspector.features.profile.launch_timing import LaunchTiming
from inspector.features.profile.memory.memory import MemoryUse
from inspector.features.profile.memory.memory_use import memory_use
from inspector.records.memory_profile import MemoryProfile
from inspector.run.kernel import GraphCode, NodeLine
from inspector.run.run import Process, Run
from inspector.trace.inspector_records import kept_record


def memory_profiles(process: Process) -> tuple[dict[int, MemoryProfile], list[str]]:
    """What the calls of a process allocate, by the number of the input; and what was not read."""
    found: dict[int, MemoryProfile] = {}
    unread = []
    for payload in process.stored.get(MemoryProfile, ()):
        try:
            profile = kept_record(MemoryProfile, payload)
        except (OSError, ValueError) as error:
            unread.append(f"a profile of memory could not be read: {error}")
        else:
            found[profile.input] = profile
    return found, unread


def memory_in_code(
    profile: MemoryProfile,
    run: Run,
    codes: Sequence[GraphCode],
    launches: Sequence[LaunchTiming],
    functions: Mapping[str, NodeLine],
) -> MemoryUse | None:
    """What a call allocates, joined with the code of its process."""
    code = CodeLines(list(_with_buffers(run.processes[0], codes)), launches, run.sources)
    return memory_use(profile, code, functions)


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
