"""Hosts that nobody would buy: everything that may vary does."""

import shapes
from shapes import GIB


def shape(rng, name):
    """A random host of up to six nodes."""
    nodes, threads = rng.choice([1, 2, 2, 3, 4, 5, 6]), rng.choice([1, 2, 2, 4])
    sockets = rng.choice([s for s in (1, 2, nodes) if s <= nodes])
    host = shapes.machine(nodes, rng.randint(2, 10), threads, sockets, rng.choice([4, 8, 24]),
                          rng.choice([1.0, 1.5, 4.0, 16.0]), rng.choice([1.0, 1.0, 1.5]))
    split = rng.choice(["dedicated", "dedicated", "legacy", "split", "split"])
    for cell in host["Cells"]:
        node(rng, cell, split)
    gap = rng.choice([1, 1, 1, 2, 8])
    for cell in host["Cells"]:
        cell["ID"] *= gap
        if rng.random() < 0.05:
            cell["Socket"] = -1
    wants = {"threads", "pages", "uneven", "legacy" if split == "legacy" else "threads"}
    if split != "dedicated":
        wants |= {"shared", "mixed"}
    if rng.random() < 0.5:
        wants.add("devices")
        devices(rng, host)
    if rng.random() < 0.4:
        wants.add("network")
        for cell in host["Cells"]:
            cell["Physnets"] = [n for n in ("physnet1", "physnet2") if rng.random() < 0.4]
            cell["Tunneled"] = rng.random() < 0.3
    return shapes.Shape(name, shapes.done(host, rng.random() < 0.4), wants)


def node(rng, cell, split):
    """CPUs kept back, shared or pinned, and pages, as they come."""
    rng.shuffle(cell["Siblings"])
    every = sorted(cell["Dedicated"])
    shapes.drop(cell, set(rng.sample(every, rng.randint(0, len(every) // 3))))
    mine = sorted(cell["Dedicated"])
    if split == "legacy":
        cell["Shared"] = set(mine)
    elif split == "split":
        cell["Shared"] = set(rng.sample(mine, rng.randint(0, len(mine))))
        cell["Dedicated"] = set(mine) - cell["Shared"]
    memory = cell["Memory"] + rng.choice([0, 0, GIB, 3 * GIB, 512])
    huge = rng.choice([0, memory // 4 // 2 * 2, memory // 2 // 2 * 2])
    giant = rng.choice([0, 0, memory // 3 // GIB * GIB])
    cell.update(Memory=memory, Pages=shapes.pages(memory, huge, giant, rng.choice([0, 0, 256])),
                MemoryUsage=rng.choice([0, 0, 512]), CPUUsage=rng.choice([0, 0, 3]) if cell["Shared"] else 0)
    if split != "legacy":
        taken = rng.sample(sorted(cell["Dedicated"]), rng.choice([0, 0, len(cell["Dedicated"]) // 3]))
        cell["Pinned"] = shapes.model.cpus(taken)


def devices(rng, host):
    """Pools of up to three kinds, on some nodes or on none."""
    ids = [c["ID"] for c in host["Cells"]] + [-1]
    rows = [(kind, at, rng.randint(1, 4)) for kind in ("nic", "gpu", "physnet1") for at in ids
            if rng.random() < 0.4]
    rng.shuffle(rows)
    shapes.pools(host, *(rows or [("nic", ids[0], 2)]))
