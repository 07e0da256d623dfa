"""One kernel alone: what is kept of a launch, and what is wrong is seen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._inductor.codecache import PyCodeCache

from inspector.capture.alone import bench as bench_module
from inspector.capture.alone.arguments import (
    Arguments,
    TooLargeError,
    Written,
    difference,
    written_by,
)
from inspector.capture.alone.bench import Alone
from inspector.capture.alone.calls import called_kernels, watched
from inspector.capture.alone.search import Bench, Row
from inspector.capture.alone.timer import Unit

ROOT = Path(__file__).resolve().parents[2]
ROOM = 1 << 30


class NoFlush:
    bytes_ = 0

    def __call__(self) -> None:
        pass


def kept(*args: Any, names: tuple[str, ...] = ("a", "b", "c")) -> Arguments:
    return Arguments(args, {}, names, ROOM)


def test_copies_have_the_same_layout_and_overlap_where_the_originals_do() -> None:
    base = torch.randn(1000)
    whole, part, other = base[3:503].view(20, 25).t(), base[10:20], torch.arange(7)
    copies = kept(whole, part, other)
    for given, made in zip((whole, part, other), copies.args, strict=True):
        assert torch.equal(given, made)
        assert (given.shape, given.stride()) == (made.shape, made.stride())
        assert given.data_ptr() % 512 == made.data_ptr() % 512
        assert given.data_ptr() != made.data_ptr()
    assert copies.args[1].data_ptr() - copies.args[0].data_ptr() == 7 * 4
    copies.args[1].zero_()
    assert (copies.args[0] == 0).sum() == 10
    assert base.count_nonzero() == 1000
    assert copies.bytes_ == 500 * 4 + 7 * 8


def test_what_launches_change_is_put_back() -> None:
    first, second = torch.randn(50), torch.randn(50)
    copies = kept(first, second)
    copies.keep(["a"])
    for tensor in copies.args:
        tensor.zero_()
    copies.restore()
    assert torch.equal(copies.args[0], first)
    assert not copies.args[1].any()


def test_arguments_that_are_too_large_are_refused() -> None:
    with pytest.raises(TooLargeError):
        Arguments((torch.zeros(1000),), {}, ("a",), 3999)


@pytest.mark.parametrize(
    ("kernel", "results", "only_written", "changed"),
    [
        (lambda a, b, c: b.copy_(a * 2), {"b"}, {"b"}, set()),  # noqa: ARG005
        (lambda a, b, c: b.add_(a), {"b"}, set(), {"b"}),  # noqa: ARG005
        # To zeros, where one bit more is lost in the sum.
        (lambda a, b, c: c.add_(a), {"c"}, set(), {"c"}),  # noqa: ARG005
        (lambda a, b, c: (b.copy_(a), c[:5].copy_(a[:5])), {"b", "c"}, {"b"}, {"c"}),
        (lambda a, b, c: None, set(), set(), set()),  # noqa: ARG005
    ],
)
def test_what_a_kernel_writes_is_found_out(
    kernel: Callable[..., Any], results: set[str], only_written: set[str], changed: set[str]
) -> None:
    copies = kept(torch.randn(40) + 3, torch.randn(40), torch.zeros(40))
    before = [tensor.clone() for tensor in copies.args]
    found = written_by(lambda: kernel(*copies.args), copies, ("a", "b", "c"), (), are_named=True)
    assert set(found.results) == results
    assert set(found.only_written) == only_written
    assert set(found.changed) == changed
    for was, tensor, name in zip(before, copies.args, "abc", strict=True):
        assert name in only_written or torch.equal(was, tensor)


def test_indices_that_nobody_names_as_written_are_left_alone() -> None:
    seen: list[int] = []

    def kernel(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
        seen.append(int(c.max()))
        b.copy_(a[c])

    copies = kept(torch.randn(40), torch.randn(40), torch.arange(40))
    found = written_by(lambda: kernel(*copies.args), copies, ("a", "b", "c"), (), are_named=False)
    assert found.only_written == ("b",)
    assert set(seen) == {39}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_rounding_is_told_from_errors(dtype: torch.dtype) -> None:
    right = torch.randn(1000).to(dtype)
    eps = torch.finfo(dtype).eps
    assert difference({"x": right.clone()}, {"x": right}).is_exact
    rounded = difference({"x": (right.float() * (1 + eps)).to(dtype)}, {"x": right})
    assert rounded.is_correct
    assert not rounded.is_exact
    wrong = right.clone()
    wrong[500] += right.abs().max() / 10
    found = difference({"y": right, "x": wrong}, {"y": right, "x": right})
    assert (found.is_correct, found.name) == (False, "x")
    # Of the element and a typical one.
    scale = float(right[500].abs() + right.float().abs().median())
    assert found.relative == pytest.approx(float(right.abs().max()) / 10 / scale, rel=0.1)


def test_an_outlier_hides_no_error() -> None:
    """Activations of large models have single features that are a thousand times the others."""
    right = torch.ones(4096, dtype=torch.bfloat16)
    right[7] = 64
    wrong = torch.zeros_like(right)
    wrong[7] = 64
    assert not difference({"x": wrong}, {"x": right}).is_correct
    small = torch.randn(4096) * 1e-6
    small[7] = 1
    assert not difference({"x": small * (small == 1)}, {"x": small}).is_correct


def test_integers_booleans_and_infinities_have_to_be_the_same() -> None:
    numbers = torch.arange(10)
    assert not difference({"x": numbers + (numbers == 3)}, {"x": numbers}).is_correct
    truth = torch.tensor([True, False])
    assert not difference({"x": ~truth}, {"x": truth}).is_correct
    odd = torch.tensor([1.0, float("inf"), float("nan")])
    assert difference({"x": odd.clone()}, {"x": odd}).is_correct
    assert not difference({"x": odd.nan_to_num()}, {"x": odd}).is_correct
    assert not difference({"x": odd}, {"x": odd.nan_to_num()}).is_correct


def test_a_configuration_that_computes_something_else_is_caught() -> None:
    source, result = torch.randn(64), torch.randn(64)
    copies = kept(source, result)
    a, b = copies.args
    written = Written(results=("b",), only_written=("b",), changed=())
    made = Bench(copies, written, NoFlush(), 1e4)  # type: ignore[arg-type]
    assert made.expect(lambda: b.copy_(a.exp()))

    def fails() -> None:
        message = "out of resource: shared memory"
        raise RuntimeError(message)

    rows = {
        "same": Row(lambda: b.copy_(a.exp())),
        "rounded": Row(lambda: b.copy_(a.double().exp().float() * (1 + 1e-7))),
        "off": Row(lambda: b.copy_(a.exp() + 1e-2)),
        "half": Row(lambda: b[:32].copy_(a[:32].exp())),  # the rest is what stood there: poison
        "fails": Row(fails),
    }
    for row in rows.values():
        made.check(row)
    good = {name for name, row in rows.items() if row.difference and row.difference.is_correct}
    assert good == {"same", "rounded"}
    assert rows["fails"].error == "RuntimeError: out of resource: shared memory"


def test_configurations_take_turns_and_those_in_place_are_put_back() -> None:
    copies = kept(torch.zeros(4))
    (a,) = copies.args
    order: list[str] = []
    values: set[float] = set()

    def row(name: str) -> Row:
        def launch() -> None:
            order.append(name)
            values.add(float(a[0]))
            a.add_(1)

        return Row(launch)

    def timer(units: Any) -> list[int | None]:
        for unit in units:
            assert isinstance(unit, Unit)
            unit.before()
            unit.launch()
        return [100] * len(units)

    written = written_by(lambda: a.add_(1), copies, ("a",), (), are_named=True)
    made = Bench(copies, written, NoFlush(), 1e4, timer)  # type: ignore[arg-type]
    rows = [row("x"), row("y"), Row(lambda: None, error="failed")]
    made.rounds(rows, rounds=2, launches=3)
    assert [len(item.cold_ns) for item in rows] == [6, 6, 0]
    assert [len(item.warm_ns) for item in rows] == [6, 6, 0]
    assert values == {0.0}
    assert order.index("y") < len(order) // 2  # not all of one before the other
    assert order[0] != order[len(order) // 2]  # the second round begins with another


@pytest.fixture
def no_other_code() -> None:
    """Forgets what earlier tests of this process had generated: it has kernels of softmax, too."""
    torch._dynamo.reset()
    PyCodeCache.cache_clear()


def program() -> tuple[Callable[..., Any], torch.Tensor]:
    weight = torch.randn(64, 32)

    def model(x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(torch.relu(x) @ weight, -1).sum(0)

    return torch.compile(model), torch.randn(128, 64)


@pytest.mark.usefixtures("no_other_code")
def test_calls_of_generated_code_are_seen_and_change_nothing() -> None:
    compiled, x = program()
    expected = compiled(x)
    names = called_kernels()
    kernel = next(name for name in names if name.startswith("cpp_fused") and "softmax" in name)
    assert names[kernel] == "cpp"
    assert names["extern_kernels.mm"] == "library"
    seen: list[tuple[str, int]] = []

    def hook(statement: Any, function: Any, args: Any, kwargs: Any) -> Any:
        seen.append((statement.name, statement.line))
        return function(*args, **kwargs)

    for name in (kernel, "extern_kernels.mm"):
        with watched(name, hook):
            assert torch.equal(compiled(x), expected)
    compiled(x)
    assert [name for name, _ in seen] == [kernel, "extern_kernels.mm"]
    assert all(line for _, line in seen)


@pytest.mark.usefixtures("no_other_code")
@pytest.mark.parametrize("asked", ["softmax", "extern_kernels.mm"])
def test_a_kernel_is_timed_alone(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, x = program()
    expected = compiled(x)
    said: list[Any] = []
    monkeypatch.setattr(bench_module, "write_artifact", lambda *given: said.append(given))
    alone = Alone(next(name for name in called_kernels() if asked in name))
    assert not alone.is_refused()
    alone.measure(0, lambda: lambda: compiled(x))
    alone.measure(1, lambda: lambda: compiled(x))  # once is enough
    ((name, payload),) = said
    assert name == "kernel_bench"
    (config,) = payload["configs"]
    assert len(config["cold_ns"]) == len(config["warm_ns"]) == 100
    assert payload["launches"][0]["count"] == 1
    assert json.loads(json.dumps(payload)) is not None
    assert torch.equal(compiled(x), expected)


@pytest.mark.usefixtures("no_other_code")
def test_a_launch_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, x = program()
    compiled(x)
    said: list[Any] = []
    monkeypatch.setattr(bench_module, "write_artifact", lambda *given: said.append(given))
    Alone("extern_kernels.mm", launch=7).measure(0, lambda: lambda: compiled(x))
    assert said[0][1]["missing"] == "it is launched 1 times in a call"
    assert Alone("no such kernel").is_refused()
    assert "extern_kernels.mm" in said[1][1]["kernels"]


@pytest.fixture(scope="module")
def child(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    pytest.importorskip("triton")
    folder = tmp_path_factory.mktemp("configs")
    done = subprocess.run(
        [sys.executable, "-m", "tests.compile.kernel_configs_child", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_configurations_are_made_without_a_gpu(child: dict[str, Any]) -> None:
    found = child
    sizes, warps, stages = found["chosen"]
    # Autotuning has more than one to choose from, and the program's own autotuner stays as it is.
    assert len(found["heuristics"]) > 1
    assert found["unchanged"] == [sizes]
    near = found["near"]
    assert [{**sizes, "R0_BLOCK": sizes["R0_BLOCK"] // 2}, warps, stages] in near
    assert {item[2] for item in near if item[:2] == [sizes, warps]} == {1, 2, 3, 4} - {stages}
    assert found["built"]["registers"] == 30
    assert found["built"]["error"] == ""
    # A block of three is no power of two: a row of the result, and no exception.
    assert "power of 2" in found["odd"]
    assert found["best"] == [8, 1]
    assert found["asked"] > 5
    assert len(found["lookup"]) == 64
    assert not found["keeps_sizes"]


def test_the_fastest_that_is_right_comes_out_of_the_search(child: dict[str, Any]) -> None:
    found = child["whole"]
    configs = found["configs"]
    chosen, autotuned = configs[found["chosen"]], configs[found["autotuned"]]
    assert chosen["source"] == "chosen"
    assert chosen["difference"]["is_exact"]
    assert autotuned["values"]["XBLOCK"] == 8  # twenty times as fast as all others
    wrong = [config for config in configs if config["values"]["XBLOCK"] == 2]
    assert wrong
    assert not any(config["difference"]["is_correct"] for config in wrong)
    failed = [config for config in configs if config["values"]["XBLOCK"] == 64]
    assert failed
    assert all("out of resource: shared memory" in config["error"] for config in failed)
    finals = [config for config in configs if config.get("final_cold_ns")]
    assert chosen in finals
    assert autotuned in finals
    assert not [config for config in finals if config in wrong or config in failed]
    assert {len(config["cold_ns"]) for config in configs if not config["error"]} != {0}
    assert len({json.dumps([config[name] for name in ("values", "num_warps", "num_stages")])
                for config in configs}) == len(configs)  # fmt: skip
