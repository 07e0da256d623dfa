"""What can be done about recompilations of torch's own optimisers."""

from __future__ import annotations

import dataclasses
import re

from inspector.findings.recompile_case import FixCase
from inspector.model.recompile import Recompile, RecompileClass

_OPTIMIZERS = re.compile(r"[/\\]torch[/\\]optim[/\\]")
_STATE = re.compile(r"^self\.state\b")
_RATE = re.compile(r"^self\.param_groups\[\d+\]\[(['\"])lr\1\]$")
_FILLED = frozenset({RecompileClass.LENGTH, RecompileClass.KEYS})


def without_state(item: Recompile, file: str) -> Recompile:
    """A recompilation without what Dynamo says of an optimiser's state beside another reason.

    It holds the states of those parameters alone that have a gradient (torch 2.13), so that their
    number differs where nothing was added or taken away.

    Args:
        item: The recompilation.
        file: The file of the recompiled function.
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
