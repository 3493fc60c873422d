# SPDX-License-Identifier: Apache-2.0
"""Random sequences of operations on the folder of a run, with real processes on a real disk: links,
pipes, moves, copies, removals. In all cases nothing outside the folder is changed, nothing hangs, no
readable data is lost, no run starts at 0 if there are checkpoints, and a run whose folder was lost ends
with exit code 4.

usage: folder_test.py [--count N] [--seed N] [--replay JSON] MESHWRIGHT

A failing sequence is printed as a list, which --replay accepts.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
import json
import os
from pathlib import Path
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from small_run import MEMORY, NEVER_JUDGED, SMALL

LIMIT_SECONDS = 120
NEWEST = 8  # of the run that sequences start with; the one before is 4

# Files that are replaced as a whole, together with any other entry of that name.
WHOLE = ["config.toml", "config.toml.new", "params.txt", "trainer_state_tree.txt", "run_id",
         "wandb_id"]
# Files that are appended to, and folders: another entry of that name is left alone, and the run
# continues without the file.
WITH_WANDB = 'sinks=[{type="jsonl"},{type="tensorboard"},{type="wandb"}]'
LEFT_OUT = ["metrics.jsonl", "summaries", "summaries/train_train", "wandb", "outputs", "traces"]
NOTES = ["went_back_to", "non_finite", "earlier.1"]
REFUSED = ["lock", "checkpoints"]
STEP = f"checkpoints/step_{NEWEST:08}"
DAMAGE = [STEP, f"{STEP}/meshwright.json", "checkpoints/step_99999999"]
KINDS = ["link to a file", "link to a folder", "link to nothing", "pipe"]

# Changes to a folder while its run trains, and the exit code of the run.
LOST = {"moved": 4, "moved and made again": 4, "moved and a run begins there": 4, "removed": 4,
        "removed and made again": 4, "its parent moved": 4, "checkpoints moved": 4,
        "checkpoints moved and linked": 4, "checkpoints removed": 4}
KEPT = {"moved and linked": 143, "checkpoints emptied": 143, "moved away and back": 143, "copied": 143, "its lock removed": 143,
        "nothing": 143}
BRIEFLY_MOVED = ["moved and linked", "moved away and back"]


def draw(generator):
    """Returns the operations of one sequence."""
    out = []
    for _ in range(generator.randrange(3)):
        names = generator.choices([WHOLE, LEFT_OUT, NOTES, REFUSED, DAMAGE], [4, 4, 1, 1, 2])[0]
        out.append(["plant", generator.choice(KINDS), generator.choice(names)])
    if generator.random() < 0.3:
        out.append(["ask", generator.choice(["ckpt ls", "ckpt show", "ckpt verify", "eval"])])
    out.append(["train", generator.choice(list(LOST) + list(KEPT) + ["to its end"])])
    if generator.random() < 0.4:
        out.append(["go on"])
    return out


def tree(folder):
    """Returns all entries with their bytes."""
    out = {}
    for path in sorted(folder.rglob("*")):
        is_plain = path.is_file() and not path.is_symlink()
        out[str(path.relative_to(folder))] = path.read_bytes() if is_plain else None
    return out


def expect(condition, *texts):
    if not condition:
        raise AssertionError(" ".join(str(text) for text in texts))


class Sequence:
    """Runs one sequence in its own folder."""

    def __init__(self, program, template, folder):
        self.program, self.folder = program, folder
        self.above = folder / "above"
        self.run = self.above / "run"
        self.precious = folder / "precious"
        self.precious.mkdir()
        (self.precious / "file").write_text("precious\n")
        (self.precious / "folder").mkdir()
        (self.precious / "folder" / "file").write_text("precious\n")
        self.before = tree(self.precious)
        self.above.mkdir()
        shutil.copytree(template, self.run)
        self.planted = []
        self.is_removed = False
        self.processes = []

    def do(self, kind, *what):
        getattr(self, "do_" + kind.replace(" ", "_"))(*what)
        expect(tree(self.precious) == self.before, "something outside was touched")

    def do_plant(self, kind, name):
        path = self.run / name
        parents = [self.run / parent for parent in Path(name).parents]
        if any(parent.is_symlink() or not parent.is_dir() for parent in parents):
            return
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.is_symlink() or path.exists():
            path.unlink()
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to(self.precious / kind.removeprefix("link to a ").replace(
                "link to nothing", "nothing"))
        self.planted.append(name)

    def is_refused(self):
        return [name for name in self.planted if name in REFUSED]

    def do_ask(self, command):
        words = command.split()
        done = self.call(*words, str(self.run))
        expect(done.returncode not in (70, 75), command, done.returncode, done.stderr)
        if "checkpoints" in self.planted:
            expect(done.returncode == 2, command, "took", done.returncode, done.stderr)
            expect("config.toml" in self.planted or "not followed" in done.stderr, done.stderr)

    def do_train(self, what):
        self.expect_refusal() if self.is_refused() else self.train(what)

    def expect_refusal(self):
        before = tree(self.run)
        done = self.call(*self.words(self.run))
        expect(done.returncode == 2, "it ended with", done.returncode, done.stderr)
        after = tree(self.run)
        for made in ("lock", "lock.new"):
            before.pop(made, None), after.pop(made, None)
        expect(before == after, "a refused run changed", set(before) ^ set(after))

    def train(self, what):
        first = self.first_step()
        if what == "to its end":
            done = self.call(*self.words(self.run, f"max_step={NEWEST + 4}"))
            expect(done.returncode == 0, "it ended with", done.returncode, done.stderr)
            self.expect_began_at(first, done.stderr)
            expect(newest(self.run) == NEWEST + 4, "it ended at", newest(self.run))
            return
        process = self.start(self.run)
        self.wait_for_save(process)
        change = getattr(self, "change_" + what.replace(" ", "_"))
        change()
        if what in KEPT:
            process.send_signal(signal.SIGTERM)
        errors = self.end_of(process)
        code = {**LOST, **KEPT}[what]
        if what in BRIEFLY_MOVED and process.returncode == 4:  # it checked at that moment
            expect("was moved" in errors, errors)
            code = 4
        expect(process.returncode == code, "it ended with", process.returncode, "expected", code,
               errors)
        self.expect_began_at(first, errors)
        self.check_left(what, errors)

    def do_go_on(self):
        """Does what the message suggests."""
        if self.is_refused() or self.is_removed:
            return
        step = newest(self.run)
        expect(step is not None, "nothing was saved")
        done = self.call(*self.words(self.run, f"max_step={step + 2}"))
        expect(done.returncode == 0, "continuing ended with", done.returncode, done.stderr)
        self.expect_began_at(step, done.stderr)

    def change_moved(self):
        self.moved_to = self.folder / "elsewhere"
        self.run.rename(self.moved_to)

    def change_moved_and_made_again(self):
        self.change_moved()
        self.run.mkdir()
        (self.run / "note").write_text("another's\n")

    def change_moved_and_a_run_begins_there(self):
        self.change_moved()
        self.second = self.start(self.run)
        self.wait_for_save(self.second)

    def change_its_parent_moved(self):
        self.above.rename(self.folder / "renamed")
        self.moved_to = self.folder / "renamed" / "run"

    def change_moved_and_linked(self):
        self.run.rename(self.folder / "disk")
        self.run.symlink_to(self.folder / "disk")

    def change_moved_away_and_back(self):
        self.run.rename(self.folder / "elsewhere")
        (self.folder / "elsewhere").rename(self.run)

    def change_removed(self):
        while self.run.exists():
            shutil.rmtree(self.run, ignore_errors=True)

    def change_removed_and_made_again(self):
        self.change_removed()
        self.run.mkdir()

    def change_checkpoints_moved(self):
        (self.run / "checkpoints").rename(self.folder / "elsewhere")

    def change_checkpoints_moved_and_linked(self):
        self.change_checkpoints_moved()
        (self.run / "checkpoints").symlink_to(self.folder / "elsewhere")

    def change_checkpoints_removed(self):
        while (self.run / "checkpoints").exists():
            shutil.rmtree(self.run / "checkpoints", ignore_errors=True)

    def change_checkpoints_emptied(self):
        (self.folder / "elsewhere").mkdir()
        for step in (self.run / "checkpoints").glob("step_*"):
            try:
                step.rename(self.folder / "elsewhere" / step.name)
            except FileNotFoundError:  # deleted by retention
                pass

    def change_copied(self):
        # Like cp, which may encounter files that are being removed.
        subprocess.run(["cp", "-r", self.run, self.folder / "copy"], check=False,
                       capture_output=True)

    def change_its_lock_removed(self):
        (self.run / "lock").unlink()

    def change_nothing(self):
        pass

    def check_left(self, what, errors):
        if what.startswith("checkpoints"):
            self.check_checkpoints(what, errors)
            return
        if what.startswith("removed"):
            self.is_removed = True
            expect("was removed" in errors, errors)
            expect(not self.run.exists() or list(self.run.iterdir()) == [],
                   "files in a folder that is not the run's:", tree(self.run).keys())
            return
        if what in LOST:
            expect(f"dir={self.moved_to}" in errors, errors)
            if what == "moved and made again":
                expect(tree(self.run) == {"note": b"another's\n"}, tree(self.run).keys())
            if what == "moved and a run begins there":
                self.check_second()
            if what == "moved" or what == "its parent moved":
                expect(not self.run.exists(), "it was created again")
            self.run = self.moved_to
        if what == "copied":
            step = newest(self.folder / "copy")
            expect(step is not None, "nothing was copied")

    def check_checkpoints(self, what, errors):
        checkpoints = self.run / "checkpoints"
        if what == "checkpoints emptied":
            expect(newest(self.run) is not None, "it saved nothing when it ended")
            return
        said = "was removed" if what == "checkpoints removed" else "was moved"
        expect(f"{checkpoints}, {said} during the run" in errors, errors)
        if what == "checkpoints removed":
            self.is_removed = True
            expect(not checkpoints.exists(), "they were created again:", tree(self.run).keys())
            return
        if what == "checkpoints moved and linked":
            checkpoints.unlink()
        expect(not checkpoints.exists(), "they were created again:", tree(self.run).keys())
        (self.folder / "elsewhere").rename(checkpoints)  # as the message suggests

    def check_second(self):
        self.second.send_signal(signal.SIGTERM)
        errors = self.end_of(self.second)
        expect(self.second.returncode == 143, "the second run ended with", self.second.returncode,
               errors)
        step = int(re.search(r"stopped on request after step (\d+)", errors).group(1))
        expect(newest(self.run) == step, "the second run has", newest(self.run), "expected", step)
        done = self.call("ckpt", "verify", str(self.run))
        expect(done.returncode == 0, "the second run's:", done.stdout, done.stderr)

    def words(self, run, *more):
        return ["train", f"dir={run}", *SMALL, NEVER_JUDGED, WITH_WANDB, *more]

    def call(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True, check=False,
                              timeout=LIMIT_SECONDS, stdin=subprocess.DEVNULL)

    def start(self, run):
        log = open(self.folder / f"log.{len(self.processes)}", "w+", encoding="utf-8")
        process = subprocess.Popen([self.program, *self.words(run, "max_step=1000000")],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        process.log = log
        self.processes.append(process)
        return process

    def wait_for_save(self, process):
        """Waits until it has trained and saved."""
        end = time.monotonic() + LIMIT_SECONDS
        while not re.search(r"\bstep \d+/", Path(process.log.name).read_text(encoding="utf-8")):
            expect(process.poll() is None, "it ended with", process.returncode, errors_of(process))
            expect(time.monotonic() < end, "it does not train:", errors_of(process))
            time.sleep(0.01)

    def end_of(self, process):
        try:
            process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise AssertionError("it does not end: " + errors_of(process)) from None
        return errors_of(process)

    def first_step(self):
        """Returns the step from which a run must continue."""
        is_damaged = any(name.startswith(STEP) for name in self.planted)
        return NEWEST - 4 if is_damaged else NEWEST

    @staticmethod
    def expect_began_at(step, errors):
        expect(f"restored the checkpoint of step {step}\n" in errors, "it did not continue from", step,
               errors)

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()
            process.log.close()


def errors_of(process):
    return Path(process.log.name).read_text(encoding="utf-8")


def newest(run):
    steps = [int(path.name[5:]) for path in (run / "checkpoints").glob("step_*")
             if (path / "meshwright.json").is_file() and not path.is_symlink()]
    return max(steps, default=None)


def run_sequence(program, template, sequence):
    """Returns the error of a sequence, or None."""
    folder = Path(tempfile.mkdtemp(prefix="mw_folder_", dir=MEMORY))
    state = Sequence(program, template, folder)
    try:
        for step in sequence:
            state.do(*step)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return str(error)
    finally:
        state.close()
        shutil.rmtree(folder, ignore_errors=True)
    return None


def shrunk(fails, sequence):
    """Returns the sequence without the operations that the failure does not need."""
    at = 0
    while at < len(sequence):
        shorter = sequence[:at] + sequence[at + 1:]
        if fails(shorter):
            sequence = shorter
        else:
            at += 1
    return sequence


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--replay", type=json.loads)
    parser.add_argument("program")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="mw_folder_", dir=MEMORY))
    template = folder / "run"
    subprocess.run([args.program, "train", f"dir={template}", *SMALL, NEVER_JUDGED, WITH_WANDB,
                    f"max_step={NEWEST}"], check=True, capture_output=True)

    def why(sequence):
        return run_sequence(args.program, template, sequence)

    sequences = [args.replay] if args.replay else [
        draw(random.Random(f"{args.seed}/{i}")) for i in range(args.count)]
    end = time.monotonic() + args.seconds
    try:
        with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
            results = pool.map(
                lambda sequence: why(sequence) if time.monotonic() < end else "not tried",
                sequences)
            results = list(zip(sequences, results))
        num_tried = sum(result != "not tried" for _, result in results)
        failures = [(s, result) for s, result in results if result and result != "not tried"]
        print(f"{num_tried} of {len(results)} sequences, {len(failures)} failed")
        for sequence, result in failures[:3]:
            short = shrunk(lambda s: why(s) is not None, sequence)
            print(f"FAILED: --replay '{json.dumps(short)}'\n{why(short) or result}")
        return 1 if failures else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
