import torch
from torch import nn

assert torch.cuda.is_available(), "this needs a GPU"
device = torch.device("cuda:0")
torch.cuda.synchronize()


class Net(nn.Module):
    def __init__(self, where="cuda"):
        super().__init__()
        self.fc = nn.Linear(4, 4, device=where)
        self.where = where

    def forward(self, x):
        noise = torch.zeros(4, device="cuda")
        y = self.fc(x.cuda()) + noise.to("cuda:0")
        if y.device.type == "cuda":
            y = y * 2
        return y


model = Net().cuda()


def get_inputs():
    x = torch.randn(2, 4, pin_memory=True)
    return (x.to(device, non_blocking=True),)
