"""Prints fresh random trees with TuneD's answers, one JSON object a line.

    ./run.sh check --seed N > FILE, then go test ./tune/tuned -run TestOracle -recorded FILE
"""

import argparse
import sys

import record


def main():
    flags = argparse.ArgumentParser(description="print fresh random trees")
    flags.add_argument("--seed", default="2", help="of the random trees")
    flags.add_argument("--trees", type=int, default=4000, help="random trees")
    opt = flags.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.writelines(record.line(t) for t in record.answered(opt.seed, opt.trees))


if __name__ == "__main__":
    main()
