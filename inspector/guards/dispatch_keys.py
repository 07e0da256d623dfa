"""Dispatch keys of a tensor, apart from those of the thread that runs."""

from __future__ import annotations

from collections.abc import Iterable

_OF_THREAD = ("Autocast", "BackendSelect")


def own_keys(keys: Iterable[str]) -> list[str]:
    """The tensor's own keys, in order.

    Those of autocast, which `GLOBAL_STATE` compares, and of what takes no tensor are the thread's
    (``LocalState::apply``, torch/csrc/dynamo/guards.cpp, 2.11 to 2.13).
    """
    return [key for key in keys if not key.startswith(_OF_THREAD)]
