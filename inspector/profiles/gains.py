"""What could be won of a call: by kernels, by the host, by layouts and by what is exchanged."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Sequence

from inspector.graphs.step_names import short_name
from inspector.graphs.targets import is_view
from inspector.model.graph import Node
from inspector.profiles.budget import Budget
from inspector.profiles.exchange import exchanges, unhidden_ns
from inspector.profiles.faults import Faults, without_freeing
from inspector.profiles.gain import Gain, and_more
from inspector.profiles.gradient_copies import copied_gradients
from inspector.profiles.host_gains import host_gains
from inspector.profiles.hot import Hot, hot
from inspector.profiles.kernel_advice import advice
from inspector.profiles.kernel_gains import kernel_gains
from inspector.profiles.library_names import shown_name
from inspector.profiles.repeats import repeated_work, repeating_lines
from inspector.profiles.row_names import named, where
from inspector.profiles.step_facts import operator_of
from inspector.profiles.timed import time_by
from inspector.profiles.work import Work

__all__ = ["all_compiled", "gains"]

_LEAST_SHARE = 0.01
_MOST_NAMED = 3  # lines of a gain
_MOSTLY = 0.5  # of a statement
_COPY = "copy_"
_NOTICED = 0.1  # of a statement
_HOST = ("launching", "wrappers", "guards", "graph-break", "autograd", "outside", "entry")
_ENTRY = {"outside": "entry"}
# By whether a compiled graph does it.
_EXCHANGED = {
    True: "compute meanwhile (torch._inductor.config.aten_distributed_optimizations."
    "enable_overlap_scheduling = True), send less, and give all processes equal work",
    False: "begin earlier, while gradients are computed (DistributedDataParallel's bucket_cap_mb), "
    "exchange less often (no_sync() for all but the last of several batches), and give all "
    "processes equal work",
}
# By operator, what a layer does in training mode and not in `eval()`; what `nn.Dropout` and batch
# normalisation become (torch/_decomp/decompositions.py, 2.11 to 2.13).
_IN_TRAINING = {
    "native_dropout": "dropout draws numbers",
    "_native_batch_norm_legit": "batch normalisation takes its statistics from the batch",
    "_native_batch_norm_legit_functional": (
        "batch normalisation takes its statistics from the batch"
    ),
}


def _is_host_bound(budget: Budget) -> bool:
    """Whether the device waits for the host so long that faster kernels make no faster call."""
    waited_ns = sum(budget.causes_ns.get(name, 0.0) for name in _HOST)
    return waited_ns > budget.busy_ns


def all_compiled(budget: Budget) -> Budget:
    """The same of a program with nothing left to compile: outside there is the way in and out."""
    causes = {_ENTRY.get(name, name): time_ns for name, time_ns in budget.causes_ns.items()}
    return dataclasses.replace(budget, causes_ns=causes)


def gains(  # noqa: PLR0913 - what the advice depends on
    budget: Budget,
    work: Sequence[Work],
    mode: str,
    *,
    is_cpu: bool,
    is_grad_idle: bool = False,
    has_templates: bool = True,
    break_lines: Sequence[str] = (),
    faults: Faults | None = None,
) -> list[Gain]:
    """What could be won, the most first; estimates, of which each is an upper limit.

    Args:
        budget: Where the time goes.
        work: The statements.
        mode: The mode that was compiled with, or an empty string.
        is_cpu: Whether it ran on the CPU: then nothing is launched.
        is_grad_idle: Whether gradients were on, and nobody asked for a backward pass: the program
            may make one itself, or have nothing that requires a gradient.
        has_templates: Whether Inductor has templates for matrix products on the GPU.
        break_lines: Where graphs break.
        faults: What fresh memory takes, or None where that is not known.
    """
    is_hidden = not is_cpu and _is_host_bound(budget)
    is_training = _is_training(budget, work)
    advised = functools.partial(
        advice, mode=mode, is_cpu=is_cpu, has_templates=has_templates, is_training=is_training
    )
    is_grad_idle = is_grad_idle and not is_training and "forward" in _directions(work)
    is_fresh = functools.partial(_is_fresh, budget=budget, faults=faults)

    is_copied_back = bool(_copies_back(work))

    def is_said(row: Hot) -> bool:
        """Whether what most of it is has an entry of its own."""
        first = row.first
        is_idle = is_grad_idle and _share_for_backward(first) >= _NOTICED and not advised(first)
        is_in_training = not is_training and first.share_of(_IN_TRAINING.__contains__) >= _MOSTLY
        is_of_memory = is_fresh(row) and not advised(first)
        is_given = is_copied_back and sum(first.given.values()) >= _MOSTLY
        return bool(first.copied_for or is_given or is_idle or is_in_training or is_of_memory)

    rows = [row for row in hot(work) if not is_said(row)]
    found = list(kernel_gains(rows, advised, mode=mode, is_cpu=is_cpu, is_hidden=is_hidden))
    found += _of_idle_gradients(work, is_hidden=is_hidden) if is_grad_idle else []
    found += _of_copies(work, is_hidden=is_hidden)
    found += _of_copies_back(work, is_grad_idle=is_grad_idle, is_hidden=is_hidden)
    found += _of_communication(work, is_hidden=is_hidden)
    found += _of_gradients(work, is_hidden=is_hidden)
    found += _of_repeats(work, is_hidden=is_hidden)
    found += [] if is_training else _of_training_mode(work, is_hidden=is_hidden)
    # Of unwatched calls, as all that the host does is.
    found = [
        dataclasses.replace(gain, time_ns=gain.time_ns / budget.shown_slowdown) for gain in found
    ]
    found += _of_faults(budget, faults)
    found += host_gains(
        without_freeing(budget, faults), work, mode,
        is_cpu=is_cpu, is_grad_idle=is_grad_idle, break_lines=break_lines,
    )  # fmt: skip
    least = budget.wall_ns * _LEAST_SHARE
    worth = (gain for gain in found if gain.time_ns >= least)
    return sorted(worth, key=lambda gain: (gain.is_hidden, -gain.time_ns))


def _is_training(budget: Budget, work: Iterable[Work]) -> bool:
    """Whether a call has a backward pass, compiled or not."""
    return "backward" in _directions(work) or bool(budget.causes_ns.get("autograd"))


def _directions(work: Iterable[Work]) -> frozenset[str]:
    """Which passes the graphs are: ``forward`` ones keep something for autograd."""
    codes = (launch.code for item in work for launch in item.launches)
    return frozenset(code.direction for code in codes if code is not None)


def _of_communication(work: Sequence[Work], *, is_hidden: bool) -> Iterator[Gain]:
    """What goes into other processes while nothing else is done: hidden it costs nothing."""
    unhidden = [item for item in exchanges(work) if unhidden_ns([item])]
    for is_compiled, change in _EXCHANGED.items():
        found = [item for item in unhidden if (item.work.kind == "library") is is_compiled]
        if found:
            names = ", ".join(dict.fromkeys(shown_name(item.work.name) for item in found))
            yield Gain(
                "data is exchanged with other processes, or they are waited for, while nothing "
                f"else runs ({names})",
                unhidden_ns(found),
                change,
                is_hidden,
            )


def _is_fresh(row: Hot, budget: Budget, faults: Faults | None) -> bool:
    """Whether what equal statements write into is fresh memory, which takes most of their time."""
    facts = row.first.launches[0].facts
    if faults is None or facts is None:
        return False
    pages = sum(facts.writes.values()) / faults.page_bytes
    takes_ns = row.number * pages * faults.touch_ns
    return pages <= budget.page_faults and takes_ns > row.median_ns / 2


def _of_backward(work: Work) -> Sequence[Node]:
    """What a statement of a forward pass computes only for a backward pass."""
    first = work.launches[0]
    is_forward = first.code is not None and first.code.direction == "forward"
    nodes = first.step.operators if first.step is not None and is_forward else ()
    return [node for node in nodes if node.is_backward and not is_view(node)]


def _share_for_backward(work: Work) -> float:
    names = {operator_of(node) for node in _of_backward(work)}
    return sum(part.share for part in work.main.parts if part.operator in names) if names else 0.0


def _of_idle_gradients(work: Sequence[Work], *, is_hidden: bool) -> Iterator[Gain]:
    """What is computed for a backward pass that nobody asks for."""
    items = [item for item in work if _share_for_backward(item) >= _NOTICED]
    if items:
        row = Hot(tuple(items))
        nodes = [node for item in items for node in _of_backward(item)]
        names = list(dict.fromkeys(short_name(operator_of(node)) for node in nodes))
        shown = f"{', '.join(names[:_MOST_NAMED])}{and_more(_MOST_NAMED, names)}"
        also = "also computes" if row.number == 1 else "also compute"
        yield Gain(
            f"{named(row)}{where(row)} {also} what only a backward pass needs ({shown})",
            sum(item.median_ns - (item.least_ns or 0.0) for item in items),
            "torch.no_grad() around calls that need no gradients: --no-grad measures it",
            is_hidden,
        )


def _of_copies(work: Sequence[Work], *, is_hidden: bool) -> Iterator[Gain]:
    """Tensors that are copied as a whole, as a part of them is changed in place."""
    copied = [item for item in work if item.copied]
    if not copied:
        return
    names = list(dict.fromkeys(name for item in copied for name in item.copied))
    shown = f"{', '.join(names[:_MOST_NAMED])}{and_more(_MOST_NAMED, names)}"
    kernels = "1 kernel" if len(copied) == 1 else f"{len(copied)} kernels"
    yield Gain(
        f"{shown}{where(Hot(tuple(copied)))}: the program changes a part of a tensor in place, and "
        f"{kernels} of the graph copy all of it",
        sum(item.median_ns * sum(item.copied.values()) for item in copied),
        "eager PyTorch writes the new values alone: put these lines into a function with "
        "@torch.compiler.disable, or change a smaller tensor",
        is_hidden,
    )


def _copies_back(work: Iterable[Work]) -> list[Work]:
    """What torch copies behind a graph to where the program changed it."""
    return [item for item in work if item.kind == "wrapper" and item.operators == (_COPY,)]


def _of_copies_back(work: Sequence[Work], *, is_grad_idle: bool, is_hidden: bool) -> Iterator[Gain]:
    """New tensors that graphs give for what the program changes, and that are copied back."""
    copies = _copies_back(work)
    if not copies:
        return
    given = [item for item in work if item.given]
    names = list(dict.fromkeys(name for item in given for name in item.given))
    shown = f"{', '.join(names[:_MOST_NAMED])}{and_more(_MOST_NAMED, names)}"
    at = f"{shown}{where(Hot(tuple(given)))}: " if given else ""
    times = "once" if len(copies) == 1 else f"{len(copies)} times"
    yield Gain(
        f"{at}for what the program changes of inputs and buffers, graphs give new tensors, and "
        f"torch copies these back behind them, {times}",
        sum(item.median_ns for item in copies)
        + sum(item.median_ns * sum(item.given.values()) for item in given),
        "under torch.no_grad() graphs write there themselves: --no-grad measures it"
        if is_grad_idle
        else "let the program give a new tensor, too, or change a smaller one",
        is_hidden,
    )


def _of_faults(budget: Budget, faults: Faults | None) -> Iterator[Gain]:
    """Memory that the system gives anew, page by page: it is given back between calls."""
    if faults is not None and budget.page_faults:
        each_ns = faults.touch_ns + faults.free_ns
        yield Gain(
            f"memory is fresh from the system ({budget.page_faults:,.0f} page faults a call, of "
            f"some {each_ns:,.0f} ns each)",
            min(budget.page_faults * each_ns, budget.wall_ns),
            "an allocator that keeps it: MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=4294967296 "
            "MALLOC_TOP_PAD_=268435456 in the environment (glibc), or jemalloc by LD_PRELOAD",
        )


def _of_gradients(work: Sequence[Work], *, is_hidden: bool) -> Iterator[Gain]:
    """Copies that a layout makes needless."""
    copies = copied_gradients(work)
    if copies:
        many = len(copies) > 1
        yield Gain(
            f"autograd copies {'the gradients of' if many else 'the gradient of'} {len(copies)} "
            f"{'convolutions' if many else 'convolution'} into the layout of "
            f"{'their weights' if many else 'its weight'}",
            sum(item.time_ns for item in copies),
            "give the model the layout in which convolutions are computed: "
            "model.to(memory_format=torch.channels_last)",
            is_hidden,
        )


def _of_repeats(work: Sequence[Work], *, is_hidden: bool) -> Iterator[Gain]:
    """What is computed again."""
    repeated = repeated_work(work)
    if repeated:
        lines = repeating_lines(repeated)
        named = [f"{file.rpartition('/')[2]}:{line}" for file, line in lines[:_MOST_NAMED]]
        more = and_more(len(named), lines)
        yield Gain(
            f"{len(repeated)} of the calls of libraries compute what others have computed"
            + (f" ({', '.join(named)}{more})" if lines else ""),
            sum(item.time_ns for item in repeated),
            "compute it once, in front of the loop, and use the result: `inspect kernels` shows "
            "the calls",
            is_hidden,
        )


def _of_training_mode(work: Sequence[Work], *, is_hidden: bool) -> Iterator[Gain]:
    """What layers do in training mode alone, in calls without a backward pass."""
    launches = (launch for item in work for launch in item.launches)
    times = time_by(launches, lambda part: _IN_TRAINING.get(short_name(part.operator)))
    if times:
        yield Gain(
            f"the model is in training mode: {' and '.join(times)}",
            sum(times.values()),
            "for inference, model.eval() before it is compiled; for training, --train",
            is_hidden,
        )
