# SPDX-License-Identifier: Apache-2.0
# peer: jax
"""Time from exec to the loss of the first step of a 4-layer transformer, all caches warm, compared with JAX
and its warm persistent cache."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "common"))
from harness import Bench, median, parse_numbers, program


def start(command, cache):
    """Returns the seconds until the first line, the loss in that line, and the phases that follow."""
    environment = {
        **os.environ,
        "MESHWRIGHT_CACHE_DIR": f"{cache}/ours",
        "JAX_COMPILATION_CACHE_DIR": f"{cache}/jax",
        "PYTHONDONTWRITEBYTECODE": "",  # allow the peer to keep its bytecode
    }
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        first = process.stdout.readline()
        seconds = time.perf_counter() - begin
        rest = process.stdout.read()
    if process.returncode != 0:
        sys.exit(f"bench startup: {command[0]} exited with {process.returncode}")
    return {"seconds": seconds, **parse_numbers(first), "phases": parse_numbers(rest)}


def main():
    bench = Bench("startup", __doc__)
    with tempfile.TemporaryDirectory() as cache:
        ours = [program("startup")]
        peer = [sys.executable, str(HERE / "peer" / "jax_startup.py")]
        for command in (ours, peer):
            start(command, cache)  # fills the caches
        samples = bench.interleave({"Meshwright": lambda: start(ours, cache), "JAX": lambda: start(peer, cache)})
    bench.check_same("loss", samples["Meshwright"][0]["loss"], samples["JAX"][0]["loss"], tolerance=1e-4)
    seconds = {side: median(run["seconds"] for run in runs) for side, runs in samples.items()}
    phases = {name: median(run["phases"][name] for run in samples["Meshwright"])
              for name in samples["Meshwright"][0]["phases"]}
    bench.fact("before main", seconds["Meshwright"] - sum(phases.values()), "s")
    for name, value in phases.items():
        bench.fact(name, value, "s")
    bench.fact("JAX", seconds["JAX"], "s")
    bench.claim("startup", seconds["Meshwright"], "<=", 0.5, "s")
    bench.claim("startup-against-jax", seconds["JAX"] / seconds["Meshwright"], ">=", 4, "times faster")
    return bench.close()


if __name__ == "__main__":
    sys.exit(main())
