# SPDX-License-Identifier: Apache-2.0
"""Optimizers of parity_chains.cc and parity_adafactors.cc: of optax where it has them, else put
together from its parts and from those in reference_parts.py. Each maps (parameters, gradients of 20
updates) to the parameters after each update."""

import re

import jax.numpy as jnp
import optax
from optax import contrib

from reference_parts import (add_decay, axlearn_ema, axlearn_factored_rms, block_rms_clip, drop_clip,
                             over_root_of_squares, param_norm_clip, param_rms_scale, per_path,
                             trust_ratio)
from reference_schedules import parity_rate
from reference_t5x import t5x_adafactor

LR = 0.05


def updates_of(tx):
    """The results of a GradientTransformation; not compiled, which would take longer."""

    def run(params, gradients):
        state, out = tx.init(params), []
        for gradient in gradients:
            updates, state = tx.update(gradient, state, params)
            params = optax.apply_updates(params, updates)
            out.append(params)
        return out

    return run


def later(schedule):
    """AXLearn's schedules are asked for step 1 first."""
    return lambda count: schedule(count + 1)


def down(schedule):
    return optax.scale_by_schedule(lambda count: -schedule(count))


def matrices(params):
    return {path: bool(re.fullmatch(".*/w_[a-z]+", path)) for path in params}


def seqax_rate(step):
    part = (step - 4) / 12
    decay = 0.05 * (0.1 + 0.9 * 0.5 * (1 + jnp.cos(jnp.pi * part)))
    return jnp.where(step < 4, 0.05 * step / 4, decay)


def last_two(*names):
    """For Muon: which parameters are matrices, or stacks of them."""
    return lambda params: {
        p: contrib.MuonDimensionNumbers(-2, -1) if p.split("/")[-1] in names else None
        for p in params}


RATE = parity_rate(LR)
SMALL = parity_rate(0.02)
ADAM = optax.scale_by_adam(0.9, 0.999, 1e-8)


def param_ema(params, gradients):
    """AdamW, and the averages of its parameters last."""
    steps = updates_of(optax.chain(ADAM, down(later(RATE))))(params, gradients)
    average = {path: 0 * value for path, value in params.items()}
    for number, values in enumerate(steps, 1):
        decay = number / (1 + number) if number < 4 else 0.8
        average = {p: (1 - decay) * values[p] + decay * average[p] for p in params}
    return steps + [average]


def big_vision(scaling, wd, lr_mults=None, norm=None, schedules=None, frozen=()):
    """Clip, scale, learning rate, multipliers, decay, schedules, sign; frozen ones left out."""
    schedules = schedules or (lambda path: parity_rate(1))
    parts = [optax.clip_by_global_norm(norm)] if norm else []
    parts += [scaling, optax.scale(0.05)]
    if lr_mults:
        parts.append(per_path(lambda path, count: lr_mults(path)))
    parts += [add_decay(wd), per_path(lambda path, count: schedules(path)(count)), optax.scale(-1)]
    run = updates_of(optax.chain(*parts))

    def without_frozen(params, gradients):
        moving = lambda tree: {p: x for p, x in tree.items() if p not in frozen}
        kept = {p: params[p] for p in frozen}
        return [kept | after for after in run(moving(params), [moving(g) for g in gradients])]

    return without_frozen


def big_vision_decay(path):
    if re.fullmatch(".*/w_in", path):
        return 0.01
    return 0.005 if re.fullmatch(".*/w_[a-z]+", path) else 0


def big_vision_rms(count, exponent):
    return jnp.minimum(0.8, 1 - (jnp.float32(count) + 1) ** -exponent)


