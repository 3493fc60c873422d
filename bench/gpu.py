# SPDX-License-Identifier: Apache-2.0
# peer: jax
"""Compares a training step of four models in bf16 on one GPU with JAX and PyTorch: time, memory and compile
time. The peers are those of MW_PEER_PYTHON, which must see the GPU."""

import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "common"))
from harness import ROOT, Bench, median, program, ratios
from server import Server

# JAX's form of each model: cuDNN refuses rows of odd length with a bias, as the encoder-decoder has.
MODELS = {"gpt2": "cudnn", "llama": "cudnn", "vit": "cudnn", "t5": "unrolled"}
NUM_LOSSES = 5
TOLERANCE = 5e-3
SAMPLE_SECONDS = 0.4
PEAK_FLOPS = {"H100": 989e12, "H200": 989e12}
# Peers share the GPU with the others, which then wait.
ENVIRONMENT = {"JAX_PLATFORMS": "cuda", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
NOT_ALONE = "mesh.preallocate=false"


def start_ours(config, folder):
    return Server([program("step"), config, "mesh.platform=cuda", NOT_ALONE],
                  MESHWRIGHT_CACHE_DIR=f"{folder}/cache")


def start_peer(peer, form, config, folder):
    script = HERE / "peer" / "step" / f"{peer}_side.py"
    # JAX would load the plugin named there beside its own.
    without = ["env", "-u", "PJRT_NAMES_AND_LIBRARY_PATHS"]
    return Server([*without, ROOT / "tools" / "peers" / "python", peer, script, config, folder, "bf16", form],
                  TORCHINDUCTOR_CACHE_DIR=f"{folder}/inductor", **ENVIRONMENT)


class Part:
    """One model, with a process for each side."""

    def __init__(self, bench, model, peers, folder):
        self.bench, self.model, self.peers = bench, model, peers
        config = HERE / "models" / "gpu" / f"{model}.toml"
        self.servers = {"Meshwright": start_ours(config, folder)}
        self.flops = self.servers["Meshwright"].ask("export", folder)["model_flops"]
        forms = {"jax": MODELS[model], "torch": "gpu"}
        for peer in peers:
            self.servers[peer] = start_peer(peer, forms[peer], config, folder)

    def check_losses(self):
        losses = {}
        for name, server in self.servers.items():
            self.bench.fact(f"{self.model}, {name}, compile time beside the others",
                            server.ask("ready")["compile_seconds"], "s")
            losses[name] = list(server.ask("losses", NUM_LOSSES).values())
        for name, theirs in losses.items():
            for i in (0, NUM_LOSSES - 1) if name != "Meshwright" else ():
                self.bench.check_same(f"{self.model}, loss of update {i} compared with {name}",
                                      losses["Meshwright"][i], theirs[i], TOLERANCE)

    def measure(self, peak_flops):
        def run(server, num_steps):
            return server.ask("run", num_steps)["milliseconds"] / num_steps

        def sample(server):
            num_steps = max(3, round(1e3 * SAMPLE_SECONDS / run(server, 3)))
            return lambda: run(server, num_steps)

        found = self.bench.interleave({f"{self.model}, {name}, ms": sample(server)
                                       for name, server in self.servers.items()})
        steps = dict(zip(self.servers, found.values()))
        for name, values in steps.items():
            mfu = self.flops / (median(values) / 1e3 * peak_flops)
            self.bench.fact(f"{self.model}, {name}", f"{median(values):.4g} ms, MFU {100 * mfu:.1f}%")
            peak = self.servers[name].ask("device_memory")["peak_bytes"]
            self.bench.fact(f"{self.model}, {name}, memory", peak / 2**20, "MiB")
        for peer in self.peers:
            self.bench.claim_ratio(f"gpu-{self.model}-{peer}", [ratios(steps[peer], steps["Meshwright"])],
                                   ">=", 1.0, f"times faster than {peer}")

    def end(self):
        for server in self.servers.values():
            server.end()


def main():
    bench = Bench("gpu", __doc__, options=[
        (["--model"], {"default": ",".join(MODELS), "metavar": "NAME,...", "help": "models to measure"}),
        (["--peers"], {"default": "jax,torch", "metavar": "jax,torch", "help": "systems to compare with"}),
        (["--gpu"], {"default": "H200", "choices": sorted(PEAK_FLOPS), "help": "kind of the GPU, for the MFU"})])
    for model in bench.arguments.model.split(","):
        with tempfile.TemporaryDirectory(prefix="bench_gpu_") as folder:
            part = Part(bench, model, bench.arguments.peers.split(","), folder)
            part.check_losses()
            part.measure(PEAK_FLOPS[bench.arguments.gpu])
            part.end()
    return bench.close()


if __name__ == "__main__":
    sys.exit(main())
