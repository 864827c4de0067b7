"""Cases made by hand: what planners get wrong about Nova, under names that the
tests know, and random hosts for the fault of the search."""

import model
import draw
import search
from shapes import GIB, done, keep, legacy, machine, nets, paged, pools, share

DEDICATED = {"hw:cpu_policy": "dedicated"}
ONE_NODE = {"hw:numa_nodes": "1"}


def pinned(**more):
    """Extra specs of a pinned guest; a name such as mem_page_size gets its hw:."""
    return dict(DEDICATED, **{"hw:" + k: str(v) for k, v in more.items()})


def guest(vcpus, memory, specs, **more):
    """One request: a flavor that Nova works out."""
    made = draw.flavor(vcpus, memory, specs)
    return model.plain_request(made, draw.topology(made), **more)


def nic(policy, kind="nic", count=1):
    """Device requests of one kind."""
    return [{"Kind": kind, "Count": count, "Policy": policy}]


def five_and_eight(threads=1):
    """The document's reference host: 5 and 8 cores are left."""
    return keep(machine(2, 8, threads, 2), 3)


def used(host, *counts):
    """Pins the first CPUs of each node."""
    for cell, count in zip(host["Cells"], counts):
        cell["Pinned"] = model.cpus(sorted(cell["Dedicated"])[:count])
    return host


def cases():
    """Name, host and requests of every case."""
    yield from capacity()
    yield from threads()
    yield from memory()
    yield from overcommit()
    yield from devices()
    yield from network()
    yield from emulator()
    yield from search_fault()
    yield from mixed()


def capacity():
    """Summed capacity lies."""
    yield "1-three-vcpus", five_and_eight(), [guest(3, 1024, DEDICATED)] * 5
    yield "1-six-vcpus", five_and_eight(), [guest(6, 1024, DEDICATED)] * 3
    yield "1-six-over-two", five_and_eight(), [guest(6, 1024, pinned(numa_nodes=2))] * 3
    yield "1-four-over-two", five_and_eight(), [guest(4, 1024, pinned(numa_nodes=2))] * 4
    yield "1-three-nodes-of-two", five_and_eight(), [guest(3, 1536, pinned(numa_nodes=3))]


def threads():
    """Isolate, require and prefer on hosts with threads."""
    isolate, require = pinned(cpu_thread_policy="isolate"), pinned(cpu_thread_policy="require")
    prefer = pinned(cpu_thread_policy="prefer")
    yield "2-isolate-threads", five_and_eight(2), [guest(2, 512, isolate)] * 2
    yield "2-isolate-legacy", legacy(five_and_eight(2)), [guest(2, 512, isolate)] * 8
    yield "2-isolate-no-threads", five_and_eight(), [guest(2, 512, isolate)] * 8
    yield "3-require-three", five_and_eight(2), [guest(3, 512, require)] * 8
    yield "3-prefer-three", five_and_eight(2), [guest(3, 512, prefer)] * 10
    yield "3-require-one", five_and_eight(2), [guest(1, 512, require)] * 2
    yield "3-require-no-threads", five_and_eight(), [guest(2, 512, require)]
    yield "3-odd-thread-reused", machine(1, 2, 2), [
        guest(1, 512, require), guest(1, 512, require), guest(1, 512, require), guest(2, 512, prefer)]
    yield "3-four-threads", machine(1, 4, 4), [
        guest(3, 512, require), guest(5, 512, require), guest(3, 512, prefer), guest(6, 512, prefer)]


def memory():
    """Pages: what does not divide, which pool is drawn on."""
    host = paged(machine(2, 8, 1, 2, 64), *[(32 * GIB, 16 * GIB)] * 2)
    yield "4-not-a-multiple", host, [
        guest(1, 4097, pinned(mem_page_size="2MB")), guest(1, 1536, pinned(mem_page_size="1GB")),
        guest(2, 3072, pinned(mem_page_size="1GB", numa_nodes=2)), guest(1, 4098, pinned(mem_page_size="2MB"))]
    small = paged(machine(1, 8, memory=64), (60 * GIB,))
    yield "5-smallest-pool", small, [guest(1, 5 * GIB, DEDICATED), guest(1, 4 * GIB, DEDICATED)]
    yield "5-shared-takes-total", paged(legacy(machine(1, 8, memory=64)), (60 * GIB, 0, GIB)), [
        guest(1, 4 * GIB, DEDICATED), guest(1, 3 * GIB, DEDICATED), guest(1, 4 * GIB, ONE_NODE),
        guest(1, 4 * GIB, ONE_NODE), guest(1, 5 * GIB, ONE_NODE)]
    yield "6-large-and-any", paged(machine(1, 8, memory=16), (2 * GIB,)), [
        guest(1, 4 * GIB, pinned(mem_page_size="large")), guest(1, 2 * GIB, pinned(mem_page_size="large")),
        guest(1, 4 * GIB, pinned(mem_page_size="any")), guest(1, 2 * GIB, pinned(mem_page_size="small"))]
    yield "6-no-such-pages", machine(1, 8), [guest(1, 1024, pinned(mem_page_size=64))]
    bare = machine(2, 8, memory=4)
    for cell in bare["Cells"]:
        cell.update(Pages=[], MemoryUsage=GIB, Shared={0} if cell["ID"] == 0 else {8})
    yield "5-no-pools", bare, [guest(1, m * GIB, s) for m in (3, 4, 5) for s in (DEDICATED, ONE_NODE)] + [
        guest(1, GIB, pinned(mem_page_size=p)) for p in ("small", "large", "any", "2048")]
    yield "5-room-to-the-last-page", paged(machine(1, 8, memory=4), (2 * GIB,)), [
        guest(1, 2050, pinned(mem_page_size="2MB")), guest(1, 2048, pinned(mem_page_size="2MB")),
        guest(1, 2, pinned(mem_page_size="2MB")), guest(1, 2048, DEDICATED), guest(1, 1, DEDICATED)]
    yield "6-only-small-pages", machine(1, 8), [guest(1, 1024, pinned(mem_page_size="large"))]


