"""What the recorded process of a target does: attach to torch's trace, then run the target."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.capture.recording.begin import write_orderly_end, write_outcome
from inspector.errors import EnvironmentLacksError, InspectorError, ModelFailedError
from inspector.records.gpu_target import GpuTarget
from inspector.shared.bench import WorkerRequest
from inspector.shared.gpu_table import known_gpu
from inspector.shared.request import Request
from inspector.shared.warmup import WarmupRequest

if TYPE_CHECKING:
    from inspector.capture.target.target import Target

_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main(arguments: Sequence[str]) -> int:
    """Records a target.

    Arguments are the recording's folder, ``explain``, ``bench``, ``warm-up``, ``numerics``,
    ``revision`` or ``repro``, and the request.
    """
    recording, verb, request = arguments
    folder = Path(recording).absolute()  # the target may change the working directory
    try:
        _check_torch()
        if verb == "bench":
            _bench(folder, request)
        elif verb == "warm-up":
            from inspector.capture.bench.warm import warm_up

            warm_up(folder, WarmupRequest.from_json(request))
        elif verb == "numerics":
            from inspector.capture.numerics.compared import compare_numbers

            compare_numbers(folder, Request.from_json(request))
        elif verb == "revision":
            from inspector.capture.numerics.revisions import run_revision

            run_revision(folder, Request.from_json(request))
        elif verb == "repro":
            from inspector.capture.repro.search import reproduce

            reproduce(folder, Request.from_json(request))
        else:
            asked = Request.from_json(request)
            with _gpu(asked):
                _explain(folder, asked)
    except InspectorError as error:
        write_outcome(folder, error)
        return error.exit_code
    except KeyboardInterrupt:
        return _INTERRUPTED
    write_orderly_end(folder)
    return 0


def _bench(folder: Path, request: str) -> None:
    from inspector.capture.bench.process import Cores, keep_stack

    cores = Cores()  # torch is there by now, and with it libgomp; Inductor has not counted yet
    from inspector.capture.bench.worker import work

    keep_stack(folder)

    work(folder, WorkerRequest.from_json(request), cores)


def _check_torch() -> None:
    try:
        import torch
    except ImportError as error:
        message = f"{sys.executable} cannot import torch: {error}."
        raise EnvironmentLacksError(
            message,
            'Install it with pip install "torch>=2.11,<2.16" numpy, or name another interpreter '
            "with --python .venv/bin/python.",
        ) from error  # fmt: skip
    if not hasattr(torch, "_logging"):
        message = f"torch {torch.__version__} does not write a structured trace."
        raise EnvironmentLacksError(message, "Use torch 2.11 to 2.15.")


def _check_triton() -> None:
    try:
        import triton  # noqa: F401 - whether it can be
    except ImportError as error:
        message = f"{sys.executable} cannot import triton, which GPU code needs: {error}."
        raise EnvironmentLacksError(
            message, "Install it (pip install triton), or name another interpreter with --python."
        ) from error  # fmt: skip


def _gpu(request: Request) -> contextlib.AbstractContextManager[None]:
    """Generates code for a GPU that is not here, if that is asked for."""
    if request.gpu is None:
        return contextlib.nullcontext()
    _check_triton()
    from inspector.capture.gpu_target.session import gpu_target

    return gpu_target(known_gpu(request.gpu))


def _explain(folder: Path, request: Request) -> None:
    from inspector.capture.execution.execution import compiled, write_target
    from inspector.capture.execution.explain_calls import call_target
    from inspector.capture.execution.trial import seed_trial, watched
    from inspector.capture.failures import user_traceback
    from inspector.capture.graphs.line_times import line_times
    from inspector.capture.guard_levers import Levers
    from inspector.capture.log.environment import environment
    from inspector.capture.profile_calls import call_profiled
    from inspector.capture.quiet import quiet_compiler
    from inspector.capture.recording.handler import attach
    from inspector.capture.settings import apply_dynamism, apply_settings
    from inspector.capture.source_loader import check_edited
    from inspector.capture.writer import emit

    handler = attach(folder, project=None).handler
    sources = handler.sources
    if request.gpu is not None:
        emit(GpuTarget(known_gpu(request.gpu).key, "begin"))
        request = dataclasses.replace(request, device="cpu")
    handler.keeps_graphs, handler.keeps_prims = request.graphs, request.prims
    seed_trial(request)
    with contextlib.ExitStack() as stack:
        if request.fake:
            from inspector.capture.gpu_target.weights import fake_weights

            stack.enter_context(fake_weights())
        if request.generates and request.gpu is None:
            from inspector.capture.fusion.generating import generating_only

            stack.enter_context(generating_only())
        target = _loaded(request)
        stack.enter_context(quiet_compiler())
        apply_settings(request.config)  # after what the user's file sets
        apply_dynamism(target, request)
        emit(environment(target.root, asks_for_gpus=True))
        write_target(target, sources)
        try:
            measured = line_times() if request.line_times else contextlib.nullcontext()
            with measured, watched(target, request, compiled(target, request)) as function:
                make_calls = call_profiled if request.profile else call_target
                levers = Levers(target, request) if request.levers else None
                make_calls(target, request, function)
                check_edited()
            if levers is not None:
                levers.write()
        except SystemExit as exit_:
            code = "" if exit_.code is None else repr(exit_.code)
            message = f"Calling {target.name} ended the program with sys.exit({code})."
            detail = user_traceback(exit_, target.root)
            raise ModelFailedError(message, "Return instead of exiting.", detail=detail) from exit_


def _loaded(request: Request) -> Target:
    from inspector.capture.graphs.module_places import noting_modules
    from inspector.capture.log.environment import environment
    from inspector.capture.target.locate import locate
    from inspector.capture.target.target import load_target
    from inspector.capture.writer import emit

    try:
        with noting_modules():
            return load_target(request)
    except InspectorError:
        # The file may have compiled something before: whose code that was needs its root.
        with contextlib.suppress(InspectorError):
            root = locate(request.target).root
            emit(environment(root, asks_for_gpus=False))
        raise
