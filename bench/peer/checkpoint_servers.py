# SPDX-License-Identifier: Apache-2.0
"""usage: checkpoint_servers.py orbax|tensorstore STATE

Saves and restores the arrays of STATE (common/training_state.py). Commands on standard input:
  save FOLDER none|zstd
  restore FOLDER        also compares with STATE
  block FOLDER          saves in the background (Orbax); reports how long training waits
Answers every command with the seconds it took and, after restore, the number of equal bytes."""

import asyncio
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import training_state

MAX_CHUNK_BYTES = 64 << 20


def rows_of_a_chunk(array):
    """Rows per chunk: a divisor of the number of rows, since a partial chunk would be stored whole."""
    num_chunks = -(-array.nbytes // MAX_CHUNK_BYTES)
    while len(array) % num_chunks:
        num_chunks += 1
    return len(array) // num_chunks


class Orbax:
    """Default settings except for compression; saves NumPy arrays, which need no copy from a device."""

    def __init__(self):
        import orbax.checkpoint as ocp
        self.ocp = ocp
        self.on_device = None

    def checkpointer(self, compressor="none"):
        return self.ocp.Checkpointer(
            self.ocp.PyTreeCheckpointHandler(use_compression=compressor != "none"))

    def save(self, folder, compressor, arrays):
        self.checkpointer(compressor).save(pathlib.Path(folder).absolute(), arrays)

    def block(self, folder, arrays):
        import jax
        if not self.on_device:
            self.on_device = jax.block_until_ready(jax.device_put(arrays))
        handler = self.ocp.PyTreeCheckpointHandler(use_compression=False)
        with self.ocp.AsyncCheckpointer(handler) as checkpointer:
            begin = time.perf_counter()
            checkpointer.save(pathlib.Path(folder).absolute(), self.on_device)
            return time.perf_counter() - begin

    def restore(self, folder, arrays):
        del arrays
        return self.checkpointer().restore(pathlib.Path(folder).absolute())


class TensorStore:
    """Writes all arrays concurrently, in chunks of the same size as Meshwright's."""

    def __init__(self):
        import tensorstore as ts
        self.ts = ts

    def spec(self, folder, path, **metadata):
        return {"driver": "zarr", "metadata": metadata,
                "kvstore": {"driver": "file", "path": f"{folder}/{path.replace('/', '.')}"}}

    def save(self, folder, compressor, arrays):
        async def write(path, array):
            spec = self.spec(
                folder, path, shape=array.shape, chunks=(rows_of_a_chunk(array), *array.shape[1:]),
                dtype="bfloat16" if array.dtype.name == "bfloat16" else array.dtype.str,
                compressor={"id": "zstd", "level": 1} if compressor == "zstd" else None)
            await (await self.ts.open(spec, create=True)).write(array)

        async def write_all():
            await asyncio.gather(*(write(*item) for item in arrays.items()))
        asyncio.run(write_all())

    def restore(self, folder, arrays):
        async def read(path):
            return await (await self.ts.open(self.spec(folder, path), open=True)).read()

        async def read_all():
            return await asyncio.gather(*map(read, arrays))
        return dict(zip(arrays, asyncio.run(read_all())))


def equal_bytes(arrays, restored):
    same = sum(array.nbytes for path, array in arrays.items()
               if restored[path].dtype == array.dtype and (restored[path] == array).all())
    return same


def main():
    side = {"orbax": Orbax, "tensorstore": TensorStore}[sys.argv[1]]()
    arrays = training_state.read(sys.argv[2])
    for line in sys.stdin:
        command, folder, *compressor = line.split()
        begin = time.perf_counter()
        if command == "save":
            side.save(folder, *compressor, arrays)
            print(f"seconds {time.perf_counter() - begin:.6f}")
        elif command == "block":
            print(f"seconds {side.block(folder, arrays):.6f}")
        else:
            restored = side.restore(folder, arrays)
            print(f"seconds {time.perf_counter() - begin:.6f}")
            print(f"bytes {equal_bytes(arrays, restored)}")
            del restored
        print("done", flush=True)


if __name__ == "__main__":
    main()
