"""Nova's objects from our plain description of a host, and back.

A host and a request are dicts with the names of the Go types nova.Host and
nova.Request (fields that are zero are left out). Here they become the objects
that Nova's scheduler works on.
"""

import itertools
import logging
import sys

from nova import conf
from nova import objects
from nova.objects import fields
from nova.pci import stats as pci_stats
from nova.virt import hardware

CONF = conf.CONF


def start():
    """Registers Nova's objects and takes its configuration's defaults, without
    logs: they would cost Nova time."""
    logging.disable(logging.CRITICAL)
    CONF([], project="nova", default_config_files=[])
    objects.register_all()


def cpus(numbers):
    """The kernel's list format of a set of CPUs: 0-3,8."""
    runs = []
    for cpu in sorted(numbers):
        if runs and runs[-1][1] == cpu - 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def parse(text):
    """The set of CPUs of a list in the kernel's format."""
    return set(hardware.parse_cpu_spec(text)) if text else set()


def slim(value):
    """Leaves out what Go's decoder reads as zero."""
    if isinstance(value, dict):
        pairs = ((k, slim(v)) for k, v in value.items())
        return {k: v for k, v in pairs if v or v == [] and k in ("pins", "cells")}
    if isinstance(value, list):
        return [slim(v) if isinstance(v, dict) else v for v in value]
    return value


def numa_cell(c):
    """The NUMACell of a host's node."""
    socket = c.get("Socket", 0)
    return objects.NUMACell(
        id=c.get("ID", 0),
        socket=None if socket == -1 else socket,
        cpuset=parse(c.get("Shared")),
        pcpuset=parse(c.get("Dedicated")),
        pinned_cpus=parse(c.get("Pinned")),
        siblings=[parse(s) for s in c.get("Siblings", [])],
        cpu_usage=c.get("CPUUsage", 0),
        memory=c.get("Memory", 0),
        memory_usage=c.get("MemoryUsage", 0),
        mempages=[
            objects.NUMAPagesTopology(
                size_kb=p["Size"], total=p.get("Total", 0), used=p.get("Used", 0),
                reserved=p.get("Reserved", 0))
            for p in c.get("Pages", [])],
        network_metadata=objects.NetworkMetadata(
            physnets=set(c.get("Physnets", [])), tunneled=c.get("Tunneled", False)))


class Host:
    """A compute host as the scheduler sees it, with what is in use on it."""

    def __init__(self, plain):
        self.plain = plain
        self.topology = objects.NUMATopology(cells=[numa_cell(c) for c in plain["Cells"]])
        self.free = [p.get("Free", 0) for p in plain.get("Pools", [])]

    def limits(self, request):
        """The limits that NUMATopologyFilter passes on."""
        limits = objects.NUMATopologyLimits(
            cpu_allocation_ratio=float(self.plain["CPUAllocationRatio"]),
            ram_allocation_ratio=float(self.plain["RAMAllocationRatio"]))
        if request.get("Physnets") or request.get("Tunneled"):
            limits.network_metadata = objects.NetworkMetadata(
                physnets=set(request.get("Physnets", [])),
                tunneled=request.get("Tunneled", False))
        return limits

    def stats(self):
        """The pools of devices that are left; empty ones are not reported."""
        stats = pci_stats.PciDeviceStats(self.topology)
        for index, (pool, free) in enumerate(zip(self.plain.get("Pools", []), self.free)):
            if free == 0:
                continue
            node = pool.get("Node", 0)
            tags = device_spec(pool["Kind"])
            tags.setdefault("dev_type", fields.PciDeviceType.SRIOV_VF)
            stats.pools.append(dict(
                tags, numa_node=None if node == -1 else node, count=free, index=index))
        return stats

    def set_strategy(self):
        """Sets the option that the host was recorded with."""
        CONF.set_override(
            "packing_host_numa_cells_allocation_strategy",
            bool(self.plain.get("PackNodes")), group="compute")

    def claim(self, topology, devices, free=False):
        """Takes what an instance was given, or gives it back."""
        if topology is not None:
            self.topology = hardware.numa_usage_from_instance_numa(
                self.topology, topology, free=free)
        for pool, count in devices:
            self.free[pool] += count if free else -count


