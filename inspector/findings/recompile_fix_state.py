"""What to write where global state, a module's state or an optimiser's state changes."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator

from inspector.findings.recompile_case import Advice, FixCase
from inspector.findings.wording import listed
from inspector.model.recompile import Recompile, RecompileClass

_OPTIMIZERS = re.compile(r"[/\\]torch[/\\]optim[/\\]")
_STATE = re.compile(r"^self\.state\b")
_RATE = re.compile(r"^self\.param_groups\[\d+\]\[(['\"])lr\1\]$")
_FILLED = frozenset({RecompileClass.LENGTH, RecompileClass.KEYS})


def _hooks(_case: FixCase) -> Iterator[str]:
    yield "Register all hooks before the first call, and leave them; torch.compile traces them."


def _training(_case: FixCase) -> Iterator[str]:
    yield (
        "train() and eval() are two programs, each compiled once: nothing is needed. Call the mode "
        "once for a phase, and not around single calls."
    )


def _mode(what: str) -> Callable[[FixCase], Iterator[str]]:
    def advise(case: FixCase) -> Iterator[str]:
        yield (
            f"Call {case.called} under the same {what} in every call; where both are meant "
            "(training and validation), each is compiled once."
        )

    return advise


def _set_once(line: str) -> Callable[[FixCase], Iterator[str]]:
    def advise(_case: FixCase) -> Iterator[str]:
        yield f"Set it once, before the first compilation: {line}."

    return advise


def _global_state(case: FixCase) -> Iterator[str]:
    part = listed(case.first.name.split(), 3) or "the global state"
    yield f"Set {part} once, before the first compilation, and leave it."


def _backend(_case: FixCase) -> Iterator[str]:
    yield (
        "Call torch.compile once for the function and keep the result, with one backend object: a "
        "lambda or a partial that is made anew is another backend."
    )


def _deallocated(case: FixCase) -> Iterator[str]:
    if case.is_on_stack:
        yield from _kept_method(case)
        return
    yield f"Keep what {case.name or 'the guard looks at'} refers to alive between the calls."


def _kept_method(case: FixCase) -> Iterator[str]:
    """A bound method that waits on the stack for its arguments, and is made anew in each call."""
    frame = case.kept_over
    where = f" at {case.place(frame)}" if frame else ""
    yield (
        f"The graph breaks{where} between a method and its call, and the method, which is another "
        "object in each call, is kept over the break. Compute the argument on a line of its own "
        "before it."
    )


STATE: Advice = {
    RecompileClass.HOOKS: _hooks,
    RecompileClass.TRAINING: _training,
    RecompileClass.GRAD_MODE: _mode("grad mode"),
    RecompileClass.AUTOCAST: _mode("autocast"),
    RecompileClass.DEFAULT_DTYPE: _set_once("torch.set_default_dtype(…)"),
    RecompileClass.DEFAULT_DEVICE: _set_once("torch.set_default_device(…)"),
    RecompileClass.DETERMINISTIC: _set_once("torch.use_deterministic_algorithms(…)"),
    RecompileClass.NUM_THREADS: _set_once("torch.set_num_threads(…)"),
    RecompileClass.FUNCTION_MODE: _mode("torch-function modes"),
    RecompileClass.GLOBAL_STATE: _global_state,
    RecompileClass.BACKEND: _backend,
    RecompileClass.DEALLOCATED: _deallocated,
}


def without_state(item: Recompile, file: str) -> Recompile:
    """A recompilation without what Dynamo says of an optimiser's state beside another reason.

    It holds the states of those parameters alone that have a gradient (torch 2.13), so that their
    number differs where nothing was added or taken away.
    """
    if _OPTIMIZERS.search(file) is None:
        return item
    return dataclasses.replace(
        item,
        changes=tuple(
            change
            for change in item.changes
            if not (change.kind in _FILLED and _STATE.match(change.name))
            or (change.kind, change.name) == (item.kind, item.name)
        ),
    )


def optimizer_advice(case: FixCase) -> str:
    """What to do where the recompiled function is an optimiser's; empty where nothing is special.

    A learning rate that is a tensor is no constant, and a step that finds the state of a first one
    is compiled once: tried with SGD, Adam, AdamW, RMSprop and Adagrad on torch 2.11 and 2.13.
    """
    if _OPTIMIZERS.search(case.file) is None:
        return ""
    if case.first.kind in _FILLED and _STATE.match(case.first.name):
        return (
            "The first step makes the optimiser's state, and the second one finds it: nothing is "
            "needed for further steps. To compile once: take one step of the optimiser before "
            "its step is compiled."
        )
    if case.first.kind is RecompileClass.FLOAT and _RATE.match(case.first.name):
        return (
            "Make the optimiser with a tensor as its learning rate, lr=torch.tensor(0.001) say, "
            'and write new values into it (`group["lr"].fill_(…)`), as schedulers do: then its '
            "value is no part of the program."
        )
    return ""
