"""Reasons for two kernels instead of one; tests/compile compares them with torch's sources."""

from __future__ import annotations

import dataclasses
import string

import pytest

from inspector.features.graph.reasons import KNOWN, Reason, explain, formatted

MISMATCH = "numel/rnumel mismatch (non-reduce) (%s, %s), (%s, %s)"
TILING = "tiling mismatch (%s, %s, %s)"


def test_arguments_are_in_the_sentence() -> None:
    reason = explain(MISMATCH, ["4096", "64*s0", "1", "1"])
    assert reason is not None
    assert reason.kind == "shape"
    said = reason.between("`relu`", "`sum`")
    assert said == "`relu` runs over 4096 elements, `sum` over 64*s0."


def test_braces_of_arguments_stay_what_they_are() -> None:
    reason = explain(TILING, ["{'x': 8}", "{first}", "{0}"])
    assert reason is not None
    said = reason.between("A", "B")
    assert said.endswith("ask for different tiles: {'x': 8} and {first}, or {0} for both.")


def test_braces_of_descriptions_stay_what_they_are() -> None:
    reason = explain("device mismatch (%s vs %s)", ["cpu", "cuda:0"])
    assert reason is not None
    assert reason.between("{second}", "{0}") == "{second} runs on cpu, {0} on cuda:0."


def test_a_missing_argument_is_a_question_mark() -> None:
    reason = explain("device mismatch (%s vs %s)", ["cpu"])
    assert reason is not None
    assert reason.between("A", "B") == "A runs on cpu, B on ?."


def test_too_many_arguments_are_left_out() -> None:
    assert explain("no shared data", ["1", "2"]) == explain("no shared data", [])


def test_several_lines_of_an_argument_become_one() -> None:
    reason = explain("device mismatch (%s vs %s)", ["a\n  b", "c"])
    assert reason is not None
    assert reason.between("A", "B") == "A runs on a b, B on c."


@pytest.mark.parametrize(
    "reason",
    ["", "no shared", "No shared data", "device mismatch (cpu vs cuda)", " no shared data", "%s"],
)
def test_an_unknown_reason_has_no_sentence(reason: str) -> None:
    assert explain(reason, ["cpu"]) is None


@pytest.mark.parametrize(
    ("reason", "arguments", "expected"),
    [
        ("no shared data", [], "no shared data"),
        ("device mismatch (%s vs %s)", ["cpu", "cuda"], "device mismatch (cpu vs cuda)"),
        ("%d nodes, %5.2f ms, %r", ["s0", "fast", "x"], "s0 nodes, fast ms, x"),
        ("100%% of %s", ["it"], "100% of it"),
        ("%s vs %s", ["one"], "one vs %s"),
        ("%s", ["one", "two"], "one"),
        ("%s and %s", ["%s", "%d%%"], "%s and %d%%"),
        ("Mod(s0 % 8) of {node}", [], "Mod(s0 % 8) of {node}"),
        ("ends with %", ["one"], "ends with %"),
        ("%(name)s %s", ["one"], "%(name)s one"),
        ("%*d", ["one"], "%*d"),
    ],
)
def test_torch_s_words_never_raise(reason: str, arguments: list[str], expected: str) -> None:
    assert formatted(reason, arguments) == expected


@pytest.mark.parametrize("reason", KNOWN.values())
def test_a_sentence_names_its_operators_and_nothing_else(reason: Reason) -> None:
    names = {field for _, field, _, _ in string.Formatter().parse(reason.sentence) if field}
    assert names <= {"first", "second", "0", "1", "2", "3"}
    assert {"first", "second"} & names
    assert reason.sentence.endswith(".")
    assert not reason.change or reason.change.endswith(".")


def test_no_more_arguments_are_asked_for_than_torch_gives() -> None:
    for text, reason in KNOWN.items():
        assert _asked(reason) <= set(map(str, range(text.count("%s"))))


def test_a_reason_cannot_be_changed() -> None:
    reason = explain("no shared data", [])
    with pytest.raises(dataclasses.FrozenInstanceError):
        reason.kind = "other"  # type: ignore[misc,union-attr]


def _asked(reason: Reason) -> set[str]:
    fields = string.Formatter().parse(reason.sentence)
    return {field for _, field, _, _ in fields if field and field.isdigit()}
