# SPDX-License-Identifier: Apache-2.0
"""The protocol of bench_step, for a peer: reads commands from stdin and answers each with lines
`NAME NUMBER`, then `done`. One more command, `time_products FILE`, computes the products listed in FILE as
lines `BATCH M K N TIMES` and reports the milliseconds of each, all repetitions together."""

import sys
import time


class Side:
    """Base class of a peer."""

    compile_seconds = 0.0

    def step(self):
        """Starts one update; returns its loss, which may not be computed yet."""
        raise NotImplementedError

    def wait(self, loss):
        raise NotImplementedError

    def product(self, batch, m, k, n):
        """Returns a function that computes one matrix product and waits for it."""
        raise NotImplementedError

    def peak_bytes(self):
        """Returns the largest memory in use so far, of a GPU."""
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

    def device_memory(self):
        yield "peak_bytes", self.peak_bytes()

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
