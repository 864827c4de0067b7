"""Nova's answer to a request, and the right one.

Nova's search remembers pairs of host node and guest cell under ids that it
changes while it searches. The right answer is that of the same search, in the
same order, with Nova's own tests of a pair, of the devices and of the network,
and with guest cells that are new for each pair.
"""

import copy
import itertools
from unittest import mock

from nova import exception
from nova import objects
from nova.virt import hardware

import model


class Spy:
    """Stands in for itertools, to see in which order Nova tries the nodes."""

    chain = itertools.chain

    def __init__(self):
        self.order = None

    def permutations(self, cells, _):
        self.order = list(cells)
        return iter(())


def own(host, request):
    """Nova's answer: a topology, or None."""
    topology = model.instance_topology(request)
    if topology is None:
        return None
    host.set_strategy()
    return hardware.numa_fit_instance_to_host(
        host.topology, topology, None, limits=host.limits(request),
        pci_requests=model.pci_requests(request), pci_stats=host.stats())


def order(host, request):
    """The host's nodes as Nova sorts them; None when they are too few."""
    return sorted_nodes(lambda: own(host, request))


def sorted_nodes(ask):
    """The nodes in the order in which Nova's own search, that ask calls, tries them."""
    spy = Spy()
    with mock.patch.object(hardware, "itertools", spy):
        ask()
    return spy.order


def fit_cell(node, cell, limits, reserved):
    """Nova's test of one pair, with a guest cell that nothing has changed yet."""
    try:
        return hardware._numa_fit_instance_cell(node, copy.deepcopy(cell), limits, reserved)
    except exception.MemoryPageSizeNotSupported:
        return None


def exhaustive(host, request, remember=True):
    """The right answer. With remember, pairs are tested once, by their places."""
    topology = model.instance_topology(request)
    nodes = order(host, request) if topology else None
    if nodes is None:
        return None
    return assign(host.topology, nodes, topology, host.limits(request),
                  model.pci_requests(request), host.stats(), remember)


def assign(host, nodes, topology, limits, wanted, stats, remember=True):
    """The first assignment of a guest's cells to the nodes, in the order of Nova's
    search, that passes Nova's tests; None when there is none."""
    network = limits.network_metadata if limits and "network_metadata" in limits else None
    known = {}

    def fits(node, at):
        if not remember or (node.id, at) not in known:
            reserved = 1 if topology.emulator_threads_isolated and at == 0 else 0
            known[node.id, at] = fit_cell(node, topology.cells[at], limits, reserved)
        return known[node.id, at]

    for chosen in itertools.permutations(nodes, len(topology.cells)):
        cells = []
        for at, node in enumerate(chosen):
            cell = fits(node, at)
            if cell is None:
                break
            cells.append(cell)
        if len(cells) < len(chosen):
            continue
        if wanted and not stats.support_requests(wanted, None, cells):
            continue
        if network and not hardware._numa_cells_support_network_metadata(
                host, list(chosen), network):
            continue
        return objects.InstanceNUMATopology(
            cells=cells, emulator_threads_policy=topology.emulator_threads_policy)
    return None


def devices(host, request, topology):
    """Which pools the devices come from, as [pool, count]; None when they do not suffice."""
    wanted = model.pci_requests(request)
    if not wanted:
        return []
    stats = host.stats()
    try:
        stats.apply_requests(wanted, None, topology.cells if topology else None)
    except exception.PciDeviceRequestFailed:
        return None
    left = {p["index"]: p["count"] for p in stats.pools}
    return [[i, free - left.get(i, 0)] for i, free in enumerate(host.free)
            if free > left.get(i, 0)]


def ask(host, request):
    """The record of a request, and what is to be claimed for it: a topology and
    devices, or None."""
    mine, best = own(host, request), exhaustive(host, request)
    record = {"request": model.slim(request)}
    if not request.get("Cells"):
        taken = devices(host, request, None)
        record["answer"] = None if taken is None else model.plain_answer(host, request, None, taken)
        return record, None if taken is None else (None, taken)
    record["answer"] = answer(host, request, mine)
    right = answer(host, request, best)
    if right != record["answer"]:
        record.update(right=right, fault=True)
    return record, None if best is None else (best, devices(host, request, best))


def admit(host, request):
    """Asks, and claims what is right: the record, and what was claimed, or None.
    A claim that Nova itself refuses afterwards is told as "raises" (IndexError: a node
    without pools of pages)."""
    record, taken = ask(host, request)
    if taken is not None:
        try:
            host.claim(*taken)
        except (exception.NovaException, IndexError) as problem:
            return dict(record, raises=type(problem).__name__), None
    return record, taken


def answer(host, request, topology):
    """The plain answer of a topology."""
    if topology is None:
        return None
    return model.plain_answer(host, request, topology, devices(host, request, topology) or [])
