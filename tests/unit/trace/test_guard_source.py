import pytest

from inspector.trace.guard_source import Origin, origin_of, spelled

WEIGHT = "L['self']._modules['layers']._modules['3']._parameters['weight']"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (WEIGHT, "self.layers[3].weight"),
        ("L['self'].__dict__", "self"),
        ("L['x']", "x"),
        ("L['d']['a']", "d['a']"),
        ("L['x'].size()[0]", "x.size(0)"),
        ("G['LIMIT']", "LIMIT"),
        ("G['__builtins_dict___3']['len']", "len"),
        ("G['__import_torch_dot_nn_dot_functional'].relu", "torch.nn.functional.relu"),
        ("L['fn'].__closure__[0].cell_contents", "fn's closure variable 0"),
        ("L['___stack0']", "(kept across a graph break)"),
        ("L['m']._modules['odd name']", "m['odd name']"),
        ("L['self'].__dict__['_modules']['up'].bias", "self.up.bias"),
        ("L['self'].__dict__['width']", "self.width"),
    ],
)
def test_the_users_spelling(source: str, name: str) -> None:
    assert spelled(source) == name


@pytest.mark.parametrize(
    ("source", "origin"),
    [
        (WEIGHT, Origin.PARAMETER),
        ("L['x']", Origin.INPUT),
        ("L['self'].index", Origin.MODULE),
        ("L['net']._modules['a'].p", Origin.MODULE),
        ("L['net'].__dict__['_modules']['a'].p", Origin.MODULE),
        ("G['LIMIT']", Origin.GLOBAL),
        ("G['__import_torch_dot_nn'].F", Origin.LIBRARY),
        ("L['f'].__closure__[0].cell_contents", Origin.CLOSURE),
        ("L['___stack0']", Origin.KEPT),
        ("", Origin.STATE),
    ],
)
def test_whose_value_it_is(source: str, origin: Origin) -> None:
    assert origin_of(source) is origin
