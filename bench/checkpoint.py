# SPDX-License-Identifier: Apache-2.0
# peer: io
"""Saves and restores a training state of 1.2 GB, uncompressed and with zstd, in memory and on disk.
Compares with Orbax and plain TensorStore, which all sync their writes, and with lower bounds: a plain
write, read and copy of the same bytes. Also measures how long training waits for a background save."""

import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "common"))
import training_state
from harness import ROOT, Bench, median, program
from server import Server

MEMORY = "/dev/shm"
DISK = ROOT / "build"
PEERS = {"Orbax": "orbax", "TensorStore": "tensorstore"}


class Place:
    """A folder on one file system, emptied before each save."""

    def __init__(self, name, root):
        self.name = name
        self.folder = tempfile.TemporaryDirectory(prefix="bench_checkpoint_", dir=root)
        self.is_disk = name == "disk"

    def fresh(self, side):
        folder = pathlib.Path(self.folder.name, side)
        shutil.rmtree(folder, ignore_errors=True)
        return folder

    def forget_cache(self, folder):
        """Drops cached pages so that the next read comes from the disk."""
        if not self.is_disk:
            return
        for file in filter(pathlib.Path.is_file, folder.rglob("*")):
            handle = os.open(file, os.O_RDONLY)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(handle)


def save_and_restore(server, place, compressor, num_bytes):
    """Seconds to save and to restore, and the stored size relative to the state."""
    folder = place.fresh("checkpoint")
    saved = server.ask("save", folder, compressor)["seconds"]
    stored = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    place.forget_cache(folder)
    restored = server.ask("restore", folder)
    if restored["bytes"] != num_bytes:
        sys.exit(f"bench checkpoint: {server.process.args[-2:]} restored {restored['bytes']:.0f} of "
                 f"{num_bytes} bytes")
    place.fresh("checkpoint")
    return {"save": saved, "restore": restored["seconds"], "stored": stored / num_bytes}


def floor(server, place):
    """Seconds to write, read and copy the bytes plainly, without names or checksums."""
    folder = place.fresh("plain")
    folder.mkdir()
    saved = server.ask("write", folder)["seconds"]
    place.forget_cache(folder)
    restored = server.ask("read", folder)["seconds"]
    place.fresh("plain")
    return {"save": saved, "restore": restored, "copy": server.ask("copy")["seconds"]}


def speeds(samples, what, num_bytes):
    """GB/s of each side."""
    return {side: num_bytes / 1e9 / median(run[what] for run in runs)
            for side, runs in samples.items() if what in runs[0]}


def compare(bench, servers, place, compressor, num_bytes):
    case = f"{place.name}, {compressor}"
    runs = {f"{side}, {case}": lambda server=server: save_and_restore(server, place, compressor, num_bytes)
            for side, server in servers.items()}
    if compressor == "none":
        runs[f"plain, {case}"] = lambda: floor(servers["Meshwright"], place)
    samples = {name.partition(",")[0]: values for name, values in bench.interleave(runs).items()}
    for what in ("save", "restore"):
        found = speeds(samples, what, num_bytes)
        for side, speed in found.items():
            bench.fact(f"{what}, {case}, {side}", speed, "GB/s")
        claim_speed(bench, f"{what}-{place.name}-{compressor}", found, place.is_disk)
    if compressor == "none":
        bench.fact(f"copy, {case}", speeds(samples, "copy", num_bytes)["plain"], "GB/s")
    else:
        for side, values in samples.items():
            bench.fact(f"stored size, {case}, {side}", values[0]["stored"], "of the state")


def claim_speed(bench, name, found, is_disk):
    best_peer = max(found[side] for side in PEERS)
    bench.claim(f"{name}-against-peers", found["Meshwright"] / best_peer, ">=", 1.0 if is_disk else 2.0,
                "times the faster peer")
    if is_disk and "plain" in found:
        bench.claim(f"{name}-against-plain", found["Meshwright"] / found["plain"], ">=", 0.9)


def compare_blocking(bench, servers, place):
    """Measures how long training waits for a background save, in memory."""
    def block(server, *how):
        seconds = server.ask("block", place.fresh("checkpoint"), *how)["seconds"]
        place.fresh("checkpoint")
        return seconds
    samples = bench.interleave({
        "blocked, copy": lambda: block(servers["Meshwright"], "copy"),
        "blocked, hold": lambda: block(servers["Meshwright"], "hold"),
        "blocked, Orbax": lambda: block(servers["Orbax"]),
        "copy of the bytes": lambda: servers["Meshwright"].ask("copy")["seconds"],
    })
    seconds = {name: median(values) for name, values in samples.items()}
    for name, value in seconds.items():
        bench.fact(name, value, "s")
    for how, target in (("copy", 1.0), ("hold", 0.05)):
        bench.claim(f"blocked-{how}", seconds[f"blocked, {how}"] / seconds["copy of the bytes"], "<=",
                    target, "of the time of a copy")


def main():
    bench = Bench("checkpoint", __doc__, rounds=5)
    with tempfile.TemporaryDirectory(prefix="bench_checkpoint_state_", dir=MEMORY) as state:
        num_bytes = training_state.write(state)
        peer = [sys.executable, str(HERE / "peer" / "checkpoint_servers.py")]
        servers = {"Meshwright": Server([program("checkpoint"), state])}
        servers |= {name: Server([*peer, side, state]) for name, side in PEERS.items()}
        compare_blocking(bench, servers, Place("memory", MEMORY))
        for place in (Place("memory", MEMORY), Place("disk", DISK)):
            for compressor in ("none", "zstd"):
                compare(bench, servers, place, compressor, num_bytes)
    return bench.close()


if __name__ == "__main__":
    sys.exit(main())
