"""Small programs that recompile: class, guard, values and fix, against what torch 2.13 reports."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from inspector.features.breaks.advice.advice import TESTED_ON
from inspector.features.guards.next import next_changes
from inspector.features.guards.predict import frame_guards
from inspector.features.guards.report import with_instances
from inspector.report.report import Report
from inspector.run.compilation import Frame
from tests import golden
from tests.compile.recompiles.all_programs import PROGRAMS
from tests.compile.recompiles.applied import Mended, mended
from tests.compile.recompiles.table import Expected
from tests.unit.render.rendering import as_json, read_trace
from tests.unit.test_strip import stripped

ROOT = Path(__file__).resolve().parents[2]
# Raised by torch 2.13 itself.
RAISES = {"layout"}
ANY = "..."
# What cannot be done without more than the printed lines: a meta tensor has no values that could be
# moved; the first of two calls on a line passes another name; a backend that needs each size takes
# no mark (padding helps).
NO_HELP = {"device", "several_calls_on_a_line", "size_that_the_backend_needs"}
# Its advice is to compile more: what a call without operators had ended.
REVIVED = {"nothing_left_to_do": (2, 3)}
LEAST_APPLIED = 36
Counts: TypeAlias = dict[str, tuple[Mended, int, int | str]]

VERSION = ".".join(importlib.metadata.version("torch").split(".")[:2])
pytestmark = pytest.mark.skipif(
    VERSION not in TESTED_ON, reason="what torch reports was checked with these versions"
)
# What torch says otherwise before 2.13: not which backend it was, but which tensor has the marks.
BEFORE_2_13 = {
    "another_backend": {"before": None, "now": None},
    "marked_late": {"name": "x", "origin": "argument"},
}
# What it says otherwise since 2.15: the precision of products is more than TF32 or not.
SINCE_2_15 = {
    "tf32": {
        "name": "cuda_matmul_precision",
        "before": "cuda_matmul_precision=0",
        "now": "cuda_matmul_precision=2",
        "fix": "Set torch.backends.cuda.matmul.fp32_precision once",
    }
}
# Torch 2.12 breaks the graph once more, at the method, and then has no graph to compile again.
# Since 2.14 an index that is a tensor, and since 2.15 a count in a Counter, is compiled once for
# all values.
INDEXED = {"tensor_as_index", "written_in_part_through_an_index", "written_through_an_index"}
NEVER_AGAIN = {
    "2.12": {"method_over_a_break"},
    "2.14": INDEXED,
    "2.15": {*INDEXED, "counted_in_a_counter"},
}.get(VERSION, set())


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recompiles") / "recording"
    folder.mkdir()
    command = [sys.executable, "-m", "tests.compile.recompiles.child", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=300)
    errors = json.loads((folder / "errors.json").read_text(encoding="utf-8"))
    assert set(errors) <= RAISES, errors
    return folder


@pytest.fixture(scope="module")
def report(recording: Path) -> Report:
    return golden.report_of(recording)


def frames_of(report: Report, name: str) -> list[Frame]:
    """What was compiled of a program."""
    run = PROGRAMS[name].run
    lines, first = inspect.getsourcelines(run)
    return [
        frame
        for process in report.run.processes
        for frame in process.frames
        if frame.file == inspect.getfile(run) and first <= frame.first_line < first + len(lines)
    ]


def recompiles_of(report: Report, name: str) -> list[Any]:
    compilations = [item for frame in frames_of(report, name) for item in frame.compilations]
    return [item.recompile for item in compilations if item.recompile is not None]


def finding_of(report: Report, item: Any) -> Any:
    (finding,) = [each for each in report.findings if any(item is r for r in each.recompiles)]
    return finding


def advice_of(report: Report, item: Any) -> str:
    finding = finding_of(report, item)
    return "\n".join((finding.fix, *finding.alternatives))


def told(item: Any) -> tuple[object, ...]:
    before, now = item.before or None, item.now or None
    return (item.kind.value, item.name or None, before, now, item.answer.value, item.origin.value)


def wanted(expected: Expected, found: tuple[object, ...]) -> tuple[object, ...]:
    """What is expected; ``...`` stands for any value that is known."""
    every = (expected.kind, expected.name, expected.before, expected.now, expected.answer,
             expected.origin)  # fmt: skip
    pairs = zip(every, found, strict=True)
    return tuple(item if want == ANY and item else want for want, item in pairs)


def expected_of(name: str) -> tuple[Expected, ...]:
    return () if name in NEVER_AGAIN else PROGRAMS[name].expected


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_what_torch_reports(name: str, report: Report) -> None:
    items = recompiles_of(report, name)
    found = [told(item) for item in items]
    otherwise = BEFORE_2_13.get(name, {}) if VERSION < "2.13" else {}
    otherwise = SINCE_2_15.get(name, {}) if VERSION >= "2.15" else otherwise
    expected = [dataclasses.replace(want, **otherwise) for want in expected_of(name)]

    assert found == [wanted(want, item) for want, item in zip(expected, found, strict=False)]
    assert len(found) == len(expected)
    for item, want in zip(items, expected, strict=True):
        assert want.fix in advice_of(report, item)
        assert item.stack
        if not item.hit_limit:
            assert item.time_ns


def test_who_called_it_first(report: Report) -> None:
    """Torch's own stack leaves out who calls a function that is compiled for itself."""
    (frame,) = frames_of(report, "both_sizes")
    caller, own = frame.compilations[0].stack[-2:]

    assert (caller.name, own.name) == ("both_sizes", "total")
    assert caller.file == frame.file


