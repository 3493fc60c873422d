# SPDX-License-Identifier: Apache-2.0
"""The models of the step bench in PyTorch: modules whose forward returns the loss of a batch."""

import torch
import torch.nn.functional as F
from torch import nn

from config import relative_buckets, rope_tables

ACTIVATIONS = {"gelu": lambda x: F.gelu(x, approximate="tanh"), "relu": F.relu, "silu": F.silu}


def norm(s):
    if s.norm == "layer":
        return nn.LayerNorm(s.embed, eps=s.epsilon)
    return nn.RMSNorm(s.embed, eps=s.epsilon)


class Layer(nn.Module):
    def __init__(self, s, has_cross=False):
        super().__init__()
        self.s = s
        width, kv_width = s.heads * s.dim, s.kv_heads * s.dim
        self.norm1 = norm(s)
        self.qkv = nn.Linear(s.embed, width + 2 * kv_width, bias=s.bias)
        self.out = nn.Linear(width, s.embed, bias=s.bias)
        if has_cross:
            self.norm_cross = norm(s)
            self.cross_q = nn.Linear(s.embed, width, bias=s.bias)
            self.cross_kv = nn.Linear(s.embed, 2 * width, bias=s.bias)
            self.cross_out = nn.Linear(width, s.embed, bias=s.bias)
        self.norm2 = norm(s)
        if s.gated:
            self.gate = nn.Linear(s.embed, s.mlp, bias=s.bias)
        self.up = nn.Linear(s.embed, s.mlp, bias=s.bias)
        self.down = nn.Linear(s.mlp, s.embed, bias=s.bias)
        self.activation = ACTIVATIONS[s.activation]

    def heads(self, x):
        return x.view(*x.shape[:2], -1, self.s.dim).transpose(1, 2)

    def attend(self, q, k, v, **options):
        if q.is_cuda:
            options["enable_gqa"] = k.shape[1] != q.shape[1]
        elif k.shape[1] != q.shape[1]:  # faster on CPUs than enable_gqa
            k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
        mixed = F.scaled_dot_product_attention(q, k, v, scale=self.s.scale, **options)
        return mixed.transpose(1, 2).flatten(2)

    def forward(self, x, rope=None, cross=None, **options):
        width, kv_width = self.s.heads * self.s.dim, self.s.kv_heads * self.s.dim
        q, k, v = map(self.heads, self.qkv(self.norm1(x)).split((width, kv_width, kv_width), -1))
        if rope is not None:
            q, k = rotated(rope, q), rotated(rope, k)
        x = x + self.out(self.attend(q, k, v, **options))
        if cross is not None:
            memory, mask = cross
            k, v = map(self.heads, self.cross_kv(memory).chunk(2, -1))
            q = self.heads(self.cross_q(self.norm_cross(x)))
            x = x + self.cross_out(self.attend(q, k, v, attn_mask=mask))
        y = self.norm2(x)
        hidden = self.activation(self.gate(y)) * self.up(y) if self.s.gated else self.activation(self.up(y))
        return x + self.down(hidden)


def rotated(tables, x):
    cosine, sine = tables
    a, b = x.float().chunk(2, -1)
    return torch.cat((a * cosine - b * sine, b * cosine + a * sine), -1).to(x.dtype)


def cross_entropy(logits, labels, weights=None):
    losses = F.cross_entropy(logits.flatten(0, -2).float(), labels.flatten().long(), reduction="none")
    return losses.mean() if weights is None else (losses * weights.flatten()).sum() / weights.sum()


class Lm(nn.Module):
    def __init__(self, s, length):
        super().__init__()
        self.embed = nn.Embedding(s.vocab, s.embed)
        if s.positions == "learned":
            self.position = nn.Embedding(s.max_len, s.embed)
            self.register_buffer("order", torch.arange(length))
        else:
            for name, table in zip(("cosine", "sine"), rope_tables(s, length)):
                self.register_buffer(name, torch.from_numpy(table))
        self.layers = nn.ModuleList(Layer(s) for _ in range(s.layers))
        self.final_norm = norm(s)
        self.unembed = nn.Linear(s.embed, s.vocab, bias=False)
        if s.tied_embedding:
            self.unembed.weight = self.embed.weight
        self.rope = s.positions == "rope"

    def forward(self, batch):
        x = self.embed(batch["inputs"])
        if not self.rope:
            x = x + self.position(self.order)
        rope = (self.cosine, self.sine) if self.rope else None
        for layer in self.layers:
            x = layer(x, rope=rope, is_causal=True)
        return cross_entropy(self.unembed(self.final_norm(x)), batch["targets"], batch["weights"])


class Vit(nn.Module):
    def __init__(self, s, images):
        super().__init__()
        self.size = s.patch
        _, height, width, channels = images
        self.patches = nn.Linear(s.patch * s.patch * channels, s.embed)
        self.position = nn.Parameter(torch.empty((height // s.patch) * (width // s.patch), s.embed))
        self.layers = nn.ModuleList(Layer(s) for _ in range(s.layers))
        self.final_norm = norm(s)
        self.head = nn.Linear(s.embed, s.classes)

    def forward(self, batch):
        images, size = batch["images"], self.size
        cut = images.unflatten(1, (-1, size)).unflatten(3, (-1, size)).transpose(2, 3)
        x = self.patches(cut.flatten(3).flatten(1, 2)) + self.position
        for layer in self.layers:
            x = layer(x)
        return cross_entropy(self.head(self.final_norm(x).mean(1)), batch["labels"])


class Seq2Seq(nn.Module):
    def __init__(self, s, src, length):
        super().__init__()
        self.s = s
        self.embed = nn.Embedding(s.vocab, s.embed)
        self.encoder_bias = nn.Embedding(s.num_buckets, s.heads)
        self.decoder_bias = nn.Embedding(s.num_buckets, s.heads)
        self.encoder = nn.ModuleList(Layer(s) for _ in range(s.encoder_layers))
        self.decoder = nn.ModuleList(Layer(s, has_cross=True) for _ in range(s.decoder_layers))
        self.encoder_norm, self.decoder_norm = norm(s), norm(s)
        self.register_buffer("of_encoder", torch.from_numpy(relative_buckets(s, src, src, True)))
        self.register_buffer("of_decoder", torch.from_numpy(relative_buckets(s, length, length, False)))
        self.register_buffer("future", torch.ones(length, length, dtype=torch.bool).triu(1))

    def forward(self, batch):
        source = batch["encoder_inputs"]
        seen = (source != 0)[:, None, None, :]
        bias = self.encoder_bias(self.of_encoder).permute(2, 0, 1)
        mask = bias.masked_fill(~seen, -torch.inf)
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, attn_mask=mask)
        cross = (self.encoder_norm(x), seen)
        bias = self.decoder_bias(self.of_decoder).permute(2, 0, 1)
        mask = bias.masked_fill(self.future, -torch.inf)
        x = self.embed(batch["decoder_inputs"])
        for layer in self.decoder:
            x = layer(x, attn_mask=mask, cross=cross)
        x = self.decoder_norm(x) * self.s.embed**-0.5
        return cross_entropy(F.linear(x, self.embed.weight), batch["targets"], batch["weights"])


def model(s, batch):
    """Creates the model for this batch, with uninitialised parameters."""
    if s.task == "lm":
        return Lm(s, batch["inputs"].shape[1])
    if s.task == "image_classification":
        return Vit(s, batch["images"].shape)
    return Seq2Seq(s, batch["encoder_inputs"].shape[1], batch["decoder_inputs"].shape[1])
