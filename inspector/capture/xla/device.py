"""The device of torch_xla: waiting for it, its random numbers, what it is."""

from __future__ import annotations

import sys


def uses_xla() -> bool:
    """Whether torch_xla is at work in this process; whoever needs it has imported it by then."""
    return "torch_xla" in sys.modules


def wait_for_xla() -> None:
    """Runs what the device was given, and waits until it is done."""
    if uses_xla():
        import torch_xla
        from torch_xla.core import xla_model

        torch_xla.sync(wait=True)
        xla_model.wait_device_ops()


def random_state() -> int | None:
    """The state of the device's random numbers, or None where it is not used."""
    if not uses_xla():
        return None
    from torch_xla.core import xla_model

    return int(xla_model.get_rng_state())


def restore_random(state: int | None) -> None:
    """Sets the state that `random_state` gave; nothing is done for None."""
    if state is not None and uses_xla():
        from torch_xla.core import xla_model

        xla_model.set_rng_state(state)


def hardware() -> str:
    """What XLA runs on: ``CPU``, ``TPU``; an empty string where it is not used."""
    if not uses_xla():
        return ""
    from torch_xla import runtime

    return str(runtime.device_type() or "")
