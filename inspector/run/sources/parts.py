"""Reads the logs of a recording: all in this process, or many of them in several processes."""

import concurrent.futures
import dataclasses
import itertools
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from inspector.errors import RecordingError
from inspector.run.folding.run import RunBuilder, RunPart, roots_of_parts
from inspector.run.run import LogWarning
from inspector.run.sources.log import LogReader
from inspector.shared.roots import Roots

_WORTH_PROCESSES_BYTES = 64 << 20
"""Of logs together: less is read in a second by one."""
_RECORDS_PER_TICK = 4096  # a tenth of a second


@dataclasses.dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options of `inspector.run.sources.recording.read_run`."""

    keep_spans: bool
    explains_recompiles: bool
    processes: int
    on_progress: Callable[[float], None]


def read_parts(logs: Sequence[tuple[Path, str]], options: ReadOptions) -> list[RunPart]:
    """What the logs say, in order; each by its path and by what it is called.

    Raises:
        RecordingError: A process that read died.
    """
    if options.processes > 1 and len(logs) > 1 and _size_bytes(logs) > _WORTH_PROCESSES_BYTES:
        return _read_in_processes(logs, options)
    return [_read(logs, options)]


def _size_bytes(logs: Sequence[tuple[Path, str]]) -> int:
    return sum(path.stat().st_size for path, _ in logs if path.exists())


def _read_in_processes(logs: Sequence[tuple[Path, str]], options: ReadOptions) -> list[RunPart]:
    silent = dataclasses.replace(options, on_progress=_ignore)  # a method cannot be sent
    parts: list[RunPart] = []
    pool = concurrent.futures.ProcessPoolExecutor(
        min(options.processes, len(logs)), initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    try:
        for part in pool.map(_read, [[log] for log in logs], itertools.repeat(silent)):
            parts.append(part)
            options.on_progress(len(parts) / len(logs))
        roots = roots_of_parts(parts)
        others = [number for number, part in enumerate(parts) if part.roots != roots]
        again = [[logs[number]] for number in others]
        found = pool.map(_read, again, itertools.repeat(silent), itertools.repeat(roots))
        for number, part in zip(others, found, strict=True):
            parts[number] = part
    except BrokenProcessPool as error:
        message = "A process that reads logs died, perhaps for lack of memory."
        raise RecordingError(message, "Name fewer logs.") from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return parts


def _ignore(_: object) -> None:
    """Takes progress that nobody watches."""


def _read(
    logs: Sequence[tuple[Path, str]], options: ReadOptions, roots: Roots | None = None
) -> RunPart:
    builder = RunBuilder(
        keep_spans=options.keep_spans, explains_recompiles=options.explains_recompiles
    )
    unread: list[str] = []
    records, done_bytes, size_bytes = 0, 0, _size_bytes(logs)
    for path, name in logs:
        reader = LogReader(path)
        for _ in _read_log(reader, name, builder, unread):
            options.on_progress((done_bytes + reader.offset) / size_bytes)
        records += reader.records
        done_bytes += reader.offset
    part = builder.part(roots)
    return dataclasses.replace(part, records=records, unread=tuple(unread))


def _read_log(
    reader: LogReader, name: str, builder: RunBuilder, unread: list[str]
) -> Iterator[None]:
    """Reads a log, and stops now and then so that progress can be shown."""
    log, reason = reader.path, ""
    try:
        for number, envelope in enumerate(reader.read(ended=True)):
            builder.fold(name, envelope)
            if number % _RECORDS_PER_TICK == 0:
                yield
    except OSError as error:
        reason = error.strerror or str(error)
        unread.append(reason)
        builder.warn(LogWarning(log.name, 0, f"the log cannot be read: {reason}"))
    for warning in reader.take_warnings():
        builder.warn(warning)
    if not reader.records and not reason:
        builder.warn(LogWarning(log.name, 0, "the log has no complete record"))
