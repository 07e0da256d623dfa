import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, required=True)
args = parser.parse_args()

net = torch.compile(nn.Linear(args.width, args.width))
print(net(torch.randn(2, args.width)).sum())
