"""That torch_xla is there, or how to get it."""

from __future__ import annotations

import importlib.util

import torch

from inspector.capture.quiet import quiet
from inspector.errors import EnvironmentLacksError, UsageError
from inspector.model.backends import XLA_BACKENDS, XLA_DEVICE

# torch_xla has a release for each of torch up to this one.
_LAST = "2.9.0"


def device_for(backend: str, asked: str | None) -> str | None:
    """Where model and inputs have to be for a backend; None leaves them.

    Args:
        backend: ``torch.compile``'s backend.
        asked: The device that the user asked for, or None.

    Raises:
        UsageError: The backend cannot compile for the device that was asked for.
    """
    if backend not in XLA_BACKENDS:
        return asked
    if asked is not None and not asked.startswith(XLA_DEVICE):
        message = f"The backend {backend!r} compiles for XLA's device, and not for {asked!r}."
        step = "Leave --device out: the variable PJRT_DEVICE says what XLA runs on (CPU, TPU)."
        raise UsageError(message, step)
    return asked or XLA_DEVICE


def import_torch_xla() -> None:
    """Makes XLA's device one that torch knows.

    Raises:
        EnvironmentLacksError: torch_xla is not installed, or not for this torch.
    """
    try:
        with quiet():  # it warns when it decides what to run on
            importlib.import_module("torch_xla")
    except ImportError as error:
        is_there = importlib.util.find_spec("torch_xla") is not None
        found = f"cannot be imported ({error})" if is_there else "is not installed"
        raise EnvironmentLacksError(
            f"XLA needs torch_xla, which {found}; its last release, {_LAST}, is for torch {_LAST}, "
            f"and this is torch {torch.__version__}.",
            "Make an environment for it, and name its interpreter: python3 -m venv .venv-xla && "
            f".venv-xla/bin/pip install torch=={_LAST} torch_xla=={_LAST}, then --python "
            ".venv-xla/bin/python.",
        ) from error
