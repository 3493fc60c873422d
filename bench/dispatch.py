# SPDX-License-Identifier: Apache-2.0
# peer: jax
"""Host time of one step compared with jax.jit: a trivial program, and one with 200 donated arrays."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "common"))
from harness import Bench, median, program

# Case -> steps per measurement (about 10 ms), and the claimed ratio to jax.jit.
CASES = {"trivial": (2000, 0.6), "donated200": (50, 0.5)}
WARM_UP_STEPS = 100


class Server:
    """A program that runs steps on request."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.value = 0.0

    def run(self, case, steps):
        """Returns microseconds per step."""
        print(case, steps, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            sys.exit(f"bench dispatch: {self.process.args[0]} ended")
        self.value = float(answer[1])
        return float(answer[0])


def main():
    bench = Bench("dispatch", __doc__, rounds=61)
    ours = Server([program("dispatch")])
    peer = Server([sys.executable, str(HERE / "peer" / "jax_dispatch.py")])
    for case, (steps, target) in CASES.items():
        for server in (ours, peer):
            server.run(case, WARM_UP_STEPS)
        samples = bench.interleave({
            f"{case}, us": lambda: ours.run(case, steps),
            f"{case} by jax.jit, us": lambda: peer.run(case, steps),
        })
        bench.check_same(f"{case}, state at the end", ours.value, peer.value, tolerance=0)
        for name, values in samples.items():
            bench.fact(name, median(values))
        # Compares samples taken one after the other, since the speed of the machine varies over time.
        mine, theirs = samples.values()
        bench.claim(f"dispatch-{case}", median(a / b for a, b in zip(mine, theirs)), "<=", target,
                    "of jax.jit")
    return bench.close()


if __name__ == "__main__":
    sys.exit(main())
