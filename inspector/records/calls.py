"""What is compiled and called, and what failed."""

from inspector.records.record import Record, artifact, doc
from inspector.records.stack import StackFrame


@artifact("target")
class TargetFunction(Record):
    """What was asked to be compiled."""

    name: str = doc("how it is shown")
    file: str = doc("of the function that is called")
    line: int
    qualname: str
    kind: str = doc("function, generator or coroutine")
    is_compiled: bool = doc(
        "compiled by its own file, for its own backend", key="compiled", default=False
    )


@artifact("call")
class TargetCall(Record):
    """The target is about to be called, or the call has ended."""

    input_index: int = doc(key="input")
    call: int = doc("number of earlier calls with this input")
    state: str = doc("begin, end or failed")
    requires_grad: bool | None = doc("whether an output requires grad, if checked", default=None)


@artifact("unmeasured")
class Unmeasured(Record):
    """A call that only we make fails by itself, so that none is measured."""

    input_index: int = doc(key="input")
    error: str = doc("the exception in one line")


@artifact("raised")
class Uncaught(Record):
    """What ended a process, one of its threads, or a call of the target."""

    type: str = doc("the exception's class; of one that Dynamo wraps, that of the inner one")
    outer: str = doc("class of the raised exception, or of the one without torch.compile")
    message: str
    traceback: str = doc("without torch's frames")
    stack: tuple[StackFrame, ...] = doc("where it was raised, also what Dynamo traced")
    exports: bool = doc("raised during torch.export", default=False)
    thread: str = doc("thread that it ended; empty if it ended the process", default="")
    time_ns: int | None = doc("UTC", default=None)


@artifact("late_hook")
class LateHook(Record):
    """A hook was registered on a compiled module, or the module was compiled after that."""

    number: int = doc("of the registration, from 0")
    is_compiled: bool = doc("compiled with the hook afterwards", key="compiled", default=False)
    hook: str = doc("forward hook, forward pre-hook, …", default="")
    module_class: str = doc(key="class", default="")
    stack: tuple[StackFrame, ...] = doc("the user's frames that registered it", default=())