def overcommit():
    """Shared vCPUs of guests with a topology, and guests without one."""
    yield "7-sixteen-to-one", legacy(machine(1, 4)), [guest(4, 64, ONE_NODE)] * 17
    yield "7-more-than-the-node", legacy(machine(2, 4)), [guest(5, 64, ONE_NODE), guest(8, 64, {"hw:numa_nodes": "2"})]
    yield "7-memory-ratio", legacy(machine(1, 4, memory=16, ram=1.5)), [guest(1, 8 * GIB, ONE_NODE)] * 4
    yield "10-no-topology", machine(2, 8), [guest(64, 1024 * GIB, {})]


def devices():
    """The four policies with devices of an unknown, a wrong and a near node."""
    every = ("required", "legacy", "preferred", "socket")
    ask = [guest(1, 512, DEDICATED, devices=nic(p)) for p in every]
    yield "8-unknown-node", pools(machine(2, 4, 1, 2), ("nic", -1, 8)), ask
    yield "8-wrong-node", used(pools(machine(2, 4, 1, 2), ("nic", 0, 8)), 4, 0), ask
    yield "8-wrong-node-same-socket", used(pools(machine(2, 4, 1, 1), ("nic", 0, 8)), 4, 0), ask
    yield "8-too-many", pools(machine(2, 8, 1, 2), ("nic", 0, 2), ("nic", 1, 2), ("nic", -1, 1)), [
        guest(1, 512, DEDICATED, devices=nic(p, count=3)) for p in every + ("preferred",)]
    yield "8-two-cells", pools(machine(2, 8, 1, 2), ("nic", 0, 2), ("nic", 1, 2)), [
        guest(2, 512, pinned(numa_nodes=2), devices=nic("required", count=3))] * 2
    yield "8-one-kind-twice", pools(machine(2, 8, 1, 2), ("nic", 0, 3), ("nic", 1, 3)), [
        guest(2, 512, DEDICATED, devices=nic("required", count=2) + nic("preferred", count=2)),
        guest(2, 512, DEDICATED, devices=nic("required", count=2) + nic("required", count=2))]
    yield "8-no-topology", pools(share(machine(2, 8, 1, 2), 2, 2), ("nic", 0, 2), ("nic", -1, 2)), [
        guest(1, 512, {}, devices=nic("required", count=3)), guest(1, 512, {}, devices=nic("required", count=2))]
    yield "8-no-topology-all", pools(share(machine(2, 8, 1, 2), 2, 2), ("nic", 0, 2), ("nic", -1, 2)), [
        guest(1, 512, {}, devices=nic(p, count=n)) for n in (5, 4, 1) for p in ("required", "socket")]
    yield "8-order-known-first", pools(machine(2, 8, 1, 1), ("nic", 1, 2), ("nic", -1, 2), ("nic", 0, 1)), [
        guest(1, 512, DEDICATED, devices=nic(p, count=3)) for p in ("preferred", "socket", "legacy")]
    yield "8-spared", pools(machine(2, 8, 1, 2), ("nic", 0, 2)), [guest(2, 512, DEDICATED)] * 2


def network():
    """A node with the network is short of cores."""
    host = used(nets(machine(2, 8, 1, 2), ("physnet1", "tunnel"), ("physnet2",)), 6, 0)
    yield "9-network-node-full", host, [
        guest(4, 512, DEDICATED, physnets=["physnet1"]), guest(4, 512, DEDICATED, tunneled=True),
        guest(2, 512, DEDICATED, physnets=["physnet1"]), guest(2, 512, DEDICATED, physnets=["physnet2"]),
        guest(2, 512, DEDICATED, physnets=["physnet1", "physnet2"]), guest(2, 512, DEDICATED, physnets=["physnet9"]),
        guest(1, 512, DEDICATED, tunneled=True)]
    both = nets(machine(2, 8, 1, 2), ("physnet1",), ("physnet2",))
    yield "9-both-nodes", both, [
        guest(2, 512, pinned(numa_nodes=2), physnets=["physnet1", "physnet2"]),
        guest(2, 512, DEDICATED, physnets=["physnet1", "physnet2"])]


