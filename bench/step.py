# SPDX-License-Identifier: Apache-2.0
# peer: jax
"""Compares a training step of five models, on two cores, with JAX, PyTorch and the matrix products alone:
time, memory, compile time and the first step of a new process. Each model and dtype runs in its own
processes."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "common"))
from harness import ROOT, Bench, median, program, ratios
from server import Server

MODELS = ("lm", "gpt2", "llama", "vit", "t5")
DTYPES = ("f32", "bf16")
FORMS = {"jax": ("unrolled", "scanned"), "torch": ("eager", "compiled")}
NUM_CORES = 2
PEERS = ROOT / "tools" / "peers"

# Targets for (the LM, each other model): speedup, and time relative to the products alone.
FASTER = {("jax", "f32"): (2, 1.2), ("jax", "bf16"): (8, 3), ("torch", "f32"): (0.97, 0.97),
          ("torch", "bf16"): (1.2, 1.2)}
OVER_PRODUCTS = {"f32": (1.25, 1.5), "bf16": (1.6, 2)}
# Target for the geometric mean over all models.
ALL_FASTER_THAN_TORCH = {"f32": 1.05, "bf16": 1.5}
MAX_PAGE_FAULTS = 100
MAX_FIRST_STEP_SECONDS = 0.5

# Relative tolerance of the first losses: each side rounds to bf16 in different places.
NUM_LOSSES = 5
TOLERANCE = {"f32": 5e-5, "bf16": 2e-3}
# Rounds that choose the faster form of a peer, and that measure everything but ratios of steps.
MAX_TRIALS = 3
# A sample takes at most this many steps and about this long.
MAX_STEPS = 10
SAMPLE_SECONDS = 0.5


class Part:
    """One model in one dtype."""

    def __init__(self, bench, model, dtype, folder):
        self.bench = bench
        self.name = f"{model}-{dtype}"
        self.dtype = dtype
        self.is_lm = model == "lm"
        self.config = HERE / "models" / f"{model}.toml"
        self.folder = pathlib.Path(folder)
        self.trials = min(MAX_TRIALS, bench.rounds)
        self.products = []
        self.servers = {}
        self.memory = {}

    # --- processes ---

    def start_ours(self, cache):
        return Server([program("step"), self.config, f"task.compute_dtype={self.dtype}"],
                      MESHWRIGHT_CACHE_DIR=str(self.folder / cache))

    def start_peer(self, peer, form):
        script = HERE / "peer" / "step" / f"{peer}_side.py"
        # Each process compiles from scratch.
        inductor = tempfile.mkdtemp(prefix="inductor_", dir=self.folder)
        return Server([PEERS / "python", peer, script, self.config, self.folder, self.dtype, form],
                      OMP_NUM_THREADS=str(NUM_CORES), TORCHINDUCTOR_CACHE_DIR=inductor)

    def first_steps(self, name, server):
        """Returns the losses of the first updates; records by how much they increased the memory in use."""
        server.ask("ready")
        before = server.resident_bytes()
        losses = server.ask("losses", NUM_LOSSES)
        self.memory[name] = server.peak_bytes() - before
        return list(losses.values())

    def run(self, server, num_steps):
        return server.ask("run", num_steps)["milliseconds"] / num_steps

    # --- measuring ---

    def begin(self):
        """Exports the initial state for the peers, and fills the cache."""
        server = self.start_ours("warm")
        model_flops = server.ask("export", self.folder)["model_flops"]
        server.end()
        self.products = (self.folder / "products").read_text().splitlines()
        flops = sum(2 * b * m * k * n * times for b, m, k, n, times in
                    (map(float, line.split()) for line in self.products))
        self.bench.fact(f"{self.name}, matrix products: computed in a step, needed by the model",
                        f"{flops / 1e9:.4g}, {model_flops / 1e9:.4g}", "GFLOP")
        self.servers["Meshwright"] = self.start_ours("warm")
        self.losses = self.first_steps("Meshwright", self.servers["Meshwright"])

    def check_losses(self, name, theirs):
        worst = max(range(NUM_LOSSES), key=lambda i: abs(self.losses[i] - theirs[i]))
        self.bench.check_same(f"{self.name}, loss of update {worst} compared with {name}", self.losses[worst],
                              theirs[worst], TOLERANCE[self.dtype])

    def choose(self, peer):
        """Keeps the faster form of a peer on this machine."""
        servers = {}
        for form in FORMS[peer]:
            name = f"{peer} {form}"
            servers[name] = self.start_peer(peer, form)
            self.check_losses(name, self.first_steps(name, servers[name]))
        found = self.bench.interleave({f"{self.name}, {name}, trials, ms": lambda s=s: self.run(s, 1)
                                       for name, s in servers.items()}, self.trials)
        best = min(zip(servers, found.values()), key=lambda item: median(item[1]))[0]
        for name, server in servers.items():
            if name != best:
                server.end()
        self.servers[peer] = servers[best]
        self.bench.fact(f"{self.name}, faster form", best)
        self.memory[peer] = self.memory[best]
        return best.split()[1]

    def time_products(self, server):
        """Milliseconds of every product, each repeated as often as in a step."""
        return list(server.ask("time_products", self.folder / "products").values())

    def measure_steps(self, peers):
        ours = self.servers["Meshwright"]
        num_steps = min(MAX_STEPS, max(1, round(1e3 * SAMPLE_SECONDS / self.run(ours, 1))))
        runs = {f"{self.name}, {name}, ms": lambda s=s: self.run(s, num_steps)
                for name, s in self.servers.items()}
        engines = [self.servers[peer] for peer in peers]
        runs |= {f"{self.name}, products by {peer}, ms": lambda s=s: self.time_products(s)
                 for peer, s in zip(peers, engines)}
        for server in engines:
            self.time_products(server)  # allocates the operands
        faults = ours.page_faults()
        found = list(self.bench.interleave(runs).values())
        faults = (ours.page_faults() - faults) / (num_steps * self.bench.rounds)
        steps = dict(zip(self.servers, found))
        for name, values in steps.items():
            self.bench.fact(f"{self.name}, {name}", median(values), "ms")
        self.bench.claim(f"step-{self.name}-page-faults", faults, "<=", MAX_PAGE_FAULTS, "per step")
        faster = {peer: ratios(steps[peer], steps["Meshwright"]) for peer in peers}
        for peer in peers:
            self.bench.claim_ratio(f"step-{self.name}-{peer}", [faster[peer]], ">=",
                                   self.target(FASTER[peer, self.dtype]), f"times faster than {peer}")
        self.claim_products(steps["Meshwright"], found[len(steps):])
        return faster.get("torch")

    def claim_products(self, ours, by_engine):
        """Compares with the sum over all products, each by the engine that is faster for it."""
        if not by_engine:
            return
        typical = [[median(times) for times in zip(*rounds)] for rounds in by_engine]
        best = [min(range(len(typical)), key=lambda e: typical[e][i]) for i in range(len(self.products))]
        alone = [sum(by_engine[best[i]][r][i] for i in range(len(best))) for r in range(len(ours))]
        self.bench.fact(f"{self.name}, products alone", median(alone), "ms")
        self.bench.claim_ratio(f"step-{self.name}-products", [ratios(ours, alone)], "<=",
                               self.target(OVER_PRODUCTS[self.dtype]), "times the products alone")

    def target(self, of_lm_and_others):
        return of_lm_and_others[0 if self.is_lm else 1]

    def measure_memory(self):
        for name, value in self.memory.items():
            self.bench.fact(f"{self.name}, memory of a step, {name}", value / 2**20, "MiB")
        if "torch" in self.memory:
            ratio = self.memory["Meshwright"] / self.memory["torch"]
            self.bench.claim(f"step-{self.name}-memory", ratio, "<=", 1.0, "of PyTorch's")

    def measure_starts(self, jax_form):
        """Measures compile time with an empty cache, and time to the first loss with a warm one."""
        def compile_ours():
            with tempfile.TemporaryDirectory(dir=self.folder) as empty:
                return compile_seconds(self.start_ours(empty))

        runs = {f"{self.name}, Meshwright, compile time in s": compile_ours,
                f"{self.name}, Meshwright, time to first loss in s": lambda: first_loss_seconds(
                    lambda: self.start_ours("warm"))}
        if jax_form:
            runs[f"{self.name}, jax, compile time in s"] = lambda: compile_seconds(
                self.start_peer("jax", jax_form))
        found = self.bench.interleave(runs, self.trials)
        for name, values in found.items():
            self.bench.fact(name, median(values))
        compiled, first, *theirs = found.values()
        if theirs:
            self.bench.claim(f"step-{self.name}-compile", median(ratios(compiled, theirs[0])), "<=", 1.0,
                             "of JAX's compile time")
        if self.is_lm:
            self.bench.claim(f"step-{self.name}-first", median(first), "<=", MAX_FIRST_STEP_SECONDS, "s")

    def end(self):
        for server in self.servers.values():
            server.end()


def compile_seconds(server):
    seconds = server.ask("ready")["compile_seconds"]
    server.end()
    return seconds


def first_loss_seconds(start):
    begin = time.perf_counter()
    server = start()
    server.ask("losses", 1)
    seconds = time.perf_counter() - begin
    server.end()
    return seconds


def measure_part(bench, model, dtype, peers):
    """Returns the speedup over PyTorch in each round."""
    with tempfile.TemporaryDirectory(prefix="bench_step_") as folder:
        part = Part(bench, model, dtype, folder)
        part.begin()
        forms = {peer: part.choose(peer) for peer in peers}
        faster = part.measure_steps(peers)
        part.measure_memory()
        part.end()
        part.measure_starts(forms.get("jax"))
    return faster


def words(choices):
    def parse(text):
        found = tuple(filter(None, text.split(",")))
        if not set(found) <= set(choices):
            raise ValueError
        return found
    return parse


def versions(peers):
    pins = {peer: (PEERS / f"{peer}.txt").read_text().splitlines() for peer in peers}
    return [line.split()[0] for peer in peers for line in pins[peer] if line.startswith(f"{peer}==")]


def main():
    bench = Bench("step", __doc__, rounds=15, options=[
        (["--model"], {"type": words(MODELS), "default": MODELS, "metavar": "NAME,...",
                       "help": f"models to measure: {', '.join(MODELS)} (default all)"}),
        (["--dtype"], {"type": words(DTYPES), "default": DTYPES, "metavar": "f32,bf16",
                       "help": "dtypes of matrix products (default both)"}),
        (["--peers"], {"type": words(FORMS), "default": tuple(FORMS), "metavar": "jax,torch",
                       "help": "systems to compare with (default both)"}),
    ])
    arguments = bench.arguments
    for peer in arguments.peers:
        subprocess.run([PEERS / "setup", peer], stdout=subprocess.DEVNULL, check=True)
    cores = sorted(os.sched_getaffinity(0))[:NUM_CORES]
    os.sched_setaffinity(0, cores)
    bench.fact("cores", ", ".join(map(str, cores)))
    bench.fact("peers", ", ".join(versions(arguments.peers)))
    for dtype in arguments.dtype:
        faster = [measure_part(bench, model, dtype, arguments.peers) for model in arguments.model]
        if "torch" in arguments.peers and set(arguments.model) == set(MODELS):
            bench.claim_ratio(f"step-all-{dtype}-torch", faster, ">=", ALL_FASTER_THAN_TORCH[dtype],
                              "times faster than torch")
    return bench.close()


if __name__ == "__main__":
    sys.exit(main())
