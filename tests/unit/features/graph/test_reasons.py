"""Reasons for two kernels instead of one; tests/compile compares them with torch's sources."""

import string

import pytest

from inspector.features.graph.reasons import KNOWN, explain, formatted

MISMATCH = "numel/rnumel mismatch (non-reduce) (%s, %s), (%s, %s)"
TILING = "tiling mismatch (%s, %s, %s)"
DEVICES = "device mismatch (%s vs %s)"


@pytest.mark.parametrize(
    ("reason", "arguments", "names", "sentence"),
    [
        (MISMATCH, ["4096", "64*s0", "1", "1"], ("`relu`", "`sum`"),
         "`relu` iterates over 4096 elements, but `sum` over 64*s0."),
        (TILING, ["{'x': 8}", "{first}", "{0}"], ("A", "B"),
         ("A and B need the tiles {'x': 8} and {first} because of their memory layouts, but {0} "
          "if fused.")),
        (DEVICES, ["cpu", "cuda:0"], ("{second}", "{0}"),
         "{second} runs on cpu, but {0} runs on cuda:0."),
        (DEVICES, ["cpu"], ("A", "B"), "A runs on cpu, but B runs on ?."),
        (DEVICES, ["a\n  b", "c", "more"], ("A", "B"), "A runs on a b, but B runs on c."),
    ],
)  # fmt: skip
def test_arguments_are_in_the_sentence(
    reason: str, arguments: list[str], names: tuple[str, str], sentence: str
) -> None:
    found = explain(reason, arguments)
    assert found is not None
    assert found.between(*names) == sentence


@pytest.mark.parametrize("reason", ["", "no shared", "device mismatch (cpu vs cuda)", "%s"])
def test_an_unknown_reason_has_no_sentence(reason: str) -> None:
    assert explain(reason, ["cpu"]) is None


@pytest.mark.parametrize(
    ("reason", "arguments", "expected"),
    [
        ("no shared data", [], "no shared data"),
        ("device mismatch (%s vs %s)", ["cpu", "cuda"], "device mismatch (cpu vs cuda)"),
        ("%d nodes", ["s0"], "%d nodes"),
        ("100%% of %s", ["it"], "100% of it"),
        ("%s vs %s", ["one"], "%s vs %s"),
        ("%s", ["one", "two"], "%s"),
        ("%s and %s", ["%s", "%d%%"], "%s and %d%%"),
        ("Mod(s0 % 8) of {node}", [], "Mod(s0 % 8) of {node}"),
        ("ends with %", ["one"], "ends with %"),
        ("%(name)s %s", ["one"], "%(name)s %s"),
        ("%*d", ["one"], "%*d"),
    ],
)
def test_torch_s_words_never_raise(reason: str, arguments: list[str], expected: str) -> None:
    assert formatted(reason, arguments) == expected


@pytest.mark.parametrize("text", KNOWN)
def test_a_sentence_names_its_operators_and_torch_s_arguments(text: str) -> None:
    reason = KNOWN[text]
    names = {field for _, field, _, _ in string.Formatter().parse(reason.sentence) if field}
    assert names <= {"first", "second", *map(str, range(text.count("%s")))}
    assert {"first", "second"} & names
    assert reason.sentence.endswith(".")
    assert not reason.change or reason.change.endswith(".")
