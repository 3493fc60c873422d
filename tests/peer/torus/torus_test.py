# SPDX-License-Identifier: Apache-2.0
"""Compare the order of TPUs along a mesh with JAX's create_device_mesh.

usage: torus_test.py PROGRAM
"""

import dataclasses
import itertools
import math
import os
import random
import subprocess
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
from jax.experimental import mesh_utils
import numpy as np

# Kind, sides, devices per chip: whole machines and slices of them, even and uneven.
MACHINES = [
    *(("TPU v2", (x, y, 1), 2) for x, y in ((2, 2), (4, 4))),
    *(("TPU v3", (x, y, 1), 2) for x, y in ((2, 2), (4, 2), (4, 8))),
    *(("TPU v4", sides, 1) for sides in ((1, 1, 1), (2, 2, 1), (2, 2, 2), (2, 2, 4), (2, 4, 4),
                                         (4, 4, 4), (4, 4, 8), (4, 4, 16), (4, 8, 8),
                                         (3, 5, 1), (6, 2, 3), (1, 1, 12), (6, 4, 9))),
    *(("TPU v5", sides, 1) for sides in ((2, 2, 1), (2, 2, 2), (4, 4, 4), (4, 4, 8))),
    *(("TPU v5p", sides, cores) for cores in (1, 2)
      for sides in ((2, 2, 1), (2, 2, 2), (2, 2, 4), (4, 4, 4), (4, 4, 8))),
    *((f"TPU {kind} lite", sides, 1) for kind in ("v5", "v6")
      for sides in ((1, 1, 1), (2, 2, 1), (2, 4, 1), (4, 2, 1), (8, 1, 1), (2, 2, 2), (4, 4, 1),
                    (4, 8, 1), (8, 8, 1), (16, 16, 1))),
    *(("TPU v4 lite", sides, 1) for sides in ((2, 2, 1), (4, 1, 1), (4, 2, 1))),
    *((kind, sides, cores) for kind in ("TPU7x", "TPU7") for cores in (1, 2)
      for sides in ((2, 2, 1), (2, 2, 2), (2, 2, 4), (2, 1, 4), (4, 2, 1), (4, 4, 4))),
    *(("TPU8i", sides, cores) for cores in (1, 2) for sides in ((2, 2, 1), (2, 1, 1), (4, 4, 2))),
]


@dataclasses.dataclass(frozen=True)
class Device:
    """The attributes of a device that JAX reads."""

    id: int
    device_kind: str
    coords: tuple
    core_on_chip: int
    slice_index: int = 0
    platform: str = "tpu"


def devices_of(kind, sides, cores, slice_index=0, first=(0, 0, 0)):
    """Devices in JAX's order: x varies fastest, except for the cores of a chip."""
    places = itertools.product(*(range(side) for side in reversed(sides)), range(cores))
    return [Device(i, kind, (x + first[0], y + first[1], z + first[2]), core, slice_index)
            for i, (z, y, x, core) in enumerate(places)]


def factorings(n, num_parts):
    """Returns all ordered factorisations of n into num_parts integers."""
    if num_parts == 1:
        yield (n,)
        return
    for first in range(1, n + 1):
        if n % first == 0:
            yield from ((first, *rest) for rest in factorings(n // first, num_parts - 1))


def cases():
    """Yields kind, sizes within slices, sizes between them, devices."""
    shuffle = random.Random(0).shuffle
    for kind, sides, cores in MACHINES:
        devices = devices_of(kind, sides, cores)
        most_axes = 4 if len(devices) <= 64 else 3
        for sizes in itertools.chain(
                *(factorings(len(devices), n) for n in range(1, most_axes + 1))):
            yield kind, sizes, (1,) * len(sizes), devices
        mixed = list(devices)
        shuffle(mixed)
        moved = devices_of(kind, sides, cores, first=(4, 2, 6))
        for sizes in factorings(len(devices), 2):
            yield kind, sizes, (1, 1), mixed
            yield kind, sizes, (1, 1), moved
        slices = [devices_of(kind, sides, cores, index) for index in range(4)]
        for sizes in factorings(len(devices), 2):
            for outer in ((4, 1), (2, 2), (1, 4)):
                yield kind, sizes, outer, sum(slices, [])


def theirs(sizes, outer, devices):
    """Returns the positions of the devices in the list; AXLearn's choice if JAX has no mesh."""
    where = {(device.slice_index, device.id): i for i, device in enumerate(devices)}
    try:
        mesh = mesh_utils.create_hybrid_device_mesh(sizes, outer, devices)
        word = []
    except NotImplementedError:
        mesh = np.empty(len(devices), dtype=object)
        mesh[:] = devices
        blocks = mesh.reshape((*outer, *sizes))
        axes = [i + part * len(sizes) for i in range(len(sizes)) for part in (0, 1)]
        mesh = blocks.transpose(axes)
        word = ["plain"]
    return " ".join(word + [str(where[device.slice_index, device.id]) for device in mesh.flat])


def text_of(kind, sizes, outer, devices):
    numbers = [len(sizes), *sizes, *outer, len(devices)]
    for device in devices:
        numbers += [device.slice_index, *device.coords, device.core_on_chip]
    return " ".join([kind.replace(" ", "_"), *map(str, numbers)])


def main():
    every = list(cases())
    text = "\n".join(text_of(*case) for case in every)
    run = subprocess.run(sys.argv[1:2], input=text, stdout=subprocess.PIPE, text=True, check=True)
    ours = run.stdout.splitlines()
    wrong = 0
    for (kind, sizes, outer, devices), line in itertools.zip_longest(every, ours):
        expected = theirs(sizes, outer, devices)
        if line == expected:
            continue
        wrong += 1
        last = max(device.coords for device in devices)
        print(f"{kind} up to {last}, mesh {sizes} x {outer}:\n  ours   {line}\n  theirs {expected}")
    fits = sum(not line.startswith("plain") for line in ours)
    print(f"{len(every) - wrong} of {len(every)} agree with JAX, {fits} of them follow a torus")
    sys.exit(1 if wrong or not 0 < fits < len(every) else 0)


if __name__ == "__main__":
    main()
