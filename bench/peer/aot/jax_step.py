# SPDX-License-Identifier: Apache-2.0
"""usage: jax_step.py CONFIG OUT PLATFORM BATCH LENGTH AXES REMAT ATTENTION [key=value...]

Writes the training step of a config's model as StableHLO, as jax.jit lowers it for a mesh of devices that
need not exist. AXES: such as fsdp=16,tensor=4. REMAT: none, dots or nothing. ATTENTION: formula, blocks or
cudnn. key=value: sizes of the model, such as layers=4. Nothing is computed and no device is opened."""

import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "step"))

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
import optax

import config
from jax_models import Models

BLOCK = 512
LEARNING_RATE = 3e-4  # without a schedule, as the bench overrides it in the config
POLICIES = {"dots": jax.checkpoint_policies.dots_with_no_batch_dims_saveable,
            "nothing": jax.checkpoint_policies.nothing_saveable}


class Step(Models):
    """Models with rematerialisation and attention as large runs choose them."""

    def __init__(self, sizes, mesh, remat, attention):
        super().__init__(sizes, jnp.bfloat16)
        self.mesh, self.remat, self.attention = mesh, remat, attention

    def layers(self, stack, x, **options):
        def layer(x, p):
            return self.constrained(self.layer(p, x, **options)), None

        if self.remat != "none":
            layer = jax.checkpoint(layer, policy=POLICIES[self.remat], prevent_cse=False)
        return jax.lax.scan(layer, x, stack)[0]

    def constrained(self, x):
        return jax.lax.with_sharding_constraint(x, NamedSharding(self.mesh, P(batch_axes(self.mesh))))

    def attend(self, q, k, v, p_out, **options):
        mixed = self.local_attention(q, k, v, **options)
        return self.linear(p_out, mixed.reshape(*mixed.shape[:2], -1))

    def local_attention(self, q, k, v, **options):
        """Each device attends with its own rows and heads."""
        if self.mesh.size == 1:
            return self.device_attention(q, k, v, **options)
        spec = P(batch_axes(self.mesh), None, "tensor" if "tensor" in self.mesh.axis_names else None)

        return jax.shard_map(lambda *qkv: self.device_attention(*qkv, **options), mesh=self.mesh,
                             in_specs=(spec, spec, spec), out_specs=spec, check_vma=False)(q, k, v)

    def device_attention(self, q, k, v, **options):
        if self.attention == "blocks":
            return in_blocks(q, k, v, self.sizes.scale)
        backend = "cudnn" if self.attention == "cudnn" else "xla"
        return jax.nn.dot_product_attention(q, k, v, scale=self.sizes.scale, implementation=backend, **options)


def in_blocks(q, k, v, scale):
    """Causal attention, BLOCK queries at a time; the backward pass computes the scores once more."""

    @jax.checkpoint
    def block(begin):
        rows = jax.lax.dynamic_slice_in_dim(q, begin, BLOCK, axis=1)
        seen = (begin + jnp.arange(BLOCK))[:, None] >= jnp.arange(k.shape[1])[None, :]
        return jax.nn.dot_product_attention(rows, k, v, scale=scale, mask=seen[None, None])

    blocks = jax.lax.map(block, jnp.arange(0, q.shape[1], BLOCK))
    return jnp.moveaxis(blocks, 0, 1).reshape(q.shape)


def stub_device_checks():
    """JAX asks a GPU for its abilities before it emits cuDNN's calls."""
    from jax._src.cudnn import fused_attention_stablehlo as fused

    fused.check_cudnn_version = lambda: 90800
    fused.check_compute_capability = lambda *_: True
    fused.check_is_flash_attention = lambda *_, **__: None


def batch_axes(mesh):
    return tuple(axis for axis in mesh.axis_names if axis != "tensor")


# The shapes below have their axes' names, of which large runs split embed over fsdp, and heads, mlp and vocab
# over tensor.
SPLIT = {"embed": "fsdp", "heads": "tensor", "mlp": "tensor", "vocab": "tensor"}


def sized(s):
    heads, width = s.heads * s.dim, (s.heads + 2 * s.kv_heads) * s.dim
    return {"embed": s.embed, "mlp": s.mlp, "heads": heads, "joined heads": width,
            "two heads": 2 * heads, "vocab": getattr(s, "vocab", 0)}


def norm(s, *axes):
    return {"scale": axes, **({"bias": axes} if s.norm == "layer" else {})}


def linear(s, n, into, out):
    return {"w": (n, into, out), **({"b": (n, out)} if s.bias else {})}


