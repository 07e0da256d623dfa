"""Compilations that ended with an exception."""

import re
from collections.abc import Iterator

from inspector.features.breaks.advice.lookup import advise_on_error
from inspector.features.breaks.hints import useful_hints
from inspector.features.graph.reading import captured_graphs
from inspector.features.kernels.report import graph_codes
from inspector.report.failed_frames import CompilerError, compiler_error, error_text
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.run.compilation import Compilation, Failure, Frame
from inspector.run.ended import is_echo, is_echoed_break
from inspector.run.graph_break import Outcome
from inspector.run.kernel import Kernel
from inspector.run.run import Process, Run
from inspector.run.summary import is_later, is_measured
from inspector.shared.stack import StackFrame, plain_name, user_frame
from inspector.trace.graph_break import Cause, parse_causes

_VIOLATION = "ConstraintViolationError"  # torch/fx/experimental/symbolic_shapes.py
# Of an operator's arguments Inductor prints the whole intermediate representation.
_DUMP = re.compile(r"\n\s*args\[0\]: ")
# torch/_library/custom_ops.py and torch/_subclasses/fake_tensor.py, 2.11 to 2.13.
_NO_FAKE = re.compile(
    r"no fake impl registered for <CustomOpDef\((?P<operator>[^)]+)\)>.*?"
    r"`(?P<function>\w+)\.register_fake`",
    re.DOTALL,
)
OF_BACKENDS = frozenset({"BackendCompilerFailed", "InductorError", "LoweringException"})
"""What torch raises where a backend fails."""
_DEVICES = re.compile(
    r"Expected all tensors to be on the same device|found two different devices [\w:]+, [\w:]+"
)
_LEAST_NAME = 3  # `t`, `mm` and `to` are words
_WORD = re.compile(r"[A-Za-z_]\w*")


class CompileErrorRule(Rule[Run, Finding]):
    """A compilation failed with an exception."""

    id = "compile-error"
    severity = Severity.ERROR

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per frame and exception."""
        for process in run.processes:
            for frame in process.frames:
                seen: set[str] = set()
                for item in frame.compilations:
                    # A break that fullgraph=True made an error is a graph break.
                    is_break = any(
                        b.outcome is Outcome.RAISED or is_echoed_break(run, b)
                        for b in item.graph_breaks
                    )
                    if is_break or is_measured(item) or not (item.failure and item.raised):
                        continue
                    # The rule constraint-violation, and the error that the report begins with.
                    if item.failure.type == _VIOLATION or is_echo(run, item.failure):
                        continue
                    if item.failure.reason not in seen:
                        seen.add(item.failure.reason)
                        yield _finding(run, process, frame, item, item.failure)


def _finding(
    run: Run, process: Process, frame: Frame, item: Compilation, failure: Failure
) -> Finding:
    definition = StackFrame(frame.file, frame.first_line, frame.name)
    cause = next(iter(parse_causes(failure.reason)), Cause(None, failure.type))
    said = cause.explanation or failure.reason.strip()
    short = _DUMP.split(said, maxsplit=1)[0]
    error = compiler_error(failure.reason)
    kernel, lines = (
        _kernel_lines(run, process, str(item.compile_id), failure.reason, error)
        if error
        else ("", ())
    )
    raised = user_frame(failure.stack, run.roots)
    operator = lines[-1] if lines else None
    if not (operator or failure.has_operator or error):
        operator = _named_operator(run, process, str(item.compile_id), error_text(failure))
    place = operator or raised or definition
    stack = (*item.stack, operator) if operator else failure.stack
    # The message can hold sizes, addresses and names of temporary files.
    at = RULE.at(run, place, cause.gb_id or failure.type, stack=stack)
    advised = advise_on_error(run, place, at["place"], cause)
    has_line = operator is not None or failure.has_operator
    avoided = _failure_fix(frame, item, failure, error, has_line=has_line)
    known = advised.fix if advised else error_fix(said) or avoided
    fix, *further = (known,) if known else useful_hints(cause.hints) or ("",)
    return Finding(
        **at,
        message=cause.title if cause.gb_type else error_text(failure),
        why=_why(error, kernel) if error else short,
        fix=fix,
        alternatives=tuple(further),
        example=advised.example if advised else None,
        hints=cause.hints,
        notes=(
            f"{plain_name(frame.name)} is not compiled ({failure.type})",
            *_elsewhere(run, lines, raised if operator and not lines else None),
        ),
        gb_id=cause.gb_id,
        gb_type=cause.gb_type,
        url=cause.url,
        evidence="compilation_metrics",
        later=is_later(item),
        output=failure.reason.strip() if error or short != said else "",
    )


def _why(error: CompilerError, kernel: str) -> str:
    """The first error of the compiler, whose output may have hundreds of lines before it."""
    where = f" in kernel `{kernel}`" if kernel else ""
    at = f" (line {error.line} of the generated code)" if error.line and error.code else ""
    said = f"error{where}: {error.message}{at}"
    return f"{said}\n    {error.code}" if error.code else said


def _elsewhere(run: Run, lines: tuple[StackFrame, ...], raised: StackFrame | None) -> Iterator[str]:
    """What else of the user's own has to do with it."""
    if raised is not None:
        yield f"raised at {run.roots.shown(raised.file)}:{raised.line}"
    others = [f"{run.roots.shown(line.file)}:{line.line}" for line in lines[:-1]]
    if others:
        yield f"the kernel also contains code from {', '.join(others)}"


