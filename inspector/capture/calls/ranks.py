"""What the processes of a distributed job decide together.

A model that communicates must be called equally often in all of them: whoever makes one call more
waits in it for the others, and they are gone. How often is decided by times, which differ from one
process to the next, so that the first process decides for all.

That needs them: one that runs without us makes calls of its own or none, and the others would wait
for it until something's time-out. So each says in the store of the process group that it is there,
and waits for all, before its first call.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import time
from collections.abc import Iterator
from typing import TypeVar

from inspector.capture import versions
from inspector.errors import ModelFailedError, UsageError

_Value = TypeVar("_Value", bool, int, list[int])
_PREFIX = "torch-inspector"
# What makes the difference is how long the model's file takes after it has made the process group:
# nothing is compiled yet. It is what torch's own stores wait (TCPStore, 2.11 to 2.13).
_PATIENCE_SECONDS = 300.0
_POLL_SECONDS = 0.05  # a wait in the store itself would write warnings of its own when it ends
_MOST_NAMED = 8
# How gloo, NCCL and stores say that they wait in vain (torch 2.11 to 2.13).
_OF_OTHERS = re.compile(
    r"(?:closed|reset) by peer|timed out waiting|timeout caused pair closure|broken pipe"
    r"|remote process exited|wait timeout|timeout waiting for key|connection was likely closed",
    re.IGNORECASE,
)
_numbers = itertools.count()


def meet() -> None:
    """Waits until all processes of the job are here; nothing outside of a job.

    It waits for 5 minutes at most, and no longer than the store of the process group would.

    Raises:
        UsageError: Some do not come.
    """
    job = versions.job()
    if job is None:
        return
    with _asking():
        job.store.set(_here(job.rank), "")
    seconds = min(_PATIENCE_SECONDS, job.store.timeout.total_seconds())
    until = time.monotonic() + seconds
    while missing := _missing(job):
        if time.monotonic() > until:
            who = "Ranks" if missing[1:] else "Rank"
            shown = [*map(str, missing[:_MOST_NAMED]), *(["…"] if missing[_MOST_NAMED:] else [])]
            local = os.environ.get("LOCAL_WORLD_SIZE", "")  # torchrun's: those on this host
            raise UsageError(
                f"{who} {', '.join(shown)} of this job did not reach the first call in "
                f"{seconds:g} s.",
                "Check for an earlier failure, and start every rank with inspect: torchrun "
                f"--nproc-per-node {local or job.size} --no-python inspect …",
            )
        time.sleep(_POLL_SECONDS)


def agreed(value: _Value) -> _Value:
    """What the first process of the job says here; outside of a job, what is given.

    All processes must ask in the same order, after they have met.

    Raises:
        ModelFailedError: The first process does not answer any more.
    """
    job = versions.job()
    if job is None:
        return value
    key = f"{_PREFIX}/{next(_numbers)}"
    with _asking():
        if job.rank == 0:
            job.store.set(key, json.dumps(value))
            return value
        found: _Value = json.loads(job.store.get(key))
    return found


def is_of_others(error: BaseException) -> bool:
    """Whether `error` says that another process of the job was waited for in vain."""
    is_torchs = isinstance(error, RuntimeError)  # a pipe of the program's own breaks as OSError
    return versions.job() is not None and is_torchs and bool(_OF_OTHERS.search(str(error)))


def _missing(job: versions.Job) -> list[int]:
    with _asking():
        return [rank for rank in range(job.size) if not job.store.check([_here(rank)])]


def _here(rank: int) -> str:
    return f"{_PREFIX}/here/{rank}"


@contextlib.contextmanager
def _asking() -> Iterator[None]:
    """Turns what the store raises into what a person should read."""
    try:
        yield
    except RuntimeError as error:  # DistStoreError and DistNetworkError are; FileStore's is plain
        first, *_ = str(error).strip().splitlines() or [""]
        raise ModelFailedError(
            "The job's store does not respond, so another process of this job probably ended "
            "early.",
            "Check the output of the other ranks, and run all of them under inspect.",
            detail=f"{type(error).__name__}: {first}",
        ) from error
