"""Calls on a CPU once more, whose memory the allocator keeps, behind all that is timed.

An allocator gives memory back that is freed, and what the program asks for next is new, page by
page. How much of it that is depends on all that the process has allocated before: it is another
thing from one start to the next, and can be most of a call, with the compiler or without.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

import torch

from inspector.capture import versions
from inspector.capture.profiling.device import uses_cuda
from inspector.capture.profiling.faults import grow, keep_freed, keep_mapped, page_faults
from inspector.capture.profiling.measured import Block, Measured, Prepared
from inspector.capture.writer import write_artifact
from inspector.model.fresh_memory import FRESH_SHARE

_COUNTED_CALLS = 3
_PART = 3  # of the calls of a round one in so many again


@dataclasses.dataclass(frozen=True, slots=True)
class Again:
    """Calls that were timed, to be timed again.

    Attributes:
        index: Number of the input, from 0.
        run: Prepares a call of the compiled target.
        eager: Prepares a call without the compiler.
        blocks: The blocks in which they were timed.
    """

    index: int
    run: Prepared
    eager: Prepared
    blocks: Sequence[Block]


def is_worth_it(measured: Measured) -> bool:
    """Whether memory that the system gives anew is a good part of a call, of either kind.

    Processes of a job make as many calls as one another, and are not asked for more.
    """
    each_ns = measured.fresh_page.get("touch_ns", 0) + measured.fresh_page.get("free_ns", 0)
    kinds = ((measured.plain, measured.faults), (measured.eager, measured.eager_faults))
    is_much = any(
        statistics.median(faults) * each_ns >= FRESH_SHARE * statistics.median(times_ns)
        for times_ns, faults in kinds
        if times_ns and faults
    )
    return is_much and bool(measured.eager) and not uses_cuda() and versions.job() is None


def profile_with_kept_memory(all_inputs: Sequence[Again]) -> None:
    """Lets this process keep its memory, times calls, and writes ``inspector_kept_memory``.

    What is set cannot be put back, so that this is for the end, with all inputs.

    Args:
        all_inputs: What is timed again. Nothing is written where no allocator can be told.
    """
    if not all_inputs or not keep_freed():
        return
    mapped = [(pages_of_a_call(again.run), _pages_of_eager(again.eager)) for again in all_inputs]
    if not keep_mapped():
        return
    for again, (pages, eager_pages) in zip(all_inputs, mapped, strict=True):
        measured = Measured({})
        try:
            _time(again, measured)
        finally:
            write_artifact(
                "kept_memory",
                {
                    "v": 1,
                    "input": again.index,
                    "plain_ns": measured.plain,
                    "eager_ns": measured.eager,
                    "blocks": [[item.kind, item.round, item.calls] for item in measured.blocks],
                    "page_faults": measured.faults,
                    "eager_page_faults": measured.eager_faults,
                    "mapped_faults": pages,
                    "eager_mapped_faults": eager_pages,
                },
            )


def _time(again: Again, measured: Measured) -> None:
    """Compiled and eager calls in turns, in as many rounds as before."""
    grow(lambda: max(pages_of_a_call(again.run), _pages_of_eager(again.eager)))
    rounds = 1 + max(block.round for block in again.blocks)
    made = max(block.calls for block in again.blocks)
    calls, untimed = math.ceil(made / _PART), int(made > 1)  # none of calls that take seconds
    for number in range(rounds):
        kinds = ("plain", "eager") if number % 2 == 0 else ("eager", "plain")
        for kind in kinds:
            block = Block(kind, number, calls)
            if kind == "plain":
                measured.time_block(block, again.run, untimed)
            else:
                with torch.compiler.set_stance("force_eager"):
                    measured.time_block(block, again.eager, untimed)


def pages_of_a_call(run: Prepared) -> int:
    """Pages that a call is the first to touch, of a few that are made for that.

    The first does not count: the heap may have given back what lay on top of it just before.
    """
    counted = []
    for _ in range(1 + _COUNTED_CALLS):
        call = run()
        before = page_faults()
        call()
        counted.append(page_faults() - before)
    return int(statistics.median(counted[1:]))


def _pages_of_eager(eager: Prepared) -> int:
    with torch.compiler.set_stance("force_eager"):
        return pages_of_a_call(eager)
