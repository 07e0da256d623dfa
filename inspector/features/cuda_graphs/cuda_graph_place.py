"""Where something about CUDA graphs stands in the user's code."""

import re
from collections.abc import Sequence

from inspector.records.cuda_graphs import FunctionKey, LoggedInput
from inspector.run.run import Process, Run
from inspector.shared.stack import StackFrame, project_frame, shown_name, user_frame

# AOTAutograd numbers the inputs of Dynamo's graph, from 0 or from 1 (torch/_functorch, 2.11, 2.13).
_NUMBERED = re.compile(r"arg(?P<from_0>\d+)_1|primals_(?P<from_1>\d+)")
_OWNED = re.compile(r"_(?:modules|parameters|buffers)_")


def call_place(
    run: Run, process: Process, compile_id: str, stack: Sequence[StackFrame]
) -> StackFrame | None:
    """The user's line that called a compiled function, of the stack of a capture.

    The code that Dynamo made runs in a frame of the function's own, at its first line.
    """
    frames = list(stack)
    own = compiled_frame(process, compile_id)
    while frames and own and (frames[-1].file, frames[-1].line) == (own.file, own.line):
        frames.pop()
    return input_place(run, frames)


def input_name(process: Process, key: FunctionKey, item: LoggedInput) -> str:
    """An input as the user knows it (``self.first.weight``), or as torch named it.

    Dynamo spells a source as an identifier, in which a dot and an underscore look alike; and
    AOTAutograd numbers its inputs. Where the sizes do not fit, the number says nothing.
    """
    inputs = process.cuda_graphs.inputs.get(key.compile_id, ())
    found = _NUMBERED.fullmatch(item.name)
    if found is None or not inputs:
        return item.name
    index = int(found["from_0"]) if found["from_0"] else int(found["from_1"]) - 1
    node = inputs[index] if 0 <= index < len(inputs) else None
    sizes = node.tensor.shape if node is not None and node.tensor else ()
    if node is None or len(sizes) != len(item.shape):
        return item.name
    pairs = zip(sizes, item.shape, strict=True)
    if not all(said == size or isinstance(said, str) for said, size in pairs):
        return item.name
    # ``L_self_modules_first_parameters_weight_`` → ``self.first.weight``.
    return _OWNED.sub(".", node.name.removeprefix("L_").removeprefix("l_").rstrip("_"))


def input_place(run: Run, stack: Sequence[StackFrame]) -> StackFrame | None:
    """The user's own line of a stack, or the innermost outside of torch."""
    return project_frame(stack, run.roots) or user_frame(stack, run.roots)


def compiled_frame(process: Process, compile_id: str) -> StackFrame | None:
    """The function of a compilation, where the log has its name."""
    for frame in process.frames:
        if any(str(item.compile_id) == compile_id for item in frame.compilations) and frame.file:
            return StackFrame(frame.file, frame.first_line, frame.name)
    return None


def function_name(run: Run, process: Process, compile_id: str) -> str:
    """A compilation's function as a person sees it, or an empty string."""
    frame = compiled_frame(process, compile_id)
    if frame is None:
        return ""
    qualified = run.sources.qualname(frame.file, frame.line)
    return qualified or shown_name(frame.name)