def test_closure_variables_have_their_names_whoever_was_first(report: Report) -> None:
    names = {
        program: [item.name for item in recompiles_of(report, program)]
        for program in ("closure_of_argument", "variable_of_a_passed_function")
    }

    assert names == {
        "closure_of_argument": ["k of g"],
        "variable_of_a_passed_function": ["by of fn", "rate['slow'] of fn"],
    }


def test_what_is_beside_an_enum_is_told_of_the_entry_for_the_same_member(report: Report) -> None:
    """Guards know a member by its address alone."""
    both, *same = recompiles_of(report, "strings_beside_an_enum")
    flag, *_ = recompiles_of(report, "flags")

    assert [(c.kind.value, c.before, c.now) for c in both.changes] == [
        ("str", "'a'", "'bb'"),
        ("enum", "Mode.PLUS", "Mode.MINUS"),
    ]
    assert [[change.kind.value for change in item.changes] for item in same] == [["str"]] * 7
    assert [(c.name, c.before, c.now) for c in flag.changes] == [
        ("given.way", "Mode.PLUS", "Mode.MINUS"),
        ("parts", "Parts(0)", "Parts.SIN"),
    ]


def test_objects_of_one_class_are_not_one_that_changes(report: Report) -> None:
    """Each was compiled for itself; `test_instances.py` counts what the advice leads to."""
    messages = {
        name: finding_of(report, recompiles_of(report, name)[0]).message
        for name in (
            "numbered_layers",
            "two_of_twelve",
            "models_of_two_depths",
            "module_as_argument",
            "one_of_three_alike",
            "another_submodule",
        )
    }

    assert messages == {
        "numbered_layers": "4 instances share numbered_layers.Layer.forward and its limit of 2, so "
        "some of them run eagerly: the int module attribute self.index differs",
        "two_of_twelve": "12 instances share two_of_twelve.Layer.forward and its limit of 8, and "
        "need 3 cache entries: the type of self.act differs",
        "models_of_two_depths": "2 instances share models_of_two_depths.Stack.forward and its "
        "limit of 8: the number of submodules of self.layers differs",
        "module_as_argument": "3 instances of Block share module_as_argument.apply and its limit "
        "of 8: the type of block.act differs and the int module attribute block.index differs",
        "one_of_three_alike": "one_of_three_alike.Layer.forward recompiled 2 times because the "
        "int module attribute self.index changes",
        "another_submodule": "another_submodule.Stack.forward recompiled once because the number "
        "of submodules of self.layers changes",
    }


def test_what_recompiles_next_is_another_instance(report: Report) -> None:
    (frame,) = frames_of(report, "module_as_argument")
    guards = frame_guards(frame)
    assert guards is not None
    first, *others = with_instances(frame, guards, next_changes(guards))

    assert first.text == "block is one of 3 instances of Block that differ: each recompiles"
    assert not [item.name for item in others if item.changed_before]


