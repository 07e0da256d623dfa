"""The process that compiles kernels: in parallel, what is in the store not again."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from inspector.capture.kernel_builds.autotuner import capability_of
from inspector.capture.kernel_builds.compiling import Source, compile_part
from inspector.capture.kernel_builds.forks import Forks
from inspector.capture.kernel_builds.store import Store, versions
from inspector.shared.kernel_build import ConfigBuild, KernelBuild

_LIMIT_BYTES = 1 << 30


OnProgress: TypeAlias = Callable[[int, int, str], None]
"""Gets how many configurations are done, of how many as far as is known, and the kernel."""


@dataclasses.dataclass(slots=True)
class _Open:
    """A kernel whose configurations are being compiled; the first one says how many there are."""

    source: Source
    key: str
    capability: int
    texts: Path
    parts: dict[int, KernelBuild] = dataclasses.field(default_factory=dict)
    errors: dict[int, str] = dataclasses.field(default_factory=dict)
    wanted: int = 1


def build_kernels(
    sources: Iterable[Source],
    store: Store,
    *,
    workers: int | None,
    time_limit_s: float,
    on_progress: OnProgress,
) -> Iterator[dict[str, Any]]:
    """Compiles kernels in every configuration that `CachingAutotuner` would try.

    The same source twice is compiled once. The time limit is for one configuration.

    Yields:
        A `KernelBuild` as a payload, as kernels are done: first those that were in the store.
    """
    opened: dict[str, _Open] = {}
    for source in sources:
        target = capability_of(source.source)
        if target is None:
            build = KernelBuild(source.name, "", error="its source does not name a target device")
            yield {**dataclasses.asdict(build), **_asked(source)}
            continue
        key = store.key(source.source, source.name, target)
        known = store.load(key)
        if known is not None:
            folder = str(store.folder / key)
            yield {**known, "folder": folder, "cached": True, **_asked(source)}
        elif key not in opened:
            opened[key] = _Open(source, key, target, store.begin(key))
    count = workers or len(os.sched_getaffinity(0))
    if opened:
        warm_up()
    scratch = Path(tempfile.mkdtemp(prefix="inspector_builds_"))

    def compile_config(task: tuple[str, int]) -> tuple[KernelBuild, int]:
        kernel, number = opened[task[0]], task[1]
        kernel.texts.mkdir(exist_ok=True)
        own = Path(tempfile.mkdtemp(dir=scratch))
        return compile_part(kernel.source, kernel.capability, number, kernel.texts, own)

    forks = Forks(compile_config, count, time_limit_s)
    try:
        yield from _compile_all(opened, store, forks, on_progress)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    store.trim()


def _asked(source: Source) -> dict[str, str]:
    """What the asker knows a source by: several kernels can have one name."""
    return {"source_sha256": hashlib.sha256(source.source.encode()).hexdigest()}


def _compile_all(
    opened: dict[str, _Open], store: Store, forks: Forks[tuple[str, int]], on_progress: OnProgress
) -> Iterator[dict[str, Any]]:
    for key in opened:
        forks.add((key, 0))
    for done, outcome in enumerate(forks.outcomes(), 1):
        kernel, number = opened[outcome.task[0]], outcome.task[1]
        if outcome.value is None:
            kernel.errors[number] = outcome.error
        else:
            kernel.parts[number], count = outcome.value
            if number == 0:
                kernel.wanted = count
                for other in range(1, count):
                    forks.add((kernel.key, other))
        wanted = sum(entry.wanted for entry in opened.values())
        on_progress(done, wanted, kernel.source.name)
        if len(kernel.parts) + len(kernel.errors) >= kernel.wanted:
            yield {**_finished(kernel, store), **_asked(kernel.source)}


def _finished(kernel: _Open, store: Store) -> dict[str, Any]:
    made_by = tuple(versions(kernel.capability).items())
    if not kernel.parts:
        shutil.rmtree(kernel.texts, ignore_errors=True)
        error = next(iter(kernel.errors.values()))
        name, key = kernel.source.name, kernel.key
        return dataclasses.asdict(KernelBuild(name, key, error=error, versions=made_by))
    first = kernel.parts[min(kernel.parts)]
    payload = dataclasses.asdict(
        dataclasses.replace(first, key=kernel.key, configs=_configs(kernel), versions=made_by)
    )
    if kernel.errors:
        # A time limit or a crash can be the machine's fault: it is tried again next time.
        return {**payload, "folder": str(kernel.texts)}
    (kernel.texts / "source.py").write_text(kernel.source.source, encoding="utf-8")
    return {**payload, "folder": str(store.keep(kernel.key, kernel.texts, payload))}


def _configs(kernel: _Open) -> tuple[ConfigBuild, ...]:
    """In the order of the autotuner: those it begins with, then those it adds, each once."""
    tried: list[ConfigBuild] = []
    for number in range(kernel.wanted):
        if number in kernel.parts:
            tried += [config for config in kernel.parts[number].configs if not config.scaled]
        else:
            error = kernel.errors[number]
            tried.append(ConfigBuild((("configuration", number),), 0, 0, error=error))
    seen = set(map(_identity, tried))
    for _, part in sorted(kernel.parts.items()):
        for config in part.configs:
            if config.scaled and _identity(config) not in seen:
                seen.add(_identity(config))
                tried.append(config)
    return tuple(tried)


def _identity(config: ConfigBuild) -> tuple[object, ...]:
    return (tuple(sorted(config.values, key=str)), config.num_warps, config.num_stages)


# What compiling imports late; measured 0.5 s a process on 2.13.
_LATE = (
    "torch._inductor.runtime.compile_tasks",
    "torch._inductor.runtime.triton_helpers",
    "triton.backends.nvidia.compiler",
    "triton.compiler.code_generator",
    "triton.language.extra.cuda.libdevice",
)


def warm_up() -> None:
    """Imports what is imported late, and computes Triton's own key.

    The key is a hash over all of Triton's files, its library of some 100 MB among them: 0.6 s a
    process, and part of the key of every compilation. Nothing is compiled: that starts threads,
    which a fork does not survive.
    """
    for name in _LATE:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    with contextlib.suppress(ImportError, AttributeError):
        from triton.runtime import cache

        cache.triton_key()


def main() -> int:
    """Reads the request from standard input, and writes results to standard output.

    The request is an object: ``kernels``, a list of ``name`` and ``source``; ``folder``;
    ``workers``; ``time_limit_s``. Each line out has either ``progress`` or ``build``; whatever else
    is printed here goes to standard error.
    """
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    request = json.load(sys.stdin)

    def say(line: dict[str, Any]) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    payloads = build_kernels(
        [Source(entry["name"], entry["source"]) for entry in request["kernels"]],
        Store(Path(request["folder"]), _LIMIT_BYTES),
        workers=request["workers"],
        time_limit_s=request["time_limit_s"],
        on_progress=lambda done, of, name: say(
            {"progress": {"done": done, "of": of, "name": name}}
        ),
    )
    for payload in payloads:
        say({"build": payload})
    out.close()
    return 0
