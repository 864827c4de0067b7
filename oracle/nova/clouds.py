"""Random clouds as scenarios: hosts of up to three kinds that are about to be full,
and VMs that come in runs. Flavors that Nova refuses are drawn again.

Left out is where place/cloud differs from Nova on purpose; README.md says what.
"""

from nova import exception

import cloud
import compute

THEMES = ("pages", "devices", "network", "groups", "zones", "aggregates", "disks", "threads", "uneven", "images", "evacuate")
METADATA = {"cores": ["8", "16", "16,32", "24.5"], "cpu": ["intel", "amd", "intel,arm", "intel, amd"],
            "tier": ["gold", "gold-ssd", "silver", "silver,bronze", ""]}
WISHES = {"cores": ["16", ">= 16", "<= 16", "== 32", "!= 16", "= 10", ">= 1e1"],
          "cpu": ["intel", "<or> amd <or> arm", "s== amd", "s!= amd", "<in> amd", "s>= arm", "s< b", "arm"],
          "tier": ["gold", "<in> gold", "<all-in> gold ssd", "<or> silver <or> gold", "s> gold", "s<= gold"]}
POLICIES = ("affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity")
PHYSNETS = ("physnet1", "physnet2")


def hides(scenario):
    """Whether a host has whole ports and virtual functions on one network: to Nova the
    near ports hide far virtual functions, though they can't stand for them."""
    for node in scenario["hardware"]["nodeTypes"]:
        has = {use: {n["physicalNetworks"][0] for n in node.get("nics", []) if n["use"] == use} for use in ("sriov", "passthrough")}
        if has["sriov"] & has["passthrough"]:
            return True
    return False


