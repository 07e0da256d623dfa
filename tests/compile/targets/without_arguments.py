import functools

import torch
from torch import nn

tables = {}


class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.fc = nn.Linear(4, width)

    def forward(self, x):
        return self.fc(x)

    @classmethod
    def small(cls):
        return cls(2)


class Hub:
    @classmethod
    def load(cls, width):
        return Net(width)


net = Net()


def table(width=4):
    x = torch.arange(width) * 2
    if "table" not in tables:
        print("filling the table")
        tables["table"] = torch.rand(width).cumsum(0)
    return (tables["table"] + x).relu()


def kept():
    if not tables:
        tables["kept"] = torch.ones(3)
    return tables["kept"]


def called():
    return net(torch.ones(2, 4)).to(torch.float64)


def decorator():
    def decorate(function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args)

        return inner

    return decorate


def closure():
    scale = 3

    def inner(x):
        return x * scale

    return inner


def moved(width=8):
    model = Net(width)
    model.eval()
    return model.to(torch.float32).requires_grad_()


def with_inputs():
    from torch.nn import Linear as Layer

    model = Layer(4, 4)
    return model, (torch.randn(2, 4),)


def _prepared(model):
    return model.eval()


def prepared():
    return torch.compile(_prepared(model=nn.Sequential(Net())), backend="eager")


def shared():
    global net
    if net is None:
        net = Net()
    return net


def of_class():
    return Net.small()


def of_hub() -> nn.Module:
    return Hub.load(3)


def made_inside():
    class Inner(Net):
        pass

    return Inner()
