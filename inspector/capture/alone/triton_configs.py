"""The configurations of a Triton kernel: those of Inductor's heuristics, and their neighbours.

`CachingAutotuner` of torch/_inductor/runtime/triton_heuristics.py, 2.11 to 2.13: it forgets what it
had to choose from, so that the kernel's source is run once more, with the settings of autotuning.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import itertools
import logging
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from torch._inductor.runtime import triton_heuristics
from torch._inductor.runtime.triton_heuristics import CachingAutotuner

from inspector.capture.builds.driverless import find_ptxas

_HEURISTICS = (
    "pointwise", "reduction", "cooperative_reduction", "persistent_reduction", "split_scan",
    "template", "foreach", "user_autotune", "fixed_config",
)  # fmt: skip
_AS_AUTOTUNING = {
    "max_autotune": True,
    "max_autotune_pointwise": True,
    "coordinate_descent_tuning": False,
    "force_disable_caches": True,
    "store_cubin": False,
    "profile_bandwidth": False,
}
_OWN_SIZES = ("BLOCK", "NUM_STAGES")
# Their sizes fit to what the code around the kernel allocates.
_WORKSPACES = ("ws_ptr", "workspace", "semaphores", "sem_ptr")
_WITH_LOOPS = ("REDUCTION", "COOPERATIVE_REDUCTION", "SPLIT_SCAN", "TEMPLATE", "USER_AUTOTUNE")
_MOST_STAGES = 4
_MOST_WARPS = 32
_LONGEST_ERROR = 300
_LOGGERS = (
    "torch._inductor.runtime.triton_heuristics",
    "torch._inductor.runtime.coordinate_descent_tuner",
)


@dataclasses.dataclass(slots=True)
class Built:
    """A configuration that was compiled, or why it could not be.

    Attributes:
        config: The ``triton.Config``.
        source: Where it comes from: ``chosen``, ``heuristics``, ``descent`` or ``search``.
        launcher: Launches it, or None.
        error: Why there is none, in one line, or an empty string.
    """

    config: Any
    source: str
    launcher: Any = None
    error: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """What tells it from other configurations."""
        return config_key(self.config)

    def fields(self) -> dict[str, object]:
        """As the artifact has it."""
        launcher = self.launcher
        values = {name: _plain(value) for name, value in self.config.kwargs.items()}
        return {
            "values": values,
            "num_warps": int(self.config.num_warps),
            "num_stages": int(self.config.num_stages),
            "source": self.source,
            "registers": getattr(launcher, "n_regs", None),
            "spills": getattr(launcher, "n_spills", None),
            "shared_bytes": getattr(launcher, "shared", None),
            "error": self.error,
        }


def _plain(value: Any) -> int | str | bool | None:  # noqa: ANN401
    return value if isinstance(value, int | str | bool | type(None)) else str(value)


def config_key(config: Any) -> tuple[object, ...]:  # noqa: ANN401 - triton.Config
    """What tells a configuration from others."""
    values = tuple(sorted((name, str(value)) for name, value in config.kwargs.items()))
    return values, int(config.num_warps), int(config.num_stages)


def chosen_launcher(autotuner: Any) -> Any:  # noqa: ANN401 - torch's own
    """What the program launches: there is one, once it has."""
    launchers = autotuner.launchers
    return launchers[0] if len(launchers) == 1 else None


def parameter_names(launcher: Any) -> list[str]:  # noqa: ANN401 - torch's own
    """The names of what it is launched with: it is a function that torch writes."""
    code = launcher.__code__
    return [name for name in code.co_varnames[: code.co_argcount] if name != "stream"]


class Configurations:
    """Compiles configurations of a kernel.

    Args:
        autotuner: The program's own.

    Raises:
        Exception: The kernel's source is gone or makes no kernel.
    """

    def __init__(self, autotuner: Any) -> None:  # noqa: ANN401 - torch's own
        find_ptxas()
        self._own = _as_if_autotuning(autotuner)
        self._tuner = self._own.coordesc_tuner
        self.kind = str(getattr(self._own.heuristic_type, "name", ""))
        self.is_users = self.kind == "USER_AUTOTUNE"
        self.heuristics = list(self._own.configs)
        self.built: dict[tuple[object, ...], Built] = {}
        names = list(self._own.fn.arg_names)
        self.keeps_sizes = self.is_users or any(name.startswith(_WORKSPACES) for name in names)
        if self.is_users:
            self._allow_other_warps()

    @property
    def is_tuned_by_descent(self) -> bool:
        """Whether ``coordinate_descent_tuning`` tunes kernels of this kind."""
        return self.kind not in {"TEMPLATE", "USER_AUTOTUNE", "FIXED"}

    @property
    def lookup_key(self) -> str | None:
        """The kernel's key in ``config.autotune_lookup_table``, which says what to run it with.

        `lookup_autotune_config` of torch/_inductor/runtime/triton_heuristics.py, 2.11 to 2.13, asks
        for kernels that Inductor generated.
        """
        make = getattr(triton_heuristics, "generate_lookup_hash_from_source_code", None)
        source = str(self._own.fn.src)
        if make is None or "_fused_" not in source:
            return None
        return str(make(str(self._own.size_hints), source))

    @property
    def skips_spills_over(self) -> int | None:
        """From how many spills on autotuning takes no configuration; None of a user's kernel."""
        if self._own.custom_kernel:
            return None
        return int(self._own.inductor_meta.get("spill_threshold", 16))

    def build(self, config: Any, source: str, launcher: Any = None) -> Built:  # noqa: ANN401
        """Compiles a configuration, once."""
        found = self.built.get(config_key(config))
        if found is not None:
            return found
        made = Built(config, source, launcher)
        self.built[made.key] = made
        if launcher is None:
            try:
                with _quiet_compiler():
                    made.launcher = self._compiled(config)
            except Exception as error:  # noqa: BLE001 - whatever the compiler says is the result
                made.error = one_line_error(error)
        return made

    def descend(self, start: Any, time: Callable[[Built], float]) -> Any:  # noqa: ANN401
        """What coordinate descent comes to from a configuration, by torch's own tuner.

        Args:
            start: Where it begins.
            time: How long a configuration takes; infinity for one that cannot be taken.
        """
        if not self.is_tuned_by_descent or self.keeps_sizes:
            return start
        return self._tuner.autotune(
            lambda config: time(self.build(config, "descent")), copy.deepcopy(start), None
        )

    def neighbours(self, config: Any) -> Iterator[Any]:  # noqa: ANN401
        """Half and twice of each size and of the warps, of both, and other numbers of stages."""
        fields = ["num_warps"] + ([] if self.keeps_sizes else self._sizes(config))
        near = {field: self._near(config, field) for field in fields}
        for field, values in near.items():
            for value in values:
                yield _with(config, {field: value})
        for field in fields[1:]:
            for value, warps in itertools.product(near[field], near["num_warps"]):
                # Larger with more warps, smaller with fewer: the work of a thread stays.
                if (value > config.kwargs[field]) == (warps > config.num_warps):
                    yield _with(config, {field: value, "num_warps": warps})
        if self.kind in _WITH_LOOPS:
            for stages in range(1, _MOST_STAGES + 1):
                if stages != config.num_stages:
                    yield _with(config, {"num_stages": stages})

    def _sizes(self, config: Any) -> list[str]:  # noqa: ANN401
        tunable = self._tuner.tunable_fields
        return [name for name in tunable if name in config.kwargs and name.endswith(_OWN_SIZES)]

    def _near(self, config: Any, field: str) -> list[int]:  # noqa: ANN401
        value = config.num_warps if field == "num_warps" else config.kwargs[field]
        found = [int(near) for near in self._tuner.get_neighbour_values(field, value)]
        is_valid = self._tuner.is_valid_config
        valid = [near for near in found if is_valid(_with(config, {field: near}))]
        return [near for near in valid if field != "num_warps" or near <= _MOST_WARPS]

    def _compiled(self, config: Any) -> Any:  # noqa: ANN401
        own = self._own
        with own.lock:
            return own._precompile_config(copy.deepcopy(config)).make_launcher()  # noqa: SLF001

    def _allow_other_warps(self) -> None:
        """The grids of a user's kernel are listed by configuration: warps do not change them."""
        grids = self._own.inductor_meta.get("precomputed_grids") or []
        others = [
            {**grid, "config": {name: value for name, value in grid["config"].items()
                                if name not in {"num_warps", "num_stages"}}}
            for grid in grids
        ]  # fmt: skip
        if grids:
            self._own.inductor_meta["precomputed_grids"] = [*grids, *others]


