"""Prints fresh random sequences with Nova's answers, one JSON object a line.

    ./run.sh check --seed N [--requests M] | (cd ../.. && go run ./tools/benchnova -check)
"""

import argparse
import random
import sys

import model
import record
import traps


def main():
    flags = argparse.ArgumentParser(description="print fresh random sequences")
    flags.add_argument("--seed", default="2", help="of the random requests")
    flags.add_argument("--requests", type=int, default=40, help="of each sequence")
    opt = flags.parse_args()
    model.start()
    for _, records in record.sequences(opt.seed, opt.requests):
        sys.stdout.writelines(record.line(r) for r in records)
    sys.stdout.writelines(record.line(r) for r in record.made_up(opt.seed, 3 * opt.requests, 16))
    faults = traps.faults(random.Random(f"{opt.seed}/faults"), 4 * opt.requests)
    sys.stdout.writelines(record.line(r) for r in faults)


if __name__ == "__main__":
    main()
