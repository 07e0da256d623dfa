import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=8)
args = parser.parse_args()

model = nn.Linear(args.width, args.width)
example_inputs = (torch.randn(2, args.width),)
