"""Models whose kernels are too small to be worth a launch."""

from collections.abc import Iterator, Sequence

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.report.wording import duration
from inspector.run.kernel_facts import Bound, KernelFacts

_LEAST_LAUNCHES = 10
_LEAST_SHARE = 0.5
_LEAST_TIME_SHARE = 0.25


class SmallRule(Rule[Sequence[KernelFacts], Advised]):
    """Most kernels are too small to be worth a launch."""

    id = "kernel-small"
    severity = Severity.INFO

    def check(self, kernels: Sequence[KernelFacts]) -> Iterator[Advised]:
        """One finding, where the small ones are most launches and a good part of the time."""
        small = [
            kernel
            for kernel in kernels
            if kernel.configs
            and all(f.prediction and f.prediction.bound is Bound.SMALL for f in kernel.configs)
        ]
        launches = [sum(kernel.launches for kernel in some) for some in (small, kernels)]
        times = [sum((k.time_ns or 0) * k.launches for k in some) for some in (small, kernels)]
        if (
            launches[0] < _LEAST_LAUNCHES
            or launches[0] < _LEAST_SHARE * launches[1]
            or times[0] < _LEAST_TIME_SHARE * times[1]
        ):
            return
        first = max(small, key=lambda kernel: kernel.launches)
        launch_ns = first.configs[0].prediction.launch_ns if first.configs[0].prediction else 0
        yield Advised(
            message=f"and other kernels are too small: {launches[0]} of {launches[1]} launches",
            why=f"they take {duration(times[0])} of {duration(times[1])}, mostly for starting and "
            f"finishing ({duration(launch_ns)} each, predicted), not counting launch overhead on "
            "the host",
            fix='Replay the launches as one CUDA graph: torch.compile(mode="reduce-overhead").',
            alternatives=(
                "Use a larger batch, or combine small operations of the same kind.",
                "torch._inductor.config.combo_kernels = True puts kernels into one.",
            ),
            kernel=first,
        )


RULE = SmallRule()
