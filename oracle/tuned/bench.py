"""Compares the speed of tune/tuned with TuneD's own loader, in turns on the same trees.

    ./run.sh bench
"""

import os
import random
import resource
import subprocess
import tempfile
import time

import ask
import record
import trees

ROUNDS = 5


def chain(number, settings):
    """A profile that includes a profile that includes ..., each with as many settings."""
    profiles = []
    for n in range(number):
        lines = ["[main]", "summary=profile %d" % n] + (["include=p%d" % (n - 1)] if n else [])
        lines += ["[variables]", "v%d=%d" % (n, n), "[sysctl]"]
        lines += ["net.k%d=%s" % ((n * settings // 2 + i), "${v%d}%d" % (n, i) if i % 4 == 0 else i) for i in range(settings)]
        lines += ["[bootloader]", "cmdline_p%d=+a%d=${v%d}" % (n, n, n)]
        profiles.append({"name": "p%d" % n, "text": "\n".join(lines) + "\n"})
    return profiles


def shapes():
    machine = trees.machines(random.Random(1))[3]
    for name, profiles, load in (("chain of 10", chain(10, 20), "p9"), ("200 profiles in 20 chains of 10", [
            dict(p, name="c%d-%s" % (c, p["name"]), text=p["text"].replace("include=p", "include=c%d-p" % c)) for c in range(20) for p in chain(10, 20)],
            " ".join("c%d-p9" % c for c in range(20)))):
        yield {"name": name, "dirs": [{"path": "/r/admin", "profiles": profiles}], "files": {}, "machine": machine, "load": load}


def python(asker, tree):
    """Seconds of CPU that TuneD's loader takes, from files that are in memory."""
    ask.Host.machine, ask.Host.files = tree["machine"], ask.files(tree)
    number = 0
    start = time.process_time()
    while time.process_time() - start < 0.5:
        loader = ask.Loader(ask.Locator(["/r/admin"]), ask.Factory(), ask.Merger(), None, ask.Variables())
        loader.load(tree["load"])
        number += 1
    return (time.process_time() - start) / number


def used(program, file, number):
    """Seconds of CPU of a run of the benchmark."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "-test.run", "^$", "-test.bench", "^BenchmarkRecorded$", "-test.benchtime", "%dx" % number, "-recorded", file],
                   check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(program, file, number):
    """Seconds of CPU that ours takes, parsing included, starting the program left out."""
    return (used(program, file, number + 1) - used(program, file, 1)) / number


def main():
    asker = ask.Asker()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "tuned.test")
        subprocess.run(["go", "test", "-c", "-o", program, "./tune/tuned"], cwd=record.ROOT, check=True)
        for tree in shapes():
            file = os.path.join(folder, "tree.jsonl")
            with open(file, "w") as f:
                f.write(record.line(tree))
            pairs = [(python(asker, tree), ours(program, file, 100)) for _ in range(ROUNDS)]
            theirs, mine = (sorted(p[i] for p in pairs)[ROUNDS // 2] for i in (0, 1))
            print("%-32s TuneD %8.2f ms   here %8.3f ms   %.0f times" % (tree["name"], theirs * 1e3, mine * 1e3, theirs / mine))


if __name__ == "__main__":
    main()
