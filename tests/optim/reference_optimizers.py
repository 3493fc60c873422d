# SPDX-License-Identifier: Apache-2.0
"""Optimizers of parity_chains.cc and parity_adafactors.cc: optax's if it has them, otherwise composed
of its parts. Each maps (parameters, gradients of 20 updates) to the parameters after each update."""

import re

import jax
import jax.numpy as jnp
import optax
from optax import contrib

from reference_schedules import parity_rate

LR = 0.05


def updates_of(tx, compile=lambda update: update):
    """Runs a GradientTransformation without compiling it, which would take longer. Compiled ones, as in
    programs, do not round products with bf16 slots."""

    def run(params, gradients):
        state, out = tx.init(params), []
        update = compile(tx.update)
        for gradient in gradients:
            updates, state = update(gradient, state, params)
            params = optax.apply_updates(params, updates)
            out.append(params)
        return out

    return run


def matrices(params):
    return {path: bool(re.fullmatch(".*/w_[a-z]+", path)) for path in params}


def seqax_rate(step):
    part = (step - 4) / 12
    decay = 0.05 * (0.1 + 0.9 * 0.5 * (1 + jnp.cos(jnp.pi * part)))
    return jnp.where(step < 4, 0.05 * step / 4, decay)


def last_two(*names):
    """For Muon: selects the parameters that are matrices, or stacks of them."""
    return lambda params: {
        p: contrib.MuonDimensionNumbers(-2, -1) if p.split("/")[-1] in names else None
        for p in params}


RATE = parity_rate(LR)
SMALL = parity_rate(0.02)


SGD = {
    "sgd": updates_of(optax.sgd(RATE)),
    "sgd_momentum": updates_of(optax.sgd(RATE, 0.9)),
    "sgd_nesterov": updates_of(optax.sgd(RATE, 0.9, nesterov=True)),
    "sgd_momentum_bf16": updates_of(optax.sgd(RATE, 0.9, accumulator_dtype=jnp.bfloat16), jax.jit),
}

ADAMS = {
    "adam": updates_of(optax.adam(RATE)),
    "adamw": updates_of(optax.adamw(RATE, 0.8, 0.95, 1e-6, 1e-5, weight_decay=0.1, mask=matrices)),
    "adamw_bf16": updates_of(optax.adamw(RATE, mu_dtype=jnp.bfloat16, weight_decay=0.1), jax.jit),
    "nadamw": updates_of(optax.nadamw(RATE, weight_decay=0.1)),
    "seqax_adamw": updates_of(optax.chain(
        optax.clip_by_global_norm(1.0), optax.adamw(seqax_rate, 0.9, 0.95, weight_decay=0.1))),
}

OTHERS = {
    "lion": updates_of(optax.lion(SMALL, weight_decay=0.1)),
    "lamb": updates_of(optax.lamb(SMALL, weight_decay=0.1)),
    "muon": updates_of(contrib.muon(
        SMALL, weight_decay=0.1, muon_weight_dimension_numbers=last_two("w_in", "w_out", "w_q", "embed"))),
    "muon_consistent": updates_of(contrib.muon(
        SMALL, nesterov=False, consistent_rms=0.2,
        muon_weight_dimension_numbers=last_two("w_out", "w_q", "embed"))),
}


def stepped(tx):
    return updates_of(optax.chain(tx, optax.scale(-0.05)))


def param_norm_clip(limit):
    """Clips by parameter norm, which no other system does. Each layer of a stack counts separately."""

    def update(updates, state, params=None):
        def clipped(path, u):
            over = tuple(range(1 if path.startswith("decoder/layers/") else 0, u.ndim))
            return u * jnp.minimum(1.0, limit / jnp.sqrt(jnp.sum(u * u, axis=over, keepdims=True)))

        return {path: clipped(path, u) for path, u in updates.items()}, state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


CLIPS = {
    "clip_by_global_norm": stepped(optax.clip_by_global_norm(0.5)),
    "clip_by_block_rms": stepped(optax.clip_by_block_rms(0.5)),
    "clip_by_param_norm": stepped(param_norm_clip(0.5)),
    "clip_by_value": stepped(optax.clip(0.3)),
    "ema": stepped(optax.ema(0.9)),
}

ADAFACTORS = {
    "optax_adafactor": updates_of(optax.adafactor(RATE, min_dim_size_to_factor=16)),
    "optax_adafactor_all": updates_of(optax.adafactor(
        RATE, min_dim_size_to_factor=20, decay_rate=0.7, multiply_by_parameter_scale=False,
        clipping_threshold=None, momentum=0.9, weight_decay_rate=0.01)),
}

ALL = {**SGD, **ADAMS, **OTHERS, **CLIPS, **ADAFACTORS}
