"""The layout of convolutions, as cuDNN has it, where torch was built without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["convolutions_of"]


@contextmanager
def convolutions_of(cudnn_version: int) -> Iterator[None]:
    yield