SGD = {
    "sgd": updates_of(optax.sgd(RATE)),
    "sgd_momentum": updates_of(optax.sgd(RATE, 0.9)),
    "sgd_nesterov": updates_of(optax.sgd(RATE, 0.9, nesterov=True)),
    "sgd_momentum_bf16": updates_of(optax.sgd(RATE, 0.9, accumulator_dtype=jnp.bfloat16)),
    "axlearn_sgd_decoupled": updates_of(optax.chain(
        optax.trace(0.9), optax.add_decayed_weights(0.1), down(later(RATE)))),
    "axlearn_sgd_coupled": updates_of(optax.chain(
        optax.add_decayed_weights(0.1, matrices), optax.trace(0.9), down(later(RATE)))),
}

ADAMS = {
    "adam": updates_of(optax.adam(RATE)),
    "adamw": updates_of(optax.adamw(RATE, 0.8, 0.95, 1e-6, 1e-5, weight_decay=0.1, mask=matrices)),
    "adamw_bf16": updates_of(optax.adamw(RATE, mu_dtype=jnp.bfloat16, weight_decay=0.1)),
    "nadamw": updates_of(optax.nadamw(RATE, weight_decay=0.1)),
    "axlearn_adamw": updates_of(optax.chain(
        ADAM, optax.add_decayed_weights(0.1), down(later(RATE)))),
    "axlearn_adam_l2": updates_of(optax.chain(
        optax.add_decayed_weights(0.01), ADAM, down(later(RATE)))),
    "axlearn_adamw_decoupled": updates_of(optax.chain(
        optax.scale_by_adam(0.95, 0.999, 1e-8), optax.scale(0.05), optax.add_decayed_weights(0.01),
        down(later(parity_rate(1))))),
    "seqax_adamw": updates_of(optax.chain(
        optax.clip_by_global_norm(1.0), optax.adamw(seqax_rate, 0.9, 0.95, weight_decay=0.1))),
    "axlearn_param_ema": param_ema,
}

OTHERS = {
    "lion": updates_of(optax.lion(SMALL, weight_decay=0.1)),
    "axlearn_lion": updates_of(optax.chain(
        optax.scale_by_lion(0.95, 0.98, mu_dtype=jnp.bfloat16), param_rms_scale(1e-3),
        optax.add_decayed_weights(0.1), down(later(SMALL)))),
    "axlearn_adastar": updates_of(optax.chain(
        optax.scale_by_adam(0.9, 0.99, 1e-6), optax.scale(0.05), optax.add_decayed_weights(0.01),
        down(parity_rate(1)))),
    "axlearn_adastar_averaged": updates_of(optax.chain(
        over_root_of_squares(0.98, 1e-3), block_rms_clip(0.5), optax.ema(0.8, debias=False),
        optax.scale(0.05), down(parity_rate(1)))),
    "lamb": updates_of(optax.lamb(SMALL, weight_decay=0.1)),
    "lamb_by_layer": updates_of(optax.chain(
        optax.scale_by_adam(eps=1e-6), optax.add_decayed_weights(0.1), trust_ratio(), down(SMALL))),
    "muon": updates_of(contrib.muon(
        SMALL, weight_decay=0.1, muon_weight_dimension_numbers=last_two("w_in", "w_out", "w_q", "embed"))),
    "muon_consistent": updates_of(contrib.muon(
        SMALL, nesterov=False, consistent_rms=0.2,
        muon_weight_dimension_numbers=last_two("w_out", "w_q", "embed"))),
}


def stepped(tx):
    return updates_of(optax.chain(tx, optax.scale(-0.05)))


CLIPS = {
    "clip_by_global_norm": stepped(optax.clip_by_global_norm(0.5)),
    "axlearn_clip": stepped(drop_clip(2.0, 20.0, 0.1)),
    "clip_by_block_rms": stepped(optax.clip_by_block_rms(0.5)),
    "axlearn_clip_by_block_rms": stepped(block_rms_clip(0.5)),
    "clip_by_param_norm": stepped(param_norm_clip(0.5)),
    "clip_by_value": stepped(optax.clip(0.3)),
    "scale_by_param_rms": stepped(param_rms_scale(1e-3)),
    "ema": stepped(optax.ema(0.9)),
    "axlearn_ema_bf16": stepped(axlearn_ema(
        lambda t: 0.9 * (1 - 0.9 ** (t - 1.0)) / (1 - 0.9**t), False, jnp.bfloat16)),
    "axlearn_ema_s8": stepped(axlearn_ema(lambda t: 0.9, True, jnp.int8)),
    "axlearn_ema_s16": stepped(axlearn_ema(lambda t: 0.9, True, jnp.int16)),
}

