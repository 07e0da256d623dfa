"""What a record is: a frozen dataclass with a name in the trace, and words about its fields."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, TypeAlias, TypeVar, dataclass_transform

from inspector import records

PREFIX = "inspector_"
"""How the names of our artifacts begin."""

SignedInt: TypeAlias = Annotated[int, "signed"]
"""A whole number that may be below 0; a plain ``int`` of a record never is."""

_T = TypeVar("_T")
_R = TypeVar("_R", bound="Record")
_REGISTERED: dict[str, type[Record]] = {}
# Written by earlier versions; a recording of theirs is read as if they were not there.
_RETIRED = frozenset(
    {"inspector_bench", "inspector_hlo_graph", "inspector_kept_memory", "inspector_kernel_build"}
)


class Record:
    """What is written into the trace under a name of its own.

    Attributes:
        names: Its names without the prefix; a graph has one for each stage.
        version: Written as ``v``. A reader takes what it knows, whatever the version.
        stays: Whether the reader keeps the place of the payload and decodes it on demand.
    """

    __slots__ = ()

    names: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[int] = 1
    stays: ClassVar[bool] = False


def doc(  # noqa: PLR0913 - all but the first by name
    text: str = "",
    *,
    key: str = "",
    also: str = "",
    by: str = "",
    inline: bool = False,
    choices: Sequence[str] = (),
    default: Any = dataclasses.MISSING,  # noqa: ANN401 - of a field of any type
    default_factory: Any = dataclasses.MISSING,  # noqa: ANN401
) -> Any:  # noqa: ANN401 - stands for a field of any type
    """A field of a record.

    Args:
        text: What its name and type do not say.
        key: Its key in JSON, where that is not its name.
        also: A key that earlier recordings have instead.
        by: Of a mapping of objects that is a list in JSON, the field that its keys are from.
        inline: Whether it is an object whose fields are in JSON among those of the record.
        choices: The values that it can have; others are read as its default.
    """
    metadata = {
        "text": text,
        "key": key,
        "also": also,
        "by": by,
        "inline": inline,
        "choices": tuple(choices),
    }
    return dataclasses.field(default=default, default_factory=default_factory, metadata=metadata)


@dataclass_transform(frozen_default=True, field_specifiers=(doc, dataclasses.field))
def part(cls: type[_T]) -> type[_T]:
    """Makes a class a part of records: a frozen dataclass, in JSON an object."""
    return dataclasses.dataclass(frozen=True, slots=True)(cls)


@dataclass_transform(frozen_default=True, field_specifiers=(doc, dataclasses.field))
def row(cls: type[_T]) -> type[_T]:
    """As `part`; in JSON a list of its fields in order, for what there are thousands of."""
    made = part(cls)
    setattr(made, "is_row", True)  # noqa: B010 - of a class that mypy does not know
    return made


@dataclass_transform(frozen_default=True, field_specifiers=(doc, dataclasses.field))
def artifact(
    *names: str, version: int = 1, stays: bool = False, prefix: str = PREFIX
) -> Callable[[type[_R]], type[_R]]:
    """Makes a class a record, and registers it; artifacts of torch's own have no prefix."""

    def register(cls: type[_R]) -> type[_R]:
        made = part(cls)
        made.names, made.version, made.stays = names, version, stays
        _REGISTERED.update(dict.fromkeys((prefix + name for name in names), made))
        return made

    return register


@functools.cache
def artifacts() -> Mapping[str, type[Record]]:
    """All records by the names of their artifacts."""
    for module in pkgutil.iter_modules(records.__path__):
        importlib.import_module(f"{records.__name__}.{module.name}")
    return _REGISTERED


def is_retired(name: str) -> bool:
    """Whether an earlier version wrote an artifact of this name."""
    return name in _RETIRED