def one_line_error(error: BaseException) -> str:
    """An error as one line; Triton says where first, and what last."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    is_place = bool(lines) and lines[0].startswith("at ") and lines[0].endswith(":")
    text = (lines[-1] if is_place else lines[0])[:_LONGEST_ERROR] if lines else ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _with(config: Any, values: dict[str, int]) -> Any:  # noqa: ANN401
    made = copy.deepcopy(config)
    for name, value in values.items():
        if name in {"num_warps", "num_stages"}:
            setattr(made, name, value)
        else:
            made.kwargs[name] = value
    return made


def _as_if_autotuning(autotuner: Any) -> Any:  # noqa: ANN401
    """The kernel's autotuner made anew, with all configurations that autotuning tries."""
    file = Path(autotuner.filename)
    module = types.ModuleType(file.stem)
    module.__file__ = str(file)
    code = compile(file.read_text("utf-8"), str(file), "exec", dont_inherit=True)
    with _autotuning():
        exec(code, module.__dict__)  # noqa: S102 - Inductor runs it in this way
    made = [item for item in vars(module).values() if isinstance(item, CachingAutotuner)]
    named = [item for item in made if item.fn.__name__ == autotuner.fn.__name__]
    return (named or made)[0]


@contextlib.contextmanager
def _autotuning() -> Iterator[None]:
    """Lets Inductor's heuristics list what they list for ``max_autotune``."""
    originals = {
        name: getattr(triton_heuristics, name)
        for name in _HEURISTICS
        if hasattr(triton_heuristics, name)
    }

    def changed(original: Any) -> Any:  # noqa: ANN401
        @functools.wraps(original)
        def heuristics(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            meta = dict(kwargs.get("inductor_meta") or {})
            return original(*args, **{**kwargs, "inductor_meta": meta | _AS_AUTOTUNING})

        return heuristics

    try:
        for name, original in originals.items():
            setattr(triton_heuristics, name, changed(original))
        yield
    finally:
        for name, original in originals.items():
            setattr(triton_heuristics, name, original)


@contextlib.contextmanager
def _quiet_compiler() -> Iterator[None]:
    """A configuration that cannot be compiled is a row of the result, and nothing to log."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled
