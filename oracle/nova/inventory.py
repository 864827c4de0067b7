"""A stand-in for the Placement service: what the compute hosts of a cloud have,
which of them can take a request, and what was claimed.

Placement itself is a service of its own with a database. What is asked of it here
is little: hosts without nested providers, one group of resources. Its rule for one
resource is short, and written out in room.
"""

import collections


def room(record, used, amount):
    """Placement's test of one inventory record."""
    return (record["min_unit"] <= amount <= record["max_unit"]
            and amount % record["step_size"] == 0
            and used + amount <= (record["total"] - record["reserved"]) * record["allocation_ratio"])


def record(total, ratio=1.0, reserved=0):
    """An inventory record as the libvirt driver reports it."""
    return {"total": total, "reserved": reserved, "min_unit": 1, "max_unit": total,
            "step_size": 1, "allocation_ratio": ratio}


class Inventory:
    """The report client that the scheduler asks and claims with."""

    def __init__(self, hosts):
        self.hosts = {h.uuid: h for h in hosts}
        self.used = {h.uuid: collections.Counter() for h in hosts}
        self.holding = True  # False while a claim is only tried

    def lacks(self, uuid, resources):
        """The classes of the request that the host has no room for."""
        host, used = self.hosts[uuid], self.used[uuid]
        return {rc for rc, amount in wanted(resources).items()
                if rc not in host.inventory or not room(host.inventory[rc], used[rc], amount)}

    def elsewhere(self, uuid, resources):
        """Whether the host is outside the aggregates that are asked for."""
        groups = resources.get_request_group(None).aggregates
        return any(not self.hosts[uuid].placement_aggregates & set(ored) for ored in groups)

    def unlike(self, uuid, resources):
        """Whether the host lacks a trait that is asked for, or has one that is forbidden."""
        group, traits = resources.get_request_group(None), self.hosts[uuid].traits
        return bool((group.required_traits | resources._root_required) - traits
                    or (group.forbidden_traits | resources._root_forbidden) & traits)

    def get_allocation_candidates(self, context, resources):
        """Candidates, in the order of the hosts, with their summaries."""
        fit = [u for u in self.hosts if not (
            self.elsewhere(u, resources) or self.unlike(u, resources) or self.lacks(u, resources))]
        requests = [{"allocations": {u: {"resources": wanted(resources)}}, "mappings": {"": [u]}} for u in fit]
        return requests, {u: {} for u in fit}, "1.39"

    def claim_resources(self, context, consumer, request, project, user, **_):
        """Takes what a candidate allocates."""
        if self.holding:
            for uuid, taken in request["allocations"].items():
                self.used[uuid].update(taken["resources"])
        return True


def wanted(resources):
    """The amounts of a request, which has one group."""
    return {rc: int(amount) for rc, amount in resources.get_request_group(None).resources.items()}
