import torch

torch.compile(lambda x: x * 2, backend="eager")(torch.ones(3))
