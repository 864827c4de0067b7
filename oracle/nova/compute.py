"""Compute hosts from the node types of a scenario: Nova's ComputeNode, its
inventory and traits, and the resource tracker that keeps its books.

How a node type is read is written here once more, on purpose, and not taken from
place/cloud: lowest cores for platform, vSwitch and floating VMs; memory that is
kept back is in no NUMA cell.
"""

import uuid as uuids

from nova import objects
from nova.compute import resource_tracker
from nova.compute import stats as compute_stats
from nova.objects import fields
from nova.objects import pci_device_pool
from nova.pci import stats as pci_stats

import inventory
import model
import shapes

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
SUFFIX = {"Ki": KIB, "Mi": MIB, "Gi": GIB}
ALIASES = {"nic": "0a01", "gpu": "0a02", "qat": "0a03"}
TRAITS = {"OWNER_NOVA", "COMPUTE_SOCKET_PCI_NUMA_AFFINITY"}


def amount(text):
    """Bytes of an amount such as 8Gi."""
    text = str(text)
    return int(text[:-2]) * SUFFIX[text[-2:]] if text[-2:] in SUFFIX else int(text)


def identity(*parts):
    """A UUID that the same parts always give."""
    return str(uuids.uuid5(uuids.NAMESPACE_OID, "/".join(map(str, parts))))


def at(values, i):
    """The i-th of a list, 0 beyond its end."""
    return values[i] if i < len(values) else 0


def shape(text):
    """Sockets, nodes of each, cores of each and threads of each, of a topology."""
    counts = {"numa": 1, "thread": 1}
    for part in text.split(" x "):
        number, what = part.split()
        counts[what.rstrip("s")] = int(number)
    return counts["socket"], counts["numa"], counts["core"], counts["thread"]


