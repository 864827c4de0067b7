"""Host shapes: machines as dicts with the fields of nova.Host, and what kind of
guests is thrown at them."""

import model

GIB = 1024


class Shape:
    """A host, and hints for the random guests."""

    def __init__(self, name, host, wants=(), largest=None):
        self.name, self.host = name, host
        self.wants = set(wants)
        cells = host["Cells"]
        self.nodes = len(cells)
        self.largest = largest or max(
            len(model.parse(c.get("Dedicated")) | model.parse(c.get("Shared"))) for c in cells)
        self.memory = max(c["Memory"] for c in cells)
        self.kinds = sorted({p["Kind"] for p in host.get("Pools", [])})
        self.physnets = sorted({n for c in cells for n in c.get("Physnets", [])})


def machine(nodes, cores, threads=1, sockets=1, memory=32, ratio=16.0, ram=1.0):
    """A regular machine without anything kept back, all CPUs dedicated. CPUs are
    numbered as Linux does: first one thread of every core, then the others."""
    total = nodes * cores
    cells = []
    for n in range(nodes):
        mine = range(n * cores, (n + 1) * cores)
        siblings = [[c + t * total for t in range(threads)] for c in mine]
        cells.append({
            "ID": n, "Socket": n * sockets // nodes, "Shared": set(),
            "Dedicated": {c for s in siblings for c in s}, "Siblings": siblings,
            "Memory": memory * GIB, "Pages": pages(memory * GIB)})
    return {"Cells": cells, "CPUAllocationRatio": ratio, "RAMAllocationRatio": ram}


