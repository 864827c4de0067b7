"""Records what Nova answers, as fixtures for the tests of place/nova and place/cloud.

    ./run.sh record [--seed N] [--requests M] [--out FOLDER]
"""

import argparse
import gzip
import itertools
import json
import os
import random

import choose
import constraints
import draw
import madeup
import model
import traps

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def write(path, records):
    """Writes one JSON object a line; the same records make the same file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as zipped:
        for record in records:
            zipped.write(line(record).encode())


def line(record):
    """One record as compact JSON with sorted keys."""
    return json.dumps(record, sort_keys=True, separators=(",", ":")) + "\n"


def sequences(seed, requests, number=2):
    """The random sequences of each shape, as (shape's name, records)."""
    for word, shape in draw.strategies():
        for n in range(number):
            name = f"{shape.name}/{word}/{n}"
            rng = random.Random(f"{seed}/{name}")
            yield shape.name, draw.sequence(rng, shape, name, requests)


def made_up(seed, hosts, requests):
    """The records of random hosts, each with a sequence of its own."""
    for n in range(hosts):
        rng = random.Random(f"{seed}/made-up/{n}")
        yield from draw.sequence(rng, madeup.shape(rng, "made-up"), f"made-up/{n}", requests)


def main():
    flags = argparse.ArgumentParser(description="record what Nova answers")
    flags.add_argument("--seed", default="1", help="of the random requests")
    flags.add_argument("--requests", type=int, default=66, help="of each random sequence; a shape has four")
    flags.add_argument("--clouds", type=int, default=145, help="random clouds")
    flags.add_argument("--out", default=ROOT, help="the repository")
    opt = flags.parse_args()
    model.start()
    folder = os.path.join(opt.out, "place", "nova", "testdata", "oracle")
    write(os.path.join(folder, "hand-made.jsonl.gz"), traps.hand_made())
    write(os.path.join(folder, "faults.jsonl.gz"), traps.faults(random.Random(f"{opt.seed}/faults"), 1000))
    write(os.path.join(folder, "made-up.jsonl.gz"), made_up(opt.seed, 120, 12))
    by_shape = sorted(sequences(opt.seed, opt.requests), key=lambda pair: pair[0])
    for name, group in itertools.groupby(by_shape, key=lambda pair: pair[0]):
        model.warn(name)
        records = itertools.chain.from_iterable(records for _, records in group)
        write(os.path.join(folder, name + ".jsonl.gz"), records)
    write(os.path.join(opt.out, "place", "nova", "flavor", "testdata", "oracle", "constraints.jsonl.gz"),
          constraints.records(random.Random(f"{opt.seed}/constraints"), 2500))
    model.warn("choices")
    write(os.path.join(opt.out, "place", "cloud", "testdata", "oracle", "choices.jsonl.gz"),
          choose.records(opt.seed, opt.clouds))


if __name__ == "__main__":
    main()
