"""Compiles a target and calls it."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

import torch

from inspector.capture import versions
from inspector.capture.alone.bench import Alone
from inspector.capture.back_to_back import BackToBack
from inspector.capture.call import Call, PreparedCall, fresh
from inspector.capture.calling import Ones, backward, finished, requiring_grad
from inspector.capture.compile_count import compilations
from inspector.capture.failed_call import FailedCall, failed_call
from inspector.capture.known_backends import check_backend
from inspector.capture.measure import Measurement, measure, write_copy_rates
from inspector.capture.module_places import places_within
from inspector.capture.profiling.profiles import Profiles
from inspector.capture.quiet import quiet, quiet_operators
from inspector.capture.ranks import agreed, announce, is_of_others, meet
from inspector.capture.replay import replayed
from inspector.capture.roots import recorded_roots
from inspector.capture.sources import SourceWriter
from inspector.capture.state import State
from inspector.capture.target import Target
from inspector.capture.writer import emit, guarded
from inspector.errors import InspectorError, UsageError
from inspector.model.out_of_memory import lacks_memory
from inspector.model.request import Request
from inspector.model.roots import Owner
from inspector.records.calls import TargetCall, TargetFunction, Unmeasured

# The first call with each input compiles, the second shows whether anything compiles again.
_UNMEASURED_CALLS = 2
_MOST_ROUNDS = 10  # of calls before a profile, should each of them compile something
_PLAIN: AbstractContextManager[None] = contextlib.nullcontext()
# torch passes a mode on to Inductor alone (torch/__init__.py, `compile`).
_WITH_MODES = ("inductor", "inspector")


def compiled(target: Target, request: Request) -> Callable[..., object]:
    """The target behind ``torch.compile``, or as it is where the file compiled it already.

    Raises:
        UsageError: A backend, mode or combination that torch does not know.
        EnvironmentLacksError: The backend's package is not installed.
    """
    if target.already_compiled:
        return target.function
    check_backend(request.backend)
    if request.measure and request.backend != "inductor":
        # Inductor marks its graphs itself; the code of others is FX's own.
        versions.mark_graphs()
    if request.mode is not None and request.backend not in _WITH_MODES:
        message = (
            f"The backend {request.backend!r} has no modes: torch would ignore {request.mode!r}."
        )
        raise UsageError(message, "Add --backend inductor, or leave --mode out.")
    try:
        function: Callable[..., object] = torch.compile(
            target.function,
            fullgraph=request.fullgraph,
            dynamic=request.dynamic,
            backend=request.backend,
            mode=request.mode,
        )
    except (RuntimeError, ValueError) as error:
        message = f"torch.compile refuses these settings: {error}"
        raise UsageError(message, "See the --help of the command.") from error
    return function


def write_target(target: Target, sources: SourceWriter) -> None:
    """Writes ``inspector_target``: which function the calls reach, and of what kind it is."""
    function = inspect.unwrap(_function_of(target.function))
    code = getattr(function, "__code__", None)
    if code is not None:
        sources.add(code.co_filename, code.co_firstlineno)
        _add_makers(target.function, code.co_filename, sources)
    emit(
        TargetFunction(
            name=target.name,
            file=code.co_filename if code else "",
            line=code.co_firstlineno if code else 0,
            qualname=getattr(function, "__qualname__", ""),
            kind=_kind(function),
            is_compiled=target.already_compiled,
        )
    )


def _add_makers(target: Callable[..., object], file: str, sources: SourceWriter) -> None:
    """Writes the lines that make a model's layers, where these are all that is the user's of it."""
    model = versions.original_module(target)
    if isinstance(model, torch.nn.Module) and recorded_roots().owner(file) is Owner.TORCH:
        for place in places_within(model):
            sources.add(*place)


def _kind(function: Callable[..., object]) -> str:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return "generator"
    return "coroutine" if inspect.iscoroutinefunction(function) else "function"


def _function_of(target: Callable[..., object]) -> Callable[..., object]:
    target = versions.original_module(target)
    if isinstance(target, torch.nn.Module):
        forward: Callable[..., object] = type(target).forward
        return forward
    return target


def call_target(target: Target, request: Request, function: Callable[..., object]) -> None:
    """Calls the target with each input, then once more, then as often as it is measured.

    Every input is called once before any is called again, so that what the first calls show is not
    mixed with what later ones add. A profile watches nothing before a round compiles nothing.

    Raises:
        ModelFailedError: A call failed; ``detail`` is the user's own traceback.
        UsageError: It is a profile, and other processes of the job do not take part.
    """
    _join(request)
    inputs = range(len(target.calls))
    made: list[int] = []  # the inputs of all calls, in their order
    given = _before_all(target, request)
    ones = Ones() if request.profile else None
    state = _first_state(target, request, ones) if request.profile else None

    def call(index: int, number: int, watched: AbstractContextManager[None] = _PLAIN) -> bool:
        """Makes one call; whether further ones can be made."""
        if given is not None and len(made) == len(inputs):
            given.restore()
        # Before the very first nothing is to be put back, and no random number is drawn yet.
        if state is not None and made:
            _begin_again(state)
        made.append(index)
        with _told(index, number) as seen, quiet() if number else _PLAIN, watched:
            error = _error_of(target, index, request, function, ones, seen)
            return error is None or not _is_told(target, number, error, made, request)

    if state is not None:
        profiles = _profiles(target, request)
        number = _call_until_compiled(call, inputs, profiles)
        if not profiles.is_refused():
            _profile_all(target, request, function, (profiles, state, ones, made), number)
        return
    rounds = itertools.product(range(_UNMEASURED_CALLS), inputs)
    if not all(call(index, number) for number, index in rounds):
        return
    if request.measure:
        for index in inputs:
            with _told(index, _UNMEASURED_CALLS):
                _measure(target, index, request, function, made)
        guarded("measure the memory", write_copy_rates)


def _begin_again(state: State) -> None:
    state.look_again()
    state.begin_again()  # gradients may lie in the memory of a CUDA graph
    torch.compiler.cudagraph_mark_step_begin()


def _is_told(
    target: Target, number: int, error: Exception, made: Sequence[int], request: Request
) -> bool:
    """Whether it is enough to say that no further call can be made, because one has failed.

    Raises:
        InspectorError: It is not.
    """
    failed = FailedCall(target, made[-1], error, number + 1, made=made)
    if not _is_ours(failed, request):
        raise _failed(failed, request) from error
    return True


def _before_all(target: Target, request: Request) -> State | None:
    """What several inputs find first: a further call with one of them is to find it again.

    A model that counts, or fills a cache, is called in their order by its user. One input alone may
    be that of many calls, of which the second shows whether it is compiled again.
    """
    if request.profile or len(target.calls) == 1:
        return None
    return State(target.function, with_attributes=True)


def _first_state(target: Target, request: Request, ones: Ones | None) -> State:
    """What calls may change, as it is before the first one.

    What a model makes in its first call and keeps (a static cache) is made without the compiler,
    as by a prefill: a compiled call would make it in the memory of a CUDA graph, which the next
    call overwrites.
    """
    state = State(target.function)
    if not torch.cuda.is_initialized() or versions.job() is not None:
        return state
    with torch.compiler.set_stance("force_eager"):
        for index in range(len(target.calls)):
            # A call that fails will fail in the same way when it is compiled, or need less memory.
            _error_of(target, index, request, target.function, ones)
    try:
        state.restore()
        return State(target.function)
    except RuntimeError:  # CUDA cannot be used any more: the first compiled call says why
        return state


def _call_until_compiled(
    call: Callable[[int, int, AbstractContextManager[None]], bool],
    inputs: Sequence[int],
    profiles: Profiles,
) -> int:
    """Calls all inputs again and again until that compiles nothing; gives how many rounds it took.

    With CUDA graphs the last but one of these rounds captures what the one before it compiled; the
    last one is watched closely.
    """
    is_warm, number = False, 0
    while not is_warm and number < _MOST_ROUNDS:
        before = compilations()
        for index in inputs:
            call(index, number, profiles.capturing(index) if number else _PLAIN)
        is_warm = agreed(number > 0 and compilations() == before)
        number += 1
    for index in inputs:
        call(index, number, profiles.closely(index))
    return number + 1


def _join(request: Request) -> None:
    """Before any call: one that no other process of the job makes may wait until all is lost."""
    if request.profile:
        meet()
    elif request.measure:
        announce()


def _profiles(target: Target, request: Request) -> Profiles:
    return Profiles(
        target,
        counters=request.counters,
        fresh_ceilings=request.fresh_ceilings,
        alone=None
        if request.kernel is None
        else Alone(request.kernel, with_configs=request.configs, launch=request.launch),
    )


@contextlib.contextmanager
def _told(index: int, number: int) -> Iterator[_Call]:
    """Says in the trace that a call begins, and how it ends."""
    emit(TargetCall(index, number, "begin"))
    state, found = "failed", _Call()
    try:
        yield found
        state = "end"
    finally:
        emit(TargetCall(index, number, state, found.requires_grad))


@dataclasses.dataclass(slots=True)
class _Call:
    """What is seen of a call: whether its outputs require grad, where that was looked at."""

    requires_grad: bool | None = None


def _measure(
    target: Target,
    index: int,
    request: Request,
    function: Callable[..., object],
    made: list[int],
) -> None:
    def run(call: Call) -> None:
        made.append(index)
        _call(call, request, function)

    what = Measurement(
        input=index,
        first_call=_UNMEASURED_CALLS,
        calls=request.calls,
        arguments=target.calls[index],
        target=target.function,
        run=run,
        one_graph=request.guards,
    )
    try:
        with quiet():
            measure(what)
    except Exception as error:
        failed = FailedCall(target, index, error, made.count(index), made=made)
        if not _is_ours(failed, request):
            raise _failed(failed, request) from error


def _is_ours(failed: FailedCall, request: Request) -> bool:
    """Whether a call failed by itself that only we make; then that is said, and nothing more.

    The user's program calls the model once with each input, and these calls did not fail.
    """
    error = failed.error
    if request.profile or failed.number == 1 or isinstance(error, InspectorError):
        return False
    if lacks_memory(f"{type(error).__name__}: {error}") or is_of_others(error):
        return False
    with torch.compiler.set_stance("force_eager"), quiet():
        again = _error_of(failed.target, failed.index, request, failed.target.function)
    raised = again or replayed(error, request, failed.target, failed.made)
    if raised is None:
        return False
    said = f"{type(raised).__name__}: {raised}".strip().partition("\n")[0]
    emit(Unmeasured(failed.index, said))
    return True


def _profile_all(
    target: Target,
    request: Request,
    function: Callable[..., object],
    kept: tuple[Profiles, State, Ones | None, list[int]],
    number: int,
) -> None:
    """Profiles the warm calls, of which so many were made before with each input."""
    with torch.no_grad() if request.no_grad else contextlib.nullcontext():
        for index in range(len(target.calls)):
            with _told(index, number):
                _profile(target, index, request, function, kept)
        kept[0].finish()


def _profile(
    target: Target,
    index: int,
    request: Request,
    function: Callable[..., object],
    kept: tuple[Profiles, State, Ones | None, list[int]],
) -> None:
    """Profiles the warm calls with one input."""
    profiles, state, ones, made = kept
    back_to_back = BackToBack(target.calls[index], state)
    without, is_compiled = 0, True

    def make(call: Call, called: Callable[..., object]) -> None:
        if request.no_grad:
            _finished(call, called)
        else:
            _call(call, request, called, ones)

    def prepared(called: Callable[..., object]) -> PreparedCall:
        nonlocal without, is_compiled
        made.append(index)
        is_compiled = called is function
        without += not is_compiled
        if request.no_grad:
            torch.set_grad_enabled(False)  # here, where it is no part of the call
        return back_to_back.prepared(is_compiled, lambda call: make(call, called))

    run, eager = (functools.partial(prepared, each) for each in (function, target.function))
    try:
        with quiet():
            profiles.measure(index, run, eager, back_to_back)
    except Exception as error:
        number = made.count(index) - without if is_compiled else 0
        failed = FailedCall(target, index, error, number, without, made)
        raise _failed(failed, request) from error


def _error_of(  # noqa: PLR0913, PLR0917 - what a call is made with
    target: Target,
    index: int,
    request: Request,
    function: Callable[..., object],
    ones: Ones | None = None,
    seen: _Call | None = None,
) -> Exception | None:
    """What a call raised, or None; outside of any other exception's handling.

    `seen` gets whether its outputs require grad, without which `--train` has no meaning.
    """
    try:
        with quiet_operators():
            outputs = _call(fresh(target.calls[index]), request, function, ones)
        if seen is not None:
            seen.requires_grad = bool(requiring_grad(outputs))
    except Exception as error:  # noqa: BLE001 - whatever the user's model raises
        return error
    return None


def _call(
    call: Call, request: Request, function: Callable[..., object], ones: Ones | None = None
) -> object:
    if request.no_grad:
        with torch.no_grad():
            return _finished(call, function)
    outputs = _finished(call, function)
    if request.train:
        backward(outputs, ones)
    return outputs


def _finished(call: Call, function: Callable[..., object]) -> object:
    return finished(function(*call.args, **call.kwargs))


def _failed(failed: FailedCall, request: Request) -> InspectorError:
    """What to tell about a failed call, see `failed_call`."""
    target = failed.target
    return failed_call(
        failed,
        request,
        lambda: _error_of(target, failed.index, request, target.function),
        lambda: replayed(failed.error, request, target, failed.made),
    )
