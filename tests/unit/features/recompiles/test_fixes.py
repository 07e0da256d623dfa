"""Advice that no program of `tests/compile/recompiles` shows, or in more variants than they do."""

from __future__ import annotations

import ast
import dataclasses

import pytest

from inspector.features.recompiles.wording import reason_lines
from inspector.report.user_code.call_site import CallSite
from inspector.report.user_code.calls import Parameters
from inspector.run.recompile import (
    Answer,
    Bound,
    Change,
    Limit,
    Origin,
    Recompile,
    RecompileClass,
    SymbolUse,
)
from tests.unit.recompiled import advice, line, recompile

_C = RecompileClass
ADAM = "/site/torch/optim/adam.py"


def called(call: str, *parameters: str, function: str = "f") -> CallSite:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    known = Parameters(parameters, len(parameters), is_method="self" in parameters,
                       function=function)  # fmt: skip
    return CallSite(line(call, 9), node, known)


def test_the_first_step_of_an_optimizer_makes_the_state() -> None:
    name = "self.state[list(dict.keys(self.state))[0]]"
    item = recompile(_C.KEYS, name, "0", "1", guard=f"len({name}) != 0")

    assert advice(item, file=ADAM)[0].startswith("No change is needed for further steps")
    assert "the same keys" in advice(item, file="/project/model.py")[0]


def test_a_learning_rate_can_be_a_tensor() -> None:
    rate = recompile(_C.FLOAT, "self.param_groups[0]['lr']", "0.1", "0.2")
    called_by_torch = CallSite(None, is_foreign=True)  # the wrapper of a scheduler, for one
    for site in (CallSite(None), called_by_torch):
        assert "lr=torch.tensor(0.001)" in advice(rate, file=ADAM, site=site)[0]


@pytest.mark.parametrize(
    ("call", "function", "owner"),
    [("net(x)", "forward", "net.lr"), ("trainer.step(x)", "step", "trainer.lr"),
     ("step(x)", "step", ""), ("self.compiled(x)", "step", "")],
)  # fmt: skip
def test_a_compiled_method_is_not_the_object_that_it_belongs_to(
    call: str, function: str, owner: str
) -> None:
    assert called(call, "self", "x", function=function).passed("self.lr").written == owner


@pytest.mark.parametrize(
    ("kind", "name", "parameters", "has_advice"),
    [
        # What a decorator's wrapper passes on is nothing that its caller could write otherwise.
        (_C.VARARGS, "args", Parameters(("self",), 1, star="args", keywords="kwargs"), False),
        (_C.VARARGS, "xs", Parameters(star="xs"), True),
        (_C.TYPE, "self", Parameters(("self",), 1), False),
        (_C.TYPE, "x", Parameters(("self", "x"), 2), True),
    ],
)
def test_wrappers_and_self_are_left_alone(
    kind: RecompileClass, name: str, parameters: Parameters, *, has_advice: bool
) -> None:
    site = CallSite(None, parameters=parameters)
    assert bool(advice(recompile(kind, name), site=site)) is has_advice


def gradients(call: str, *names: str, parameters: tuple[str, ...], now: str = "True") -> str:
    before = str(now != "True")
    kind = _C.REQUIRES_GRAD
    changes = tuple(Change(kind, f"L['{name}']", name, None, before, now) for name in names)
    item = recompile(kind, names[0], before, now, changes=changes)
    return "\n".join(advice(item, site=called(call, *parameters)))


@pytest.mark.parametrize(
    ("call", "names", "parameters", "wanted"),
    [
        ("f(x, y)", ("a",), ("a", "b"), "pass x.detach() in the call at model.py:9."),
        ("f(w * 2)", ("a",), ("a",), "pass (w * 2).detach() in the call"),
        ("f(pair)", ("p[0]",), ("p",), "pass pair[0].detach() in the call"),
        ("f(*pair)", ("a", "b"), ("a", "b"), "pass pair[0].detach(), pair[1].detach() in the call"),
    ],
)  # fmt: skip
def test_what_is_passed_keeps_its_gradient(
    call: str, names: tuple[str, ...], parameters: tuple[str, ...], wanted: str
) -> None:
    text = gradients(call, *names, parameters=parameters)

    assert wanted in text
    assert "] = " not in text  # a tuple's items cannot be set
    assert "For one program that keeps the gradient, call .requires_grad_() on" in text


def test_what_requires_no_gradient_any_more() -> None:
    text = gradients("f(pair)", "p[0]", "p[1]", parameters=("p",), now="False")

    assert text.startswith(
        "If one of their gradients is needed, call .requires_grad_() on pair[0], pair[1] before "
        "the call at model.py:9."
    )
    assert ".detach()" not in text


@pytest.mark.parametrize(
    ("code", "guard", "wanted"),
    [
        ("acts[name] = out", "not G['acts']", "one for each value of name, with None"),
        ('acts["a"] = out', "not G['acts']", '("a", with None as its value'),
        ("acts[name] = out", "len(G['acts']) != 1", "give acts all of its keys before the first"),
        ("y = acts[0] + 1", "not G['acts']", "Keep one tensor instead of the container acts"),
        ("if acts[i] == 2:", "not G['acts']", "Keep one tensor"),
        ("acts[i] = x", "len(G['acts']) == 3", "Keep one tensor"),  # a list is written by index
    ],
)
def test_a_dict_that_is_filled_is_no_list_that_grows(code: str, guard: str, wanted: str) -> None:
    item = recompile(_C.LENGTH, "G['acts']", "0", "1", guard=guard, origin=Origin.GLOBAL,
                     guard_stack=(line(code),))  # fmt: skip
    assert wanted in advice(item)[0]


