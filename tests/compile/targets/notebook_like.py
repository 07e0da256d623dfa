# %%
import torch
from torch import nn

# %%
class Classifier(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.head = nn.Linear(width, 2)

    def forward(self, tokens):
        return self.head(self.embed(tokens).mean(1))

# %%
net = Classifier(1000, 16)
criterion = nn.CrossEntropyLoss()
batch = torch.randint(0, 1000, (4, 7))

# %%
fast = torch.compile(net, backend="eager")
fast(batch)
