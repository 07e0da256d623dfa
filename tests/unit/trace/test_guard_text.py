import pytest

from inspector.trace.guard_text import TextCause, split_comment
from inspector.trace.guard_trees import parse_guards

HEAD = "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n"
X = "GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x', framelocals_idx=0)"


def test_a_tree_with_its_latency() -> None:
    text = (
        f"{HEAD}| +- {X}, type=<class 'int'>, tag_safe=(False, True)\n"
        "| | +- EQUALS_MATCH: L['x'] == 3   # y = x + 1  # project/a.py:7 in f (HINT: keep it)\n"
        "+- LAMBDA_GUARD: 2 <= L['x']  # y = x + 1  # project/a.py:7 in f\n\n"
        "Guard latency = 1.25 us\n"
    )
    found = parse_guards(text)

    assert [manager.source for manager in found.managers] == ["", "L['x']"]
    assert found.managers[1].value_type == "<class 'int'>"
    assert found.managers[1].parent == 0
    equals, relation = found.guards
    assert (equals.manager, equals.kind, equals.code) == (1, "EQUALS_MATCH", "L['x'] == 3")
    assert equals.cause == TextCause("project/a.py", 7, "f", "y = x + 1", "HINT: keep it")
    assert not relation.source
    assert found.latency_ns == 1250
    assert not found.unknown


def test_items_of_a_dict_stand_below_their_dict() -> None:
    text = (
        f"{HEAD}| +- Dict{X}, type=<class 'dict'>, tag_safe=(False, False)\n"
        "| | +- KeyValueManager pair at index=4\n"
        "| | | +- KeyManager: GuardManager: source=list(dict.keys(L['x']))[4], "
        "type=<class 'str'>, tag_safe=(False, False)\n"
        "| | | | +- EQUALS_MATCH: list(dict.keys(L['x']))[4] == 'a'\n"
        "| | | +- ValueManager: GuardManager: source=L['x']['a'], type=<class 'int'>\n"
    )
    found = parse_guards(text)

    key, value = found.managers[2:]
    assert (key.parent, key.pair) == (1, 4)
    assert (value.parent, value.pair) == (1, 4)
    assert found.guards[0].manager == 2


@pytest.mark.parametrize(
    ("text", "code", "source_line"),
    [
        ("L['s'] == 'a  # b'  # if s: # why  # a.py:3 in f", "L['s'] == 'a  # b'", "if s: # why"),
        ("L['s'] == \"it's\"  # g()  # a.py:3 in f", "L['s'] == \"it's\"", "g()"),
        ("L['s'] == 'it\\'s  # x'  # g()  # a.py:3 in f", "L['s'] == 'it\\'s  # x'", "g()"),
        ("check(x), type=<don't>  # g()  # a.py:3 in f", "check(x), type=<don't>", "g()"),
        ("x is None  # a.py:3 in <lambda>", "x is None", ""),
    ],
)
def test_what_is_code_and_what_is_comment(text: str, code: str, source_line: str) -> None:
    found, cause = split_comment(text)
    assert found == code
    assert cause is not None
    assert (cause.file, cause.line, cause.code) == ("a.py", 3, source_line)


@pytest.mark.parametrize(
    "line",
    [
        "+- something that torch never wrote",
        "| | | | | +- EQUALS_MATCH: far too deep",
        "no tree at all",
        "| +- KeyValueManager pair at index=many",
        "Guard latency = NaN us",
        "+- RootGuardManager",
    ],
)
def test_a_line_of_no_known_form_is_kept(line: str) -> None:
    found = parse_guards(f"{HEAD}{line}\n| +- {X}, type=<class 'int'>\n")
    assert found.unknown == (line,)
    assert [manager.source for manager in found.managers] == ["", "L['x']"]


def test_depth_costs_nothing() -> None:
    lines = [f"{'| ' * depth}+- {X}, type=<class 'int'>" for depth in range(1, 3000)]
    assert len(parse_guards(HEAD + "\n".join(lines)).managers) == 3000
