import pytest

from inspector.records.recompiles import TensorFacts
from inspector.trace.guard_checks import (
    AliasCheck,
    Check,
    ContainsCheck,
    EqualsCheck,
    GlobalStateCheck,
    IdCheck,
    LengthCheck,
    MarkCheck,
    OtherCheck,
    RelationCheck,
    TypeCheck,
    parse_check,
)

TENSOR = (
    "check_tensor(L['x'], Tensor, DispatchKeySet(CPU, AutogradCPU), torch.float32, device=None, "
    "requires_grad=False, size=[None, 4], stride=[4, 1])"
)


@pytest.mark.parametrize(
    ("kind", "code", "check"),
    [
        (
            "EQUALS_MATCH",
            "L['x'] == 'a == b'",
            EqualsCheck("'a == b'", is_literal=True, value="a == b"),
        ),
        ("EQUALS_MATCH", "L['x'] == torch.float32", EqualsCheck("torch.float32")),
        ("TRUE_MATCH", "L['x'] == True", EqualsCheck("True", is_literal=True, value=True)),
        ("NONE_MATCH", "L['x'] is None", EqualsCheck("None", is_literal=True)),
        (
            "TYPE_MATCH",
            "___check_type_id(L['x'], 12), type=<class 'dict'>",
            TypeCheck("<class 'dict'>", "12"),
        ),
        (
            "TYPE_MATCH",
            "___check_type_id(L['args'], 12), type=<class 'tuple'> (HINT: type tuple)",
            TypeCheck("<class 'tuple'>", "12"),
        ),
        ("ID_MATCH", "___check_obj_id(L['x'], 7), type=<Color.A: 1>", IdCheck("<Color.A: 1>", "7")),
        ("LENGTH_CHECK", "len(L['x']) == 2", LengthCheck(2)),
        ("LENGTH_CHECK", "not L['x']", LengthCheck(0)),
        (
            "DICT_CONTAINS",
            "not ___dict_contains('a', L['x'])",
            ContainsCheck("'a'", expected=False),
        ),
        ("SET_CONTAINS", "set.__contains__(L['x'], 'a')", ContainsCheck("'a'", expected=True)),
        (
            "NO_HASATTR",
            "hasattr(L['x'], '_dynamo_dynamic_indices') == False",
            MarkCheck(("_dynamo_dynamic_indices",)),
        ),
        ("NO_HASATTR", "not hasattr(L['x'], 'a')", ContainsCheck("a", expected=False)),
        ("LAMBDA_GUARD", "2 <= L['x'].size()[0]", RelationCheck("2 <= L['x'].size()[0]")),
        (
            "LAMBDA_GUARD",
            "top_saved_tensors_hooks ids == None",
            OtherCheck("top_saved_tensors_hooks ids == None"),
        ),
        ("NO_TENSOR_ALIASING", "", AliasCheck("")),
        # Since torch 2.14; before it is a LAMBDA_GUARD.
        ("OBJECT_ALIASING", "L['x'] is L['y']", RelationCheck("L['x'] is L['y']")),
        ("OBJECT_ALIASING", "", AliasCheck("")),
        (
            "GLOBAL_STATE",
            '___check_global_state() against {"grad_mode": true}',
            GlobalStateCheck({"grad_mode": True}),
        ),
        (
            "GLOBAL_STATE",
            "___check_global_state() against {cut",
            OtherCheck("___check_global_state() against {cut"),
        ),
        ("TENSOR_MATCH", "check_tensor(garbled", OtherCheck("check_tensor(garbled")),
        ("OF_A_NEWER_TORCH", "anything", OtherCheck("anything")),
    ],
)
def test_what_a_guard_checks(kind: str, code: str, check: Check) -> None:
    assert parse_check(kind, code, "L['x']") == check


def test_a_tensor() -> None:
    assert parse_check("TENSOR_MATCH", TENSOR, "L['x']") == TensorFacts(
        type="Tensor",
        keys=("CPU", "AutogradCPU"),
        dtype="torch.float32",
        device_index=None,
        requires_grad=False,
        size=(None, 4),
        stride=(4, 1),
    )
