"""Functions of torch's and Triton's that are watched while they do what they did."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from inspector.capture.writer import guarded


@dataclasses.dataclass(frozen=True, slots=True)
class Called:
    """A call of a method of an object or a class; `go` makes it, once, whatever else fails."""

    owner: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    go: Callable[[], Any]

    @property
    def arguments(self) -> tuple[Any, ...]:
        """All of them, ``self`` first."""
        return self.owner, *self.args, *self.kwargs.values()

    def argument(self, name: str, place: int) -> Any:
        """An argument, by its name or its place; None where there is none."""
        if name in self.kwargs:
            return self.kwargs[name]
        return self.args[place] if place < len(self.args) else None


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended: its result, or the exception that it raised in one line, or ``""``."""

    result: Any
    failure: str
    took_ns: int


def timed(called: Called, what: str, then: Callable[[Outcome], None]) -> Any:
    """Makes a call and tells `then` how it ended; `what` names that where it fails."""
    begun_ns = time.perf_counter_ns()
    try:
        result = called.go()
    except Exception as error:
        took_ns = time.perf_counter_ns() - begun_ns
        failure = f"{type(error).__name__}: {error}".partition("\n")[0]
        guarded(what, lambda: then(Outcome(None, failure, took_ns)))
        raise
    took_ns = time.perf_counter_ns() - begun_ns
    guarded(what, lambda: then(Outcome(result, "", took_ns)))
    return result


Around: TypeAlias = Callable[[Called], Any]
"""Makes the call, and gives what it gives."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Replaced:
    owner: Any
    name: str
    original: Any
    ours: Any


class Hooks:
    """Methods of torch's classes that are replaced, until they are released."""

    def __init__(self) -> None:
        self._replaced: list[_Replaced] = []

    def __bool__(self) -> bool:
        return bool(self._replaced)

    def put(self, owner: Any, name: str, around: Around) -> None:
        """Watches a method or a class method of a class; one that it lacks is left out."""

        def watching(function: Callable[..., Any]) -> Callable[..., Any]:
            def observed(self: Any, *args: Any, **kwargs: Any) -> Any:
                return around(Called(self, args, kwargs, lambda: function(self, *args, **kwargs)))

            return observed

        if name in vars(owner):
            self.replace(owner, name, watching)

    def replace(self, owner: Any, name: str, made: Callable[[Any], Callable[..., Any]]) -> None:
        """Replaces a method by what is made of it."""
        original = vars(owner)[name]
        is_of_class = isinstance(original, classmethod)
        function = original.__func__ if is_of_class else original
        replacement = functools.wraps(function)(made(function))
        ours = classmethod(replacement) if is_of_class else replacement
        setattr(owner, name, ours)
        self._replaced.append(_Replaced(owner, name, original, ours))

    def release(self) -> None:
        """Puts the methods back, where nobody else has replaced ours since."""
        for item in self._replaced:
            if vars(item.owner).get(item.name) is item.ours:
                setattr(item.owner, item.name, item.original)
        self._replaced = []


class LoggerTap(logging.Filter):
    """Sees the records of one logger from a level on; lets pass what would be shown anyway.

    The logger's level is not touched, which its children inherit: torch does more where some of
    them are enabled. The logger alone is told that it is enabled.
    """

    def __init__(self, name: str, level: int, look: Callable[[logging.LogRecord], None]) -> None:
        super().__init__()
        self._logger = logging.getLogger(name)
        self._level = level
        self._look = look

    def watch(self) -> None:
        """Begins; levels stay what ``TORCH_LOGS`` and the program make of them."""
        self._logger.addFilter(self)
        setattr(self._logger, "isEnabledFor", self._is_enabled)  # noqa: B010 - a method

    def release(self) -> None:
        """Leaves the logger as it was."""
        self._logger.removeFilter(self)
        if self._logger.__dict__.get("isEnabledFor") == self._is_enabled:
            delattr(self._logger, "isEnabledFor")

    def filter(self, record: logging.LogRecord) -> bool:
        """Looks at a record; whether it would be shown without us."""
        guarded(f"read the log messages of {self._logger.name}", lambda: self._look(record))
        return logging.Logger.isEnabledFor(self._logger, record.levelno)

    def _is_enabled(self, level: int) -> bool:
        return level >= self._level or logging.Logger.isEnabledFor(self._logger, level)


@contextlib.contextmanager
def patched(*patches: contextlib.AbstractContextManager[object]) -> Iterator[None]:
    """All of the patches hold inside of the ``with``."""
    with contextlib.ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        yield


def nothing(*_: object, **__: object) -> None:
    """Stands for a function that is called for its effect."""
