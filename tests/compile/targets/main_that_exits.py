import sys

import torch


def main():
    torch.compile(torch.nn.Linear(4, 4), backend="eager")(torch.ones(2, 4))
    return 0


sys.exit(main())
