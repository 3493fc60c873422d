# SPDX-License-Identifier: Apache-2.0
"""The command line of the scripts that hold what a program of ours computed against a peer."""

import argparse
import subprocess
import sys
import tempfile

from compare import load_manifest


def main(peer, prepare):
    """Runs PROGRAM in a folder of its own. `prepare(records, folder)` gives the records to check and
    `check(record)`, which yields a line for whatever is wrong with one. Exits with 1 if a record is
    wrong, or if there is none."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", default="", metavar="PART_OF_NAME")
    parser.add_argument("--seed", default="0")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([arguments.program, folder, arguments.only, arguments.seed], check=True)
        records, check = prepare(load_manifest(folder), folder)
        failed = 0
        for record in records:
            wrong = list(check(record))
            failed += bool(wrong)
            for line in wrong:
                print(f"{record['name']}: {line}")
    print(f"{len(records) - failed} of {len(records)} agree with {peer}")
    sys.exit(0 if records and not failed else 1)
