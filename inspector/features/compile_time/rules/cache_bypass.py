"""Caches of the compiler that were bypassed, and why."""

import re
from collections.abc import Iterator

from inspector.features.compile_time.bypassed import Bypassed, bypassed_key, bypassed_operators
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.run.compile_time import CompilationTime
from inspector.run.run import Process, Run
from inspector.shared.stack import StackFrame
from inspector.trace.caches import CacheLookup, CacheState

# Reasons of torch/_inductor/codecache.py and torch/_functorch/_aot_autograd/autograd_cache.py, 2.11
# and 2.13, with what to do about them.
_ADVICE = {
    r"Unsupported (pre grad|post grad|joint) custom pass"
    r"|Unsupported _?(pre_fusion|post_fusion|fuse_ddp)\w*": (
        "Make the pass an instance of torch._inductor.custom_graph_pass.CustomGraphPass, whose "
        "uuid() changes with it. A plain function cannot be part of a key."
    ),
    r"(?:.*freezing enabled|Skipping graph with frozen constants).*": (
        "Disable torch._inductor.config.freezing, or export the model once with AOTInductor. "
        "Graphs with frozen constants are never cached."
    ),
    r"FX graph cache is not enabled.*|the cache is switched off|cache not enabled": (
        "Enable the caches: set torch._inductor.config.fx_graph_cache = True, and unset "
        "TORCHINDUCTOR_FORCE_DISABLE_CACHES."
    ),
    r"SAC context_fn .*": (
        "Set a cache_hash attribute on the context_fn of selective activation checkpointing."
    ),
    r".*(?:CustomRuntimeEstimator|runtime_estimator|CustomKnapsackSolver|solver).*": (
        "Derive the estimator or solver from torch's CustomRuntimeEstimator or "
        "CustomKnapsackSolver, and implement uuid()."
    ),
}
_FX_GRAPH = "FX graph"
_OF_GRAPHS = frozenset({_FX_GRAPH, "AOTAutograd"})
# The functions of torch.linalg that check for errors as an effect, and what their variants that do
# not check return (tried: 2.13).
_EX = {"cholesky": "[0]", "inv": "[0]", "solve": "[0]", "lu_factor": "[:2]", "ldl_factor": "[:2]"}


class CacheBypassRule(Rule[Run, Finding]):
    """A compiler cache is bypassed."""

    id = "cache-bypass"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per operator, or per reason that is about none."""
        for process in run.processes:
            groups: dict[str, list[CacheLookup]] = {}
            for item in process.lookups:
                if item.state is CacheState.BYPASS and item.cache in _OF_GRAPHS:
                    key = bypassed_key(item.reason)
                    groups.setdefault(key or item.reason, []).append(item)
            for key, members in groups.items():
                yield from _findings(run, process, key, members)


def _findings(
    run: Run, process: Process, key: str, members: list[CacheLookup]
) -> Iterator[Finding]:
    first = members[0]
    if not bypassed_key(first.reason):
        yield _finding(run, process, members, None)
        return
    compile_ids = dict.fromkeys(item.compile_id for item in members)
    found = [
        operator
        for compile_id in compile_ids
        for operator in bypassed_operators(run, process, compile_id, key)
    ]
    # Each line once, with what it calls.
    lines = {(item.frame and (item.frame.file, item.frame.line)): item for item in reversed(found)}
    for item in reversed([*lines.values()]):
        yield _finding(run, process, members, item)


def _finding(
    run: Run, process: Process, members: list[CacheLookup], operator: Bypassed | None
) -> Finding:
    first = members[0]
    caches = list(dict.fromkeys(item.cache for item in members))
    named = f"{' and '.join(caches)} {'cache' if len(caches) == 1 else 'caches'}"
    verb = "is" if len(caches) == 1 else "are"
    reason = first.reason or "torch reports no reason"
    place = operator.frame if operator else None
    for time in process.compile_times:
        if place is None and time.file and _key(time) == _key(first):
            place = StackFrame(time.file, time.first_line, time.name)
    fix, others = _fixes(operator, reason)
    why = [f"{first.exception}: {reason}" if first.exception else reason]
    if operator and operator.checks:
        why.append(
            f"`{operator.operator}` checks for errors while the graph runs, which is a side effect."
        )
    what = f"by `{operator.operator}`" if operator else f": {reason}"
    return Finding(
        # The text can hold addresses and names of the graph.
        **RULE.at(run, place, re.sub(r"\W\S*\d\S*", "", reason)),
        message=f"the {named} {verb} bypassed{'' if what.startswith(':') else ' '}{what}",
        why="\n".join(why),
        fix=fix,
        alternatives=others,
        notes=(_consequence(process, members),),
        records=len(members),
        evidence="cache artifacts",
    )


def _key(item: CompilationTime | CacheLookup) -> tuple[str, int]:
    return item.compile_id, item.occurrence


def _consequence(process: Process, members: list[CacheLookup]) -> str:
    """What a further process has to do again; the FX graph cache holds what Inductor made."""
    of_inductor = [item for item in process.lookups if item.cache == _FX_GRAPH]
    kept = {_key(item) for item in of_inductor if item.state is not CacheState.BYPASS}
    if any(item.cache == _FX_GRAPH for item in members) or not set(map(_key, members)) <= kept:
        return "recompiled in every process"
    return "AOTAutograd traces it again in every process; Inductor's code is cached"


def _fixes(operator: Bypassed | None, reason: str) -> tuple[str, tuple[str, ...]]:
    """What to do first, and what else."""
    if operator is None:
        text = " ".join(reason.split())
        return next(
            (advice for known, advice in _ADVICE.items() if re.fullmatch(known, text)), ""
        ), ()
    marked = (
        f'Set `torch._inductor.config.unsafe_marked_cacheable_functions = {{"{operator.key}": '
        '"1"}`, and change the value whenever the operator changes.'
    )
    if operator.key.endswith(".autograd_function_apply"):
        allowed = "torch._functorch.config.autograd_cache_allow_custom_autograd_functions = True"
        return f"Set `{allowed}` to cache graphs with a `torch.autograd.Function`.", ()
    if not operator.key.startswith("torch.ops."):
        return marked, (
            (
                f"Make `{operator.operator}` a `torch.library.custom_op`; torch can cache graphs "
                "that contain one."
            ),
        )
    called = operator.operator.rpartition(".")[2]
    if operator.checks not in _EX or (operator.frame and called not in operator.frame.code):
        return marked, ()  # or a library calls it
    name, result = operator.checks, _EX[operator.checks]
    call = f"torch.linalg.{name}"
    unchecked = (
        f"Use `{call}_ex(…){result}` instead of `{call}(…)`; it does not raise on invalid input. "
        "To keep the check, return `info` and test it outside the compiled function."
    )
    if operator.operator != call:
        unchecked = (
            f"Use `{call}_ex(…){result}`, which does not raise on invalid input; "
            f"`{operator.operator}` makes the same checks as `{call}`."
        )
    return unchecked, (marked,)


RULE = CacheBypassRule()