def cells(node, floats):
    """The NUMA nodes of a host as dicts with the fields of nova.HostCell, and the
    memory in MiB that is kept back. floats says that all CPUs are for floating VMs
    where the node type says nothing."""
    sockets, numa, cores, threads = shape(node["topology"])
    compute, nodes = node["compute"], sockets * numa
    host = shapes.machine(nodes, cores, threads, sockets)
    kept = 0
    for i, cell in enumerate(host["Cells"]):
        left = list(cell["Siblings"])
        for field in ("platformCores", "vSwitchCores"):
            left = left[at(compute[field], i):]
        floating = len(left) if floats else 0
        if "floatingCores" in compute:
            floating = at(compute["floatingCores"], i)
        cell["Siblings"] = left
        cell["Shared"] = {c for s in left[:floating] for c in s}
        cell["Dedicated"] = {c for s in left[floating:] for c in s}
        keep = sum(amount(at(compute[f], i)) for f in ("platformMemory", "vSwitchMemory"))
        free = amount(node["memory"]) // nodes - keep
        kept += keep // MIB
        cell["Memory"] = free // MIB
        cell["Pages"] = []
        for size, pools in node.get("hugePagesPerNUMANode", {}).items():
            pages = amount(at(pools, i)) // amount(size)
            free -= pages * amount(size)
            if pages:
                cell["Pages"].append({"Size": amount(size) // KIB, "Total": pages})
        cell["Pages"].append({"Size": 4, "Total": free // (4 * KIB)})
        cell["Pages"].sort(key=lambda p: p["Size"])
    networks(node, host["Cells"])
    return shapes.done(host)["Cells"], kept


def networks(node, plain):
    """Which networks enter the host on which NUMA node, where the operator has said so."""
    data = [n for n in node.get("nics", []) if n["use"] == "data" and node["compute"].get("networkAffinity")]
    bare = any(not n.get("physicalNetworks") for n in data)
    for cell in plain:
        near = [n for n in data if n.get("numaNode") == cell["ID"]]
        cell["Physnets"] = sorted({p for n in near for p in n.get("physicalNetworks", [])})
        cell["Tunneled"] = any(not (bare and n.get("physicalNetworks")) for n in near)


def pools(node):
    """The pools of devices, by kind and node; a node that is not known comes first."""
    count = {}

    def add(kind, cell, n):
        count[kind, -1 if cell is None else cell] = count.get((kind, -1 if cell is None else cell), 0) + n

    for kind, total in node.get("devices", {}).items():
        for cell in (node.get("deviceNUMANodes", {}).get(kind, []) + [None] * total)[:total]:
            add(kind, cell, 1)
    for nic in node.get("nics", []):
        ports = nic.get("count", 1)
        if nic["use"] == "sriov":
            add(nic["physicalNetworks"][0], nic.get("numaNode"), ports * nic["virtualFunctions"])
        if nic["use"] == "passthrough":
            add(nic["physicalNetworks"][0] + " (port)", nic.get("numaNode"), ports)
    return [pool(kind, None if cell < 0 else cell, n) for (kind, cell), n in sorted(count.items())]


def pool(kind, cell, count):
    """One pool as the PCI tracker reports it."""
    if kind in ALIASES:
        return {"vendor_id": "8086", "product_id": ALIASES[kind], "numa_node": cell, "count": count,
                "dev_type": fields.PciDeviceType.STANDARD}
    physnet, whole, _ = kind.partition(" (port)")
    return {"vendor_id": "8086", "product_id": "1572" if whole else "154c", "numa_node": cell, "count": count,
            "dev_type": fields.PciDeviceType.SRIOV_PF if whole else fields.PciDeviceType.SRIOV_VF,
            "physical_network": physnet, "remote_managed": "false"}


class Host:
    """A compute host with the books of its resource tracker."""

    def __init__(self, name, node, zone, floats):
        self.name, self.uuid = name, identity("host", name)
        self.zone, self.labels = zone, node.get("labels", {})
        plain, kept = cells(node, floats)
        threads = shape(node["topology"])[3]
        self.traits = TRAITS | ({"HW_CPU_HYPERTHREADING"} if threads > 1 else set())
        self.placement_aggregates = {identity("zone", zone)} if zone else set()
        self.aggregates = [objects.Aggregate(metadata=dict(self.labels))]
        if zone:
            self.aggregates.append(objects.Aggregate(metadata={"availability_zone": zone}))
        self.instances = {}
        self.books(node, plain, kept)

    def books(self, node, plain, kept):
        """The compute node, empty, and its inventory."""
        shared, dedicated = (sum(len(model.parse(c.get(f))) for c in plain) for f in ("Shared", "Dedicated"))
        memory = kept + sum(c["Memory"] for c in plain)
        disk = sum(amount(d["size"]) * d.get("count", 1) for d in node.get("disks", []) if d["use"] == "local") // GIB
        compute = node["compute"]
        cpu, ram = float(compute["cpuAllocationRatio"]), float(compute["ramAllocationRatio"])
        self.inventory = {"MEMORY_MB": inventory.record(memory, ram, kept)}
        for name, total, ratio in (("VCPU", shared, cpu), ("PCPU", dedicated, 1.0), ("DISK_GB", disk, 1.0)):
            if total:
                self.inventory[name] = inventory.record(total, ratio)
        topology = objects.NUMATopology(cells=[model.numa_cell(c) for c in plain])
        self.node = objects.ComputeNode(
            uuid=self.uuid, host=self.name, hypervisor_hostname=self.name, hypervisor_type="QEMU",
            hypervisor_version=10000000, host_ip=None, cpu_info="", supported_hv_specs=[], metrics=None, stats={},
            vcpus=shared, memory_mb=memory, local_gb=disk, vcpus_used=0, memory_mb_used=kept, local_gb_used=0,
            free_ram_mb=memory - kept, free_disk_gb=disk, disk_available_least=None, updated_at=None,
            cpu_allocation_ratio=cpu, ram_allocation_ratio=ram, disk_allocation_ratio=1.0,
            numa_topology=topology._to_json(), pci_device_pools=pci_device_pool.from_pci_stats(pools(node)))
        self.tracker = object.__new__(resource_tracker.ResourceTracker)
        self.tracker.pci_tracker, self.tracker.tracked_instances, self.tracker.is_bfv = None, set(), {}
        self.tracker.compute_nodes, self.tracker.stats = {self.name: self.node}, {self.name: compute_stats.Stats()}

    def topology(self):
        """The NUMA topology with what is in use."""
        return objects.NUMATopology.obj_from_db_obj(self.node.numa_topology)

    def stats(self):
        """The devices that are left."""
        return pci_stats.PciDeviceStats(self.topology(), stats=self.node.pci_device_pools)

    def settle(self, context, instance, volume, requests):
        """Makes an instance run here, whose place on the host is known."""
        left = self.stats()
        given = instance.numa_topology
        if requests:
            left.apply_requests(requests, None, given.cells if given else None)
        self.tracker.is_bfv[instance.uuid] = volume
        self.tracker._update_usage_from_instance(context, instance, self.name)
        self.node.pci_device_pools = left.to_device_pools_obj()
        self.instances[instance.uuid] = instance
