"""What only the process knows of guards: the objects that they look at, and what they take."""

import dataclasses
from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part
from inspector.records.stack import StackFrame


@part
class TensorFacts:
    """What guards look at in a tensor."""

    type: str = doc("class of the tensor")
    keys: tuple[str, ...] = doc("dispatch keys, starting with the key of the device")
    dtype: str = doc("torch.float32, …")
    device_index: int | None = doc("device index, or None for the CPU")
    requires_grad: bool
    size: tuple[int | None, ...] = doc("sizes, with None for dynamic ones")
    stride: tuple[int | None, ...]


@part
class SeenValue:
    """An object that a failed guard looked at."""

    type: str
    kind: str = doc("kind of value: none, bool, int, str, function, tensor, container, object, …")
    text: str = doc("short description")
    keys: tuple[str, ...] = doc("keys of a dict in order, if they are simple", default=())
    length: int | None = doc("length of a container", default=None)
    tensor: TensorFacts | None = None
    identity: str = doc("address of the object, if guards compare it", default="")


@part
class Instance:
    """A module that a function was called with, or the object whose method it is."""

    type: str = doc("class name without module")
    number: int = doc("number of the instance, unique within the process")


@part
class Alive:
    """The objects of the classes that a function was called with."""

    count: int
    alone: bool = doc("whether each object is compiled separately", default=False)


@artifact("identities")
class Identities(Record):
    """What a guard tree, logged just before, knows by address or number."""

    objects: Mapping[str, SeenValue] = doc("enum members, functions and classes by address")
    instances: Mapping[str, Instance] = doc(
        "modules and `self` by source, as spelled in recompile reasons"
    )


@artifact("recompile")
class FailedGuards(Record):
    """What guards looked at that failed, after ``recompile_reasons``; by source unless said."""

    varargs: str = doc("name of *args", default="")
    free: tuple[str, ...] = doc("names of variables from enclosing functions", default=())
    now: Mapping[str, SeenValue] = dataclasses.field(default_factory=dict)
    before: Mapping[str, SeenValue] = doc(
        "values when the entry was compiled, by source", default_factory=dict
    )
    modules: tuple[str, ...] = doc("source prefixes that refer to nn.Module objects", default=())
    cells: Mapping[str, str] = doc("names of closure variables by cell", default_factory=dict)
    stack: tuple[StackFrame, ...] = doc("stack of the function call, outermost first", default=())
    first_stack: tuple[StackFrame, ...] = doc(
        "stack of the first compilation, if the function was called from a different line then",
        default=(),
    )
    instances: Mapping[str, Instance] = doc("modules and `self` by source", default_factory=dict)
    alive: Mapping[str, Alive] = doc(
        "live objects by source, if a different object was passed", default_factory=dict
    )


@part
class LeverTrial:
    """The recorded calls again, with a setting that is to make guards cheaper, or with none."""

    lever: str = doc("name of the setting; empty for the default settings")
    guards_ns: int | None = doc("guard time of the fastest warm call", default=None)
    compilations: int = doc("number of compilations in two calls with each input", default=0)
    later: int = doc("number of compilations in the second call with each input", default=0)
    difference: str = doc(
        "first output that differs from the run with default settings", default=""
    )
    error: str = ""


@artifact("guard_levers")
class GuardLevers(Record):
    """What each setting saves that is to make guards cheaper."""

    trials: tuple[LeverTrial, ...] = doc("trials; the first and last use default settings")
