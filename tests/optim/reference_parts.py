# SPDX-License-Identifier: Apache-2.0
"""Parts of AXLearn's and Big Vision's chains that optax lacks, as optax transformations. Of a stack
of layers each layer is an array of its own here."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


def block(path, x):
    """The dimensions of one array."""
    return tuple(range(1 if path.startswith("decoder/layers/") else 0, x.ndim))


def stateless(f):
    """f(path, update, parameter) for every parameter."""

    def update(updates, state, params=None):
        return {p: f(p, u, params[p]) for p, u in updates.items()}, state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


def rms(path, x):
    return jnp.sqrt(jnp.mean(x * x, axis=block(path, x), keepdims=True))


def norm(path, x):
    return jnp.sqrt(jnp.sum(x * x, axis=block(path, x), keepdims=True))


def block_rms_clip(threshold):
    return stateless(lambda path, u, p: u / jnp.maximum(1.0, rms(path, u) / threshold))


def param_norm_clip(limit):
    return stateless(lambda path, u, p: u * jnp.minimum(1.0, limit / norm(path, u)))


def param_rms_scale(least):
    return stateless(lambda path, u, p: u * jnp.maximum(rms(path, p), least))


def trust_ratio(eps=0.0):
    def scaled(path, u, p):
        of_param, of_update = norm(path, p), norm(path, u)
        none = (of_param == 0) | (of_update == 0)
        return u * jnp.where(none, 1.0, of_param / (of_update + eps))

    return stateless(scaled)


def drop_clip(max_norm, drop_norm, eps):
    def update(updates, state, params=None):
        size = optax.global_norm(updates)
        scale = jnp.minimum(1.0, max_norm / (size + eps)) * (size < drop_norm)
        return jax.tree.map(lambda u: u * scale, updates), state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


class Count(NamedTuple):
    count: jax.Array


def per_path(factor):
    """Times factor(path, count)."""

    def update(updates, state, params=None):
        out = {p: u * factor(p, state.count) for p, u in updates.items()}
        return out, Count(state.count + 1)

    return optax.GradientTransformation(lambda params: Count(jnp.zeros([], jnp.int32)), update)


def add_decay(decay, rate=lambda count: 1.0):
    """Plus decay(path) * rate(count) * parameter."""

    def update(updates, state, params=None):
        out = {p: u + decay(p) * rate(state.count) * params[p] for p, u in updates.items()}
        return out, Count(state.count + 1)

    return optax.GradientTransformation(lambda params: Count(jnp.zeros([], jnp.int32)), update)


def over_root_of_squares(decay, eps_square):
    """A gradient over the root of the average square so far, of those with a number added."""

    def update(updates, squares, params=None):
        squares = {p: decay * squares[p] + (1 - decay) * (u * u + eps_square)
                   for p, u in updates.items()}
        return {p: u / jnp.sqrt(squares[p]) for p, u in updates.items()}, squares

    return optax.GradientTransformation(lambda params: jax.tree.map(jnp.zeros_like, params), update)


class Averages(NamedTuple):
    count: jax.Array
    average: dict
    step_size: dict


def axlearn_ema(decay, debias, dtype):
    """decay(number of the update). Integers: equal steps for each column, of at most dtype's."""
    is_integer = jnp.issubdtype(dtype, jnp.integer)

    def stored(x):
        if x.ndim == 0:
            return x, jnp.zeros(1)
        if not is_integer:
            return x.astype(dtype), jnp.zeros(1)
        size = jnp.abs(x).max(axis=0) / jnp.iinfo(dtype).max
        return jnp.round(x / jnp.where(size > 0, size, 1)).astype(dtype), size

    def restored(x, size):
        return x.astype(jnp.float32) * size[None] if jnp.issubdtype(x.dtype, jnp.integer) else x

    def init(params):
        pairs = {p: stored(jnp.zeros_like(x)) for p, x in params.items()}
        return Averages(jnp.zeros([], jnp.int32), {p: a for p, (a, _) in pairs.items()},
                        {p: s for p, (_, s) in pairs.items()})

    def update(updates, state, params=None):
        number = state.count + 1
        d = decay(number)
        new = {p: (1 - d) * u + d * restored(state.average[p], state.step_size[p])
               for p, u in updates.items()}
        pairs = {p: stored(x) for p, x in new.items()}
        out = {p: x / (1 - d**number) if debias else x for p, x in new.items()}
        return out, Averages(number, {p: a for p, (a, _) in pairs.items()},
                             {p: s for p, (_, s) in pairs.items()})

    return optax.GradientTransformation(init, update)


class SecondMoments(NamedTuple):
    count: jax.Array
    row: dict
    col: dict
    whole: dict


# Which parameters declare rows and columns: the last two dimensions of these.
DECLARED = ("decoder/w_in", "decoder/w_out", "decoder/layers/w_q")


def axlearn_factored_rms(decay, eps=1e-30, factored=True):
    """`row` is averaged over the declared rows, `col` over the columns."""
    is_factored = lambda path: factored and path in DECLARED

    def init(params):
        chosen = {p: x for p, x in params.items() if is_factored(p)}
        return SecondMoments(
            jnp.zeros([], jnp.int32), {p: 0 * x.mean(-2) for p, x in chosen.items()},
            {p: 0 * x.mean(-1) for p, x in chosen.items()},
            {p: jnp.zeros_like(x) for p, x in params.items() if not is_factored(p)})

    def update(updates, state, params=None):
        number = state.count + 1
        d = decay(number)
        mixed = lambda old, new: d * old + (1 - d) * new
        squares = {p: u * u + eps for p, u in updates.items()}
        row = {p: mixed(v, squares[p].mean(-2)) for p, v in state.row.items()}
        col = {p: mixed(v, squares[p].mean(-1)) for p, v in state.col.items()}
        whole = {p: mixed(v, squares[p]) for p, v in state.whole.items()}

        def scaled(p, u):
            if p in whole:
                return u / jnp.sqrt(whole[p])
            relative = row[p] / row[p].mean(-1, keepdims=True)
            return u / jnp.sqrt(relative[..., None, :]) / jnp.sqrt(col[p][..., :, None])

        return ({p: scaled(p, u) for p, u in updates.items()},
                SecondMoments(number, row, col, whole))

    return optax.GradientTransformation(init, update)
