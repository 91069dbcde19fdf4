# SPDX-License-Identifier: Apache-2.0
"""The networks that training.py and decoding.py run on both devices."""
import torch
from torch import nn
from torch.nn import functional


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


class Shortcut(nn.Module):
    """The block of ResNet-18: two convolutions, and the input beside them, by a convolution of one point where its shape changes."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.last_norm = nn.BatchNorm2d(outputs)
        self.beside = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.beside = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = functional.relu(self.norm(self.first(x)))
        return functional.relu(self.last_norm(self.second(y)) + self.beside(x))


def resnet18(width=64, classes=1000):
    layers = [nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inputs = width
    for stage in range(4):
        outputs = width << stage
        layers += [Shortcut(inputs, outputs, 1 if stage == 0 else 2), Shortcut(outputs, outputs, 1)]
        inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes))


class Attention(Block):
    """The transformer's block with PyTorch's attention, and dropout where a GPT has it."""

    def __init__(self, width, heads, dropout):
        super().__init__(width, heads)
        self.dropout = dropout

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = self.qkv(self.norm(x)).split(width, -1)
        q, k, v = (part.view(batch, tokens, self.heads, -1).transpose(1, 2) for part in parts)
        dropped = self.dropout if self.training else 0.0
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=dropped)
        x = x + functional.dropout(self.out(seen.transpose(1, 2).reshape(batch, tokens, width)), dropped)
        return x + functional.dropout(self.narrow(functional.gelu(self.wide(self.last_norm(x)))), dropped)


class Gpt(Language):
    def __init__(self, words, tokens, width, blocks, heads, dropout=0.0):
        super().__init__(words, tokens, width, blocks=0)
        self.blocks = nn.Sequential(nn.Dropout(dropout), *(Attention(width, heads, dropout) for _ in range(blocks)))


class Bert(nn.Module):
    """An encoder that sees both ways, but not what is padded; its head is tied to its words."""

    def __init__(self, words, tokens, width, layers, heads):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width, padding_idx=0), nn.Embedding(tokens, width)
        self.norm = nn.LayerNorm(width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.bias = nn.Parameter(torch.zeros(words))

    def forward(self, ids):
        x = self.norm(self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device)))
        x = self.layers(x, src_key_padding_mask=ids == 0)
        return functional.linear(x, self.words.weight, self.bias).flatten(0, 1)


class Decoder(nn.Module):
    """A language model as they are used: RMSNorm, rotary places, grouped heads, gated units, a cache of keys and values."""

    class Layer(nn.Module):
        def __init__(self, width, heads, key_heads):
            super().__init__()
            part = width // heads
            self.norm, self.last_norm = nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)
            self.q, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
            self.k, self.v = (nn.Linear(width, key_heads * part, bias=False) for _ in range(2))
            self.gate, self.wide = (nn.Linear(width, 3 * width, bias=False) for _ in range(2))
            self.narrow = nn.Linear(3 * width, width, bias=False)

    def __init__(self, words, width, layers, heads, key_heads, places):
        super().__init__()
        self.heads, self.key_heads, self.part, self.places = heads, key_heads, width // heads, places
        self.words = nn.Embedding(words, width)
        self.layers = nn.ModuleList(self.Layer(width, heads, key_heads) for _ in range(layers))
        self.norm, self.head = nn.RMSNorm(width, eps=1e-5), nn.Linear(width, words, bias=False)
        angles = torch.outer(torch.arange(places), 10000.0 ** (-torch.arange(0, self.part, 2) / self.part)).repeat(1, 2)
        self.register_buffer("cosines", angles.cos())
        self.register_buffer("sines", angles.sin())

    def cache(self, batch):
        weight = self.head.weight
        shape = (batch, self.key_heads, self.places, self.part)
        return [[torch.zeros(shape, device=weight.device, dtype=weight.dtype) for _ in range(2)] for _ in self.layers]

    def turned(self, x, at):
        half = torch.cat((-x[..., self.part // 2:], x[..., :self.part // 2]), -1)
        return x * self.cosines[at].to(x.dtype) + half * self.sines[at].to(x.dtype)

    def forward(self, ids, at, cache):
        batch, tokens = ids.shape
        x = self.words(ids)
        seen = torch.arange(self.places, device=ids.device) <= at[:, None]
        for layer, (keys, values) in zip(self.layers, cache, strict=True):
            y = layer.norm(x)
            q = self.turned(layer.q(y).view(batch, tokens, self.heads, self.part).transpose(1, 2), at)
            k = self.turned(layer.k(y).view(batch, tokens, self.key_heads, self.part).transpose(1, 2), at)
            v = layer.v(y).view(batch, tokens, self.key_heads, self.part).transpose(1, 2)
            keys.index_copy_(2, at, k)
            values.index_copy_(2, at, v)
            y = functional.scaled_dot_product_attention(q, keys, values, attn_mask=seen, enable_gqa=True)
            x = x + layer.out(y.transpose(1, 2).reshape(batch, tokens, -1))
            y = layer.last_norm(x)
            x = x + layer.narrow(functional.silu(layer.gate(y)) * layer.wide(y))
        return self.head(self.norm(x[:, -1]))
