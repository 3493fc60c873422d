# SPDX-License-Identifier: Apache-2.0
"""Arrays of a parity program, and the tolerances for comparing them."""

import json
import pathlib

import ml_dtypes
import numpy as np

DTYPES = {
    "pred": np.bool_,
    "s8": np.int8,
    "s16": np.int16,
    "s32": np.int32,
    "s64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}

# Largest error relative to the element, and to the largest element of the array: XLA may fuse and
# sum in another order, and in bf16 keep more or fewer intermediate roundings.
TOLERANCE = {
    "f64": (1e-12, 1e-13),
    "f32": (2e-5, 2e-6),
    "f16": (4e-3, 2e-3),
    "bf16": (3e-2, 1e-2),
    "f8e4m3fn": (0.13, 0.05),
    "f8e5m2": (0.26, 0.1),
}


def load_manifest(folder):
    return json.loads((pathlib.Path(folder) / "manifest.json").read_text())


def load_arrays(folder, entries):
    return [load_array(folder, entry) for entry in entries]


def load_array(folder, entry):
    array = np.load(pathlib.Path(folder) / entry["file"])
    dtype = np.dtype(DTYPES[entry["dtype"]])
    return array if array.dtype == dtype else array.view(dtype)


def dtype_name(array):
    for name, dtype in DTYPES.items():
        if array.dtype == dtype:
            return name
    raise ValueError(f"no name for dtype {array.dtype}")


def difference(ours, theirs, factor=1.0, tolerance_as=None):
    """Returns the error of `ours`, or None. Integers and booleans must be equal. `tolerance_as` is a
    coarser dtype that the numbers passed through."""
    theirs = np.asarray(theirs)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return f"{ours.dtype}{list(ours.shape)} instead of {theirs.dtype}{list(theirs.shape)}"
    name = dtype_name(ours)
    if name not in TOLERANCE:
        wrong = np.argwhere(ours != theirs)
        return first_difference(ours, theirs, wrong, "equality") if len(wrong) else None
    of_element, of_largest = TOLERANCE[tolerance_as if tolerance_as in TOLERANCE else name]
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    finite = np.isfinite(b)
    largest = np.abs(b[finite]).max(initial=0.0)
    allowed = factor * (of_element * np.abs(b) + of_largest * largest)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        wrong = np.argwhere(~(same | (finite & (np.abs(a - b) <= allowed))))
    if not len(wrong):
        return None
    return first_difference(ours, theirs, wrong, f"{factor:g} x ({of_element:g}, {of_largest:g})")


def first_difference(ours, theirs, wrong, rule):
    at = tuple(int(i) for i in wrong[0])
    return (f"{len(wrong)} of {ours.size} elements differ by more than {rule}; "
            f"at {list(at)}: {ours[at]} instead of {theirs[at]}")