def layers(s, n, has_cross=False):
    out = {"norm1": norm(s, n, "embed"), "norm2": norm(s, n, "embed"),
           "qkv": linear(s, n, "embed", "joined heads"), "out": linear(s, n, "heads", "embed"),
           "up": linear(s, n, "embed", "mlp"), "down": linear(s, n, "mlp", "embed")}
    if s.gated:
        out["gate"] = out["up"]
    if has_cross:
        out |= {"norm_cross": norm(s, n, "embed"), "cross_q": linear(s, n, "embed", "heads"),
                "cross_kv": linear(s, n, "embed", "two heads"), "cross_out": linear(s, n, "heads", "embed")}
    return out


def lm_params(s, length):
    out = {"embed": ("vocab", "embed"), "layers": layers(s, s.layers), "final_norm": norm(s, "embed")}
    if s.positions == "learned":
        out["position"] = (s.max_len, "embed")
    return out if s.tied_embedding else {**out, "unembed": {"w": ("embed", "vocab")}}


def vit_params(s, size):
    return {"patches": {"w": (s.patch**2, "embed"), "b": ("embed",)},
            "position": ((size // s.patch)**2, "embed"), "layers": layers(s, s.layers),
            "final_norm": norm(s, "embed"), "head": {"w": ("embed", s.classes), "b": (s.classes,)}}


def seq2seq_params(s, length):
    return {"embed": ("vocab", "embed"), "encoder_bias": (s.num_buckets, s.heads),
            "decoder_bias": (s.num_buckets, s.heads), "encoder": layers(s, s.encoder_layers),
            "decoder": layers(s, s.decoder_layers, has_cross=True), "encoder_norm": norm(s, "embed"),
            "decoder_norm": norm(s, "embed")}


def rows_of(task, count, length):
    """Returns the batch of a task; `length` is the size of an image."""
    tokens, numbers = jnp.int32, jnp.float32
    if task == "image_classification":
        return {"images": ((count, length, length, 1), numbers), "labels": ((count,), tokens)}
    rows = {"targets": ((count, length), tokens), "weights": ((count, length), numbers)}
    if task == "lm":
        return {"inputs": ((count, length), tokens), **rows}
    return {"encoder_inputs": ((count, length - 1), tokens), "decoder_inputs": ((count, length), tokens), **rows}


PARAMS = {"lm": lm_params, "image_classification": vit_params, "seq2seq": seq2seq_params}


def arrays_of(sizes, mesh, length):
    known = sized(sizes)

    def array(axes):
        spec = [SPLIT.get(str(axis).split()[-1]) for axis in axes]
        spec = P(*(name if name in mesh.axis_names else None for name in spec))
        shape = tuple(known.get(axis, axis) for axis in axes)
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, spec))

    return jax.tree.map(array, PARAMS[sizes.task](sizes, length), is_leaf=lambda x: isinstance(x, tuple))


def lowered(sizes, optimizer, mesh, batch_size, length, remat, attention, platform):
    adamw = optax.adamw(LEARNING_RATE, optimizer.b1, optimizer.b2, optimizer.eps,
                        weight_decay=optimizer.weight_decay)
    tx = optax.chain(optax.clip_by_global_norm(1.0), adamw)
    loss = Step(sizes, mesh, remat, attention).loss()

    def step(params, state, batch):
        value, gradients = jax.value_and_grad(loss)(params, batch)
        updates, state = tx.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value

    params = arrays_of(sizes, mesh, length)
    slots = jax.eval_shape(tx.init, params)
    sharded_like = {jax.tree.structure(params): params}
    slots = jax.tree.map(lambda part: sharded_like.get(jax.tree.structure(part), part), slots,
                         is_leaf=lambda part: jax.tree.structure(part) in sharded_like)
    rows = NamedSharding(mesh, P(batch_axes(mesh)))
    batch = {name: jax.ShapeDtypeStruct(shape, dtype, sharding=rows)
             for name, (shape, dtype) in rows_of(sizes.task, batch_size, length).items()}
    out = jax.tree.map(lambda a: a.sharding, (params, slots))
    whole = NamedSharding(mesh, P())
    out = (*out, whole)
    traced = jax.jit(step, donate_argnums=(0, 1), out_shardings=out).trace(params, slots, batch)
    return traced.lower(lowering_platforms=(platform,)).as_text()


def main():
    config_file, out, platform, batch, length, axes, remat, attention, *changes = sys.argv[1:]
    sizes, optimizer = config.load(config_file)
    for change in changes:
        name, _, value = change.partition("=")
        setattr(sizes, name, type(getattr(sizes, name))(value))
    names, counts = zip(*(axis.split("=") for axis in axes.split(",")))
    counts = tuple(map(int, counts))
    jax.config.update("jax_num_cpu_devices", math.prod(counts))  # they stand in for the others
    mesh = jax.make_mesh(counts, names, axis_types=(AxisType.Auto,) * len(names))
    if attention == "cudnn":
        stub_device_checks()
    text = lowered(sizes, optimizer, mesh, int(batch), int(length), remat, attention, platform)
    pathlib.Path(out).write_text(text)


if __name__ == "__main__":
    main()
