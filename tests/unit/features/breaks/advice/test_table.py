"""All advice: its programs, and which of it is chosen."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from inspector.features.breaks import advice
from inspector.features.breaks.advice.advice import TESTED_ON, Advice, Break
from inspector.features.breaks.advice.table import ALL, about, best, other_ways
from inspector.plugins import load_rules
from inspector.report.user_code.code import Code
from inspector.report.user_code.reading import Span, read_line
from tests.compile.advice_programs import VARIANTS

BY_ID = {item.id: item for item in ALL}
EACH = pytest.mark.parametrize("advice", ALL, ids=lambda advice: advice.id)


def broken(gb_id: str, said: str = "", line: str = "") -> Break:
    code = read_line(line, Span(1, 1)) if line else Code()
    return Break(gb_id, None, said, code)


def chosen(found: Break) -> str:
    advice = best(found)
    return advice.id if advice else ""


def test_names_are_unique_and_no_rule_has_one() -> None:
    names = [advice.id for advice in ALL] + [rule.id for rule in load_rules("run")]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*_?", name) for name in names)


def test_every_page_is_a_case_and_has_no_unknown_keys() -> None:
    pages = list((Path(str(advice.__file__)).parent / "cases").glob("*.md"))
    keys = {
        line.partition(":")[0]
        for page in pages
        for line in page.read_text().split("```\n", 2)[1].splitlines()
    }

    assert {page.stem for page in pages} == BY_ID.keys()
    assert keys == {
        "title", "kind", "says", "when", "instead-of", "other-way-of", "caution", "backend",
        "silent", "holds-elsewhere", "tested-on",
    }  # fmt: skip


def test_thirty_kinds_and_more_are_covered() -> None:
    assert len({kind.gb_id for advice in ALL for kind in advice.kinds}) >= 30


def test_an_id_has_one_name() -> None:
    """A type whose name was mistyped would be found by its id, and never in another torch."""
    kinds = {kind for advice in ALL for kind in advice.kinds}

    assert len({kind.gb_id for kind in kinds}) == len(kinds)


@EACH
def test_the_programs_compile_a_function_and_leave_outputs(advice: Advice) -> None:
    for program in (advice.before, advice.after, *VARIANTS.get(advice.id, ())):
        ast.parse(program)
        assert "torch.compile" in program or ".compile()" in program
        assert re.search(r"^ *outputs = ", program, re.MULTILINE)
    assert advice.before != advice.after


@EACH
def test_the_words_are_sentences_whose_code_can_be_read(advice: Advice) -> None:
    assert advice.fix.endswith(".")
    assert advice.keeps.endswith((".", ".)"))
    assert not advice.title.endswith(".")
    assert set(advice.tested_on) <= set(TESTED_ON)
    assert advice.fix.count("`") % 2 == 0
    assert all(len(line) <= 100 for line in (advice.before + advice.after).splitlines())


@EACH
def test_other_ways_are_ways_to_what_there_is(advice: Advice) -> None:
    for name in advice.other_way_of:
        assert not BY_ID[name].other_way_of
        assert {kind.gb_id for kind in advice.kinds} & {kind.gb_id for kind in BY_ID[name].kinds}


@EACH
def test_patterns_can_be_compiled(advice: Advice) -> None:
    re.compile(advice.says)
    re.compile(advice.instead_of)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (broken("GB0059", "builtin print [<class 'X'>] False"), "print"),
        (broken("GB0059", "builtin operator `print` with"), "print"),
        (broken("GB0059", "builtin open [] False"), "host-work"),
        (broken("GB0059", "builtin sorted [] False"), ""),
        (broken("GB0007", "module: time, qualname: time, skip reason: x"), "host-work"),
        (broken("GB0007", "module: time, qualname: perf_counter_ns, skip"), "host-work"),
        (broken("GB0007", "module: time, qualname: sleep, skip reason: x"), "c-function"),
        (broken("GB0007", "module: mine, qualname: f\n(e.g. _warnings.warn)"), "c-function"),
        (broken("GB0007", "module: _warnings, qualname: warn"), "warning"),
        (broken("GB0007", "module: random, qualname: Random.seed"), "random-numbers"),
        (broken("GB0007", "module: random, qualname: Random.gauss"), "random-numbers"),
        (broken("GB0124"), "item"),
        (broken("GB0124", line="y = tables[index]"), "tensor-as-index"),
        (broken("GB0124", line="y = tables[int(index)]"), "item"),
        (broken("GB0124", line="y = tables[index.item()]"), "item"),
        (broken("GB0124", line="y = x[:n]"), "tensor-as-length"),
        (broken("GB0170", "attempted to jump with TensorVariable()"), "branch-where"),
        (broken("GB0170", "attempted to jump with SymNodeVariable()"), ""),
        (broken("GB0124", "Tensor.item()", "for i in range(n.item()): pass"), "loop-by-value"),
        (broken("GB0124", "Tensor.item()", "while x.sum().item(): pass"), "loop-by-value"),
        (broken("GB0124", "Tensor.item()", "y = [x for i in range(int(n))]"), "loop-by-value"),
        (broken("GB0059", "builtin range [] False", "for i in range(n): pass"), "loop-by-value"),
        (broken("GB0088", "raised exception TypeError()", "y = f(x)"), ""),
        (broken("GB0088", "raised exception KeyError()", "y = names[id]"), ""),
        (broken("GB0088", "raised exception TypeError()", "y = hash(x)"), "id-of-tensor"),
        (broken("GB0088", "raised exception ValueError()", "raise ValueError"), "exception-leaves"),
        (broken("GB0008", "qualname: GradScaler.step, name: step"), "training-step"),
        (broken("GB0156", "(Logger) set_runtime_stats_and_log []"), "distributed-data-parallel"),
        (broken("GB0033", line="n = int(np.prod(x.shape[1:]))"), "numpy-number"),
        (broken("GB0033", line="n = int(np.prod([*x.shape, y.sum()]))"), "item-captured"),
        (broken("GB0033", line="n = np.sqrt(self.head_dim)"), "numpy-number"),
        (broken("GB9999"), ""),
    ],
)
def test_the_situation_decides(found: Break, expected: str) -> None:
    assert chosen(found) == expected


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ("['str', 'Tensor']", ["print-reordered"]),
        ("['str', 'Size']", []),
        ("[]", ["print-reordered"]),
    ],
)
def test_what_cannot_be_reordered_is_not_advised_to_be(types: str, expected: list[str]) -> None:
    said = (
        f"builtin print [<class 'X'>] False\nbuiltin operator `print` with argument types {types}"
    )
    found = broken("GB0059", said)

    assert [item.id for item in other_ways(BY_ID["print"], found)] == expected


def test_a_kind_is_known_by_its_name_too() -> None:
    found = Break("GB9999", "Unsupported Tensor.backward() call", "backward()")

    assert chosen(found) == "training-step"
    assert "training-step" in [advice.id for advice in about("GB0123")]
