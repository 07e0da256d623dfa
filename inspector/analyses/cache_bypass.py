"""Caches of the compiler that were not asked, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.findings.finding import Finding
from inspector.findings.place import fingerprint, make_place
from inspector.findings.rule import Rule
from inspector.findings.severity import Severity
from inspector.model.cache_lookup import CacheLookup, CacheState
from inspector.model.compile_time import CompilationTime
from inspector.model.run import Process, Run
from inspector.model.stack import StackFrame

__all__ = ["RULE"]

# Reasons of torch/_inductor/codecache.py and torch/_functorch/_aot_autograd/autograd_cache.py, 2.11
# and 2.13, with what to do about them.
_ADVICE = (
    (
        (
            r"Unsupported (?P<pass>pre grad|post grad|joint) custom pass|"
            r"Unsupported _?(?:pre_fusion|post_fusion|fuse_ddp)\w*"
        ),
        (
            "Make the pass an instance of torch._inductor.custom_graph_pass.CustomGraphPass, whose "
            "uuid() says when it has changed: a plain function cannot be part of a key."
        ),
    ),
    (
        r"(?:.*freezing enabled|Skipping graph with frozen constants).*",
        (
            "torch._inductor.config.freezing writes constants into the graph: such a graph is "
            "never stored. Switch freezing off, or export the model once with AOTInductor."
        ),
    ),
    (
        r"FX graph cache is not enabled.*|the cache is switched off|cache not enabled",
        (
            "Switch the caches on: torch._inductor.config.fx_graph_cache = True, and "
            "TORCHINDUCTOR_FORCE_DISABLE_CACHES unset."
        ),
    ),
    (
        r"Can't cache HigherOrderOperator: .*",
        (
            "This torch cannot store this higher-order operator: keep it in a function of its "
            "own, so that the other graphs can be."
        ),
    ),
    (
        r"Unsupported call_function target .*",
        (
            "The graph calls a function unknown to torch: make it a custom operator "
            "(torch.library.custom_op), or mark it as safe in "
            "torch._inductor.config.unsafe_marked_cacheable_functions."
        ),
    ),
    (
        r"compiler bisector enabled",
        "The compiler bisector is at work: nothing is cached as long as it is.",
    ),
    (
        r"SAC context_fn .*",
        "Give the context_fn of selective activation checkpointing an attribute cache_hash.",
    ),
    (
        r".*(?:CustomRuntimeEstimator|runtime_estimator|CustomKnapsackSolver|solver).*",
        "Make the estimator or solver an instance of torch's own class, with a uuid().",
    ),
)


class CacheBypassRule(Rule):
    """A cache of the compiler is passed by.

    What it means:
        Something in the graph or in the settings cannot be part of a cache key, so that torch
        neither looked for the compiled graph nor stored it.

    Why it matters:
        Every process compiles it anew: a second start is as slow as the first one.

    Example:
        ``torch._inductor.config.post_grad_custom_post_pass = my_pass``, with a plain function: the
        FX graph and the AOTAutograd cache are both passed by.

    What to do:
        Give what cannot be hashed a name that changes when it does: a ``CustomGraphPass`` with a
        ``uuid()``, a ``cache_hash``, a custom operator. ``inspect cold-start`` names the reason.
    """

    id = "cache-bypass"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per reason."""
        for process in run.processes:
            groups: dict[str, list[CacheLookup]] = {}
            for item in process.lookups:
                if item.state is CacheState.BYPASS:
                    groups.setdefault(item.reason, []).append(item)
            for members in groups.values():
                yield _finding(run, process, members)


def _finding(run: Run, process: Process, members: list[CacheLookup]) -> Finding:
    first = members[0]
    caches = list(dict.fromkeys(item.cache for item in members))
    named = f"{' and '.join(caches)} {'cache' if len(caches) == 1 else 'caches'}"
    verb = "is" if len(caches) == 1 else "are"
    reason = first.reason or "torch does not say why"
    place = _place(process, first)
    return Finding(
        rule=CacheBypassRule.id,
        severity=Severity.WARNING,
        message=f"the {named} {verb} passed by: {reason}",
        place=make_place(run, place),
        why=f"{first.exception}: {reason}" if first.exception else reason,
        fix=_fix(reason),
        notes=("what is passed by is compiled anew in every process",),
        records=len(members),
        # The text can hold addresses and names of the graph.
        fingerprint=fingerprint(run, place, CacheBypassRule.id, re.sub(r"\W\S*\d\S*", "", reason)),
        evidence="cache artifacts",
    )


def _fix(reason: str) -> str:
    text = " ".join(reason.split())
    return next((advice for pattern, advice in _ADVICE if re.fullmatch(pattern, text)), "")


def _place(process: Process, lookup: CacheLookup) -> StackFrame | None:
    """The definition of what was compiled."""
    times: Iterator[CompilationTime] = (
        time
        for time in process.compile_times
        if (time.compile_id, time.occurrence) == (lookup.compile_id, lookup.occurrence)
    )
    time = next(times, None)
    return StackFrame(time.file, time.first_line, time.name) if time and time.file else None


RULE = CacheBypassRule()
