"""What only the process knows of guards: the objects that they look at, and what they take."""

import dataclasses
from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part
from inspector.records.stack import StackFrame


@part
class TensorFacts:
    """What guards look at in a tensor."""

    type: str = doc("name of its class")
    keys: tuple[str, ...] = doc("dispatch keys; the first is the device's")
    dtype: str = doc("torch.float32, …")
    device_index: int | None = doc("None for the CPU")
    requires_grad: bool
    size: tuple[int | None, ...] = doc("None for one that may change")
    stride: tuple[int | None, ...]


@part
class SeenValue:
    """An object that a failed guard looked at."""

    type: str
    kind: str = doc("none, bool, int, str, function, tensor, container, object, …")
    text: str = doc("short description")
    keys: tuple[str, ...] = doc("simple keys of a dict, in order", default=())
    length: int | None = doc("of a container", default=None)
    tensor: TensorFacts | None = None
    identity: str = doc("address, if guards compare it", default="")


@part
class Instance:
    """A module that a function was called with, or the object whose method it is."""

    type: str = doc("class name without module")
    number: int = doc("unique within the process")


@part
class Alive:
    """The objects of the classes that a function was called with."""

    count: int
    alone: bool = doc("objects that are compiled on their own", default=False)


@artifact("identities")
class Identities(Record):
    """What a guard tree, logged just before, knows by address or number."""

    objects: Mapping[str, SeenValue] = doc("enum members, functions, classes, by address")
    instances: Mapping[str, Instance] = doc("modules and self, by source as reasons spell it")


@artifact("recompile")
class FailedGuards(Record):
    """What guards looked at that failed, after ``recompile_reasons``; by source unless said."""

    varargs: str = doc("name of *args", default="")
    free: tuple[str, ...] = doc("names from enclosing functions", default=())
    now: Mapping[str, SeenValue] = dataclasses.field(default_factory=dict)
    before: Mapping[str, SeenValue] = doc(
        "objects that existed when the entry was compiled", default_factory=dict
    )
    modules: tuple[str, ...] = doc("source prefixes that refer to an nn.Module", default=())
    cells: Mapping[str, str] = doc("closure variables by their cell", default_factory=dict)
    stack: tuple[StackFrame, ...] = doc("down to the function, outermost first", default=())
    first_stack: tuple[StackFrame, ...] = doc(
        "of its first compilation, if another line called it", default=()
    )
    instances: Mapping[str, Instance] = doc("modules and self", default_factory=dict)
    alive: Mapping[str, Alive] = doc("where the object differs from before", default_factory=dict)


@part
class LeverTrial:
    """The recorded calls again, with a setting that is to make guards cheaper, or with none."""

    lever: str = doc("empty where nothing is set")
    guards_ns: int | None = doc("guards per warm call, in the fastest of the calls", default=None)
    bytecode_ns: int = doc("what fetches the inputs of graphs, per warm call", default=0)
    compilations: int = doc("in two calls with each input", default=0)
    later: int = doc("of these, in the second call with each", default=0)
    difference: str = doc("the first output that differs from that without it", default="")
    error: str = ""


@artifact("guard_levers")
class GuardLevers(Record):
    """What each setting saves that is to make guards cheaper."""

    trials: tuple[LeverTrial, ...] = doc("the first and the last with nothing set")
