"""What `inspect bench` compares, from what the command line asks for."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.cli.job import check_single_rank
from inspector.errors import UsageError
from inspector.shared.bench import SESSION_SECONDS, BenchPlan, Combination, Setting, Workload
from inspector.shared.dtypes import parse_autocast_dtype, parse_model_dtype
from inspector.shared.input_parser import parse_inputs
from inspector.shared.near_matches import did_you_mean
from inspector.shared.variation import Assignment, parse_varied, variations

MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite")
"""Those of Inductor (torch/_inductor/__init__.py, `list_mode_options`, 2.11 to 2.13)."""
_NAMED_MODES: Mapping[tuple[str, ...], tuple[str, ...]] = {("all",): MODES, ("none",): ()}
_SHAPES = {"auto": None, "dynamic": True, "static": False}
_TF32 = {"on": True, "off": False}
_INDUCTOR = "inductor"
_SESSIONS = 3


def plan_of(target: str, given: dict[str, Any]) -> BenchPlan:
    """What is compared, by the options of the command line.

    Raises:
        UsageError: The options are not what they should be, or this is a process of a job.
    """
    check_single_rank("inspect bench")
    parse_inputs(given.get("inputs", ()))
    if "optimizer" in given and "train" not in given:
        raise UsageError("--optimizer needs --train.", "Add --train.")
    varied = variations_of(given)
    plan = BenchPlan(
        target=target,
        combinations=combinations_of(given),
        sessions=given.get("sessions", 1 if varied else _SESSIONS),
        is_grad="grad" in given,
        variations=varied,
        session_seconds=given.get("seconds", SESSION_SECONDS),
    )
    if varied and len(plan.workloads) > 1:
        message = "--vary needs a single workload."
        raise UsageError(
            message, "Pass one value for each of --batch, --dtype, --autocast, --tf32."
        )
    return plan


def names_of(text: str | None) -> tuple[str, ...]:
    """The names of a list with commas, each once."""
    return tuple(dict.fromkeys(filter(None, (item.strip() for item in (text or "").split(",")))))


def sizes_of(text: str | None, option: str) -> tuple[int, ...]:
    """The numbers of a list with commas, from 1 on."""
    names = names_of(text)
    wrong = next((name for name in names if not name.isdecimal() or not int(name)), None)
    if wrong is not None:
        raise UsageError(f"{option} takes positive integers, not {wrong!r}.", "")
    return tuple(map(int, names))


def variations_of(given: Mapping[str, Any]) -> tuple[tuple[Assignment, ...], ...]:
    """The inputs that ``--vary`` makes; none where it is not given."""
    varied = tuple(map(parse_varied, given.get("vary", ())))
    return variations(varied) if varied else ()


def combinations_of(given: Mapping[str, Any]) -> tuple[Combination, ...]:
    """Eager PyTorch, then every setting, on every workload."""
    settings = tuple(dict.fromkeys([Setting(), *_settings(given)]))
    return tuple(
        Combination(workload, setting) for workload in _workloads(given) for setting in settings
    )


def _settings(given: Mapping[str, Any]) -> Iterator[Setting]:
    asked = names_of(given.get("modes"))
    varies = bool(given.get("vary"))
    usual = (MODES[0],) if varies else (MODES[0], MODES[1])
    modes = _NAMED_MODES.get(asked, asked or usual)
    for mode in modes:
        if (mode,) in _NAMED_MODES:
            raise UsageError(
                f"--modes {mode} cannot be combined with other modes.",
                "Drop the other modes, or list all modes to measure.",
            )
        _check("--modes", mode, MODES)
    backends = names_of(given.get("backends"))
    if given.get("backends") and not backends:
        raise UsageError("--backends names none.", "Write --backends aot_eager,cudagraphs.")
    # A backend is compared with Inductor in its default mode unless modes are asked for.
    modes = modes if asked or not backends else (MODES[0],)
    shapes = names_of(given.get("shapes")) or (tuple(_SHAPES) if varies else ("auto",))
    for shape in shapes:
        _check("--shapes", shape, tuple(_SHAPES))
    steps = (False, True) if given.get("optimizer") else (False,)
    for shape, compiles in itertools.product(shapes, steps):
        how: dict[str, Any] = {
            "dynamic": _SHAPES[shape],
            "fullgraph": bool(given.get("fullgraph")),
            "compiles_optimizer": compiles,
        }
        for mode in modes:
            yield Setting(_INDUCTOR, None if mode == MODES[0] else mode, **how)
        for backend in backends:
            yield Setting(backend, None, **how)


def _workloads(given: Mapping[str, Any]) -> Iterator[Workload]:
    batches: Sequence[int | None] = sizes_of(given.get("batch"), "--batch") or (None,)
    dtypes: Sequence[str | None] = names_of(given.get("dtype")) or (None,)
    autocasts = names_of(given.get("autocast")) or ("none",)
    tf32s = names_of(given.get("tf32")) or ("",)
    for name in filter(None, dtypes):
        parse_model_dtype(name)
    for name in autocasts:
        if name != "none":
            parse_autocast_dtype(name)
    for name in filter(None, tf32s):
        _check("--tf32", name, tuple(_TF32))
    for batch, dtype, autocast, tf32 in itertools.product(batches, dtypes, autocasts, tf32s):
        yield Workload(
            batch=batch,
            dtype=dtype,
            autocast=None if autocast == "none" else autocast,
            tf32=_TF32.get(tf32),
            train=bool(given.get("train")),
            optimizer=given.get("optimizer"),
        )


def _check(option: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise UsageError(f"{option} has no {name!r}.", did_you_mean(name, known))
