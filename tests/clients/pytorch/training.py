# SPDX-License-Identifier: Apache-2.0
"""Networks trained on device npu and on device cpu, from the same weights on the same data: losses side by side.

training.py [PATTERN...]: for each network the losses of ten steps on both devices, their largest relative difference and the
time of a step. Ends with 1 when a difference is above the limit, or an operator is missing.
"""
import os
import sys
import time

os.environ.setdefault("TASK_QUEUE_ENABLE", "0")

import torch
import torch_npu  # noqa: F401
from torch import nn
from torch.nn import functional

STEPS, LIMIT = 10, 1e-5
# 32-bit products as 32-bit products, as device cpu has them.
torch.npu.conv.allow_hf32 = False
torch.npu.matmul.allow_hf32 = False


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.last_norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        y = functional.relu(self.norm(self.first(x)))
        return functional.relu(self.last_norm(self.second(y)) + x)


class Block(nn.Module):
    """A transformer's block whose attention is written out."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm, self.last_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = self.qkv(self.norm(x)).split(width, -1)
        q, k, v = (part.view(batch, tokens, self.heads, -1).transpose(1, 2) for part in parts)
        scores = q @ k.transpose(-1, -2) * (width // self.heads) ** -0.5
        seen = torch.tril(torch.ones(tokens, tokens, device=x.device, dtype=torch.bool))
        weights = functional.softmax(scores.masked_fill(~seen, float("-inf")), -1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, tokens, width))
        return x + self.narrow(functional.gelu(self.wide(self.last_norm(x))))


class Language(nn.Module):
    def __init__(self, words=96, tokens=32, width=64, blocks=2):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(tokens, width)
        self.blocks = nn.Sequential(*(Block(width, 4) for _ in range(blocks)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        return self.head(self.norm(self.blocks(x))).flatten(0, 1)


class Encoder(nn.Module):
    """The same of PyTorch's own layers, whose attention is one call."""

    def __init__(self, words=96, tokens=32, width=64, layers=2):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(tokens, width)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        seen = nn.Transformer.generate_square_subsequent_mask(ids.shape[1], device=ids.device)
        return self.head(self.layers(x, mask=seen, is_causal=True)).flatten(0, 1)


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def residual():
    return nn.Sequential(
        nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Residual(16),
        Residual(16), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))


def images(channels, size, count):
    return torch.randn(count, channels, size, size), torch.randint(0, 10, (count,))


def sentences():
    ids = torch.randint(0, 96, (4, 33))
    return ids[:, :-1].contiguous(), ids[:, 1:].flatten()


def momentum(parameters):
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9, weight_decay=1e-4)


WORKLOADS = {
    "LeNet, SGD": (lenet, lambda: images(1, 28, 64), momentum),
    "LeNet, Adam": (lenet, lambda: images(1, 28, 64), torch.optim.Adam),
    "residual network, SGD": (residual, lambda: images(3, 64, 8), momentum),
    "transformer, AdamW": (Language, sentences, torch.optim.AdamW),
    "transformer encoder, AdamW": (Encoder, sentences, torch.optim.AdamW),
}


def train(device, model, data, optimiser):
    """The losses of all steps, the outputs in evaluation mode, and the shortest step in seconds."""
    torch.manual_seed(0)
    network = model().to(device)
    x, target = (part.to(device) for part in data)
    steps = optimiser(network.parameters())
    losses, shortest = [], float("inf")
    for _ in range(STEPS):
        begun = time.perf_counter()
        steps.zero_grad()
        loss = functional.cross_entropy(network(x), target)
        loss.backward()
        steps.step()
        losses.append(loss.item())
        shortest = min(shortest, time.perf_counter() - begun)
    network.eval()
    with torch.no_grad():
        return losses, network(x).cpu(), shortest


def main(words):
    failed = 0
    for name, (model, data, optimiser) in WORKLOADS.items():
        if not all(word in name for word in words):
            continue
        torch.manual_seed(1)
        fixed = data()
        losses, outputs, seconds = train("cpu", model, fixed, optimiser)
        try:
            own_losses, own_outputs, own_seconds = train("npu", model, fixed, optimiser)
        except Exception as error:  # noqa: BLE001 - whatever it is, the network has not been trained
            print(f"{name}: failed: {str(error).strip().splitlines()[0][:300]}")
            failed += 1
            continue
        apart = max(abs(a - b) / abs(a) for a, b in zip(losses, own_losses, strict=True))
        wide = ((outputs - own_outputs).abs().max() / outputs.abs().max()).item()
        is_right = apart <= LIMIT and wide <= 100 * LIMIT
        failed += not is_right
        print(f"{name}:")
        print("  cpu " + " ".join(f"{loss:.5f}" for loss in losses) + f"  {seconds * 1e3:.1f} ms a step")
        print("  npu " + " ".join(f"{loss:.5f}" for loss in own_losses) + f"  {own_seconds * 1e3:.1f} ms a step")
        print(f"  {'right' if is_right else 'WRONG'}: losses at most {apart:.1e} apart, outputs {wide:.1e}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