def emulator():
    """Emulator threads take a CPU more, with isolated threads a core."""
    alone = pinned(emulator_threads_policy="isolate")
    core = pinned(emulator_threads_policy="isolate", cpu_thread_policy="isolate")
    yield "11-emulator", machine(1, 4), [guest(4, 512, alone), guest(3, 512, alone)]
    yield "11-emulator-share", machine(1, 4), [guest(4, 512, pinned(emulator_threads_policy="share"))]
    yield "11-emulator-core", legacy(machine(1, 4, 2)), [guest(4, 512, core), guest(3, 512, core)]
    yield "11-emulator-half-core", legacy(used(machine(1, 4, 2), 1)), [guest(2, 512, core), guest(1, 512, core)]
    yield "11-emulator-first-cell", five_and_eight(), [guest(10, 512, dict(alone, **{"hw:numa_nodes": "2"})),
                                                       guest(8, 512, dict(alone, **{"hw:numa_nodes": "2"}))]
    yield "11-emulator-threads", machine(1, 4, 2), [
        guest(3, 512, alone), guest(2, 512, dict(alone, **{"hw:cpu_thread_policy": "require"})),
        guest(1, 512, alone), guest(1, 512, alone)]


def search_fault():
    """The search refuses, accepts wrongly, or names CPUs of another node."""
    uneven = pinned(numa_nodes=2) | {
        "hw:numa_cpus.0": "0-1", "hw:numa_cpus.1": "2-7", "hw:numa_mem.0": "512", "hw:numa_mem.1": "512"}
    yield "14-refused", used(machine(4, 8, 1, 4), 4, 2, 4, 6), [guest(8, 1024, uneven)]
    two = used(machine(2, 8, 1, 2), 4, 2)
    yield "14-two-nodes", two, [guest(8, 1024, uneven)]


def mixed():
    """Cells that pin nothing, and hosts with both kinds of CPUs."""
    half = {"hw:cpu_policy": "mixed", "hw:cpu_dedicated_mask": "2-3", "hw:numa_nodes": "2"}
    host = share(machine(2, 8, 2, 2), 2, 2)
    yield "mixed-first-cell-shared", host, [
        guest(4, 512, half), guest(4, 512, dict(half, **{"hw:emulator_threads_policy": "isolate"}))]
    require = dict(half, **{"hw:cpu_thread_policy": "require"})
    halved = share(machine(2, 8, 2, 2), 2, 2)
    halved["Cells"][1]["Pinned"] = "26-31"
    halved["Cells"][0]["Pinned"] = "18-23"
    yield "mixed-require-no-pairs", halved, [guest(4, 512, require), guest(4, 512, half)]
    yield "mixed-isolate", share(machine(2, 8, 2, 2), 2, 2), [
        guest(4, 512, dict(half, **{"hw:cpu_thread_policy": "isolate"}))]
    empty = {"hw:numa_nodes": "2", "hw:numa_cpus.0": "0-3", "hw:numa_cpus.1": "0,^0",
             "hw:numa_mem.0": "512", "hw:numa_mem.1": "512"}
    yield "empty-cell", machine(2, 8), [guest(4, 1024, dict(DEDICATED, **empty))]


def hand_made():
    """The records of all cases, under both orders of nodes."""
    for pack, word in ((False, "spread"), (True, "pack")):
        for name, plain, requests in cases():
            yield from play(f"{name}/{word}", done(plain, pack), requests)


def play(name, plain, requests, shape="hand-made"):
    """Records requests that come one after the other."""
    host = model.Host(plain)
    yield {"sequence": name, "shape": shape, "host": plain}
    for number, request in enumerate(requests):
        yield dict(search.admit(host, request)[0], id=number)


def faults(rng, count):
    """Hosts of up to four nodes with so many free CPUs each, and one guest of
    unequal cells: where the search goes wrong."""
    for number in range(count):
        nodes = rng.choice([3, 4, 4, 4])
        cells = rng.choice([2, 2, 3, 3, nodes])
        sizes = [rng.randint(1, 6) for _ in range(cells)]
        specs, start = pinned(numa_nodes=cells), 0
        for n, size in enumerate(sizes):
            specs[f"hw:numa_cpus.{n}"] = f"{start}-{start + size - 1}"
            specs[f"hw:numa_mem.{n}"] = str(rng.choice([512, 512, 1024, 4096]))
            start += size
        if rng.random() < 0.3:
            specs["hw:mem_page_size"] = rng.choice(["large", "any", "2MB"])
        total = sum(int(specs[f"hw:numa_mem.{n}"]) for n in range(cells))
        host = machine(nodes, 8, 1, 2, 8)
        paged(host, *[(rng.choice([0, 1, 2, 6]) * GIB, rng.choice([0, 0, 1]) * GIB) for _ in range(nodes)])
        used(host, *[rng.randint(1, 8) for _ in range(nodes)])
        yield from play(f"fault/{number}", done(host, rng.random() < 0.3),
                        [guest(start, total, specs)], "faults")
