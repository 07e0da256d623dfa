"""Lists and compiles configurations of a kernel without a GPU; a process of its own.

python -m tests.compile.kernel_configs_child FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from inspector.capture.builds.driverless import forget_driver

SOURCE = """
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.hints import DeviceProperties, ReductionHint
triton_helpers.set_driver_to_gpu()

DEVICE = DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9,
    regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048,
    max_threads_per_block=1024, warp_size=32)
ALIGNED = [['tt.divisibility', 16]]

@triton_heuristics.reduction(
    size_hints={'x': 1024, 'r0_': 4096},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32',
            'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'},
        'device': DEVICE, 'constants': {}, 'configs': [{(0,): ALIGNED, (1,): ALIGNED,
            (2,): ALIGNED, (3,): ALIGNED}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_red_fused_sum_0',
        'mutated_arg_names': [], 'max_autotune': False, 'max_autotune_pointwise': False,
        'num_load': 1, 'num_reduction': 1, 'force_disable_caches': True},
)
@triton.jit
def triton_red_fused_sum_0(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr,
                           R0_BLOCK : tl.constexpr):
    xnumel = 1000
    r0_numel = 4096
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    total = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + tl.arange(0, R0_BLOCK)[None, :]
        mask = (r0_index < r0_numel) & xmask
        total += tl.load(in_ptr0 + (r0_index + 4096 * xindex), mask, other=0.0)
    tl.store(out_ptr0 + xindex, tl.sum(total, 1)[:, None], xmask)
"""
NAME = "triton_red_fused_sum_0"


def searched(autotuner: Any, folder: Path) -> dict[str, Any]:
    """The whole search, where launchers compute on the CPU: one wrongly, and one not at all."""
    import torch

    from inspector.capture.alone import configurations, triton_configs
    from inspector.capture.alone.arguments import Arguments, written_by
    from inspector.capture.alone.kernels import Launched
    from inspector.capture.alone.search import Bench, Row
    from inspector.capture.alone.timer import Flush

    def launcher(config: Any) -> Any:
        size = config.kwargs["XBLOCK"]

        def launch(source: Any, result: Any, rows: int, columns: int, *, stream: int) -> None:
            del rows, columns, stream
            if size == 64:
                message = "out of resource: shared memory\nRequired: 999"
                raise RuntimeError(message)
            for _ in range(1 if size == 8 else 20):
                result.copy_(source.sum(1) + (size == 2))

        launch.config, launch.n_regs, launch.n_spills, launch.shared = (  # type: ignore[attr-defined]
            config, 30, 0, 16,
        )  # fmt: skip
        return launch

    original = launcher(autotuner.configs[0])
    autotuner.filename = str(folder / "kernel.py")
    autotuner.launchers = [original]
    triton_configs.Configurations._compiled = (  # type: ignore[method-assign]
        lambda self, config: launcher(config)  # noqa: ARG005
    )
    configurations.run_launcher = lambda launcher, arguments: launcher(*arguments.args, stream=0)
    given = torch.randn(1000, 4096), torch.zeros(1000), 1000, 4096
    names = triton_configs.parameter_names(original)
    arguments = Arguments(given, {}, names, 1 << 30)
    taken = Launched("triton", names, ("out_ptr0",), (), lambda _: None, autotuner)
    row = Row(lambda: original(*arguments.args, stream=0))
    written = written_by(row.launch, arguments, ["result"], (), are_named=True)
    flush = Flush.__new__(Flush)
    flush.bytes_, flush.__class__ = 0, type("NoFlush", (Flush,), {"__call__": lambda _: None})
    made = Bench(arguments, written, flush, 1e6)
    made.expect(row.launch)
    return dict(configurations.searched(taken, arguments, made, row))


def main(folder: Path) -> dict[str, Any]:
    """What there is to say of the configurations."""
    forget_driver(90, folder)
    from inspector.capture.alone.triton_configs import Configurations
    from inspector.capture.builds.autotuner import load_autotuner

    autotuner = load_autotuner(SOURCE, NAME, folder / "kernel.py")
    own = Configurations(autotuner)
    (chosen,) = autotuner.configs
    near = list(own.neighbours(chosen))

    class Unloaded:
        """What was compiled; there is nothing to load it on."""

        n_regs, n_spills, shared = 30, 0, 16

    def compiled(config: Any) -> Unloaded:
        own._own._precompile_config(config)
        return Unloaded()

    own._compiled = compiled  # type: ignore[method-assign]
    warps = next(config for config in near if config.num_warps != chosen.num_warps)
    built = own.build(warps, "search")
    odd = own.build(type(chosen)({"XBLOCK": 3, "R0_BLOCK": 64}, num_warps=4), "search")
    asked: list[int] = []

    def time(item: Any) -> float:
        asked.append(item.config.kwargs["XBLOCK"])
        return float(abs(item.config.kwargs["XBLOCK"] - 8) + item.config.num_warps)

    own._compiled = lambda config: Unloaded()  # type: ignore[method-assign]  # noqa: ARG005
    best = own.descend(own.heuristics[0], time)
    whole = searched(autotuner, folder)
    return {
        "whole": whole,
        "chosen": [dict(chosen.kwargs), chosen.num_warps, chosen.num_stages],
        "heuristics": [dict(config.kwargs) for config in own.heuristics],
        "near": [[dict(config.kwargs), config.num_warps, config.num_stages] for config in near],
        "built": built.fields(),
        "odd": odd.error,
        "best": [best.kwargs["XBLOCK"], best.num_warps],
        "asked": len(asked),
        "lookup": own.lookup_key,
        "keeps_sizes": own.keeps_sizes,
        "unchanged": [dict(config.kwargs) for config in autotuner.configs],
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))))
