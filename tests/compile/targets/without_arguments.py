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


def table(width=4):
    x = torch.arange(width) * 2
    if "table" not in tables:
        print("filling the table")
        tables["table"] = torch.rand(width).cumsum(0)
    return (tables["table"] + x).relu()




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





def made_inside():
    class Inner(Net):
        pass

    return Inner()
