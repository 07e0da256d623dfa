"""Compiles and calls a model of this very process, and leaves the process as it was."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inspector.capture import versions
from inspector.capture.calls.state import MOST_COPIED_BYTES, State
from inspector.capture.compiled import uncompiled
from inspector.capture.execution.execution import torch_compiled, write_target
from inspector.capture.execution.explain_calls import call_target
from inspector.capture.recording.handler import attached_handler
from inspector.capture.target.call import Call
from inspector.capture.target.signatures import check_fits
from inspector.capture.target.target import Target
from inspector.shared.request import Request


def name_of(model: Callable[..., Any]) -> str:
    """What a module or a function is called."""
    model = uncompiled(model)
    return str(getattr(model, "__qualname__", "") or type(model).__qualname__)


def call_in_process(
    model: Callable[..., Any], call: Call, how: Mapping[str, Any], *, train: bool, calls: int
) -> None:
    """Compiles a model, with torch.compile's arguments, and calls it.

    Raises:
        UsageError: The arguments do not fit, or torch refuses the settings.
        ModelFailedError: A call failed.
    """
    function = uncompiled(model)
    name = name_of(model)
    check_fits(function, call.args, call.kwargs, "The call")
    target = Target(
        name=name, entry=name, function=function, calls=(call,), already_compiled=False,
        file=None, root=os.getcwd(),  # noqa: PTH109 - as Dynamo sees it
    )  # fmt: skip
    request = Request(name, train=train, calls=calls, measure=calls > 0)
    write_target(target, attached_handler().sources)
    # What is measured is marked, as `inspect explain` does; Inductor marks its graphs itself.
    marks = request.measure and how["backend"] not in {"inductor", "inspector"}
    marked = versions.marked_graphs() if marks else contextlib.nullcontext()
    with preserved_dynamo_state(), _preserved_state(function), marked:
        call_target(target, request, torch_compiled(function, how, "See help(inspector.explain)."))


@contextlib.contextmanager
def _preserved_state(function: Callable[..., Any]) -> Iterator[None]:
    """Keeps what a call of the function can reach, and the random generators' state."""
    state = State(function)
    gradients = [(tensor, tensor.grad) for tensor in state.leaves]
    for tensor, gradient in gradients:
        # Backward adds to what is there, in place.
        tensor.grad = None if gradient is None else gradient.detach().clone()
    try:
        yield
    finally:
        state.restore()
        for tensor, gradient in gradients:
            tensor.grad = gradient
        if changed := state.left_changed():
            warnings.warn(
                f"inspector.explain: the calls changed {changed} tensors permanently: state above "
                f"{MOST_COPIED_BYTES >> 30} GiB is not restored.",
                stacklevel=2,
            )


@contextlib.contextmanager
def preserved_dynamo_state() -> Iterator[None]:
    """Forgets, at the end, code objects that were not compiled at the beginning.

    Profile-guided dynamic shapes begin empty and are what they were afterwards. Torch's numbers of
    frames go on counting.
    """
    from torch._C._dynamo.eval_frame import reset_code
    from torch._dynamo import convert_frame, pgo

    trackers = (convert_frame.input_codes, convert_frame.output_codes)
    before = [set(tracker.seen_ids) for tracker in trackers]
    profile, initial = pgo._CODE_STATE, pgo._INIT_CODE_STATE  # noqa: SLF001 - no other way to them
    pgo.reset_code_state()
    try:
        yield
    finally:
        for tracker, known in zip(trackers, before, strict=True):
            # The code objects that it has seen since.
            kept = []
            for reference in tracker.seen:
                code = reference()
                if code is not None and id(code) not in known:
                    reset_code(code)
                else:
                    kept.append(reference)
            tracker.seen[:] = kept
            left = (id(code) for reference in kept if (code := reference()) is not None)
            tracker.seen_ids.intersection_update(left)
        pgo._CODE_STATE, pgo._INIT_CODE_STATE = profile, initial  # noqa: SLF001 - as above
