"""What torch's settings for cheaper guards save on this model, and what each assumes."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from inspector.records.recompiles import GuardLevers, LeverTrial
from inspector.report.page import Block, Items, Lines
from inspector.report.wording import count, duration
from inspector.run.run import Process

_FILTER, _STANCE = "guard_filter_fn", "skip_guard_eval_unsafe"
_OFF = "=False"

# What torch's documentation says of them (programming_model.reducing_guard_overhead, and the
# comments in torch/_dynamo/config.py), 2.11 to 2.15.
_ASSUMES: Mapping[str, str] = {
    "skip_nnmodule_hook_guards": "no hook is added or removed after the first call",
    "install_free_tensors": "no parameter or buffer is replaced by another tensor",
    "use_recursive_dict_tags_for_guards": "no function's __code__ or __defaults__ is rebound",
    "skip_guard_on_inbuilt_nn_modules_unsafe": "no attribute of a torch.nn module changes",
    "skip_guard_on_all_nn_modules_unsafe": "no attribute of any module changes",
    "skip_guard_on_globals_unsafe": "no global variable changes",
    "keep_tensor_guards_unsafe": "nothing but input tensors changes",
    "skip_all_guards_unsafe": "nothing changes, so one compiled version fits every call",
    _STANCE: "all shapes and values have been seen before it is set",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Lever:
    """A setting that makes guards cheaper.

    Attributes:
        usage: Python code that applies the setting.
        assumes: What the setting assumes about the program.
        saved_ns: Guard time per warm call without the setting minus that with it; None if the trial
            failed.
        guards_ns: Guard time per warm call with the setting; None if the trial failed.
        noise_ns: Difference of two measurements without any setting.
        is_default: Whether the setting is already active; ``saved_ns`` is then its current saving.
        broken: How the recorded calls violate its assumption; empty if they do not.
        error: Why it could not be tried.
    """

    name: str
    usage: str
    assumes: str
    saved_ns: int | None
    guards_ns: int | None
    noise_ns: int
    is_default: bool
    broken: str
    error: str


def levers_of(process: Process) -> tuple[Lever, ...]:
    """The settings that were tried in a process, those that save most first."""
    record = process.last(GuardLevers)
    if record is None:
        return ()
    plain = [trial for trial in record.trials if not trial.lever]
    times = [trial.guards_ns for trial in plain if trial.guards_ns is not None]
    if not times:
        return ()
    found = [
        _lever(trial, plain[0], min(times), max(times) - min(times))
        for trial in record.trials
        if trial.lever
    ]
    return tuple(sorted(found, key=lambda lever: (bool(lever.broken), -(lever.saved_ns or 0))))


def _lever(trial: LeverTrial, plain: LeverTrial, plain_ns: int, noise_ns: int) -> Lever:
    is_off = trial.lever.endswith(_OFF)
    saved_ns = None if trial.guards_ns is None else plain_ns - trial.guards_ns
    if is_off and saved_ns is not None:
        saved_ns = -saved_ns
    parts = trial.lever.removesuffix(_OFF).split(" + ")
    values = [part.partition("=")[2] or part for part in parts]
    return Lever(
        name=" + ".join(values),
        usage="; ".join(_usage(*part.partition("=")[::2]) for part in parts),
        assumes="; ".join(_ASSUMES[value] for value in values),
        saved_ns=saved_ns,
        guards_ns=plain_ns if is_off and saved_ns is not None else trial.guards_ns,
        noise_ns=noise_ns,
        is_default=is_off,
        broken="" if trial.error else _broken(trial, plain),
        error=trial.error,
    )


def _usage(name: str, value: str) -> str:
    if name == _FILTER:
        return f'torch.compile(model, options={{"{_FILTER}": torch.compiler.{value}}})'
    if name == _STANCE:
        return f"torch.compiler.set_stance({_STANCE}=True), after the first calls"
    return f"torch._dynamo.config.{name} = True"


def _broken(trial: LeverTrial, plain: LeverTrial) -> str:
    """What shows that a guard that is dropped told recorded calls apart."""
    if trial.lever == _STANCE and plain.later:
        return f"repeated calls trigger {count(plain.later, 'compilation')}"
    if trial.compilations != plain.compilations:
        fewer, more = sorted((trial.compilations, plain.compilations))
        return f"{count(fewer, 'compilation')} with this setting, {more:,} with all guards"
    return trial.difference


def lever_blocks(levers: Sequence[Lever]) -> Iterator[Block]:
    """What each saves, what it assumes, whether that holds; and how the best one is set."""
    if not levers:
        return
    noise = duration(levers[0].noise_ns)
    head = f"Guard time saved per warm call (fastest calls; noise ±{noise}):"
    yield Items(head, list(map(_line, levers)), len(levers))
    best = next(filter(_is_worth_it, levers), None)
    if best is not None:
        yield Lines([f"Largest saving whose assumption holds in these calls: {best.usage}"])


def _is_worth_it(lever: Lever) -> bool:
    is_possible = not (lever.broken or lever.error or lever.is_default)
    return is_possible and (lever.saved_ns or 0) > lever.noise_ns


def _line(lever: Lever) -> str:
    if lever.saved_ns is None:
        return f"{lever.name}: failed, {lever.error}"
    saved = duration(lever.saved_ns) if lever.saved_ns > lever.noise_ns else "nothing"
    # What is set by default is measured by turning it off.
    default = " (on by default)" if lever.is_default else ""
    check = f"violated here: {lever.broken}" if lever.broken else "holds in these calls"
    return f"{lever.name}{default}: {saved}; assumes {lever.assumes} ({check})"
