"""Which part of a cache key changed."""

from __future__ import annotations

import dataclasses

from inspector.features.compile_time.cache_keys import change_of, key_changes, unmatched
from inspector.run.compile_time import Change, KeyVerdict
from inspector.run.run import Run
from inspector.trace.caches import CacheLookup
from tests.unit import cold_starts

TENSOR = (
    "TensorMetadata(dtype=torch.float32, shape=torch.Size([8, 16]), stride=({}), "
    "device=device(type='cpu'), storage_bytes=None)"
)


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


def test_a_recording_against_itself_says_that_nothing_was_kept() -> None:
    run = cold_starts.read("cold")

    assert {item.verdict for item in key_changes(run, run)} == {KeyVerdict.SAME}
    assert unmatched(run, run) == (0, 0)


def test_graphs_without_a_counterpart_are_counted() -> None:
    assert unmatched(cold_starts.read("training"), cold_starts.read("cold")) == (6, 3)


def test_a_key_that_differs_in_nothing_that_is_logged() -> None:
    run = cold_starts.read("cold")
    other = dataclasses.replace(graph(run), key="another")
    (change,) = key_changes(with_lookups(run, graph(run)), with_lookups(run, other))

    assert (change.verdict, change.changes) == (KeyVerdict.HIDDEN, ())


def test_of_an_input_the_fields_that_changed() -> None:
    change = change_of("example_inputs[3]", TENSOR.format("16, 1"), TENSOR.format("1, 8"))

    assert (change.what, change.before, change.now) == (
        "input 3", ("stride = (16, 1)",), ("stride = (1, 8)",)
    )  # fmt: skip


def test_of_a_graph_the_lines_that_changed() -> None:
    text = (
        "GraphModule()\n\ndef forward(self, a):\n    b = torch.ops.aten.{}.default(a)\n    return b"
    )
    change = change_of("gm", text.format("relu"), text.format("sin"))

    assert change.what == "the graph itself"
    assert change.before == ("    b = torch.ops.aten.relu.default(a)",)
    assert change.now == ("    b = torch.ops.aten.sin.default(a)",)


def test_what_is_printed_as_bytes_or_alike_is_not_shown() -> None:
    torch_version = change_of("torch_version", "V\ufffd\x00\ufffd", "W\ufffd\x01")
    alike = change_of("fx_kwargs[x]", "<object>", "<object>")

    assert (torch_version.opaque, torch_version.before) == (True, ())
    assert torch_version.what == "torch itself: another version, or other sources"
    assert (alike.opaque, alike.what) == (True, "how Inductor was called: x")


def test_parts_that_only_one_key_has() -> None:
    change = change_of("default_cuda_device_index", None, "0")

    assert (change.before, change.now, change.opaque) == ((), ("0",), False)


def test_parts_in_words_and_others_as_torch_has_them() -> None:
    words = {
        name: change_of(name, "a", "b").what
        for name in ("brand_new", "brand_new[x]", "system_info[hash]")
    }

    assert words == {
        "brand_new": "brand_new",
        "brand_new[x]": "brand_new[x]",
        "system_info[hash]": "the machine: hash",
    }


def test_a_long_change_is_cut() -> None:
    change = change_of("gm", "x", "\n".join(f"line {n}" for n in range(500)))

    assert len(change.now) == 41
    assert change.now[-1] == "… 460 more lines"
