# SPDX-License-Identifier: Apache-2.0
"""Compare 20 updates of optimizers, and schedules, with optax. Results of AXLearn, T5X, Big Vision and
seqax are in tests/golden.

usage: optim_parity.py PROGRAM [--only PART_OF_NAME]
"""

import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import optax

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "parity"))
from compare import difference, load_arrays
import parity

import reference_optimizers
import reference_schedules

# Largest error relative to the element, and to the largest element of the parameter now or at the
# start: updates accumulate, and sums are computed in another order.
OF_ELEMENT, OF_LARGEST = 1e-4, 1e-5


def named(paths, arrays):
    """Splits values into dicts of arrays by path."""
    return [dict(zip(paths, arrays[i:i + len(paths)])) for i in range(0, len(arrays), len(paths))]


def check_optimizer(record, folder, inputs):
    name = record["optimizer"]
    if "error" in record:
        yield record["error"]
        return
    paths = inputs["paths"].split(" ")
    [params] = named(paths, load_arrays(folder, inputs["params"]))
    gradients = named(paths, load_arrays(folder, inputs["gradients"]))
    ours = named(paths, load_arrays(folder, record["params"]))
    theirs = reference_optimizers.ALL[name](params, gradients)
    if len(ours) != len(theirs):
        yield f"{len(ours)} results instead of {len(theirs)}"
    for step, (a, b) in enumerate(zip(ours, theirs), 1):
        for path in paths:
            expected = np.asarray(b[path], np.float32)
            wrong = differs(a[path], expected, params[path])
            if wrong:
                yield f"{path} after update {step}: {wrong}"
                return


def differs(ours, theirs, start):
    if ours.shape != theirs.shape:
        return f"{list(ours.shape)} instead of {list(theirs.shape)}"
    largest = max(np.abs(theirs).max(), np.abs(start).max())
    far = ~(np.abs(ours - theirs) <= OF_ELEMENT * np.abs(theirs) + OF_LARGEST * largest)
    if not far.any():
        return None
    at = tuple(int(i) for i in np.argwhere(far)[0])
    return f"{far.sum()} of {far.size} elements; at {list(at)}: {ours[at]} instead of {theirs[at]}"


def check_schedule(record, folder):
    [ours] = load_arrays(folder, record["values"])
    function = reference_schedules.ALL[record["schedule"]]
    theirs = np.array([function(step) for step in range(len(ours))], np.float32)
    wrong = difference(ours, theirs)
    if wrong:
        yield wrong


def check(record, folder, inputs):
    if "optimizer" in record:
        return check_optimizer(record, folder, inputs)
    return check_schedule(record, folder)


def prepare(records, folder):
    inputs, *records = records
    return records, lambda record: check(record, folder, inputs)


if __name__ == "__main__":
    parity.main(f"optax {optax.__version__} and the formulas", prepare)