@pytest.mark.parametrize(
    ("code", "wanted"),
    [("w = np.float32(b.scale)", "make b.scale a tensor"), ("if b.scale > 1:", "needs its value")],
)
def test_a_specialized_number_has_the_same_advice_beside_another_change(
    code: str, wanted: str
) -> None:
    source = "L['b'].scale"
    use = SymbolUse("zf0", source, specialized="2.0", guarded=(line(code),))
    item = recompile(_C.FLOAT, "b.scale", "1.0", "2.0", source=source, origin=Origin.ATTRIBUTE,
                     symbols=(use,))  # fmt: skip
    change = Change(
        _C.FLOAT, source, "b.scale", None, "", "2.5", specialized="2.5", origin=Origin.ATTRIBUTE
    )
    tagged = dataclasses.replace(
        item, kind=_C.STR, source="L['b'].tag", name="b.tag", symbols=(), changes=(change,)
    )
    assert wanted in advice(item)[0].lower()
    assert f"model.py:7 (`{code}`)" in advice(item)[0]
    assert wanted in advice(tagged, history=(item, tagged))[0].lower()


def test_a_caller_that_is_compiled_marks_nothing() -> None:
    size = recompile(_C.SIZE, "x", "4", "8")
    text = "\n".join(advice(size, separating_break=line("print(y.shape)", 20)))

    assert "Call torch._dynamo.mark_dynamic(x, 0)" in advice(size)[0]
    assert "mark_dynamic" not in text
    assert text.startswith("Fix the graph break at model.py:20, so f becomes part of its")
    assert text.count("dynamic=True") == 1


@pytest.mark.parametrize("origin", [Origin.MODULE_ATTRIBUTE, Origin.GLOBAL])
@pytest.mark.parametrize(
    ("code", "is_needed"),
    [
        ("if self.step % 2:", True), ("y = x[: self.step]", True),
        ("self.pre[self.step] = q[0]", True), ('print(f"step {self.step}")', True),
        ("y = x * self.step", False),
    ],
)  # fmt: skip
def test_what_needs_the_number_itself_gets_no_tensor(
    origin: Origin, code: str, *, is_needed: bool
) -> None:
    item = recompile(_C.INT, "self.step", origin=origin, guard_stack=(line(code),))
    assert ("Make it a tensor" in "\n".join(advice(item))) is not is_needed


def test_no_limit_is_high_enough_for_what_counts_calls() -> None:
    def keyed(number: int, now: str) -> Recompile:
        count = Change(_C.INT, "G['STEP']", "STEP", None, str(number), now)
        limit = Limit("recompile_limit", 8, raised=False)
        return recompile(_C.STR, "key", f"'{number}'", f"'{now}'", changes=(count,), limit=limit)

    counted = advice(*[keyed(number, str(number + 1)) for number in range(3)])
    assert "recompile_limit=16" not in "\n".join(counted)
    few = advice(*[keyed(number, "7") for number in range(3)])
    assert "recompile_limit=16" in "\n".join(few)


def bounded(kind: RecompileClass, name: str, text: str, *, parts: bool) -> Recompile:
    """A size or a number that is dynamic within a bound; what came first can be beyond it."""
    index = 0 if kind is _C.SIZE else None
    change = Change(kind, f"L['{name}']", name, index, "128", "256", is_dynamic=True)
    expression = text.replace("x.size(0)", "L['x'].size()[0]")
    bound = Bound(expression, text, parts=parts, stack=(line("if x.shape[0] > 128:", 3),))
    return recompile(
        kind, name, "128", "256", answer=Answer.DYNAMIC, changes=(change,), bounds=(bound,)
    )


def test_two_sizes_that_a_condition_parts() -> None:
    item = bounded(_C.SIZE, "x", "129 <= x.size(0)", parts=True)
    first, variable = advice(item)
    (reported,) = reason_lines([item])

    assert reported.endswith("dynamic from then on, within `129 <= x.size(0)`")
    assert "sizes 128 and 256 are on two sides of `129 <= x.size(0)` (model.py:3: `if" in first
    assert "no mark merges them. No change is needed for these" in first
    assert first.endswith(
        "To avoid that, call torch._dynamo.mark_dynamic(x, 0) before the first call of f."
    )
    assert variable.startswith("The same without changing the source, ")
    (mark, *_) = advice(bounded(_C.SIZE, "x", "129 <= x.size(0)", parts=False))
    assert mark.startswith("Call torch._dynamo.mark_")


def test_numbers_have_no_marks() -> None:
    (text,) = advice(bounded(_C.INT, "n", "4 <= n", parts=True))

    assert "numbers 128 and 256 are on two sides of `4 <= n`" in text
    assert "mark" not in text
    assert text.endswith("TORCH_COMPILE_DYNAMIC_SOURCES=\"L['n']\" in the environment.")
    (within, *_) = advice(bounded(_C.INT, "n", "4 <= n", parts=False))
    assert within.startswith("No change is needed for further calls within `4 <= n`. ")
