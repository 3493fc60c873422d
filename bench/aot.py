# SPDX-License-Identifier: Apache-2.0
# peer: jax
"""Compares training steps compiled for GPUs and TPUs, without a device, with JAX's: memory, products and
collectives. Both sides are compiled by the same plugin (tools/fetch_xla cuda-compiler, tpu); JAX's step is
lowered by JAX and has the same model, sharding, rematerialisation, dtypes and kind of attention. The figures
are exact, so nothing is repeated."""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "common"))
from harness import ROOT, Bench, program, run_program

PEER = [sys.executable, str(HERE / "peer" / "aot" / "jax_step.py")]
PLATFORMS = {"h": "cuda", "v": "tpu"}
COLLECTIVES = ("all-gather", "all-reduce", "reduce-scatter", "all-to-all", "collective-permute")
NEGLIGIBLE_GB = 0.001
MOST_TEMPORARY, MOST_PRODUCTS, MOST_BYTES, MOST_EXPOSED = 1.05, 1.01, 1.01, 1.0

LLAMA, GPT2, VIT, T5 = ("configs/llama_8b.toml", *(f"bench/models/{name}.toml" for name in ("gpt2", "vit", "t5")))


class Case:
    def __init__(self, config, topology, axes, batch, length, remat, attention, **sizes):
        self.config, self.topology, self.axes, self.batch, self.length = config, topology, axes, batch, length
        self.remat, self.attention, self.sizes = remat, attention, sizes
        shape = "".join(f" {name}={value}" for name, value in sizes.items())
        self.name = f"{pathlib.Path(config).stem}{shape} {topology} {axes} remat={remat}"

    def data(self):
        """Overrides of the data's keys; `length` is the size of an image."""
        if "vit" in self.config:
            return [f"data.size={self.length}"]
        if "t5" in self.config:  # the decoder's rows have one token more
            return [f"data.max_length={self.length - 1}", "data.min_length=128", "task.logits_dtype=bf16"]
        return [f"data.length={self.length}", "task.logits_dtype=bf16"]

    def attention_tflops(self):
        """Returns the FLOPs of the products of attention for (Meshwright, JAX) where they are counted, in T5's
        case: two forward and four backward. Attention in blocks computes the scores once more."""
        if self.config != T5:
            return 0.0, 0.0
        decoder, encoder, heads, dim, layers = self.length, self.length - 1, 8, 64, 6
        pairs = encoder * encoder + decoder * decoder + decoder * encoder
        product = 2 * self.batch * layers * heads * dim * pairs / 1e12
        return 7 * product, 6 * product

    def ours(self):
        given = dict(axis.split("=") for axis in self.axes.split(","))
        names = ("data", "fsdp", "tensor") if "fsdp" in given else ("data",)
        axes = ",".join(f"{name}={given.get(name, 1)}" for name in names)
        sizes = [f"task.model.{name}={value}" for name, value in self.sizes.items()]
        return run_program([program("aot"), self.topology, str(ROOT / self.config), f"mesh.axes={{{axes}}}",
                            "num_microbatches=1", "task.compute_dtype=bf16", "task.model.stack=scanned",
                            f"task.model.remat={self.remat}", f"data.batch_size={self.batch}", *self.data(),
                            "optimizer.learning_rate=3e-4", "optimizer.clip_norm=1.0", *sizes])

    def jax(self):
        with tempfile.TemporaryDirectory(prefix="mw_bench_") as folder:
            file = os.path.join(folder, "step.mlir")
            platform = PLATFORMS[self.topology[0]]
            sizes = [f"{name}={value}" for name, value in self.sizes.items()]
            subprocess.run([*PEER, str(ROOT / self.config), file, platform, str(self.batch), str(self.length),
                            self.axes, self.remat, self.attention, *sizes],
                           check=True, env={**os.environ, "JAX_PLATFORMS": "cpu"})
            return run_program([program("aot"), self.topology, "--text", file])


CASES = [
    Case(LLAMA, "h100:1", "fsdp=1", 1, 8192, "dots", "cudnn", layers=4),
    Case(LLAMA, "h100:2x8", "fsdp=16", 16, 8192, "dots", "cudnn", layers=4),
    Case(LLAMA, "h100:2x8", "fsdp=4,tensor=4", 4, 8192, "dots", "cudnn", layers=4),
    Case(LLAMA, "h100:8x8", "fsdp=64", 64, 8192, "dots", "cudnn"),
    Case(LLAMA, "h100:8x8", "fsdp=64", 64, 8192, "nothing", "cudnn"),
    Case(LLAMA, "v5p:2x2x1", "fsdp=4", 4, 8192, "dots", "blocks", layers=4),
    Case(LLAMA, "v5p:4x4x4", "fsdp=64", 64, 8192, "dots", "blocks"),
    Case(GPT2, "h100:1", "data=1", 16, 1024, "none", "cudnn", layers=12),
    Case(GPT2, "v5e:1", "data=1", 4, 1024, "none", "formula", layers=12),
    Case(VIT, "h100:1", "data=1", 128, 224, "none", "cudnn"),
    Case(T5, "h100:1", "data=1", 32, 512, "none", "formula", encoder_layers=6, decoder_layers=6),
]


def compare(bench, case):
    ours, theirs = case.ours(), case.jax()
    both = lambda key: (ours.get(key, 0.0), theirs.get(key, 0.0))

    def ratio(what, pair, target, unit):
        bench.fact(f"{case.name}: {what} (Meshwright, JAX)", f"{pair[0]:.4g}, {pair[1]:.4g}", unit)
        if pair[1] > 0:
            bench.claim(f"{case.name}: {what}", pair[0] / pair[1], "<=", target, "x")

    ratio("temporary memory", [value / 1e9 for value in both("temp_bytes")], MOST_TEMPORARY, "GB")
    products = [all - attention for all, attention in zip(both("product_tflops"), case.attention_tflops())]
    if max(products) > 0:
        ratio("products without attention", products, MOST_PRODUCTS, "TFLOP")
    for kind in COLLECTIVES:
        if max(both(f"{kind}_gb")) > NEGLIGIBLE_GB:
            ratio(f"{kind} bytes", both(f"{kind}_gb"), MOST_BYTES, "GB")
    exposed = [sum(side.get(f"{kind}_exposed_gb", 0.0) for kind in COLLECTIVES) for side in (ours, theirs)]
    if max(exposed) > 0:
        ratio("exposed bytes of collectives", exposed, MOST_EXPOSED, "GB")
    for what in ("fusion_count", "compile_seconds"):
        bench.fact(f"{case.name}: {what} (Meshwright, JAX)", "{:.0f}, {:.0f}".format(*both(what)))


def main():
    bench = Bench("aot", __doc__, options=[(["--only"], {
        "metavar": "TEXT", "default": "", "help": "only cases whose name contains TEXT"})])
    for case in CASES:
        if bench.arguments.only in case.name:
            compare(bench, case)
    return bench.close()


if __name__ == "__main__":
    sys.exit(main())
