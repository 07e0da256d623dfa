"""Kernels with so few blocks that most of the GPU is idle."""

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.report.wording import count, duration
from inspector.run.kernel_facts import Bound, KernelFacts

_REDUCTIONS = {"reduction", "persistent_reduction"}
# By what Inductor calls them in the graph: ``max`` and ``min`` over a dimension have an index too.
_INDICES = {"argmax": "max", "max": "max", "argmin": "min", "min": "min"}


class FewBlocksRule(Rule[KernelFacts, Advised]):
    """A kernel has too few blocks for the GPU."""

    id = "kernel-few-blocks"
    severity = Severity.WARNING

    def check(self, kernel: KernelFacts) -> Iterator[Advised]:
        """Too few in every configuration; the fastest one is shown."""
        gpu = kernel.gpu
        # The predicted time, that if all multiprocessors had a block, and the blocks.
        found = [
            (prediction.time_ns, prediction.spread_ns, prediction.blocks)
            for facts in kernel.configs
            if (prediction := facts.prediction) and prediction.bound is Bound.BLOCKS
        ]
        if gpu is None or not found or len(found) < len(kernel.configs):
            return
        time_ns, spread_ns, blocks = (figure or 0 for figure in min(found))
        fixes = _fixes(kernel)
        yield Advised(
            message=f"has {count(blocks, 'block')} for {gpu.multiprocessors} multiprocessors",
            why=f"{blocks} of {gpu.multiprocessors} multiprocessors "
            f"{'is' if blocks == 1 else 'are'} busy; with all of them busy, it would take "
            f"{duration(spread_ns)} instead of {duration(time_ns)} (predicted)",
            fix=fixes[0],
            alternatives=fixes[1:],
            at_stake_ns=time_ns - spread_ns,
        )


# Tried by tests/compile/test_kernel_findings.py.
_PLACE = (
    "Reduce in two steps, first within parts, then across them: rows = x.unflatten(-1, (1024, "
    "-1)); best = rows.{best}(-1); row = best.values.arg{best}(-1, keepdim=True). The index is "
    "(row * rows.shape[-1] + best.indices.gather(-1, row)).squeeze(-1). To reduce several "
    "dimensions to one index, call x.flatten() first. The reduced size must be divisible by 1024."
)
_PARTS = (
    "Reduce in two steps, first within parts, then across them. For a sum: "
    "x.unflatten(-1, (1024, -1)).sum(-1).sum(-1). The reduced size must be divisible by 1024."
)
_SPLIT = "torch._inductor.config.split_reductions = True, where it is off."


def _fixes(kernel: KernelFacts) -> tuple[str, ...]:
    if kernel.is_users:
        return ("Launch it with a larger grid, so each block processes a smaller part.",)
    if kernel.build.heuristic not in _REDUCTIONS:
        return ("Use a larger batch: each block gets its own rows.",)
    names = [name.removeprefix("aten.").partition(".")[0] for name in kernel.aten]
    best = next((_INDICES[name] for name in names if name in _INDICES), "")
    return (_PLACE.format(best=best),) if best else (_PARTS, _SPLIT)


RULE = FewBlocksRule()