def pages(memory, huge=0, giant=0, reserved=0):
    """Pools of a node: huge is MiB in pages of 2 MiB, giant in pages of 1 GiB."""
    small = memory - huge - giant
    out = [{"Size": 4, "Total": small * 256, "Reserved": reserved * 256}]
    if huge:
        out.append({"Size": 2048, "Total": huge // 2})
    if giant:
        out.append({"Size": 1048576, "Total": giant // GIB})
    return out


def keep(host, *counts):
    """Keeps the first cores of each node for the platform."""
    for cell, count in zip(host["Cells"], counts):
        drop(cell, {c for s in cell["Siblings"][:count] for c in s})
    return host


def drop(cell, gone):
    """Takes CPUs out of a node, as the driver does that reports it."""
    cell["Dedicated"] = cell["Dedicated"] - gone
    left = [[c for c in s if c not in gone] for s in cell["Siblings"]]
    cell["Siblings"] = [s for s in left if s]


def share(host, *counts):
    """Gives the first cores that are left of each node to floating vCPUs."""
    for cell, count in zip(host["Cells"], counts):
        cell["Shared"] = {c for s in cell["Siblings"][:count] for c in s}
        cell["Dedicated"] = cell["Dedicated"] - cell["Shared"]
    return host


def legacy(host):
    """vcpu_pin_set: the same CPUs float and are pinned."""
    for cell in host["Cells"]:
        cell["Shared"] = set(cell["Dedicated"])
    return host


def pools(host, *rows):
    """Devices, as rows of kind, node and count."""
    host["Pools"] = [{"Kind": k, "Node": n, "Total": c, "Free": c} for k, n, c in rows]
    return host


def paged(host, *rows):
    """Page pools of each node, as rows of huge, giant and reserved MiB."""
    for cell, row in zip(host["Cells"], rows):
        cell["Pages"] = pages(cell["Memory"], *row)
    return host


def nets(host, *rows):
    """Physical networks of each node; a row with "tunnel" ends tunnels too."""
    for cell, row in zip(host["Cells"], rows):
        cell["Physnets"] = [n for n in row if n != "tunnel"]
        cell["Tunneled"] = "tunnel" in row
    return host


def done(host, pack=False):
    """The host as it is written: CPU sets as text."""
    cells = [dict(c, Shared=model.cpus(c["Shared"]), Dedicated=model.cpus(c["Dedicated"]),
                  Siblings=[model.cpus(s) for s in c["Siblings"]]) for c in host["Cells"]]
    return model.slim(dict(host, Cells=cells, PackNodes=pack))


def odd_power():
    """Node ids with a gap, four threads, cores in no order, half a core kept back."""
    host = machine(2, 6, 4, 2, 48)
    host["Cells"][1]["ID"] = 8
    for n, cell in enumerate(host["Cells"]):
        cell["Siblings"] = [cell["Siblings"][i] for i in (3, 0, 5, 1, 4, 2)]
        drop(cell, set(cell["Siblings"][2][:2]) | set(cell["Siblings"][4][1 + n:]))
    return paged(host, (8 * GIB,), (0, 16 * GIB))


def three_uneven():
    """Three nodes of 4, 8 and 12 CPUs with 16, 32 and 24 GiB."""
    host = machine(3, 12, 1, 3, 16)
    for cell, count, memory in zip(host["Cells"], (4, 8, 12), (16, 32, 24)):
        drop(cell, {c for s in cell["Siblings"][count:] for c in s})
        cell.update(Memory=memory * GIB, Pages=pages(memory * GIB, 4 * GIB))
    return host


def all_shapes(pack):
    """Every shape; a new one each time, for the dicts are changed."""
    g = GIB
    rows = [
        ("1x8", machine(1, 8), ()),
        ("1x8-smt", machine(1, 8, 2, memory=48), ("threads",)),
        ("1x6-smt-legacy", legacy(machine(1, 6, 2, ratio=2.0)), ("threads", "shared", "legacy")),
        ("2x8", keep(machine(2, 8, 1, 2), 3), ()),
        ("2x8-smt", keep(machine(2, 8, 2, 2), 3), ("threads",)),
        ("2x20-smt", keep(machine(2, 20, 2, 2, 96), 2, 2), ("threads",)),
        ("2x8-smt-legacy", legacy(keep(machine(2, 8, 2, 2, ratio=4.0), 1)),
         ("threads", "shared", "legacy")),
        ("2x8-shared-dedicated", share(keep(machine(2, 8, 1, 2, ratio=4.0, ram=1.5), 1), 3, 2),
         ("shared", "mixed")),
        ("2x8-smt-mixed", share(keep(machine(2, 8, 2, 2, ratio=16.0), 1, 1), 2, 3),
         ("shared", "mixed", "threads")),
        ("2x4-overcommit", legacy(machine(2, 4, 1, 2, 16, 16.0, 1.0)), ("shared",)),
        ("2x8-pages", paged(machine(2, 8, 1, 2), (12 * g, 16 * g, 512), (24 * g, 0, 1024)), ("pages",)),
        ("2x8-smt-pages-shared", paged(share(machine(2, 8, 2, 2, 64, 2.0, 1.0), 4, 4),
                                       (40 * g, 20 * g), (2 * g, 58 * g, 100)),
         ("pages", "shared", "threads")),
        ("2x8-pci", pools(machine(2, 8, 1, 2), ("nic", 0, 6), ("nic", -1, 2), ("gpu", 1, 2),
                          ("physnet1", 1, 5), ("physnet1", 0, 3), ("fpga", -1, 3)), ("devices",)),
        ("2x8-net", nets(keep(machine(2, 8, 1, 2), 2, 1), ("physnet1", "tunnel"), ("physnet2",)),
         ("network",)),
        ("3-uneven", three_uneven(), ("pages", "uneven")),
        ("4x6", keep(machine(4, 6, 1, 2, 16), 2, 0, 2, 4), ("uneven",)),
        ("4x4-smt-pci", pools(keep(machine(4, 4, 2, 2, 24), 1), ("nic", 0, 3), ("nic", 2, 4), ("gpu", 1, 2),
                              ("gpu", 3, 1), ("physnet1", 0, 4), ("physnet1", 3, 4), ("nic", -1, 1)),
         ("devices", "threads", "uneven")),
        ("4x6-all", nets(pools(paged(share(keep(machine(4, 6, 2, 2, 32, 4.0), 1), 1, 2, 2, 1),
                                     (8 * g,), (8 * g, 8 * g), (0, 16 * g), (20 * g, 4 * g, 256)),
                               ("nic", 1, 4), ("nic", -1, 2), ("physnet1", 2, 6)),
                         ("physnet1", "tunnel"), ("physnet2",), ("physnet2", "tunnel"), ()),
         ("devices", "threads", "network", "pages", "shared", "mixed", "uneven")),
        ("2-socket-unknown", unknown_socket(), ("devices",)),
        ("8x4", machine(8, 4, 1, 2, 16), ("uneven",)),
        ("8x4-smt-pci", pools(keep(machine(8, 4, 2, 2, 16), 1, 1), ("nic", 0, 4), ("nic", 5, 4),
                              ("physnet1", 2, 3), ("physnet1", 6, 3)), ("devices", "threads", "uneven")),
        ("power", odd_power(), ("threads", "pages")),
    ]
    return [Shape(name, done(host, pack), wants) for name, host, wants in rows]


def unknown_socket():
    """A node whose socket is not known."""
    host = pools(machine(2, 6, 1, 2), ("nic", 0, 4), ("nic", 1, 2))
    host["Cells"][1]["Socket"] = -1
    return host
