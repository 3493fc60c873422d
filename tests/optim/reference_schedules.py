# SPDX-License-Identifier: Apache-2.0
"""Schedules of parity_schedules.cc: by optax, else by their formulas in plain Python."""

import math

import optax


def polynomial(step, power=1.0):
    done = min(max((step - 3) / 10, 0), 1)
    return 0.2 + 1.3 * done**power


def exponential(step):
    done = min(max((step - 3) / 10, 0), 1)
    return 0.2 ** (1 - done) * 1.5**done


def axlearn_adafactor(step):
    at = step + 1
    return 2 * min(at * 9 ** (-1.6), at**-0.6)


def ema_schedule(step):
    at = max(step - 2, 0)
    return at / (1 + at) if at < 6 else 0.9


def line(step):
    return 1 + min(max(step, 0), 10) / 10


def stepwise(step):
    if step < 4:
        return line(step)
    return 0.5 if step < 9 else line(step - 9)


def segment_wise(step):
    """Segments of 4 and 5 steps, which count from 1."""
    if step < 1:
        return 0
    if step <= 4:
        return line(step)
    return 0.5 if step <= 9 else line(step - 9)


def warmed_up(step, after, warmup=6):
    """Up from 0.1 to 0.4, then after(steps since then)."""
    if step < 1:
        return 0
    if step <= warmup:
        return 0.1 + 0.3 * step / warmup
    return after(step - warmup)


def cosine(step, length, alpha=0.0):
    return 0.4 * ((1 - alpha) * 0.5 * (1 + math.cos(math.pi * min(step, length) / length)) + alpha)


def falling(step, length, to):
    return 0.4 + (to - 0.4) * min(step / length, 1)


def seqax(step):
    if step < 6:
        return 0.4 * step / 6
    return 0.4 * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * (step - 6) / 19)))


def t5x(*factors):
    def schedule(step):
        step = max(0, step - 2)
        out = 1.0
        for factor in factors:
            out *= {
                "constant": 0.7,
                "linear_warmup": min(1, step / 6),
                "linear_decay": 0.7 * min(step / 6, 1 + 0.03 * (6 - step)),
                "rsqrt_decay": max(step, 6) ** -0.5,
                "rsqrt_normalized_decay": 6**0.5 * max(step, 6) ** -0.5,
                "decay_every": 0.03 ** (step // 5),
                "cosine_decay": max(0, 0.5 * (1 + math.cos(math.pi * (max(0, (step - 6) / 13) % 1)))),
            }[factor]
        return max(out, 1e-3)

    return schedule


def big_vision(decay):
    def schedule(step):
        base, total, warmup, cooldown = 0.5 * 512 / 256, 30, 5, 7
        progress = min(max((step - warmup) / (total - warmup), 0), 1)
        if decay == "polynomial":
            rate = 0.05 + (base - 0.05) * (1 - progress) ** 2
        elif decay == "cosine":
            rate = base * 0.5 * (1 + math.cos(math.pi * progress))
        elif decay == "rsqrt":
            late = step - warmup if warmup <= step else 0
            rate = base / math.sqrt(1 + (late + 3) / 9)
        elif decay == "rsqrt_2023":
            rate = base / math.sqrt((step + 9 - warmup) / 9) if warmup < step else base
        else:
            rate = base * (1 if step + 1 <= 4 else 0.5 if step + 1 <= 11 else 0.25)
        return rate * min(1, step / warmup) * min(1, (total - step) / cooldown)

    return schedule


def parity_rate(peak):
    """What the optimizers' cases use."""
    return optax.warmup_cosine_decay_schedule(0, peak, 5, 30)


ALL = {
    "constant": lambda step: 0.3,
    "linear": optax.polynomial_schedule(0.2, 1.5, 1, 10, 3),
    "polynomial": lambda step: polynomial(step, 2.5),
    "polynomial_of_no_length": lambda step: 7,
    "exponential": exponential,
    "inverse_sqrt": lambda step: max(step, 7) ** -0.5,
    "cosine_decay": optax.cosine_decay_schedule(0.3, 17, 0.1),
    "axlearn_adafactor": axlearn_adafactor,
    "adafactor_decay_rate": lambda step: 1 - max(step - 4, 1) ** -0.7,
    "decay_bias_correction": lambda step: (
        0.9 * (1 - 0.9 ** (step - 1)) / (1 - 0.9**step) if step else -math.inf),
    "ema_schedule": ema_schedule,
    "piecewise_constant": optax.piecewise_constant_schedule(2.0, {5: 0.5, 11: 0.1}),
    "stepwise": stepwise,
    "segment_wise": segment_wise,
    "warmup_cosine": lambda step: warmed_up(step, lambda at: cosine(at, 19, 0.1)),
    "cosine_without_warmup": lambda step: cosine(step, 25) if step else 0,
    "warmup_level_cosine": lambda step: warmed_up(
        step, lambda at: cosine(at - 6, 13, 0.05) if at > 6 else 0.4),
    "warmup_constant": lambda step: warmed_up(step, lambda at: 0.4),
    "warmup_linear": lambda step: warmed_up(step, lambda at: falling(at, 19, 0.05)),
    "warmup_stable_decay": lambda step: warmed_up(
        step, lambda at: falling(at - 9, 10, 0.08) if at > 9 else 0.4),
    "optax_warmup_cosine": parity_rate(0.4),
    "seqax": seqax,
    "t5x_rsqrt": t5x("constant", "linear_warmup", "rsqrt_decay"),
    "t5x_normalized": t5x("constant", "linear_warmup", "rsqrt_normalized_decay"),
    "t5x_linear": t5x("linear_decay"),
    "t5x_every": t5x("constant", "decay_every"),
    "t5x_cosine": t5x("constant", "linear_warmup", "cosine_decay"),
    "big_vision_stair": big_vision("stair"),
    "big_vision_cosine": big_vision("cosine"),
    "big_vision_polynomial": big_vision("polynomial"),
    "big_vision_rsqrt": big_vision("rsqrt"),
    "big_vision_rsqrt_2023": big_vision("rsqrt_2023"),
}
