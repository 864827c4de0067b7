"""Checks the driver itself: that the search which remembers pairs by their places
answers as the one that tests each pair anew.

    ./run.sh verify [--seed N] [--requests M]
"""

import argparse
import random
import sys

import draw
import model
import search
import traps


def differences(records):
    """The requests of the records on which the two exhaustive searches differ."""
    for record in records:
        if "host" in record:
            host = model.Host(record["host"])
        if not record.get("request", {}).get("Cells"):
            continue
        request = record["request"]
        plain = [search.answer(host, request, search.exhaustive(host, request, remember=known))
                 for known in (True, False)]
        right = record["right"] if "fault" in record else record["answer"]
        if plain[0] != plain[1] or plain[0] != right:
            yield record


def single(rng, requests):
    """Sequences of one request each, on the shapes of up to four nodes."""
    for word, shape in draw.strategies():
        for number in range(requests if shape.nodes <= 4 else 0):
            yield from draw.sequence(rng, shape, f"{shape.name}/{word}/{number}", 1)


def main():
    flags = argparse.ArgumentParser(description="check the driver itself")
    flags.add_argument("--seed", default="3", help="of the random requests")
    flags.add_argument("--requests", type=int, default=20, help="for each shape")
    opt = flags.parse_args()
    model.start()
    rng, bad = random.Random(f"{opt.seed}/verify"), 0
    records = list(traps.faults(rng, 10 * opt.requests)) + list(single(rng, opt.requests))
    for record in differences(records):
        bad += 1
        model.warn(str(record))
    faults = sum("fault" in r for r in records)
    total = sum("request" in r for r in records)
    print(f"{total} requests, Nova's search fails on {faults}, the searches differ on {bad}")
    sys.exit(3 if bad else 0)


if __name__ == "__main__":
    main()
