"""Clouds made by hand: what is easily got wrong about the choice among hosts. The
tests know their names and what must come out."""

PINNED = {"hw:cpu_policy": "dedicated"}
NODE = {"hw:numa_nodes": "1"}


def kind(name, topology, memory, count=1, **more):
    """A kind of host that keeps nothing back; ratios of 1."""
    compute = {"platformCores": [], "vSwitchCores": [], "platformMemory": ["0"], "vSwitchMemory": ["0"],
               "cpuAllocationRatio": "1", "ramAllocationRatio": "1"}
    compute |= more.pop("compute", {})
    return {"name": name, "role": "compute", "count": count, "topology": topology, "memory": memory, "compute": compute} | more


def scenario(name, nodes, *runs, strategy="spread", groups=()):
    """A scenario of kinds of hosts and runs of VMs: count, flavor, more of the server."""
    flavors, servers = [], []
    for n, (count, flavor, *more) in enumerate(runs):
        flavors.append(dict(flavor, name=f"f{n}"))
        servers.append({"name": f"s{n}", "flavor": f"f{n}", "image": "plain", "count": count, "bootFrom": "volume"} | dict(*more))
    return {"metadata": {"name": name}, "platform": {"type": "helion"},
            "scheduling": {"rules": "nova", "hostStrategy": strategy, "numaStrategy": strategy},
            "hardware": {"nodeTypes": nodes},
            "workload": {"flavors": flavors, "images": [{"name": "plain", "size": "1Gi", "properties": {}}],
                         "serverGroups": list(groups), "servers": servers}}


def flavor(vcpus, ram, specs, **disks):
    """A flavor."""
    return {"vcpus": vcpus, "ram": ram, "properties": specs} | disks


def clouds():
    """Name, scenario and lost hosts of each."""
    for name, lose, *args in cases():
        more = args.pop() if isinstance(args[-1], dict) and "flavor" not in args[-1] and "strategy" in args[-1] else {}
        yield name, scenario(name, *args, **more), lose


def cases():
    """Name, lost hosts, kinds of hosts and runs of VMs of each."""
    # Pinned CPUs are not among the CPUs that the weigher sees: memory decides.
    yield "weigher-sees-shared-cpus", (), [
        kind("many", "1 socket x 10 cores", "24Gi", 2), kind("few", "1 socket x 4 cores", "32Gi")], (6, flavor(1, "1Gi", PINNED))
    # Four floating vCPUs are the host's, whatever its NUMA nodes know of.
    yield "floating-vcpus-of-all", (), [kind("host", "1 socket x 4 cores", "16Gi", compute={"floatingCores": [2], "cpuAllocationRatio": "2"})], \
        (1, flavor(2, "1Gi", {})), (1, flavor(2, "1Gi", NODE)), (1, flavor(1, "1Gi", NODE)), (1, flavor(1, "1Gi", PINNED))
    # Pages are free, but all memory is given away.
    yield "memory-of-all-pages", (), [
        kind("host", "1 socket x 8 cores", "8Gi", compute={"floatingCores": [4]}, hugePagesPerNUMANode={"2Mi": ["4Gi"]})], \
        (2, flavor(1, "4Gi", NODE)), (1, flavor(1, "2Gi", PINNED | {"hw:mem_page_size": "2048"}))
    # Placement takes a swap of 512 MiB for a GiB.
    yield "swap-in-whole-gib", (), [kind("host", "1 socket x 8 cores", "32Gi", disks=[{"use": "local", "size": "9Gi"}])], \
        (2, flavor(1, "1Gi", {}, disk="4Gi", swap="512Mi"), {"bootFrom": "image"})
    # Two VMs with their swaps leave 42 of 60 GiB: with memory and CPUs that is less than
    # 38 and an empty host. Without the swaps 58 would be more.
    yield "weigher-of-swap", (), [
        kind(n, "1 socket x 8 cores", "32Gi", disks=[{"use": "local", "size": s}]) for n, s in (("a", "60Gi"), ("b", "38Gi"))], \
        (3, flavor(1, "1Gi", {}, disk="1Gi", swap="8704Mi"), {"bootFrom": "image"})
    # The search keeps the page size of the first node, which has no CPUs left.
    yield "page-size-of-the-first-node", (), [
        kind("host", "2 sockets x 4 cores", "32Gi", compute={"platformCores": [3]},
             hugePagesPerNUMANode={"1Gi": ["4Gi", "0"], "2Mi": ["0", "4Gi"]})], \
        (1, flavor(2, "2Gi", PINNED | {"hw:mem_page_size": "large"})), {"strategy": "pack"}
    # A VM without NUMA nodes goes wherever its networks end.
    yield "networks-of-floating-vms", (), [
        kind("host", "2 sockets x 4 cores", "32Gi", compute={"networkAffinity": True},
             nics=[{"use": "data", "numaNode": 0, "physicalNetworks": ["physnet1"]}])], \
        (1, flavor(1, "1Gi", {}), {"ports": [{"vnicType": "normal", "network": "tenant"},
                                             {"vnicType": "normal", "network": "p", "physicalNetwork": "physnet1"}]})
    # The group's weigher goes before room; two of three hosts are left for evacuation.
    yield "soft-affinity-and-a-loss", (0,), [kind("host", "1 socket x 4 cores", "16Gi", 3)], \
        (5, flavor(1, "1Gi", PINNED), {"group": "g"}), {"strategy": "spread", "groups": [{"name": "g", "policy": "soft-affinity"}]}
    yield "two-on-each-host", (1,), [kind("host", "1 socket x 4 cores", "16Gi", 3)], \
        (7, flavor(1, "1Gi", PINNED), {"group": "g"}), \
        {"strategy": "spread", "groups": [{"name": "g", "policy": "anti-affinity", "maxServerPerHost": 2}]}
