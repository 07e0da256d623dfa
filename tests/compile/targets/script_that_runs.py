import torch


def step(x):
    return torch.sin(x) + 1


def loss(y):
    return y.sum()


compiled = torch.compile(step, backend="eager")
for size in (2, 3):
    loss(compiled(torch.ones(size)))