def error_fix(said: str) -> str:
    """What to write, or an empty string where nobody knows."""
    missing = _NO_FAKE.search(said)
    if missing:
        function = missing["function"]
        return (
            f"Register a fake kernel for {missing['operator']}: put `@{function}.register_fake` on "
            "a function with the same arguments. It must return an empty tensor of the right "
            "shape, dtype and device (for example `torch.empty_like(x)`). For gradients, add "
            f"`{function}.register_autograd`."
        )
    if _DEVICES.search(said):
        return (
            "Create tensors on the device of the inputs: `torch.zeros(…, device=x.device)` or "
            "`x.new_zeros(…)`. Register tensors of the module as parameters or buffers "
            "(`register_buffer`), so `.to(device)` moves them. Eager PyTorch fails here, too, on "
            "these devices."
        )
    return ""


def _failure_fix(
    frame: Frame,
    item: Compilation,
    failure: Failure,
    error: CompilerError | None,
    *,
    has_line: bool,
) -> str:
    """What avoids a failure of a backend; empty if unknown."""
    if failure.in_implementation:
        return (
            "Fix this line or its caller. The compiler runs it on fake tensors (without data), so "
            "it must accept everything that the operator accepts."
        )
    if error is None and failure.type not in OF_BACKENDS:
        return ""
    if item.is_recompile and any(not other.raised for other in frame.compilations):
        return (
            "Compile with `dynamic=False`: fixed sizes compile, but dynamic ones fail. Each size "
            "is then compiled once."
        )
    if not has_line:
        return ""
    return (
        "Move this line into a function decorated with `@torch.compiler.disable`. It then runs "
        "eagerly, and the rest is compiled."
    )


def _kernel_lines(
    run: Run, process: Process, compile_id: str, reason: str, error: CompilerError
) -> tuple[str, tuple[StackFrame, ...]]:
    """The kernel that does not compile, and the user's lines that it computes, in order."""
    graphs = [
        graph for graph in graph_codes(process, run.roots, []) if graph.compile_id == compile_id
    ]
    kernels = [kernel for graph in graphs[-1:] for kernel in graph.kernels]
    named = [kernel for kernel in kernels if re.search(rf"\b{re.escape(kernel.name)}\b", reason)]
    holding = [kernel for kernel in kernels if error.code and error.code in kernel.source]
    found = next(iter(named or holding or (kernels if len(kernels) == 1 else ())), None)
    return (found.name, tuple(_lines_of(found))) if found else ("", ())


def _lines_of(kernel: Kernel) -> Iterator[StackFrame]:
    places = dict.fromkeys(
        (node.file, node.line, node.code) for node in kernel.nodes if node.file and node.line
    )
    for file, line, code in places:
        yield StackFrame(file, line, "", code)


def _named_operator(run: Run, process: Process, compile_id: str, said: str) -> StackFrame | None:
    """The line of the first operator of Dynamo's graph that a backend's error names."""
    words = {word.strip("_") for word in _WORD.findall(said)}
    for graph in reversed(captured_graphs(process, run.roots, {compile_id})):
        for node in graph.nodes:
            target = node.target.removesuffix(".default")
            name = target.rpartition(".")[2].strip("_")
            if node.is_compute and len(name) >= _LEAST_NAME and name in words:
                return user_frame(node.stack, run.roots)
    return None


RULE = CompileErrorRule()
