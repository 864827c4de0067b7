"""A cloud under Nova's own scheduler: select_destinations of its manager with its
host states, filters and weighers. What stands around it is replaced: messages, the
database, Placement (inventory.py) and Neutron's answers about ports.
"""

import copy
import json
from unittest import mock

from nova import context as nova_context
from nova import exception
from nova import objects
from nova.compute import utils as compute_utils
from nova.network import neutron
from nova.objects import service as service_objects
from nova.pci import request as pci_request
from nova.scheduler import filters
from nova.scheduler import host_manager
from nova.scheduler import manager
from nova.scheduler import weights
from nova.scheduler.filters import aggregate_instance_extra_specs as aggregate_filter
from nova.scheduler.filters import affinity_filter
from nova.scheduler.filters import numa_topology_filter
from nova.scheduler.filters import pci_passthrough_filter
from nova.scheduler import utils as scheduler_utils
from nova.virt import hardware
import oslo_messaging as messaging

import compute
import inventory
import model
import search

CONF = model.CONF
OFTEN_ENABLED = ["AggregateInstanceExtraSpecsFilter", "NUMATopologyFilter", "PciPassthroughFilter"]
WORDS = (hardware.MEMPAGES_LARGE, hardware.MEMPAGES_ANY)
NOVAS_SEARCH = hardware.numa_fit_instance_to_host


def configure(scenario):
    """Nova's options for a scenario. ComputeFilter is left out: it asks whether
    services report themselves, and all of them do."""
    rules = scenario["scheduling"]
    enabled = [f for f in CONF.filter_scheduler.enabled_filters if f != "ComputeFilter"]
    CONF.set_override("enabled_filters", enabled + [f for f in OFTEN_ENABLED if f not in enabled],
                      group="filter_scheduler")
    room = -1.0 if rules["hostStrategy"] == "pack" else 1.0
    for name in ("cpu", "ram"):
        CONF.set_override(name + "_weight_multiplier", room, group="filter_scheduler")
    CONF.set_override("packing_host_numa_cells_allocation_strategy", rules["numaStrategy"] == "pack", group="compute")
    CONF.set_override("alias", [json.dumps(
        {"name": n, "vendor_id": "8086", "product_id": p, "device_type": "type-PCI"})
        for n, p in compute.ALIASES.items()], group="pci")
    pci_request.get_alias_from_config.cache_clear()


class HostManager(host_manager.HostManager):
    """Nova's host manager over hosts that are here, in their order: its own order
    is that of a Python set."""

    def __init__(self, hosts):
        self.hosts, self.states = hosts, {}
        self.filter_handler = filters.HostFilterHandler()
        classes = self.filter_handler.get_matching_classes(CONF.filter_scheduler.available_filters)
        self.filter_cls_map, self.filter_obj_map = {cls.__name__: cls for cls in classes}, {}
        self.enabled_filters = self._choose_host_filters(self._load_filters())
        self.weight_handler = weights.HostWeightHandler()
        weighers = self.weight_handler.get_matching_classes(CONF.filter_scheduler.weight_classes)
        # Nova adds weights up in the order in which the directory lists their files.
        self.weighers = [cls() for cls in sorted(weighers, key=lambda cls: (cls.__module__, cls.__name__))]

    def state(self, host):
        """The host state that Nova makes of a compute node; made anew when it changes."""
        if host.name not in self.states:
            state = host_manager.HostState(host.name, host.name, compute.identity("cell"))
            state.update(host.node, {}, host.aggregates, dict(host.instances))
            self.states[host.name] = state
        return self.states[host.name]

    def get_host_states_by_uuids(self, context, compute_uuids, spec_obj):
        known = set(compute_uuids)
        return (self.state(h) for h in self.hosts if h.uuid in known)


