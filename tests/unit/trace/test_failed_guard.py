"""Recorded texts of failed guards (torch 2.11 and 2.13), taken apart."""

import ast

import pytest

from inspector.trace.failed_guard import parse_reason
from inspector.trace.fields import MAX_GUARD_CHARACTERS
from inspector.trace.guard_shapes import GuardShape

COMMENT = "  # return x * n  # home/model.py:9 in forward"
STACK = '\nUser stack trace:\n  File "/home/model.py", line 9, in forward\n    return x * n'
ZERO_ONE = (
    "  # if x.shape[0]>5:  # home/model.py:3 in fn (user code shown is first use of this value--"
    "the guard itself is not due user code but due to 0/1 specialization in the framework; to "
    "avoid specialization try torch._dynamo.decorators.mark_unbacked(tensor, dim))"
)
TEXTS = [
    ("tensor 'x' size mismatch at index 0. expected 4, actual 5", "SIZE", "x", "4", "5"),
    (
        (
            "tensor 'self._parameters['w']' size mismatch at index 1. expected 3, actual 4. Guard "
            "failed on a parameter, consider using "
            "torch._dynamo.config.force_parameter_static_shapes = False to allow dynamism on "
            "parameters."
        ),
        *("SIZE", "self._parameters['w']", "3", "4"),
    ),
    ("tensor 'x' stride mismatch at index 1. expected 20, actual 1", "STRIDE", "x", "20", "1"),
    ("tensor 'd['k']' rank mismatch. expected 2, actual 3", "RANK", "d['k']", "2", "3"),
    ("tensor 'x' dtype mismatch. expected Float, actual Double", "DTYPE", "x", "Float", "Double"),
    (
        "tensor 'x' Tensor device index mismatch. Expected device index to be 0, actual 1",
        *("DEVICE", "x", "0", "1"),
    ),
    (
        "tensor 'x' requires_grad mismatch. expected requires_grad=0",
        *("REQUIRES_GRAD", "x", "0", None),
    ),
    (
        (
            "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU), actual "
            "DispatchKeySet(Meta)"
        ),
        *("DISPATCH_KEYS", "x", "DispatchKeySet(CPU)", "DispatchKeySet(Meta)"),
    ),
    (
        "expected type of 'x' to be a tensor type, ' but found <class 'NoneType'>",
        *("TENSOR_TYPE", "x", None, "<class 'NoneType'>"),
    ),
    (
        "expected type of 'x' to be <class 'torch.Tensor'>, but found <class 'NoneType'>",
        *("TENSOR_TYPE", "x", None, "<class 'NoneType'>"),
    ),
    (f"n == 3{COMMENT}", "EQUALS", "n", "3", None),
    ("s == 'a  # b'  # y = len(s)  # m.py:1 in f", "EQUALS", "s", "'a  # b'", None),
    ("self.k[0] == -2", "EQUALS", "self.k[0]", "-2", None),
    ("d == device(type='cpu')", "EQUALS", "d", "device(type='cpu')", None),
    ("d == torch.float64", "EQUALS", "d", "torch.float64", None),
    ("o == <unreadable thing>", "EQUALS", "o", "<unreadable thing>", None),
    ("(type(v) is float and __math_isnan(v))", "NAN", "v", "nan", None),
    ("b is None", "IS_NONE", "b", "None", None),
    ("b is not None", "IS_NOT_NONE", "b", None, None),
    ("y is x", "ALIASING", "y", "y is x", "y is not x"),
    ('Duplicate tensors found: ["x", "y"]', "ALIASING", "", "distinct tensors", "x, y are one"),
    (
        "___check_obj_id(n, 140242471321168), type=<class 'm.E'>",
        *("IDENTITY", "n", "<class 'm.E'>", None),
    ),
    ("___check_obj_id(n, 140242471321168), type=<E.A: 1>", "IDENTITY", "n", "<E.A: 1>", None),
    ("___check_type_id(o.v, 14024), type=<class 'int'>", "TYPE", "o.v", "<class 'int'>", None),
    ("len(xs) == 3", "LENGTH", "xs", "3", None),
    ("not xs", "LENGTH", "xs", "0", None),
    ("len(d) != 1", "LENGTH", "d", "1", None),
    ("___tuple_iterator_len(it) == 2", "LENGTH", "it", "2", None),
    ("list(dict.keys(d))[0] == 'a'", "KEY", "d", "'a'", None),
    ("list(d.keys()) == ['a', 'b']", "KEYS", "d", "['a', 'b']", None),
    ("___dict_contains('a', d)", "HAS_KEY", "d", "with 'a'", "without 'a'"),
    ("not ___dict_contains('a', d)", "HAS_KEY", "d", "without 'a'", "with 'a'"),
    (
        "not ___dict_contains('forward', m.__dict__)",
        *("ATTRIBUTE", "m", "without 'forward'", "with 'forward'"),
    ),
    ("set.__contains__(s, 'a')", "ITEMS", "s", "with 'a'", "without 'a'"),
    ("not hasattr(o, 'w')", "ATTRIBUTE", "o", "without 'w'", "with 'w'"),
    ("KeyError on s.w", "ATTRIBUTE", "s", "with w", "without w"),
    ("KeyError on self.__dict__['w']", "ATTRIBUTE", "self", "with w", "without w"),
    ("KeyError on G['CONFIG']", "MISSING", "G['CONFIG']", None, None),
    ("KeyError on G['CONFIG']['a b']", "HAS_KEY", "G['CONFIG']", "with 'a b'", "without 'a b'"),
    ("IndexError on xs[3]", "LENGTH", "xs", None, None),
    ("('b',)", "RAISED", "", "with 'b'", "without 'b'"),
    ("list index out of range", "RAISED", "", None, None),
    ("KeyError on d['a']", "HAS_KEY", "d", "with 'a'", "without 'a'"),
    (
        "_has_dynamo_dim_marking is present on runtime tensor but was absent at compile time",
        *("MARKS", "", "absent", "present"),
    ),
    (
        "_dynamo_dynamic_indices not a subset: runtime {1} is not a subset of compiled {0}",
        *("MARKS", "", "{0}", "{1}"),
    ),
    ("hasattr(x, '_dynamo_dynamic_indices') == False", "MARKS", "x", "absent", "present"),
    (
        (
            "((x._dynamo_dynamic_indices.issubset({0})) if "
            "hasattr(x, '_dynamo_dynamic_indices') else True)"
        ),
        *("MARKS", "x", "{0}", None),
    ),
    (f"2 <= x.size()[0] <= 5{ZERO_ONE}", "SYMBOLIC", "x.size()[0]", None, None),
    ("(4 % s[0]) != 0", "SYMBOLIC", "s[0]", None, None),
    ("y.size()[0] == x.size()[0]", "SYMBOLIC", "y.size()[0]", None, None),
    ("Eq(Mod(n, 2), 0)", "SYMBOLIC", "n", None, None),
    ("GLOBAL_STATE changed: grad_mode ", "GLOBAL_STATE", "grad_mode", None, None),
    ("___check_torch_function_mode_stack()", "FUNCTION_MODES", "", None, None),
    ("utils_device.CURRENT_DEVICE == None", "DEFAULT_DEVICE", "", "None", None),
    ("torch.autograd.forward_ad._current_level == -1", "AMBIENT", "", "-1", None),
    (
        "Cache line invalidated because L['m'] got deallocated",
        *("DEALLOCATED", "L['m']", None, None),
    ),
    ("a guard that nobody has ever seen", "OTHER", "", None, None),
]


