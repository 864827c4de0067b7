"""Times Nova's own search on recorded requests, one file after the other.

    ./run.sh bench FILE...

Before each file it waits for a line on its input, so that a caller can measure in
turns; after it, it prints one JSON object a shape. Only the calls are timed, in
rounds of several, as on the other side, of which the fastest counts; making
objects, logs and garbage collection is not.
"""

import gc
import gzip
import json
import sys
import time

from nova.virt import hardware

import model

ROUNDS, CALLS = 3, 5


def given(request, answer):
    """The topology of a recorded answer, for claims."""
    if not answer.get("cells"):
        return None
    topology = model.instance_topology(request)
    for cell, got in zip(topology.cells, answer["cells"]):
        cell.id, cell.pagesize = got.get("node", 0), got.get("page") or None
        cell.cpu_pinning = {vcpu: cpu for vcpu, cpu in got.get("pins", [])}
        cell.cpuset_reserved = model.parse(got.get("reserved")) or None
    return topology


def timed(host, request):
    """Seconds of Nova's search for one request. A call changes its topology, so that
    each has one of its own."""
    limits, wanted, stats, best = host.limits(request), model.pci_requests(request), host.stats(), None
    for _ in range(ROUNDS):
        topologies = [model.instance_topology(request) for _ in range(CALLS)]
        begin = time.perf_counter()
        for topology in topologies:
            hardware.numa_fit_instance_to_host(
                host.topology, topology, None, limits=limits, pci_requests=wanted, pci_stats=stats)
        took = (time.perf_counter() - begin) / CALLS
        best = took if best is None else min(best, took)
    return best


def measure(path):
    """Sums of a file by shape: requests and seconds."""
    sums = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for text in lines:
            record = json.loads(text)
            if "host" in record:
                host, running = model.Host(record["host"]), {}
                host.set_strategy()
                entry = sums.setdefault(record["shape"], {"shape": record["shape"], "requests": 0, "seconds": 0.0})
                gc.collect()
            elif "release" in record:
                host.claim(*running.pop(record["release"]), free=True)
            else:
                replay(host, running, record, entry)
    return sums.values()


def replay(host, running, record, entry):
    """Times one request and claims what was right."""
    request = record["request"]
    if request.get("Cells"):
        entry["requests"] += 1
        entry["seconds"] += timed(host, request)
    right = record.get("right") if record.get("fault") else record["answer"]
    if right is not None and "raises" not in record:
        running[record["id"]] = given(request, right), right.get("devices", [])
        host.claim(*running[record["id"]])


def main():
    model.start()
    gc.disable()
    for path in sys.argv[1:]:
        if not sys.stdin.readline():
            break
        print(json.dumps(list(measure(path)), sort_keys=True), flush=True)


if __name__ == "__main__":
    main()