def test_what_is_in_a_tensor_is_not_its_type(report: Report) -> None:
    """The counters of batch norm are tensors in every call, although torch has symbols for them."""
    items = recompiles_of(report, "counted_in_a_tensor")

    assert [[change.kind.value for change in item.changes] for item in items] == [["int"]] * 4


def test_what_a_graph_break_hands_on_without_a_name_is_a_value(report: Report) -> None:
    """``___stack1`` is the result of the call in which the graph broke."""
    (item,) = recompiles_of(report, "value_over_a_break")
    finding = finding_of(report, item)

    assert item.name == "___stack1"
    assert "the float value (kept across a graph break) changes" in finding.message
    assert finding.notes[0].startswith("a value is kept across the graph break at ")
    assert ". Because of it, a value becomes an input of the code compiled after" in finding.fix


def advised(report: Report, name: str) -> Mended:
    """A program with the first advice for each of its recompilations that can be applied as is."""
    texts: list[str] = []
    for item in recompiles_of(report, name):
        for text in advice_of(report, item).split("\n"):
            if mended(PROGRAMS[name].run, [text]).applied:
                texts.append(text)
                break
    return mended(PROGRAMS[name].run, texts)


@pytest.fixture(scope="module")
def counts(report: Report, recording: Path, tmp_path_factory: pytest.TempPathFactory) -> Counts:
    """Advice that was applied and compilations before and after, by program."""
    folder = tmp_path_factory.mktemp("mended")
    found = {name: advised(report, name) for name in PROGRAMS}
    programs = {name: dataclasses.asdict(item) for name, item in found.items() if item.applied}
    (folder / "mended.json").write_text(json.dumps(programs), encoding="utf-8")
    command = [sys.executable, "-m", "tests.compile.recompiles.rerun", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=300)
    before = json.loads((recording / "counts.json").read_text(encoding="utf-8"))
    after = json.loads((folder / "counts.json").read_text(encoding="utf-8"))
    return {name: (found[name], before[name], after[name]) for name in after}


def test_the_advice_works_as_it_is_printed(counts: Counts) -> None:
    """Whatever says which line to write is written there: fewer compilations, and no error."""
    wrong = {
        name: (before, after, item.applied)
        for name, (item, before, after) in counts.items()
        if (not isinstance(after, int) or after >= before) and name not in REVIVED
    }

    assert set(wrong) <= NO_HELP, wrong
    assert {name: counts[name][1:] for name in REVIVED} == REVIVED
    assert len(counts) >= LEAST_APPLIED


def test_a_plain_trace_gives_the_classes_less_precisely(
    report: Report, recording: Path, tmp_path: Path
) -> None:
    """Without our artifacts no recompilation is lost; few get a wider class."""
    (log,) = recording.glob("*.log")
    (tmp_path / "plain.log").write_bytes(stripped(log.read_bytes()))
    plain = read_trace(tmp_path / "plain.log")
    wider = {
        name: (found.kind.value, full.kind.value)
        for name in PROGRAMS
        for full, found in zip(recompiles_of(report, name), recompiles_of(plain, name), strict=True)
        if found.kind is not full.kind
    }

    assert wider == {
        "star_arguments": ("container-length", "varargs"),
        "dead_reference": ("type", "none"),
        "set_to_another_type": ("int", "type"),
        "type_set_inside": ("int", "type"),
        "bool_and_tensor": ("bool", "type"),
        # Nothing was compiled for the call, so that nothing tells what it came with.
        "counter_beside_an_enum": ("enum", "int"),
    }
    (mode,) = recompiles_of(plain, "enum_argument")
    # The guards of torch before 2.13 have the member that they want.
    wants = "<Pool.MEAN: 1>" if VERSION < "2.13" else None
    assert (mode.before or None, mode.now or None) == (wants, "a Pool")


def test_the_report_is_valid(report: Report) -> None:
    every = as_json(report)["recompiles"]

    assert len(every) >= sum(len(expected_of(name)) for name in PROGRAMS)
    assert not [item for item in every if item["class"] == "other"]