class Cloud:
    """Hosts of a scenario and the VMs on them."""

    def __init__(self, scenario):
        configure(scenario)
        self.context = nova_context.get_admin_context()
        self.hosts = list(hosts_of(scenario))
        self.inventory = inventory.Inventory(self.hosts)
        self.host_manager = HostManager(self.hosts)
        scheduler = object.__new__(manager.SchedulerManager)
        scheduler.host_manager, scheduler.notifier = self.host_manager, mock.Mock()
        self.select = scheduler.select_destinations
        self.passed = []
        self.groups = {g["name"]: objects.InstanceGroup(
            uuid=compute.identity("group", g["name"]), name=g["name"], policy=g["policy"], policies=[g["policy"]],
            rules={"max_server_per_host": str(g["maxServerPerHost"])} if "maxServerPerHost" in g else {},
            members=[], hosts=[]) for g in scenario["workload"].get("serverGroups", [])}
        self.lost = []

    def zone_aggregates(self, context, key=None, value=None):
        """AggregateList.get_by_metadata, for zones."""
        return [objects.Aggregate(uuid=compute.identity("zone", value))] if any(h.zone == value for h in self.hosts) else []

    def destination(self, spec, hold=True):
        """The host that Nova chooses, and how many passed; the first is None when
        there is none."""
        self.inventory.holding, self.passed = hold, [0]
        weigh = self.host_manager.get_weighed_hosts

        def count(hosts, request):
            self.passed = [len(hosts)]
            return weigh(hosts, request)

        with mock.patch.object(self.host_manager, "get_weighed_hosts", count), \
                mock.patch.object(manager.SchedulerManager, "placement_client", self.inventory), \
                mock.patch.object(compute_utils, "notify_about_scheduler_action"), \
                mock.patch.object(objects.AggregateList, "get_by_metadata", self.zone_aggregates), \
                mock.patch.object(service_objects, "get_minimum_version_all_cells", return_value=100):
            try:
                chosen = self.select(self.context, spec_obj=spec, instance_uuids=[spec.instance_uuid], return_objects=True)
            except messaging.ExpectedException as problem:  # so the manager hands on what callers expect
                if not isinstance(problem.exc_info[1], exception.NoValidHost):
                    raise
                return None, self.passed[0]
        name = chosen[0][0].service_host
        self.host_manager.states.pop(name)  # what Nova took from it for the rest of the request
        return next(h for h in self.hosts if h.name == name), self.passed[0]

    def choose(self, guest, uuid):
        """The host for one more VM and the hosts that pass; and, where Nova's own
        search takes another, that of Nova. The VM does not run yet."""
        own = ()
        if guest.faulty:
            host, _ = self.destination(guest.spec(self, uuid), hold=False)
            own = (host,)
        with mock.patch.object(hardware, "numa_fit_instance_to_host", right if guest.faulty else NOVAS_SEARCH):
            host, passed = self.destination(guest.spec(self, uuid))
        return host, passed, own[0] if own else host

    def run(self, guest, uuid, host):
        """Makes a VM run on a host, as the compute service's claim does."""
        spec, fit = guest.spec(self, uuid), right if guest.faulty else NOVAS_SEARCH
        given = None
        wanted = spec.pci_requests.requests
        if spec.numa_topology:
            limits = objects.NUMATopologyLimits(
                cpu_allocation_ratio=host.node.cpu_allocation_ratio, ram_allocation_ratio=host.node.ram_allocation_ratio)
            if "network_metadata" in spec and spec.network_metadata:
                limits.network_metadata = spec.network_metadata
            given = fit(host.topology(), spec.numa_topology, None, limits=limits, pci_requests=wanted, pci_stats=host.stats())
        instance = objects.Instance(
            uuid=uuid, flavor=guest.flavor, numa_topology=given, vm_state="active", task_state=None, os_type=None,
            project_id="p", host=host.name, node=host.name, resources=None)
        host.settle(self.context, instance, spec.is_bfv, wanted)
        self.host_manager.states.pop(host.name, None)
        if guest.group:
            group = self.groups[guest.group]
            group.members.append(uuid)
            group.hosts = sorted(set(group.hosts) | {host.name})

    def lose(self, host):
        """Takes a host away."""
        self.lost.append(host.name)

    def refusals(self, guest, uuid):
        """For a VM without a host: how many of the hosts fail each test by itself."""
        spec = guest.spec(self, uuid)
        spec.availability_zone = None
        ways = [scheduler_utils.resources_from_request_spec(self.context, spec, None, pinned) for pinned in (True, False)]
        ways = ways if ways[0].cpu_pinning_requested else ways[:1]
        groups = (affinity_filter.ServerGroupAffinityFilter(), affinity_filter.ServerGroupAntiAffinityFilter())
        fits = (numa_topology_filter.NUMATopologyFilter(), pci_passthrough_filter.PciPassthroughFilter())
        fails = {"zone": 0, "aggregate": 0, "group": 0, "disk": 0, "room": 0}
        with mock.patch.object(hardware, "numa_fit_instance_to_host", right if guest.faulty else NOVAS_SEARCH):
            for host in self.hosts:
                if host.name in self.lost:
                    continue
                state = self.host_manager.state(host)
                state.allocation_candidates = [{"mappings": {"": [host.uuid]}}]
                lacks = [self.inventory.lacks(host.uuid, r) for r in ways]
                unlike = [self.inventory.unlike(host.uuid, r) for r in ways]
                fails["zone"] += bool(guest.zone) and host.zone != guest.zone
                fails["aggregate"] += not aggregate_filter.AggregateInstanceExtraSpecsFilter().host_passes(state, spec)
                fails["group"] += not all(f.host_passes(state, spec) for f in groups)
                fails["disk"] += "DISK_GB" in lacks[0]
                fails["room"] += all(u or bool(l - {"DISK_GB"}) for u, l in zip(unlike, lacks)) or \
                    not all(f.host_passes(state, spec) for f in fits)
        return {k: v for k, v in fails.items() if v}