ADAFACTORS = {
    "optax_adafactor": updates_of(optax.adafactor(RATE, min_dim_size_to_factor=16)),
    "optax_adafactor_all": updates_of(optax.adafactor(
        RATE, min_dim_size_to_factor=20, decay_rate=0.7, multiply_by_parameter_scale=False,
        clipping_threshold=None, momentum=0.9, weight_decay_rate=0.01)),
    "axlearn_adafactor": updates_of(optax.chain(
        axlearn_factored_rms(lambda t: 1 - t**-0.8), block_rms_clip(1.0), down(later(RATE)))),
    "axlearn_adafactor_all": updates_of(optax.chain(
        axlearn_factored_rms(lambda t: 0.98 * (1 - 0.98 ** (t - 1.0)) / (1 - 0.98**t), 1e-10),
        block_rms_clip(0.8),
        optax.scale_by_schedule(later(RATE)),
        param_rms_scale(1e-3),
        axlearn_ema(lambda t: 0.9 * (1 - 0.9 ** (t - 1.0)) / (1 - 0.9**t), False, jnp.float32),
        add_decay(lambda path: 0.1, later(RATE)),
        optax.scale(-1))),
    "axlearn_adafactor_lamb": updates_of(optax.chain(
        axlearn_factored_rms(lambda t: 1 - t**-0.8, 0.5, factored=False), block_rms_clip(1.0),
        optax.scale_by_schedule(later(RATE)), optax.add_decayed_weights(0.01), trust_ratio(0.5),
        optax.scale(-1))),
    "t5x_adafactor": t5x_adafactor(RATE, min_size=16),
    "t5x_adafactor_all": t5x_adafactor(
        RATE, min_size=16, beta1=0.9, decay_rate=0.7, weight_decay=0.1, lr_exponent=2.0,
        max_scale=0.9, global_norm=2.0, by_axes=True,
        scales=lambda path: not re.search("w_(in|q)|embed$", path)),
    "t5x_adafactor_decay": t5x_adafactor(RATE, min_size=None, clip=None, weight_decay=0.01),
    "big_vision_adafactor": big_vision(
        optax.chain(
            optax.scale_by_factored_rms(min_dim_size_to_factor=16, decay_rate_fn=big_vision_rms),
            optax.clip_by_block_rms(1.0),
            optax.ema(0.9, debias=False, accumulator_dtype=jnp.bfloat16)),
        lambda path: 0.01 if re.fullmatch(".*/w_[a-z]+", path) else 0, norm=1.0),
}

BIG_VISION = {
    "big_vision_adam": big_vision(
        optax.scale_by_adam(mu_dtype=jnp.bfloat16), big_vision_decay,
        lr_mults=lambda path: 0.5 if path.startswith("decoder/") else 1, norm=1.0,
        schedules=lambda path: parity_rate(2 if path.endswith("/w_q") else 1),
        frozen=["decoder/norm"]),
    "big_vision_momentum_hp": big_vision(
        optax.trace(0.9, accumulator_dtype=jnp.bfloat16), lambda path: 0.1),
}

ALL = {**SGD, **ADAMS, **OTHERS, **CLIPS, **ADAFACTORS, **BIG_VISION}

ROUNDED_SLOTS = [
    "sgd_momentum_bf16", "adamw_bf16", "axlearn_lion", "axlearn_ema_bf16", "axlearn_ema_s8",
    "axlearn_ema_s16", "big_vision_adafactor", "big_vision_adam", "big_vision_momentum_hp",
]
