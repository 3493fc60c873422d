# SPDX-License-Identifier: Apache-2.0
"""What bench_step speaks, for a peer: commands from stdin, each answered by lines `NAME NUMBER` and
`done`. Beside bench_step's: `time_products FILE` computes the products listed there, in lines
`BATCH M K N TIMES`, and says how many milliseconds all of each took."""

import sys
import time


class Side:
    """What a peer is made of; a peer derives from it."""

    compile_seconds = 0.0

    def step(self):
        """Starts one update; gives its loss, perhaps not yet computed."""
        raise NotImplementedError

    def wait(self, loss):
        raise NotImplementedError

    def product(self, batch, m, k, n):
        """A function that computes one and waits for it."""
        raise NotImplementedError

    # --- the commands ---

    _products = None

    def ready(self):
        yield "compile_seconds", self.compile_seconds

    def losses(self, num_steps):
        for i in range(int(num_steps)):
            yield f"loss{i}", float(self.step())

    def run(self, num_steps):
        begin = time.perf_counter()
        for _ in range(int(num_steps)):
            loss = self.step()
        self.wait(loss)
        yield "milliseconds", 1e3 * (time.perf_counter() - begin)

    def time_products(self, file):
        if self._products is None:
            self._products = []
            for line in open(file):
                *sizes, times = (int(float(word)) for word in line.split())
                product = self.product(*sizes)
                product()
                self._products.append((product, times))
        for i, (product, times) in enumerate(self._products):
            begin = time.perf_counter()
            for _ in range(times):
                product()
            yield f"product{i}", 1e3 * (time.perf_counter() - begin)


def serve(side):
    for line in sys.stdin:
        command, *arguments = line.split()
        for name, value in getattr(side, command)(*arguments):
            print(f"{name} {value:.9g}", flush=True)
        print("done", flush=True)
