# SPDX-License-Identifier: Apache-2.0
"""Runs of the program and what they logged. Helpers of the tests in this folder."""

import json
import subprocess


def run_program(program, *words, code=0, stdin="", errors="strict"):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=300,
                          check=False, errors=errors, input=stdin)
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stderr}"
    return done


def metric(folder, name):
    """Returns {step: value} of a run, without the steps that a later start of the program repeated."""
    out, first = {}, 0
    for line in (folder / "metrics.jsonl").read_text().splitlines():
        event = json.loads(line)
        first = event.get("first_step", first)
        out = {step: value for step, value in out.items() if "schema" not in event or step < first}
        if name in event.get("metrics", {}):
            out[event["step"]] = event["metrics"][name]
    return out
