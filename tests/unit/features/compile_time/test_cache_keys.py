"""Which part of a cache key changed."""

import dataclasses

import pytest

from inspector.features.compile_time.cache_keys import change_of, key_changes
from inspector.run.compile_time import Change, KeyVerdict
from inspector.run.run import Run
from inspector.trace.caches import CacheLookup
from tests.unit import cold_starts

TENSOR = (
    "TensorMetadata(dtype=torch.float32, shape=torch.Size([8, 16]), stride=({}), "
    "device=device(type='cpu'), storage_bytes=None)"
)


GRAPH = "GraphModule()\n\ndef forward(self, a):\n    b = torch.ops.aten.{}.default(a)\n    return b"


def with_lookups(run: Run, *lookups: CacheLookup) -> Run:
    (process,) = run.processes
    return dataclasses.replace(run, processes=(dataclasses.replace(process, lookups=lookups),))


def graph(run: Run) -> CacheLookup:
    return next(item for item in run.processes[0].lookups if item.cache == "FX graph")


def test_a_setting_is_named_and_nothing_else() -> None:
    for version in ("", "_2_11"):
        cold, config = (cold_starts.read(name + version) for name in ("cold", "config"))
        changes = [item for item in key_changes(config, cold) if item.cache == "FX graph"]

        assert [(item.name, item.is_backward, item.before, item.now) for item in changes] == [
            ("f", False, "miss", "miss"),
            ("f", True, "miss", "miss"),
        ]
        for item in changes:
            assert item.verdict is KeyVerdict.CHANGED
            assert item.changes == (
                Change(
                    "inductor_config[epilogue_fusion]",
                    "torch._inductor.config.epilogue_fusion",
                    ("True",),
                    ("False",),
                ),
            )


def test_autogradss_key_is_compared_where_torch_logs_it() -> None:
    for version, verdict in (("", KeyVerdict.UNKNOWN), ("_2_11", KeyVerdict.CHANGED)):
        cold, config = (cold_starts.read(name + version) for name in ("cold", "config"))
        (change,) = (i for i in key_changes(config, cold) if i.cache == "AOTAutograd")

        assert change.verdict is verdict


def test_a_warm_start_has_the_same_keys() -> None:
    changes = key_changes(cold_starts.read("warm"), cold_starts.read("cold"))

    assert {(item.before, item.now, item.verdict) for item in changes} == {
        ("miss", "hit", KeyVerdict.SAME)
    }
    assert len(changes) == 3


def test_a_key_that_differs_in_nothing_that_is_logged() -> None:
    run = cold_starts.read("cold")
    other = dataclasses.replace(graph(run), key="another")
    (change,) = key_changes(with_lookups(run, graph(run)), with_lookups(run, other))

    assert (change.verdict, change.changes) == (KeyVerdict.HIDDEN, ())


@pytest.mark.parametrize(
    ("name", "before", "now", "change"),
    [
        ("example_inputs[3]", TENSOR.format("16, 1"), TENSOR.format("1, 8"),
         ("input 3", ("stride = (16, 1)",), ("stride = (1, 8)",), False)),
        ("gm", GRAPH.format("relu"), GRAPH.format("sin"),
         ("the graph itself", ("    b = torch.ops.aten.relu.default(a)",),
          ("    b = torch.ops.aten.sin.default(a)",), False)),
        # What is printed as bytes, or alike, is not shown.
        ("torch_version", "V\ufffd\x00\ufffd", "W\ufffd\x01",
         ("torch itself (different version or sources)", (), (), True)),
        ("fx_kwargs[x]", "<object>", "<object>", ("Inductor argument x", (), (), True)),
        ("default_cuda_device_index", None, "0",
         ("default_cuda_device_index", (), ("0",), False)),
        ("brand_new[x]", "a", "b", ("brand_new[x]", ("a",), ("b",), False)),
        ("system_info[hash]", "a", "b", ("the machine: hash", ("a",), ("b",), False)),
    ],
)  # fmt: skip
def test_of_a_part_what_changed(
    name: str, before: str | None, now: str, change: tuple[str, tuple[str, ...], object, bool]
) -> None:
    found = change_of(name, before, now)
    assert (found.what, found.before, found.now, found.opaque) == change
