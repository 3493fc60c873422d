# SPDX-License-Identifier: Apache-2.0
"""What all benches share: the command line, interleaved runs, medians, claims and the report.

    bench = Bench("startup", "from exec to the first loss")
    samples = bench.interleave({"ours": run_ours, "peer": run_peer})
    bench.claim("startup", median(samples["ours"]), "<=", 0.5, "s")
    bench.claim_ratio("faster", [ratios(samples["peer"], samples["ours"])], ">=", 2)
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
    """The path of the program bench_NAME."""
    path = BIN / f"bench_{name}"
    if not path.exists():
        sys.exit(f"bench: {path} is not built; run ./mw bench {name}")
    return str(path)


def run_program(command, **environment):
    """Runs a program that prints lines `NAME NUMBER`; gives them as a dict."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, **environment})
    return parse_numbers(done.stdout)


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
    """Of neighbours in time: the machine is not equally fast throughout."""
    return [a / b for a, b in zip(above, below)]


def typical(groups):
    """The geometric mean of the groups' medians."""
    return math.exp(statistics.fmean(math.log(median(values)) for values in groups))


def interval(groups, statistic=typical, draws=2000):
    """The 95% interval of a statistic of groups of samples, by the bootstrap; the same each time."""
    source = random.Random(0)
    found = sorted(statistic([source.choices(values, k=len(values)) for values in groups])
                   for _ in range(draws))
    return found[int(0.025 * draws)], found[int(0.975 * draws) - 1]


class Bench:
    def __init__(self, name, description, rounds=7, options=()):
        parser = argparse.ArgumentParser(prog=f"./mw bench {name}", description=description)
        parser.add_argument("--json", metavar="FILE", help="write everything measured to FILE")
        parser.add_argument("--rounds", type=int, default=rounds,
                            help=f"how often each side is measured (default {rounds})")
        for names, settings in options:
            parser.add_argument(*names, **settings)
        self.arguments = arguments = parser.parse_args()
        self.name = name
        self.rounds = arguments.rounds
        self._json = arguments.json
        self._report = {"bench": name, "machine": machine(), "samples": {}, "facts": [], "claims": []}

    def interleave(self, runs, rounds=None):
        """Calls every function of `runs` once per round, so that a slow spell of the machine meets
        all of them; gives the list of results of each."""
        samples = {name: [] for name in runs}
        for _ in range(rounds or self.rounds):
            for name, run in runs.items():
                samples[name].append(run())
        for name, values in samples.items():
            self._report["samples"].setdefault(name, []).extend(values)
        return samples

    def fact(self, name, value, unit=""):
        """A number for the reader that claims nothing."""
        self._report["facts"].append({"name": name, "value": value, "unit": unit})
        print(f"{name}: {with_unit(value, unit)}")

    def claim(self, name, measured, op, target, unit=""):
        self._report["claims"].append({"name": name, "measured": measured, "op": op, "target": target,
                                       "unit": unit, "holds": HOLDS[op](measured, target)})

    def claim_ratio(self, name, groups, op, target, unit=""):
        """Claims it of a ratio, of which there are samples, or of the geometric mean of several. It
        holds if it does at the worse end of the 95% interval."""
        low, high = interval(groups)
        self.fact(f"{name}, median and 95% interval", f"{typical(groups):.3g} [{low:.3g}, {high:.3g}]", unit)
        self.claim(name, low if op == ">=" else high, op, target, unit)

    def check_same(self, what, ours, theirs, tolerance):
        """Stops the bench if the two sides did not compute the same."""
        if not abs(ours - theirs) <= tolerance * max(1.0, abs(theirs)):
            sys.exit(f"bench {self.name}: {what} is {ours} here and {theirs} in the peer; "
                     f"the times would compare different work")
        self.fact(f"{what} (ours, peer)", f"{ours:.6g}, {theirs:.6g}")

    def close(self):
        """Prints the claims, writes the JSON file; the exit status is 1 if a claim falls short."""
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
