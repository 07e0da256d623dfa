"""Programs with CUDA graphs, one per thing that torch does with them.

    python tests/gpu/cuda_graphs/scenarios.py NAME

Each calls what it compiled a few times; what the report has to say of it stands in
tests/unit/cuda_graph_cases.py, beside its name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import torch

CUDA = "cuda"


class Net(torch.nn.Module):
    """Two linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(64, 64)
        self.second = torch.nn.Linear(64, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Of a batch of rows."""
        return self.second(torch.relu(self.first(x)))


def batch(size: int = 8) -> torch.Tensor:
    """Rows for `Net`."""
    return torch.randn(size, 64, device=CUDA)


def same_input() -> None:
    """Warm-up, capture, and eight replays."""
    model = torch.compile(Net().to(CUDA).eval(), mode="reduce-overhead")
    with torch.no_grad():
        for _ in range(10):
            model(batch())


def dynamic_sizes() -> None:
    """One capture for each size."""
    model = torch.compile(Net().to(CUDA).eval(), mode="reduce-overhead", dynamic=True)
    with torch.no_grad():
        for size in (8, 16, 24, 8, 16, 24, 8, 16, 24):
            model(batch(size))


def many_sizes() -> None:
    """More sizes than torch finds good."""
    torch._inductor.config.triton.cudagraph_dynamic_shape_warn_limit = 2
    model = torch.compile(Net().to(CUDA).eval(), mode="reduce-overhead", dynamic=True)
    with torch.no_grad():
        for size in (8, 16, 24, 32) * 3:
            model(batch(size))


def skip_dynamic() -> None:
    """The setting that leaves graphs with dynamic shapes alone."""
    torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = True
    model = torch.compile(Net().to(CUDA).eval(), mode="reduce-overhead", dynamic=True)
    with torch.no_grad():
        for size in (8, 16, 24):
            model(batch(size))


def mutated_input() -> None:
    """An argument is changed in place."""

    @torch.compile(mode="reduce-overhead")
    def accumulate(total: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        total.add_(x)
        return total * 2

    with torch.no_grad():
        for _ in range(5):
            accumulate(batch(), batch())


def mutated_static_input() -> None:
    """The same tensor in every call, of which the program says that it stays where it is."""

    @torch.compile(mode="reduce-overhead")
    def accumulate(total: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        total.add_(x)
        return total * 2

    total = batch()
    torch._dynamo.mark_static_address(total, guard=False)
    with torch.no_grad():
        for _ in range(6):
            accumulate(total, batch())


def mutated_buffer() -> None:
    """A buffer of the module is changed in place, which is fine: its address stays."""

    class Counter(Net):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", torch.zeros(64))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.seen.add_(x.sum(0))
            return super().forward(x) + self.seen

    model = torch.compile(Counter().to(CUDA).eval(), mode="reduce-overhead")
    with torch.no_grad():
        for _ in range(8):
            model(batch())


def new_parameters() -> None:
    """The weights get other memory, as a swap of adapters does."""
    net = Net().to(CUDA).eval()
    model = torch.compile(net, mode="reduce-overhead")
    kept = []
    with torch.no_grad():
        for number in range(9):
            if number % 3 == 2:
                kept.append(net.first.weight.data)
                net.first.weight.data = net.first.weight.data.clone()
            model(batch())


def copied_parameters() -> None:
    """As above, with the new values copied into the memory that is there."""
    net = Net().to(CUDA).eval()
    model = torch.compile(net, mode="reduce-overhead")
    with torch.no_grad():
        for number in range(9):
            if number % 3 == 2:
                net.first.weight.copy_(torch.randn(64, 64, device=CUDA))
            model(batch())


def cpu_operator() -> None:
    """Part of the work is done on the CPU."""

    @torch.compile(mode="reduce-overhead")
    def mixed(x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        row = table.sin() + 1
        return torch.relu(x * 2) + row.to(CUDA)

    table = torch.randn(64)
    with torch.no_grad():
        for _ in range(6):
            mixed(batch(), table)


def cpu_operator_unpartitioned() -> None:
    """As above, where Inductor does not cut graphs into partitions."""
    torch._inductor.config.graph_partition = False
    cpu_operator()


def unsafe_operator() -> None:
    """A size that depends on data."""
    torch._dynamo.config.capture_dynamic_output_shape_ops = True

    @torch.compile(mode="reduce-overhead")
    def positive(x: torch.Tensor) -> torch.Tensor:
        found = torch.nonzero(x.flatten() > 0)
        return found.float().sum() + x.sum()

    with torch.no_grad():
        for _ in range(6):
            positive(batch())


def custom_operator() -> None:
    """The user's own operator says that it must not be captured."""

    @torch.library.custom_op(
        "scenario::host_side", mutates_args=(), tags=(torch.Tag.cudagraph_unsafe,)
    )
    def host_side(x: torch.Tensor) -> torch.Tensor:
        return x + float(x.sum())

    @host_side.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    @torch.compile(mode="reduce-overhead")
    def mixed(x: torch.Tensor) -> torch.Tensor:
        return torch.ops.scenario.host_side(x * 2).relu() + 1

    with torch.no_grad():
        for _ in range(6):
            mixed(batch())


def graph_break() -> None:
    """Two graphs of one call, the second captured as the first one's child."""

    @torch.compile(mode="reduce-overhead")
    def broken(x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x) * 2
        torch._dynamo.graph_break()
        return torch.softmax(y, -1)

    with torch.no_grad():
        for _ in range(8):
            broken(batch())


def training() -> None:
    """Forward and backward, with an optimizer that keeps its parameters' memory."""
    net = Net().to(CUDA)
    model = torch.compile(net, mode="reduce-overhead")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(8):
        optimizer.zero_grad(set_to_none=True)
        model(batch()).sum().backward()
        optimizer.step()


def kept_outputs() -> None:
    """Outputs of earlier calls stay alive."""
    model = torch.compile(Net().to(CUDA).eval(), mode="reduce-overhead")
    kept = []
    with torch.no_grad():
        for number in range(9):
            if number % 2:
                torch.compiler.cudagraph_mark_step_begin()
            kept.append(model(batch()))
            if number % 3 == 0:
                kept.clear()


def moving_chain() -> None:
    """What one graph gives to the next lies elsewhere in every fourth call."""

    @torch.compile(mode="reduce-overhead")
    def first(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x * 2, x * 3, x * 4, x * 5, x * 6, x * 7

    @torch.compile(mode="reduce-overhead")
    def second(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x) + 1

    with torch.no_grad():
        for number in range(24):
            torch.compiler.cudagraph_mark_step_begin()
            outputs = first(batch())
            second(outputs[number // 4])


def cudagraphs_backend() -> None:
    """The backend that makes CUDA graphs without Inductor."""
    model = torch.compile(Net().to(CUDA).eval(), backend="cudagraphs")
    with torch.no_grad():
        for _ in range(6):
            model(batch())


def large_input() -> None:
    """Much is copied in before each replay."""
    model = torch.compile(Net().to(CUDA).eval(), mode="reduce-overhead")
    x = batch(1 << 18)
    with torch.no_grad():
        for _ in range(6):
            model(x)


def static_address() -> None:
    """The same, but its address is said to stay: nothing is copied."""
    model = torch.compile(Net().to(CUDA).eval(), mode="reduce-overhead")
    x = batch(1 << 18)
    torch._dynamo.mark_static_address(x, guard=False)
    with torch.no_grad():
        for _ in range(6):
            model(x)


def growing_cache() -> None:
    """A cache of keys grows, as in decoding: each length is captured once."""

    @torch.compile(mode="reduce-overhead")
    def attend(query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return torch.softmax(query @ keys.transpose(-1, -2), -1) @ keys

    keys = torch.randn(1, 4, 16, device=CUDA)
    with torch.no_grad():
        for _ in range(8):
            attend(torch.randn(1, 1, 16, device=CUDA), keys)
            keys = torch.cat([keys, torch.randn(1, 1, 16, device=CUDA)], dim=1)


def capture_error() -> None:
    """The program fails in the middle, after a capture."""
    model = torch.compile(Net().to(CUDA).eval(), mode="reduce-overhead")
    with torch.no_grad():
        for _ in range(4):
            model(batch())
    raise RuntimeError("the program's own failure")


SCENARIOS: dict[str, Callable[[], None]] = {
    function.__name__: function
    for function in (
        same_input, dynamic_sizes, many_sizes, skip_dynamic, mutated_input, mutated_static_input,
        mutated_buffer, new_parameters, copied_parameters, cpu_operator,
        cpu_operator_unpartitioned, unsafe_operator, custom_operator, graph_break, training,
        kept_outputs, moving_chain, cudagraphs_backend, large_input, static_address,
        growing_cache, capture_error,
    )
}  # fmt: skip

if __name__ == "__main__":
    torch.manual_seed(0)
    SCENARIOS[sys.argv[1]]()
    torch.cuda.synchronize()
