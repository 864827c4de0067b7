"""Records what TuneD answers, as fixtures for the tests of tune/tuned.

    ./run.sh record [--seed N] [--trees M] [--out FOLDER]
"""

import argparse
import gzip
import json
import os

import ask
import expressions
import tables
import trees
import values

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))


def line(record):
    """One record as compact JSON with sorted keys."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"


def write(path, records):
    """Writes one JSON object a line; the same records make the same file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as zipped:
        for record in records:
            zipped.write(line(record).encode())


def answered(seed, number):
    """Random trees with TuneD's answers."""
    asker = ask.Asker()
    for tree in trees.trees(seed, number):
        try:
            tree["answer"] = asker.ask(tree)
        except ask.Beyond:
            continue
        yield tree


def main():
    flags = argparse.ArgumentParser(description="record what TuneD answers")
    flags.add_argument("--seed", default="1", help="of the random trees")
    flags.add_argument("--trees", type=int, default=3000, help="random trees")
    flags.add_argument("--out", default=ROOT, help="the repository")
    opt = flags.parse_args()
    folder = os.path.join(opt.out, "tune", "tuned", "testdata", "oracle")
    write(os.path.join(folder, "tables.jsonl.gz"), list(tables.records()))
    write(os.path.join(folder, "trees.jsonl.gz"), answered(opt.seed, opt.trees))
    write(os.path.join(folder, "values.jsonl.gz"), values.records(opt.seed, 4000))
    write(os.path.join(folder, "expressions.jsonl.gz"), expressions.records(opt.seed, 8000))


if __name__ == "__main__":
    main()
