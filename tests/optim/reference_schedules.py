# SPDX-License-Identifier: Apache-2.0
"""The schedules of parity_schedules.cc in optax."""

import optax


def parity_rate(peak):
    """The learning rate of the optimizer cases."""
    return optax.warmup_cosine_decay_schedule(0, peak, 5, 30)


ALL = {
    "optax_linear": optax.polynomial_schedule(0.2, 1.5, 1, 10, 3),
    "optax_cosine_decay": optax.cosine_decay_schedule(0.3, 17, 0.1),
    "optax_warmup_cosine": parity_rate(0.4),
    "piecewise_constant": optax.piecewise_constant_schedule(2.0, {5: 0.5, 11: 0.1}),
}
