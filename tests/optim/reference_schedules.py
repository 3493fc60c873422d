# SPDX-License-Identifier: Apache-2.0
"""Schedules of parity_schedules.cc: by optax, else by their formulas in plain Python."""

import math

import optax


def seqax(step):
    if step < 6:
        return 0.4 * step / 6
    return 0.4 * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * (step - 6) / 19)))


def parity_rate(peak):
    """What the optimizers' cases use."""
    return optax.warmup_cosine_decay_schedule(0, peak, 5, 30)


ALL = {
    "optax_linear": optax.polynomial_schedule(0.2, 1.5, 1, 10, 3),
    "optax_cosine_decay": optax.cosine_decay_schedule(0.3, 17, 0.1),
    "optax_warmup_cosine": parity_rate(0.4),
    "piecewise_constant": optax.piecewise_constant_schedule(2.0, {5: 0.5, 11: 0.1}),
    "seqax": seqax,
}
