# SPDX-License-Identifier: Apache-2.0
"""Malicious checkpoints: `ckpt` rejects each with one line, little memory and no delay.

usage: attack_test.py MESHWRIGHT
"""

import gzip
import json
import os
from pathlib import Path
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop()
MAX_MEMORY = 1 << 30  # of address space, which exceeds the resident memory
MAX_SECONDS = 30
DATA_LOSS, NOT_THERE = 3, 4
HUGE = 1 << 40


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def sealed(text):
    """Returns a manifest as an attacker who knows the checksum could write it."""
    return text + f',"crc32c":"{crc32c(text.encode()):08x}"}}\n'


def zarray(shape, chunks, compressor=None):
    return json.dumps({"chunks": chunks, "compressor": compressor, "dtype": "|u1", "fill_value": 0,
                       "filters": None, "order": "C", "shape": shape, "zarr_format": 2})


class Attack(unittest.TestCase):
    def setUp(self):
        self.run_folder = Path(tempfile.mkdtemp(prefix="mw_attack_"))
        self.addCleanup(shutil.rmtree, self.run_folder)
        self.step = self.run_folder / "step_00000001"

    def write(self, name, content):
        path = self.step / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def native(self, arrays, files, written=()):
        """Creates a step in the native format with this manifest, and files as in `written`."""
        records = {}
        for name, content in written:
            path = self.write(name, content)
            records[name] = [path.stat().st_size, f"{crc32c(path.read_bytes()):08x}"]
        self.write("_METADATA", "{}")
        self.write("meshwright.json", sealed(json.dumps(
            {"meshwright_checkpoint": 1, "format": "native", "step": 1,
             "arrays": {path: {"folder": folder, "dtype": "uint8", "shape": shape}
                        for path, (folder, shape) in arrays.items()},
             "values": {}, "files": {**records, **files}})[:-1]))

    def axlearn(self, arrays, written=()):
        """Creates a step of AXLearn, which has no checksums."""
        self.write("index", json.dumps(
            [["step", 1]] + [[path, {"dtype": "uint8", "shape": str(tuple(shape))}]
                             for path, shape in arrays.items()]))
        for name, content in written:
            self.write(f"gda/{name}", content)

    def ckpt(self, *words):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        done = subprocess.run([PROGRAM, "ckpt", *words], capture_output=True, timeout=MAX_SECONDS,
                              preexec_fn=limit, check=False)
        text = (done.stdout + done.stderr).decode()
        self.assertNotIn("bug", text)
        self.assertNotIn("out of host memory", text)
        self.assertIn(done.returncode, range(0, 8), text)
        return done.returncode, text

    def expect_refused(self, *reading, word=""):
        """Commands that read the damaged part report it briefly; no command does worse."""
        for command in (["ls"], ["show"], ["show", "--stats"], ["verify"], ["diff", str(self.step)]):
            code, text = self.ckpt(command[0], str(self.step), *command[1:])
            self.assertLess(len(text), 2000, command)
            if command[0] in reading or " ".join(command) in reading:
                self.assertNotEqual(code, 0, f"{command}: {text}")
                self.assertIn(word, text)

    def test_sizes_that_overflow(self):
        for shape in ([1 << 62, 4], [HUGE, HUGE], [-1], [1 << 63], [1.5], [1] * 100_000):
            with self.subTest(shape=shape[:3]):
                self.native({"a": ("a", shape)}, {})
                self.expect_refused("show --stats", "verify")

    def test_a_chunk_larger_than_memory(self):
        self.axlearn({"a": [HUGE // 2]}, [("a/.zarray", zarray([HUGE // 2], [HUGE // 2])),
                                          ("a/0", b"x")])
        self.expect_refused("show --stats", "verify")

    def test_a_bomb(self):
        bomb = gzip.compress(bytes(200 << 20))
        for declared in (10, HUGE // 2):
            with self.subTest(declared=declared):
                self.axlearn({"a": [declared]}, [
                    ("a/.zarray", zarray([declared], [declared], {"id": "gzip", "level": 1})),
                    ("a/0", bomb)])
                self.expect_refused("show --stats", "verify")

    def test_a_large_chunk_for_a_small_array(self):
        self.axlearn({"a": [1]}, [
            ("a/.zarray", zarray([1], [HUGE // 2], {"id": "gzip", "level": 1})),
            ("a/0", gzip.compress(bytes(1000)))])
        self.expect_refused("show --stats", "verify")

    def test_more_chunks_than_can_be_counted(self):
        self.axlearn({"a": [HUGE]}, [("a/.zarray", zarray([HUGE], [1]))])
        self.expect_refused("show --stats", "verify")

    def test_a_file_with_a_large_hole(self):
        self.axlearn({"a": [10]}, [("a/.zarray", zarray([10], [10], {"id": "gzip", "level": 1}))])
        with open(self.write("gda/a/0", b""), "wb") as chunk:
            chunk.truncate(HUGE)
        self.expect_refused("show --stats", "verify")

    def test_metadata_with_a_large_hole(self):
        for name in ("index", "meshwright.json", "gda/a/.zarray"):
            with self.subTest(name=name):
                self.axlearn({"a": [1]}, [("a/.zarray", zarray([1], [1])), ("a/0", b"1")])
                with open(self.write(name, b""), "wb") as file:
                    file.truncate(HUGE)
                self.expect_refused("verify")
                (self.step / name).unlink()

    def test_names_that_lead_elsewhere(self):
        secret = self.run_folder / "secret"
        secret.mkdir()
        (secret / ".zarray").write_text(zarray([3], [3]))
        (secret / "0").write_bytes(b"abc")
        for name in ("../secret", str(secret), "x/../../secret", "..", ".", "a//b"):
            with self.subTest(name=name):
                self.native({"a": (name, [3])}, {})
                self.expect_refused("show --stats", "verify")
                self.native({}, {f"{name}/0": [3, "00000000"]})
                self.expect_refused("verify")
                shutil.rmtree(self.step)
                self.axlearn({name: [3]})
                self.expect_refused("show --stats", "verify")
                shutil.rmtree(self.step)

    def test_links_pipes_and_folders_in_place_of_files(self):
        target = self.run_folder / "target"
        target.write_bytes(b"abc")
        def links(path):
            path.symlink_to(target)
        def endless(path):
            path.symlink_to("/dev/zero")
        for make in (links, endless, os.mkfifo, Path.mkdir):
            for name in ("a/0", "a/.zarray", "meshwright.json"):
                with self.subTest(name=name, make=make):
                    shutil.rmtree(self.step, ignore_errors=True)
                    self.native({"a": ("a", [3])}, {}, [("a/.zarray", zarray([3], [3])), ("a/0", b"abc")])
                    (self.step / name).unlink()
                    make(self.step / name)
                    self.expect_refused("show --stats", "verify")
            for name in ("gda/a/0", "gda/a/.zarray", "index"):
                with self.subTest(name=name, make=make):
                    shutil.rmtree(self.step, ignore_errors=True)
                    self.axlearn({"a": [3]}, [("a/.zarray", zarray([3], [3])), ("a/0", b"abc")])
                    (self.step / name).unlink()
                    make(self.step / name)
                    self.expect_refused("show --stats", "verify")

    def test_a_step_that_is_a_link(self):
        self.native({}, {})
        shutil.move(self.step, self.run_folder / "elsewhere")
        self.step.symlink_to(self.run_folder / "elsewhere")
        self.assertNotEqual(self.ckpt("verify", str(self.run_folder))[0], 0)

    def test_nesting(self):
        deep = "[" * 300_000
        self.native({}, {})
        self.write("meshwright.json", sealed('{"meshwright_checkpoint":1,"x":' + deep))
        self.expect_refused("show", "verify")
        for text in (deep, '[["step",1],' + deep, '{"a":' * 100_000):
            shutil.rmtree(self.step)
            self.write("index", text)
            self.expect_refused("show", "verify")
        shutil.rmtree(self.step)
        self.axlearn({"a": [3]}, [("a/.zarray", '{"a":' * 100_000)])
        self.expect_refused("verify")

    def test_a_name_that_would_write_to_the_terminal(self):
        evil = "a\x1b[2J\x1b]0;x\x07\nstep 5 is fine"
        self.native({evil: ("a", [3])}, {}, [("a/.zarray", zarray([3], [3])), ("a/0", b"abc")])
        for command in ("show", "verify"):
            _, text = self.ckpt(command, str(self.step))
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\nstep 5", text)


if __name__ == "__main__":
    unittest.main()
