import torch
from torch import nn

net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)


def train_step():
    optimizer.zero_grad()
    loss = net(torch.ones(2, 4)).square().mean()
    loss.backward()
    optimizer.step()
    return loss