def hosts_of(scenario):
    """The compute hosts in their order, which take their zones in turn."""
    floats, turn = not pins(scenario), 0
    for node in scenario["hardware"]["nodeTypes"]:
        zones = node.get("domains", {}).get("zone", 0)
        for i in range(node["count"]):
            zone = node.get("labels", {}).get("zone", "")
            if zones and not zone:
                zone = f"zone-{turn % zones + 1}"
                turn += 1
            yield compute.Host(f"{node['name']}-{i + 1}", node, zone, floats)


def pins(scenario):
    """Whether some VM pins CPUs."""
    used = {s["flavor"] for s in scenario["workload"]["servers"]}
    images = {s.get("image") for s in scenario["workload"]["servers"]}
    flavors = [f["properties"] for f in scenario["workload"]["flavors"] if f["name"] in used]
    props = [i["properties"] for i in scenario["workload"].get("images", []) if i["name"] in images]
    return any(p.get("hw:cpu_policy", p.get("hw_cpu_policy")) in ("dedicated", "mixed") for p in flavors + props)


def right(host, guest, provider_mapping, limits=None, pci_requests=None, pci_stats=None):
    """numa_fit_instance_to_host without the fault of its search."""
    nodes = search.sorted_nodes(lambda: NOVAS_SEARCH(
        host, copy.deepcopy(guest), None, limits=limits, pci_requests=pci_requests, pci_stats=pci_stats))
    if nodes is None:
        return None
    return search.assign(host, nodes, guest, limits, pci_requests, pci_stats)


class Guest:
    """What the VMs of an entry of workload.servers ask."""

    def __init__(self, scenario, server):
        workload = scenario["workload"]
        plain = next(f for f in workload["flavors"] if f["name"] == server["flavor"])
        self.flavor = objects.Flavor(
            id=1, name=plain["name"], flavorid=plain["name"], vcpus=plain["vcpus"], memory_mb=compute.amount(plain["ram"]) // compute.MIB,
            root_gb=compute.amount(plain.get("disk", 0)) // compute.GIB, swap=compute.amount(plain.get("swap", 0)) // compute.MIB,
            ephemeral_gb=compute.amount(plain.get("ephemeral", 0)) // compute.GIB, extra_specs=dict(plain["properties"]))
        image = next((i for i in workload.get("images", []) if i["name"] == server.get("image")), {"properties": {}})
        self.image = objects.ImageMeta.from_dict({"properties": dict(image["properties"])})
        self.zone, self.group = server.get("availabilityZone"), server.get("group")
        self.volume = server["bootFrom"] == "volume"
        self.ports = server.get("ports", [])
        self.topology = hardware.numa_get_constraints(self.flavor, self.image)
        self.faulty = self.topology is not None and faulty(self.topology)

    def spec(self, cloud, uuid):
        """The request for one VM, as the API and the conductor make it."""
        policy = hardware.get_pci_numa_policy_constraint(self.flavor, self.image)
        requests = pci_request.get_pci_requests_from_flavor(self.flavor, affinity_policy=policy)
        network = self.networks(cloud.context, requests, policy)
        group = None
        if self.group:
            group = copy.deepcopy(cloud.groups[self.group])
            group.members = group.members + [uuid]
        spec = objects.RequestSpec.from_components(
            cloud.context, uuid, self.image, self.flavor, copy.deepcopy(self.topology), requests,
            {"ignore_hosts": list(cloud.lost)} if cloud.lost else {}, group, self.zone, project_id="p", user_id="u")
        spec.is_bfv = self.volume
        spec.requested_networks = objects.NetworkRequestList(objects=[])
        if network is not None:
            spec.network_metadata = network
        return spec

    def networks(self, context, requests, policy):
        """What Nova makes of the ports, added to the requests for devices."""
        api = object.__new__(neutron.API)
        ports = {compute.identity("port", i): p for i, p in enumerate(self.ports)}

        def port_of(context, client, port):
            return ports[port]["vnicType"], None, port, None, None, None

        def network_of(context, client, port):
            physnet = ports[port].get("physicalNetwork")
            return physnet, physnet is None

        asked = objects.NetworkRequestList(objects=[objects.NetworkRequest(port_id=p) for p in ports])
        with mock.patch.object(neutron, "get_client"), \
                mock.patch.object(api, "has_extended_resource_request_extension", return_value=False), \
                mock.patch.object(api, "_get_port_vnic_info", port_of), \
                mock.patch.object(api, "_get_physnet_tunneled_info", network_of):
            return api.create_resource_requests(context, asked, requests, affinity_policy=policy)[0]


def faulty(topology):
    """Whether Nova's search may go wrong: with cells that ask for different things, and
    with sizes of pages that are words."""
    if len(topology.cells) > 1 and topology.emulator_threads_isolated:
        return True
    asked = {(len(c.cpuset), len(c.pcpuset), c.memory, c.pagesize) for c in topology.cells}
    return len(asked) > 1 or any(c.pagesize in WORDS for c in topology.cells)
