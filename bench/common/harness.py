# SPDX-License-Identifier: Apache-2.0
"""Shared by all benches: the command line, interleaved runs, medians, claims and the report.

    bench = Bench("startup", "from exec to the first loss")
    samples = bench.interleave({"Meshwright": run_meshwright, "peer": run_peer})
    bench.claim("startup", median(samples["Meshwright"]), "<=", 0.5, "s")
    bench.claim_ratio("faster", [ratios(samples["peer"], samples["Meshwright"])], ">=", 2)
    sys.exit(bench.close())
"""

import argparse
import json
import math
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / os.environ.get("MW_PRESET", "release") / "bin"

HOLDS = {"<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b}


def program(name):
    """Returns the path of the program bench_NAME."""
    path = BIN / f"bench_{name}"
    if not path.exists():
        sys.exit(f"bench: {path} is not built; run ./mw bench {name}")
    return str(path)


def run_program(command, **environment):
    """Runs a program that prints lines `NAME NUMBER`; returns them as a dict."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, **environment})
    return parse_numbers(done.stdout)


def run_pinned(command, cores=1, **environment):
    """Runs a program like run_program(), on the last `cores` cores that this process may use."""
    allowed = sorted(os.sched_getaffinity(0))[-cores:]
    return run_program(["taskset", "--cpu-list", ",".join(map(str, allowed)), *command], **environment)


def parse_numbers(text):
    numbers = {}
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        try:
            numbers[name] = float(value)
        except ValueError:
            pass
    return numbers


def median(values):
    return statistics.median(values)


def ratios(above, below):
    """Ratios of samples taken one after the other, since the speed of the machine varies over time."""
    return [a / b for a, b in zip(above, below)]


def typical(groups):
    """Returns the geometric mean of the groups' medians."""
    return math.exp(statistics.fmean(math.log(median(values)) for values in groups))


def interval(groups, statistic=typical, draws=2000):
    """The 95% bootstrap interval of a statistic of groups of samples; deterministic."""
    source = random.Random(0)
    found = sorted(statistic([source.choices(values, k=len(values)) for values in groups])
                   for _ in range(draws))
    return found[int(0.025 * draws)], found[int(0.975 * draws) - 1]


class Bench:
    def __init__(self, name, description, rounds=7, options=()):
        parser = argparse.ArgumentParser(prog=f"./mw bench {name}", description=description)
        parser.add_argument("--json", metavar="FILE", help="write everything measured to FILE")
        parser.add_argument("--rounds", type=int, default=rounds,
                            help=f"number of times to measure each side (default {rounds})")
        for names, settings in options:
            parser.add_argument(*names, **settings)
        self.arguments = arguments = parser.parse_args()
        self.name = name
        self.rounds = arguments.rounds
        self._json = arguments.json
        self._report = {"bench": name, "machine": machine(), "samples": {}, "facts": [], "claims": []}

    def interleave(self, runs, rounds=None):
        """Calls every function of `runs` once per round, so that slow phases of the machine affect all of
        them; returns the list of results of each."""
        samples = {name: [] for name in runs}
        for _ in range(rounds or self.rounds):
            for name, run in runs.items():
                samples[name].append(run())
        for name, values in samples.items():
            self._report["samples"].setdefault(name, []).extend(values)
        return samples

    def fact(self, name, value, unit=""):
        """Reports a number without a target."""
        self._report["facts"].append({"name": name, "value": value, "unit": unit})
        print(f"{name}: {with_unit(value, unit)}")

    def claim(self, name, measured, op, target, unit=""):
        self._report["claims"].append({"name": name, "measured": measured, "op": op, "target": target,
                                       "unit": unit, "holds": HOLDS[op](measured, target)})

    def claim_ratio(self, name, groups, op, target, unit=""):
        """Claims a target for a ratio given by its samples, or for the geometric mean of several ratios.
        The claim holds if the worse end of the 95% interval meets the target."""
        low, high = self.ratio(name, groups, unit)
        self.claim(name, low if op == ">=" else high, op, target, unit)

    def ratio(self, name, groups, unit=""):
        """Reports a ratio and returns its 95% interval."""
        low, high = interval(groups)
        self.fact(f"{name}, median and 95% interval", f"{typical(groups):.3g} [{low:.3g}, {high:.3g}]", unit)
        return low, high

    def stop(self, reason):
        sys.exit(f"bench {self.name}: {reason}; the times would compare different work")

    def check_same(self, what, ours, theirs, tolerance):
        """Stops the bench if the two sides computed different results."""
        if not abs(ours - theirs) <= tolerance * max(1.0, abs(theirs)):
            self.stop(f"{what} is {ours} in Meshwright and {theirs} in the peer")
        self.fact(f"{what} (Meshwright, peer)", f"{ours:.6g}, {theirs:.6g}")

    def close(self):
        """Prints the claims and writes the JSON file; returns the exit status, 1 if a claim falls short."""
        for c in self._report["claims"]:
            print(f"claim {c['name']}: {with_unit(c['measured'], c['unit'])} "
                  f"(target {c['op']} {with_unit(c['target'], c['unit'])}): "
                  f"{'holds' if c['holds'] else 'falls short'}")
        if self._json:
            pathlib.Path(self._json).write_text(json.dumps(self._report, indent=1) + "\n")
        return 0 if all(c["holds"] for c in self._report["claims"]) else 1


def with_unit(value, unit):
    text = f"{value:.3g}" if isinstance(value, float) else str(value)
    return f"{text} {unit}".strip()


def machine():
    cpu = platform.processor()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.partition(":")[2].strip()
            break
    return {"cpu": cpu, "cores": os.cpu_count(), "system": platform.platform()}
