# SPDX-License-Identifier: Apache-2.0
# peer: jax
"""Cost of the trainer's loop per step: trains a model with almost no computation and subtracts the time
of executing its step alone. The target is 1% of a 50 ms step."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "common"))
from harness import Bench, median, program

NUM_STEPS = 3000
STEP_MS = 50
PARAMS = (1, 100)


class Server:
    """A program that runs steps on request."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def run(self, case):
        """Returns microseconds per step."""
        print(case, NUM_STEPS, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"bench loop: {self.process.args[0]} ended")
        return float(answer)


def main():
    bench = Bench("loop", __doc__, rounds=7)
    server = Server([program("loop")])
    for params in PARAMS:
        samples = bench.interleave({
            f"{what}, {params} parameter arrays": lambda what=what: server.run(f"{what}-{params}")
            for what in ("bare", "trainer")})
        for name, values in samples.items():
            bench.fact(name, median(values), "us")
        bare, trainer = samples.values()
        cost_ms = median(t - b for t, b in zip(trainer, bare)) / 1000
        bench.claim(f"loop-{params}", 100 * cost_ms / STEP_MS, "<=", 1.0, "% of a 50 ms step")
    return bench.close()


if __name__ == "__main__":
    sys.exit(main())
