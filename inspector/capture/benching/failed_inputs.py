"""Inputs with which a call fails: the others are measured all the same."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from inspector.errors import ModelFailedError
from inspector.model.out_of_memory import lacks_memory


class FailedInputs:
    """Which of the inputs have failed.

    Args:
        count: How many inputs there are.
        write: Gets the number of an input that failed, and why.
    """

    def __init__(self, count: int, write: Callable[[int, ModelFailedError], None]) -> None:
        self._count = count
        self._write = write
        self._errors: dict[int, ModelFailedError] = {}

    @property
    def left(self) -> Sequence[int]:
        """The inputs that have not failed."""
        return [index for index in range(self._count) if index not in self._errors]

    @property
    def lack_memory(self) -> bool:
        """Whether there was no memory for one of them."""
        return any(lacks_memory(error.message) for error in self._errors.values())

    @contextlib.contextmanager
    def apart(self, index: int) -> Iterator[None]:
        """What fails inside is the failure of one input, as long as others are left.

        Raises:
            ModelFailedError: None is left; it is the failure of the first.
        """
        try:
            yield
        except ModelFailedError as error:
            self._errors[index] = error
            if self._count > 1:
                self._write(index, error)
            if not self.left:
                raise self._errors[min(self._errors)] from error
