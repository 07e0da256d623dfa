"""Copies of whole tensors that graphs make for what the program changes in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.profiles.gain import Gain, first_names
from inspector.profiles.hot import Hot
from inspector.profiles.row_names import where
from inspector.profiles.work import Work

_COPY = "copy_"


def copy_gains(work: Sequence[Work], *, is_grad_idle: bool, is_hidden: bool) -> Iterator[Gain]:
    """What these copies take, within graphs and behind them.

    Args:
        work: The statements.
        is_grad_idle: Whether gradients were on for nothing.
        is_hidden: Whether a call gets no shorter by it.
    """
    yield from _of_copies(work, is_hidden=is_hidden)
    yield from _of_copies_back(work, is_grad_idle=is_grad_idle, is_hidden=is_hidden)


def copies_back(work: Iterable[Work]) -> list[Work]:
    """What torch copies behind a graph to where the program changed it.

    Copies into the memory of CUDA graphs stand in front of these, and are something else.
    """
    work = list(work)
    if any(launch.launch.is_replayed for item in work for launch in item.launches):
        return []
    # On a GPU one of the same dtype is the driver's.
    around = [item for item in work if item.kind in {"wrapper", "copy"}]
    return [item for item in around if item.operators == (_COPY,) and _is_around(item)]


def _is_around(work: Work) -> bool:
    """Whether torch makes it around a compiled graph, and not the program."""
    return work.kind == "wrapper" or work.launches[0].is_around


def _of_copies(work: Sequence[Work], *, is_hidden: bool) -> Iterator[Gain]:
    """Tensors that are copied as a whole, as a part of them is changed in place."""
    copied = [item for item in work if item.copied]
    if not copied:
        return
    names = list(dict.fromkeys(name for item in copied for name in item.copied))
    copy = "1 kernel copies"
    if len(copied) > 1:
        copy = f"{len(copied)} kernels copy"
    yield Gain(
        f"{first_names(names)}{where(Hot(tuple(copied)))}: what the program changes in place, "
        f"{copy} as a whole",
        sum(item.median_ns * sum(item.copied.values()) for item in copied),
        "eager PyTorch writes the new values alone: put these lines into a function with "
        "@torch.compiler.disable (a graph break), or change a smaller tensor",
        is_hidden,
    )


def _of_copies_back(work: Sequence[Work], *, is_grad_idle: bool, is_hidden: bool) -> Iterator[Gain]:
    """New tensors that graphs give for what the program changes, and that are copied back."""
    copies = copies_back(work)
    if not copies:
        return
    given = [item for item in work if item.given]
    names = list(dict.fromkeys(name for item in given for name in item.given))
    at = f"{first_names(names)}{where(Hot(tuple(given)))}: " if given else ""
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