def device_spec(kind):
    """What a request for a kind of device matches: an alias, or virtual functions
    on a physical network."""
    if kind.startswith("physnet"):
        return {"physical_network": kind}
    return {"vendor_id": "8086", "product_id": kind, "dev_type": fields.PciDeviceType.STANDARD}


def pci_requests(request):
    """The InstancePCIRequests of a request, in order."""
    out = []
    for d in request.get("Devices", []):
        policy = d.get("Policy")
        out.append(objects.InstancePCIRequest(
            count=d["Count"], spec=[device_spec(d["Kind"])],
            alias_name=None if d["Kind"].startswith("physnet") else d["Kind"],
            numa_policy=None if policy == "legacy" else policy))
    return out


def instance_topology(request):
    """The InstanceNUMATopology of a request; None when it has no cells."""
    if not request.get("Cells"):
        return None
    policy = request.get("CPUPolicy")
    return objects.InstanceNUMATopology(
        emulator_threads_policy=request.get("EmulatorThreads"),
        cells=[objects.InstanceNUMACell(
            id=c.get("ID", 0), cpuset=parse(c.get("VCPUs")), pcpuset=parse(c.get("PCPUs")),
            memory=c.get("Memory", 0), pagesize=c.get("PageSize"),
            cpu_policy=policy, cpu_thread_policy=request.get("ThreadPolicy"))
            for c in request["Cells"]])


def plain_request(flavor, topology, devices=(), physnets=(), tunneled=False):
    """The request of a flavor whose topology Nova has worked out."""
    out = {"VCPUs": flavor.vcpus, "Memory": flavor.memory_mb,
           "Devices": list(devices), "Physnets": sorted(physnets), "Tunneled": tunneled}
    if topology is None:
        return dict(out, CPUPolicy="shared")
    first = topology.cells[0]
    out.update(
        CPUPolicy=first.cpu_policy or "shared", ThreadPolicy=first.cpu_thread_policy,
        EmulatorThreads=topology.emulator_threads_policy,
        Cells=[{"ID": c.id, "VCPUs": cpus(c.cpuset), "PCPUs": cpus(c.pcpuset),
                "Memory": c.memory, "PageSize": c.pagesize} for c in topology.cells])
    return out


def plain_host(host):
    """The state of a host, in our terms."""
    cells = []
    for c, was in zip(host.topology.cells, host.plain["Cells"]):
        cells.append(dict(was, Pinned=cpus(c.pinned_cpus), CPUUsage=c.cpu_usage,
                          MemoryUsage=c.memory_usage,
                          Pages=[{"Size": p.size_kb, "Total": p.total, "Used": p.used,
                                  "Reserved": p.reserved} for p in c.mempages]))
    pools = [dict(p, Free=free) for p, free in zip(host.plain.get("Pools", []), host.free)]
    return slim(dict(host.plain, Cells=cells, Pools=pools))


def plain_answer(host, request, topology, devices):
    """What an instance was given, in our terms; topology None is one that floats."""
    cells = []
    before = {c.id: c for c in host.topology.cells}
    for c in topology.cells if topology else ():
        pages = [p.size_kb for p in before[c.id].mempages]
        pins = sorted((c.cpu_pinning or {}).items())
        cells.append({
            "node": c.id, "page": c.pagesize or min(pages, default=0),
            "pins": [list(p) for p in pins],
            "reserved": cpus(c.cpuset_reserved or ()),
            "idle": cpus(idle(before[c.id], request, c))})
    return slim({"cells": cells, "devices": devices})


def idle(cell, request, guest):
    """The threads that a claim pins beside those of an isolated guest."""
    if request.get("ThreadPolicy") != "isolate":
        return set()
    used = set((guest.cpu_pinning or {}).values()) | set(guest.cpuset_reserved or ())
    beside = itertools.chain.from_iterable(s for s in cell.siblings if s & used)
    return set(beside) - used - cell.pinned_cpus


def warn(text):
    """Tells progress without mixing it with the records."""
    print(text, file=sys.stderr, flush=True)