@pytest.mark.parametrize(("text", "shape", "source", "before", "now"), TEXTS)
def test_each_spelling(
    text: str, shape: str, source: str, before: str | None, now: str | None
) -> None:
    failed = parse_reason(f"0/2: {text}{STACK}")

    assert failed.entry == "0/2"
    assert failed.guard.shape is GuardShape[shape]
    assert (failed.guard.source, failed.guard.before, failed.guard.now) == (source, before, now)
    assert [(frame.line, frame.name) for frame in failed.user_stack] == [(9, "forward")]


def test_the_comment_names_the_line_and_the_hint() -> None:
    failed = parse_reason(
        f"!1/0/3: self.i == 2   {COMMENT} (HINT: torch.compile considers integer attributes of the "
        "nn.Module to be static.)"
    )

    place = failed.caused_by
    assert place is not None
    assert (place.file, place.line, place.name) == ("home/model.py", 9, "forward")
    assert place.code == "return x * n"
    assert failed.hint.endswith("to be static.")
    assert failed.text == "self.i == 2"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0/0: ",
        "0/0: (((((",
        "not a reason",
        "0/0: x == " + "(" * 5000,
        "\x00\ud800",
        "0/0: len(",
    ],
)
def test_whatever_it_is_something_comes_out(text: str) -> None:
    assert parse_reason(text).guard.shape in GuardShape


def test_a_text_without_end_is_read_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", lambda text, **how: [parsed.append(text), parse(text, **how)])
    failed = parse_reason("0/0: " + " and ".join([f"len(x) != 1 !{COMMENT}"] * 5_000))
    assert failed.guard.shape is not None
    assert len(failed.text) + len(failed.comment) <= MAX_GUARD_CHARACTERS
    assert len(parsed) < 20
