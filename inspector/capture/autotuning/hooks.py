"""Functions of torch's and Triton's that are watched while they do what they did."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from inspector.capture.writer import guarded


@dataclasses.dataclass(frozen=True, slots=True)
class Called:
    """A call of a function that is watched.

    Attributes:
        owner: ``self``, or the class.
        args: Its other positional arguments.
        kwargs: Its keyword arguments.
        go: Makes the call; to be used once, whatever else fails.
    """

    owner: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    go: Callable[[], Any]

    def argument(self, name: str, place: int) -> Any:  # noqa: ANN401 - torch is Any to mypy
        """An argument, by its name or its place; None where there is none."""
        if name in self.kwargs:
            return self.kwargs[name]
        return self.args[place] if place < len(self.args) else None


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended.

    Attributes:
        result: What it gave, or None.
        failure: The exception that it raised, in one line, or an empty string.
        took_ns: How long it took.
    """

    result: Any
    failure: str
    took_ns: int


def timed(called: Called, what: str, then: Callable[[Outcome], None]) -> Any:  # noqa: ANN401
    """Makes a call and tells how it ended.

    Args:
        called: The call.
        what: What is done with that, for the record of a failure in it.
        then: Does it.
    """
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
class _Watched:
    owner: Any
    name: str
    original: Any
    ours: Any


class Hooks:
    """Methods that are watched, until they are released."""

    def __init__(self) -> None:
        self._watched: list[_Watched] = []

    def put(self, owner: Any, name: str, around: Around) -> None:  # noqa: ANN401 - torch is Any to mypy
        """Watches a method or a class method of a class; one that it lacks is left out."""
        original = vars(owner).get(name)
        if original is None:
            return
        is_of_class = isinstance(original, classmethod)
        function = original.__func__ if is_of_class else original

        @functools.wraps(function)
        def observed(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            return around(Called(self, args, kwargs, lambda: function(self, *args, **kwargs)))

        ours = classmethod(observed) if is_of_class else observed
        setattr(owner, name, ours)
        self._watched.append(_Watched(owner, name, original, ours))

    def release(self) -> None:
        """Puts the functions back, where nobody else has replaced ours since."""
        for item in self._watched:
            if vars(item.owner).get(item.name) is item.ours:
                setattr(item.owner, item.name, item.original)
        self._watched = []
