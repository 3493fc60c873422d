# SPDX-License-Identifier: Apache-2.0
# peer: convert
"""Converts a checkpoint of 4 GB (--gigabytes) from safetensors to the native format and back, within a
budget of 256 MiB. Compares CPU time and wall time with safetensors and Orbax in Python, which also sync
their files, and measures the peak of resident memory. Then compares reading a checkpoint of T5X with gzip
to decoding its chunks from memory, on all cores."""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "common"))
from harness import BIN, ROOT, Bench, median, ratios

BUDGET = 256 << 20
ALLOWED_ABOVE = 200 << 20


def measured(command):
    """Wall seconds, CPU seconds and peak of resident bytes of a command. The peak includes that of this
    process, which must therefore stay small."""
    begin = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench convert: {command} failed")
    return {"wall": time.monotonic() - begin, "cpu": usage.ru_utime + usage.ru_stime,
            "rss": usage.ru_maxrss * 1024}


def remove(path):
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)


def gzip_case(bench, root, source):
    """Without a manifest, as T5X's own, `verify` decodes every chunk and writes nothing."""
    program = BIN / "meshwright"
    tree, native = root / "t5x", root / "from_gzip"
    subprocess.run([program, "ckpt", "convert", source, tree, "--to", "t5x", "--compress", "gzip"],
                   check=True, stdout=subprocess.DEVNULL)
    for ours in tree.glob("checkpoint_*/meshwright.*"):
        ours.unlink()
    metadata = json.loads(next(tree.rglob(".zarray")).read_text())
    chunk_bytes = math.prod(metadata["chunks"]) * int(metadata["dtype"][2:])

    def codec():
        return float(subprocess.check_output([BIN / "bench_convert", tree, str(os.cpu_count()),
                                              str(chunk_bytes)]))

    def convert():
        remove(native)
        return measured([program, "ckpt", "convert", tree, native, "--to", "native"])

    samples = bench.interleave({
        "gzip, codec alone": codec,
        "gzip, read": lambda: measured([program, "ckpt", "verify", tree]),
        "gzip, to native": convert})
    alone = samples["gzip, codec alone"]
    walls = {case: [v["wall"] for v in samples[f"gzip, {case}"]] for case in ("read", "to native")}
    bench.fact("gzip, codec alone", median(alone), "s")
    for case, values in walls.items():
        bench.fact(f"gzip, {case}", median(values), "s")
    bench.claim_ratio("gzip-read", [ratios(alone, walls["read"])], ">=", 0.9, "of the codec's speed")
    bench.ratio("gzip-to-native", [ratios(alone, walls["to native"])], "of the codec's speed")
    remove(tree), remove(native)


def main():
    bench = Bench("convert", __doc__, rounds=3,
                  options=[(["--gigabytes"], {"type": float, "default": 4.0, "help": "size (4)"})])
    ours = [BIN / "meshwright", "ckpt", "convert", "--budget", str(BUDGET)]
    theirs = [sys.executable, HERE / "peer" / "convert_side.py"]
    with tempfile.TemporaryDirectory(prefix="bench_convert_", dir=ROOT / "build") as folder:
        root = pathlib.Path(folder)
        source, native, other = root / "x.safetensors", root / "native", root / "other"
        back, back_other = root / "y.safetensors", root / "z.safetensors"
        subprocess.run([*theirs, "write", str(bench.arguments.gigabytes), source], check=True)

        def fresh(target, command):
            remove(target)
            return measured(command)

        cases = {
            "to_native": {
                "Meshwright": lambda: fresh(native, [*ours, source, native, "--to", "native"]),
                "Python": lambda: fresh(other, [*theirs, "to_folder", source, other])},
            "to_safetensors": {
                "Meshwright": lambda: fresh(back, [*ours, native, back, "--to", "safetensors"]),
                "Python": lambda: fresh(back_other, [*theirs, "to_safetensors", other, back_other])},
        }
        for case, runs in cases.items():
            samples = bench.interleave({f"{case}, {side}": run for side, run in runs.items()})
            ours_now, theirs_now = samples[f"{case}, Meshwright"], samples[f"{case}, Python"]
            for side, values in (("Meshwright", ours_now), ("Python", theirs_now)):
                for what, unit in (("wall", "s"), ("cpu", "s")):
                    bench.fact(f"{case}, {side}, {what}", median([v[what] for v in values]), unit)
                bench.fact(f"{case}, {side}, resident", max(v["rss"] for v in values) / 2**20, "MiB")
            for what, target in (("cpu", 1 / 3), ("wall", 1.0)):
                bench.claim_ratio(f"{case}-{what}", [ratios([v[what] for v in ours_now],
                                                            [v[what] for v in theirs_now])],
                                  "<=", target, "of that of Python")
            bench.claim(f"{case}-resident", max(v["rss"] for v in ours_now), "<=",
                        BUDGET + ALLOWED_ABOVE, "bytes")
        remove(other)
        same = [BIN / "meshwright", "ckpt", "diff", source, back]
        if subprocess.run(same, stdout=subprocess.DEVNULL).returncode != 0:
            bench.stop("the elements differ after both conversions")
        remove(native), remove(back), remove(back_other)
        gzip_case(bench, root, source)
    return bench.close()


if __name__ == "__main__":
    sys.exit(main())