class Dice:
    """Rolls one cloud."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.themes = {t for t in THEMES if rng.random() < 0.28}
        # Which VMs there are: pinned ones, floating ones, or both beside each other.
        self.mode = rng.choice(["pinned", "pinned", "floating", "both", "both", "both"])
        if "pages" in self.themes and self.mode == "floating":
            self.themes.remove("pages")

    def often(self, theme, chance):
        """True so often where the cloud has the theme."""
        return theme in self.themes and self.rng.random() < chance

    def scenario(self):
        """The scenario of a cloud."""
        rng = self.rng
        kinds = rng.choice([1, 1, 2, 2, 2, 3])
        total = rng.choice([rng.randint(2, 5), rng.randint(2, 6), rng.randint(3, 8), rng.randint(3, 12), rng.choice([7, 16, 40])])
        cuts = sorted(rng.sample(range(1, total), min(kinds, total) - 1))
        counts = [b - a for a, b in zip([0] + cuts, cuts + [total])]
        self.small = rng.random() < 0.3
        nodes = [self.node(n, count) for n, count in zip(("alpha", "beta", "gamma"), counts)]
        self.nodes = nodes
        flavors = [self.flavor(f"f{n}") for n in range(rng.randint(2, 6))]
        scenario = {
            "metadata": {"name": self.name}, "platform": {"type": "helion"},
            "scheduling": {"rules": "nova", "hostStrategy": rng.choice(["spread", "spread", "pack"]),
                           "numaStrategy": rng.choice(["spread", "spread", "pack"])},
            "hardware": {"nodeTypes": nodes},
            "workload": {"flavors": flavors, "images": self.images(), "serverGroups": self.groups(), "servers": []}}
        self.servers(scenario, min(rng.choice([60, 90, 200]) if total < 20 else 80, rng.randint(3, 8) * total + 8))
        return scenario

    def node(self, name, count):
        """A kind of host."""
        rng = self.rng
        sockets, numa = rng.choice([(1, 1), (2, 1), (2, 1), (2, 1), (1, 2), (2, 2)])
        nodes = sockets * numa
        cores = rng.randint(3, 5) if nodes == 4 or self.small else rng.randint(3, 10)
        threads = rng.choice([1, 2]) if "threads" in self.themes else 2
        memory = nodes * rng.choice([12, 16, 24, 32, 48])
        compute_ = {
            "platformCores": rng.choice([[1], [1], [1] * nodes, []]), "vSwitchCores": rng.choice([[], [1], [0] * (nodes - 1) + [1]]),
            "platformMemory": rng.choice([["2Gi", "1Gi"], ["3Gi"], ["1536Mi"] * nodes]), "vSwitchMemory": rng.choice([["0"], ["1Gi"] * nodes]),
            "cpuAllocationRatio": rng.choice(["4", "4", "2", "1", "1.5", "16"]), "ramAllocationRatio": rng.choice(["1", "1", "1.5"])}
        if self.mode == "both" or rng.random() < 0.2:
            left = cores - 2
            compute_["floatingCores"] = [rng.randint(0, left) for _ in range(nodes)]
        out = {"name": name, "role": "compute", "count": count, "memory": f"{memory}Gi", "compute": compute_,
               "topology": f"{sockets} sockets x {numa} numa x {cores} cores x {threads} threads"}
        if "pages" in self.themes:
            room = memory // nodes - 5
            out["hugePagesPerNUMANode"] = {
                "2Mi": [f"{rng.randint(room // 4, room // 2) * 1024 + rng.choice([0, 512])}Mi" for _ in range(nodes)],
                "1Gi": [f"{rng.randint(room // 5, room - room // 2 - 1)}Gi" for _ in range(nodes)]}
        self.equip(out, nodes)
        return out

    def equip(self, out, nodes):
        """Devices, NICs, disks, zones and aggregates of a kind of host."""
        rng = self.rng
        if self.often("devices", 0.8):
            kinds = rng.sample(sorted(compute.ALIASES), rng.randint(1, 3))
            out["devices"] = {k: rng.randint(1, 8) for k in kinds}
            out["deviceNUMANodes"] = {k: [rng.randrange(nodes) for _ in range(rng.randint(0, out["devices"][k]))] for k in kinds}
        if self.often("network", 0.9):
            out["compute"]["networkAffinity"] = rng.random() < 0.7
            out["nics"] = [self.nic(nodes) for _ in range(rng.randint(1, 4))]
        if self.often("disks", 0.85):
            out["disks"] = [{"use": "system", "size": "120Gi"},
                            {"use": "local", "size": f"{rng.choice([60, 100, 250, 500])}Gi", "count": rng.choice([1, 1, 2])}]
        elif "disks" in self.themes:
            out["disks"] = [{"use": "system", "size": "120Gi"}]
        if self.often("zones", 0.6):
            out["domains"] = {"zone": rng.choice([1, 2, 3])}
        elif self.often("zones", 0.5):
            out["labels"] = {"zone": rng.choice(["zone-1", "edge"])}
        if self.often("aggregates", 0.8):
            out["labels"] = out.get("labels", {}) | {
                k: rng.choice(METADATA[k]) for k in rng.sample(sorted(METADATA), rng.randint(1, 3))}

    def nic(self, nodes):
        """A NIC for the vSwitch, or for virtual functions."""
        rng = self.rng
        use = rng.choice(["data", "data", "sriov", "sriov", "passthrough"])
        out = {"use": use, "count": rng.choice([1, 1, 2])}
        if rng.random() < 0.85:
            out["numaNode"] = rng.randrange(nodes)
        if use == "data":
            out["physicalNetworks"] = rng.sample(PHYSNETS, rng.choice([0, 1, 1, 2]))
        else:
            out["physicalNetworks"] = [rng.choice(PHYSNETS)]
        if use == "sriov":
            out["virtualFunctions"] = rng.choice([2, 4, 8, 63])
        return out

    def flavor(self, name):
        """A flavor."""
        rng, specs = self.rng, {}
        pinned = self.mode == "pinned" or self.mode == "both" and rng.random() < 0.6
        cells = self.cells(specs, pinned)
        vcpus = rng.choice([1, 1, 2, 2, 3, 4, 6]) * (len(cells) or 1)
        if pinned:
            self.pin(specs, vcpus)
        ram = rng.choice([512, 1024, 1024, 2048, 3072, 4096, 6144]) * (len(cells) or 1)
        if self.often("pages", 0.9) or "pages" in self.themes and not cells and not pinned:
            specs["hw:mem_page_size"] = rng.choice(["large", "large", "any", "small", "2MB", "1GB", "2048"])
        if len(cells) > 1 and self.often("uneven", 0.6) and vcpus > len(cells):
            self.uneven(specs, cells, vcpus, ram)
        if self.often("devices", 0.4):
            specs["pci_passthrough:alias"] = ",".join(
                f"{k}:{rng.choice([1, 1, 2])}" for k in rng.sample(sorted(compute.ALIASES), rng.choice([1, 1, 2])))
        if {"devices", "network"} & self.themes and rng.random() < 0.5:
            specs["hw:pci_numa_affinity_policy"] = rng.choice(["required", "preferred", "legacy", "socket"])
        if self.often("aggregates", 0.4):
            for key in rng.sample(sorted(WISHES), rng.choice([1, 1, 2])):
                specs["aggregate_instance_extra_specs:" + key] = rng.choice(WISHES[key])
        out = {"name": name, "vcpus": vcpus, "ram": f"{ram}Mi", "properties": specs}
        if "disks" in self.themes:
            out |= {"disk": f"{rng.choice([5, 10, 20, 40])}Gi", "ephemeral": f"{rng.choice([0, 0, 10])}Gi",
                    "swap": rng.choice(["0", "0", "512Mi", "1Gi", "1536Mi"])}
        return out

    def cells(self, specs, pinned):
        """Virtual NUMA nodes, by number; none is left to Nova."""
        n = self.rng.choice([0, 0, 1, 1, 2] if pinned else [0, 0, 0, 1, 2])
        if n:
            specs["hw:numa_nodes"] = str(n)
        return range(n)

    def pin(self, specs, vcpus):
        """Policies of pinned CPUs."""
        rng = self.rng
        specs["hw:cpu_policy"] = "dedicated"
        if vcpus > 1 and self.mode == "both" and rng.random() < 0.25:
            specs["hw:cpu_policy"] = "mixed"
            specs["hw:cpu_dedicated_mask"] = ",".join(map(str, sorted(rng.sample(range(vcpus), rng.randint(1, vcpus - 1)))))
        if self.often("threads", 0.5):
            specs["hw:cpu_thread_policy"] = rng.choice(["prefer", "require", "require", "isolate"])
        if self.often("threads", 0.25):
            specs["hw:emulator_threads_policy"] = rng.choice(["isolate", "isolate", "share"])

    def uneven(self, specs, cells, vcpus, ram):
        """Cells of different sizes."""
        rng, start, left = self.rng, 0, ram
        for n in cells:
            rest = len(cells) - 1 - n
            size = vcpus - start if not rest else rng.randint(1, vcpus - start - rest)
            part = left if not rest else rng.randint(1, left // 512 - rest) * 512
            specs[f"hw:numa_cpus.{n}"] = ",".join(map(str, range(start, start + size)))
            specs[f"hw:numa_mem.{n}"] = str(part)
            start, left = start + size, left - part

    def images(self):
        """Images, some of which constrain their VMs."""
        out = [{"name": "plain", "size": "1Gi", "properties": {}}]
        if "images" in self.themes:
            out.append({"name": "two-nodes", "size": "1Gi", "properties": {"hw_numa_nodes": "2"}})
            if self.mode != "floating":
                out.append({"name": "pinned", "size": "1Gi", "properties": {"hw_cpu_policy": "dedicated"}})
        return out

    def groups(self):
        """Server groups."""
        out = []
        for n in range(self.rng.randint(1, 4) if "groups" in self.themes else 0):
            out.append({"name": f"g{n}", "policy": self.rng.choice(POLICIES)})
            if out[-1]["policy"] == "anti-affinity" and self.rng.random() < 0.4:
                out[-1]["maxServerPerHost"] = self.rng.randint(2, 3)
        return out

    def servers(self, scenario, total):
        """Runs of VMs, as many as given in all."""
        rng, workload = self.rng, scenario["workload"]
        zones = sorted({h.zone for h in cloud.hosts_of(dict(scenario, workload={"servers": [], "flavors": []})) if h.zone})
        empty = cloud.Cloud(scenario)
        while total > 0:
            server = {"name": f"s{len(workload['servers'])}", "flavor": rng.choice(workload["flavors"])["name"],
                      "image": rng.choice(workload["images"])["name"], "count": min(total, rng.choice([1, 1, 2, 3, 5, 8])),
                      "bootFrom": rng.choice(["volume", "image"]) if "disks" in self.themes else "volume"}
            if zones and rng.random() < 0.5:
                server["availabilityZone"] = rng.choice(zones)
            if workload["serverGroups"] and rng.random() < 0.5:
                server["group"] = rng.choice(workload["serverGroups"])["name"]
            if self.often("network", 0.4):
                server["ports"] = [self.port() for _ in range(rng.choice([1, 1, 2, 3]))]
            if self.floats_in_pages(scenario, server):
                continue
            if rng.random() < 0.93 and not self.fits(scenario, server, empty):
                continue  # few VMs ask for what no host has
            workload["servers"].append(server)
            total -= server["count"]

    def fits(self, scenario, server, empty):
        """Whether a VM finds a host while the cloud is empty."""
        guest = cloud.Guest(scenario, server)
        return empty.destination(guest.spec(empty, compute.identity("vm")), hold=False)[0] is not None

    def floats_in_pages(self, scenario, server):
        """Whether Nova refuses the flavor with the image, or it floats where memory is
        in huge pages."""
        try:
            guest = cloud.Guest(scenario, server)
        except exception.NovaException:
            return True
        return "pages" in self.themes and guest.topology is None

    def port(self):
        """A port."""
        kind = self.rng.choice(["normal", "normal", "direct", "direct", "direct-physical"])
        if kind == "normal" and self.rng.random() < 0.5:
            return {"vnicType": kind, "network": "tenant"}
        return {"vnicType": kind, "network": "provider", "physicalNetwork": self.rng.choice(PHYSNETS)}
