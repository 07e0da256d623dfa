"""What is compiled and called, and what failed."""

from inspector.records.record import Record, artifact, doc
from inspector.records.stack import StackFrame


@artifact("target")
class TargetFunction(Record):
    """The function to compile."""

    name: str = doc("display name")
    file: str = doc("file that defines the function")
    line: int
    qualname: str
    kind: str = doc("kind of target: function, generator or coroutine")
    is_compiled: bool = doc(
        "whether the file compiles the target itself, with its own backend",
        key="compiled",
        default=False,
    )


@artifact("call")
class TargetCall(Record):
    """Start or end of a call of the target."""

    input_index: int = doc(key="input")
    call: int = doc("number of earlier calls with the same input")
    state: str = doc("state of the call: begin, end or failed")
    requires_grad: bool | None = doc("whether an output requires grad, if checked", default=None)


@artifact("unmeasured")
class Unmeasured(Record):
    """A call that only we make fails by itself, so that none is measured."""

    input_index: int = doc(key="input")
    error: str = doc("exception as one line")


@artifact("raised")
class Uncaught(Record):
    """An exception that stopped a process, a thread, or a call of the target."""

    type: str = doc("class of the exception; if Dynamo wrapped it, class of the inner exception")
    outer: str = doc("class of the raised exception, or of the exception without torch.compile")
    message: str
    traceback: str = doc("traceback without frames inside torch")
    stack: tuple[StackFrame, ...] = doc(
        "stack of the exception, including frames that Dynamo traced"
    )
    exports: bool = doc("whether it was raised during torch.export", default=False)
    thread: str = doc("name of the terminated thread; empty if the process terminated", default="")
    time_ns: int | None = doc("UTC", default=None)


@artifact("late_hook")
class LateHook(Record):
    """A hook was registered on a compiled module, or the module was compiled after that."""

    number: int = doc("index of the registration, from 0")
    is_compiled: bool = doc(
        "whether the module was compiled with the hook afterwards", key="compiled", default=False
    )
    hook: str = doc("kind of hook: forward hook, forward pre-hook, …", default="")
    module_class: str = doc(key="class", default="")
    stack: tuple[StackFrame, ...] = doc("user frames that registered the hook", default=())
