# SPDX-License-Identifier: Apache-2.0
# peer: jax
"""Time to trace, differentiate and write a transformer, compared with JAX's trace and lower."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "common"))
from harness import Bench, median, program, run_program

PEER = [sys.executable, str(HERE / "peer" / "jax_trace.py")]
TARGETS = {("48", "unrolled"): 0.5, ("24", "scanned"): 0.05}


def main():
    bench = Bench("trace", __doc__, rounds=5)
    ours = program("trace")
    for (layers, how), target in TARGETS.items():
        same = [run_program(side + ["2", how, "loss"])["loss"] for side in ([ours], PEER)]
        bench.check_same(f"loss of 2 layers {how}", *same, tolerance=1e-4)
        name = f"{layers} layers {how}"
        samples = bench.interleave({
            name: lambda: run_program([ours, layers, how]),
            f"{name}, JAX": lambda: run_program(PEER + [layers, how]),
        })
        mine, theirs = samples.values()
        seconds = median(run["total"] for run in mine)
        bench.fact(f"{name}, nodes of the program", int(mine[0]["nodes"]))
        bench.fact(f"{name}, with the AdamW update", median(run["step_total"] for run in mine), "s")
        bench.fact(f"{name}, JAX to trace and lower", median(run["total"] for run in theirs), "s")
        bench.claim(f"trace-{layers}-{how}", seconds, "<=", target, "s")
    return bench.close()


if __name__ == "__main__":
    sys.exit(main())
