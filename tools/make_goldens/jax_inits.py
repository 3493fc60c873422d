# SPDX-License-Identifier: Apache-2.0
"""Write digests of what JAX's initialisers draw, for tests/golden/nn.

usage: tools/peers/python jax tools/make_goldens/jax_inits.py > tests/golden/nn/inits.txt
"""

import hashlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "nn"))
import jax
import jax.numpy as jnp
import numpy as np

import jax_layers

print(f"# dtype, parameter, md5 of the bytes; JAX {jax.__version__}, made by tools/make_goldens/jax_inits.py")
for name, dtype in (("f32", jnp.float32), ("bf16", jnp.bfloat16)):
    for path, value in sorted(jax_layers.inits(dtype).items()):
        print(name, path, hashlib.md5(np.asarray(value).tobytes()).hexdigest())
