#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/random/jax.txt and jax_rbg.txt: random numbers of JAX, for tests/random.

    python tools/make_goldens/jax_random.py            # write
    python tools/make_goldens/jax_random.py --check    # compare, to see that another JAX agrees

Each case has the key fold_in(key(42), md5 of its name), and is compiled with its parameters as
constants, as in a training program: parameters that come at run time may round differently in the
last bit. JAX counts with 64 bits only where the case needs them. The bits of rbg keys are those of XLA's
generator on CPUs: if a later one has others, generate the second file again with its JAX. The
first line of a case is `name dtype [dims] kind`:
  bits    the elements in row-major order follow as hexadecimal words
  md5 X   X is the digest of the little-endian bytes
  about   the elements follow as decimal numbers: XLA's logarithm of f64 changes between versions
"""

import argparse
import hashlib
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import random  # noqa: E402

jax.config.update("jax_threefry_partitionable", True)

FOLDER = pathlib.Path(__file__).parents[2] / "tests/golden/random"
MADE_BY = "# Made by tools/make_goldens/jax_random.py; JAX "
# The kind of keys: the file, and its first line.
FILES = {"threefry2x32": ("jax.txt", MADE_BY + "0.10.2 and 0.11.2 give the same."),
         "rbg": ("jax_rbg.txt", MADE_BY + "0.10.2 on a CPU.")}
SMALL = (4, 6)
LARGE = (1024, 264)
NAMES = {
    "bool": "pred", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "int8": "s8",
    "int16": "s16", "int32": "s32", "int64": "s64", "float16": "f16", "bfloat16": "bf16",
    "float32": "f32", "float64": "f64",
}
FLOATS = (jnp.float16, jnp.bfloat16, jnp.float32, jnp.float64)
UNSIGNED = (jnp.uint8, jnp.uint16, jnp.uint32, jnp.uint64)
SIGNED = (jnp.int8, jnp.int16, jnp.int32, jnp.int64)


def name_of(dtype):
    return NAMES[np.dtype(dtype).name]


def logits(shape):
    """Made of exact fractions, so that the test makes the same without a file."""
    count = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    return jnp.asarray(count * 37 % 64 / 16 - 2, jnp.float32)


def key_cases():
    data = random.key_data
    yield "split.3", lambda k: data(random.split(k, 3))
    yield "split.2x3", lambda k: data(random.split(k, (2, 3)))
    yield "fold_in.0", lambda k: data(random.fold_in(k, 0))
    yield "fold_in.deadbeef", lambda k: data(random.fold_in(k, 0xDEADBEEF))
    yield "fold_in.batch", lambda k: data(jax.vmap(lambda i: random.fold_in(k, i))(jnp.arange(5)))
    for seed in (0, 42, -1, 2**32 - 1, -(2**31)):
        # 32 bits wide, as JAX without x64 takes them
        yield f"key.{seed}", lambda k, s=seed: data(random.key(np.uint32(s % 2**32)))
    for seed in (2**32 + 5, -(2**40), 2**63 - 1):
        yield f"key.{seed}", lambda k, s=seed: data(random.key(np.int64(s)))


def bits_cases(shape, suffix):
    for dtype in UNSIGNED:
        yield f"bits.{name_of(dtype)}{suffix}", lambda k, d=dtype: random.bits(k, shape, d)


def float_cases(shape, suffix, dtypes):
    for dtype in dtypes:
        n = name_of(dtype) + suffix
        yield f"uniform.{n}", lambda k, d=dtype: random.uniform(k, shape, d)
        yield f"uniform_range.{n}", lambda k, d=dtype: random.uniform(k, shape, d, -0.75, 2.5)
        yield f"normal.{n}", lambda k, d=dtype: random.normal(k, shape, d)
        yield f"truncated_normal.{n}", (
            lambda k, d=dtype: random.truncated_normal(k, -2, 2, shape, d))
        yield f"truncated_normal_tail.{n}", (
            lambda k, d=dtype: random.truncated_normal(k, 1.5, 3.0, shape, d))
        yield f"exponential.{n}", lambda k, d=dtype: random.exponential(k, shape, d)
        yield f"gumbel.{n}", lambda k, d=dtype: random.gumbel(k, shape, d)
    n = suffix
    yield f"gumbel_high{n}", lambda k: random.gumbel(k, shape, jnp.float32, mode="high")
    yield f"bernoulli{n}", lambda k: random.bernoulli(k, jnp.float32(0.3), shape)
    yield f"bernoulli_high{n}", lambda k: random.bernoulli(k, jnp.float32(0.3), shape, mode="high")
    yield f"bernoulli_bf16{n}", lambda k: random.bernoulli(k, jnp.bfloat16(0.3), shape)


def integer_cases(shape):
    for dtype in SIGNED + UNSIGNED:
        info = jnp.iinfo(dtype)
        n = name_of(dtype)
        low = -5 if info.min < 0 else 5
        yield f"randint.{n}", lambda k, d=dtype, a=low: random.randint(k, shape, a, 90, d)
    for dtype in (jnp.int8, jnp.uint8, jnp.int32, jnp.uint32):
        info = jnp.iinfo(dtype)
        yield f"randint_all.{name_of(dtype)}", lambda k, d=dtype, i=info: random.randint(
            k, shape, int(i.min), int(i.max) + 1, d)
    yield "randint_top.u32", lambda k: random.randint(k, shape, 2**32 - 10, 2**32, jnp.uint32)
    yield "randint_empty", lambda k: random.randint(k, shape, 7, 3, jnp.int32)
    yield "randint_array", lambda k: random.randint(
        k, shape, jnp.arange(6) - 3, jnp.arange(4)[:, None] * 1000 + 10, jnp.int32)


def choice_cases():
    yield "categorical", lambda k: random.categorical(k, logits((5, 7))).astype(jnp.int32)
    yield "categorical_axis", lambda k: random.categorical(k, logits((5, 7)), 0).astype(jnp.int32)
    yield "categorical_shape", lambda k: random.categorical(
        k, logits((5, 7)), 1, (3, 2, 5)).astype(jnp.int32)
    yield "categorical_high", lambda k: random.categorical(
        k, logits((5, 7)), mode="high").astype(jnp.int32)
    yield "permutation", lambda k: random.permutation(k, 50).astype(jnp.int32)
    yield "permutation.large", lambda k: random.permutation(k, 5000).astype(jnp.int32)
    yield "permutation_axis", lambda k: random.permutation(k, logits((6, 8)), 1)
    yield "permutation_independent", lambda k: random.permutation(
        k, logits((6, 8)), 1, independent=True)


def cases():
    yield from key_cases()
    yield from bits_cases(SMALL, "")
    yield from bits_cases(LARGE, ".large")
    yield from float_cases(SMALL, "", FLOATS)
    yield from float_cases(LARGE, ".large", FLOATS[:3])
    yield from integer_cases(SMALL)
    yield "uniform.scalar", lambda k: random.uniform(k, (), jnp.float32)
    yield "normal.batch", lambda k: jax.vmap(
        lambda i: random.normal(random.fold_in(k, i), SMALL, jnp.float32))(jnp.arange(3))
    yield from choice_cases()


def fold_in_name(key, name):
    return random.fold_in(key, int(hashlib.md5(name.encode()).hexdigest()[:8], 16))


def depends_on_version(name):
    function, _, rest = name.partition(".")
    return rest == "f64" and not function.startswith("uniform")


def needs_64_bits(name):
    return "64" in name or name.startswith(("key.", "randint_all", "randint_top"))


def lines(name, function, impl):
    jax.config.update("jax_enable_x64", needs_64_bits(name))
    result = np.asarray(jax.jit(function)(fold_in_name(random.key(42, impl=impl), name)))
    head = f"{name} {name_of(result.dtype)} [{','.join(map(str, result.shape))}]"
    flat = np.ascontiguousarray(result).reshape(-1)
    if depends_on_version(name):
        kind = "about"
        words = [f"{number:.9e}" for number in flat]
    elif result.size > 512:
        return [f"{head} md5 {hashlib.md5(flat.tobytes()).hexdigest()}"]
    else:
        kind = "bits"
        width = flat.dtype.itemsize
        words = [f"{int(word):0{2 * width}x}" for word in flat.view(f"u{width}")]
    per_line = 96 // (len(words[0]) + 1)
    return [f"{head} {kind}"] + [
        " " + " ".join(words[i:i + per_line]) for i in range(0, len(words), per_line)]


def text_of(impl):
    text = FILES[impl][1] + "\n"
    for name, function in cases():
        if impl == "rbg" and name.startswith("key."):
            continue  # the key plays no part
        text += "".join(line + "\n" for line in lines(name, function, impl))
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    is_same = True
    for impl, (name, _) in FILES.items():
        text = text_of(impl)
        if not check:
            (FOLDER / name).write_text(text)
            continue
        old = (FOLDER / name).read_text()
        is_same &= text == old
        for ours, theirs in zip(text.splitlines(), old.splitlines()):
            if ours != theirs:
                print(f"jax {jax.__version__} gives  {ours}\nthe file has      {theirs}")
    sys.exit(0 if is_same else 1)


if __name__ == "__main__":
    main()
