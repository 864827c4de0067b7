"""Random guests and sequences: flavors as people write them, worked out by Nova."""

from nova import exception
from nova import objects
from nova.virt import hardware

import model
import search
import shapes

POLICIES = ("legacy", "legacy", "required", "preferred", "socket")


def flavor(vcpus, memory, specs):
    """Nova's flavor object."""
    return objects.Flavor(name="f", vcpus=vcpus, memory_mb=memory, extra_specs=specs)


NO_IMAGE = {"properties": {}}


def topology(made):
    """What Nova makes of a flavor; raises what Nova raises."""
    return hardware.numa_get_constraints(made, objects.ImageMeta.from_dict(NO_IMAGE))


class Dice:
    """Rolls guests for a host shape from one random generator."""

    def __init__(self, rng, shape):
        self.rng, self.shape = rng, shape

    def often(self, want, yes, no=0.0):
        """True as often as yes where the shape wants it, else as no."""
        return self.rng.random() < (yes if want in self.shape.wants else no)

    def request(self):
        """A request that has cells; flavors that Nova refuses are rolled again."""
        while True:
            specs = {}
            nodes = self.nodes()
            vcpus = self.vcpus(specs, nodes)
            memory = self.memory(specs, nodes)
            self.uneven(specs, nodes, vcpus, memory)
            made = flavor(vcpus, memory, specs)
            try:
                cells = topology(made)
            except exception.NovaException:
                continue
            if cells is not None:
                return model.plain_request(
                    made, cells, self.devices(), self.physnets(), self.often("network", 0.3))

    def nodes(self):
        """How many cells."""
        most = self.shape.nodes
        if most == 1 or self.rng.random() < (0.3 if "uneven" in self.shape.wants else 0.55):
            return 1 if self.rng.random() < 0.98 else 2
        return self.rng.choice([n for n in (2, 2, 2, 3, 3, 4, 5, most) if n <= most] + [min(most + 1, 5)])

    def vcpus(self, specs, nodes):
        """The vCPUs and their policies."""
        rng, largest = self.rng, self.shape.largest
        each = rng.choice([1, 1, 2, 2, 2, 3, 4, rng.randint(1, largest + 1)])
        vcpus = min(each, largest + 1) * nodes
        policy = "dedicated"
        if self.often("mixed", 0.4, 0.02):
            policy = "mixed"
        elif self.often("shared", 0.45, 0.04):
            policy = rng.choice(["shared", None])
        if policy:
            specs["hw:cpu_policy"] = policy
        if policy == "mixed" and vcpus > 1:
            pinned = sorted(rng.sample(range(vcpus), rng.randint(1, vcpus - 1)))
            specs["hw:cpu_dedicated_mask"] = ",".join(map(str, pinned))
        if policy in ("dedicated", "mixed"):
            self.threads(specs)
        specs["hw:numa_nodes"] = str(nodes)
        return vcpus

    def threads(self, specs):
        """Thread and emulator policies."""
        if self.often("threads", 0.6, 0.15):
            choice = ["prefer", "require", "require"]
            if self.often("legacy", 0.9, 0.2) or "threads" not in self.shape.wants:
                choice += ["isolate", "isolate"]
            specs["hw:cpu_thread_policy"] = self.rng.choice(choice)
        if self.rng.random() < 0.2:
            specs["hw:emulator_threads_policy"] = self.rng.choice(["isolate", "isolate", "share"])

    def memory(self, specs, nodes):
        """Memory in MiB and its pages."""
        rng = self.rng
        unit = max(256, self.shape.memory // 32)
        each = rng.choice([unit, 2 * unit, 2 * unit, 4 * unit, 4 * unit, 6 * unit, 10 * unit, 1536, 1024])
        if rng.random() < 0.06:
            each += rng.choice([1, 2, 513])
        if self.often("pages", 0.75, 0.12):
            specs["hw:mem_page_size"] = rng.choice(
                ["small", "large", "any", "any", "2MB", "2048", "1GB", "4", "64"])
        return each * nodes

    def uneven(self, specs, nodes, vcpus, memory):
        """Now and then cells of different sizes."""
        if nodes == 1 or vcpus < nodes or not self.often("uneven", 0.5, 0.15):
            return
        rng = self.rng
        cuts = sorted(rng.sample(range(1, vcpus), nodes - 1))
        order = list(range(vcpus))
        if rng.random() < 0.2:
            rng.shuffle(order)
        sizes = [b - a for a, b in zip([0] + cuts, cuts + [vcpus])]
        if rng.random() < 0.5:
            parts = [memory // nodes] * nodes
            parts[-1] += memory - sum(parts)
        else:
            parts = [memory * s // vcpus // 64 * 64 for s in sizes]
            parts[rng.randrange(nodes)] += memory - sum(parts)
        start = 0
        for n, size in enumerate(sizes):
            specs[f"hw:numa_cpus.{n}"] = ",".join(map(str, sorted(order[start:start + size])))
            specs[f"hw:numa_mem.{n}"] = str(parts[n])
            start += size

    def devices(self):
        """Device requests, sometimes two and of the same kind."""
        if not self.shape.kinds or not self.often("devices", 0.7):
            return []
        return [{"Kind": self.rng.choice(self.shape.kinds), "Count": self.rng.choice([1, 1, 1, 2, 3]),
                 "Policy": self.rng.choice(POLICIES)} for _ in range(self.rng.choice([1, 1, 2]))]

    def physnets(self):
        """Physical networks, also one that has no node."""
        if not self.often("network", 0.6):
            return []
        names = self.shape.physnets + ["physnet9"]
        return self.rng.sample(names, min(len(names), self.rng.choice([1, 1, 2])))


def sequence(rng, shape, name, requests):
    """Records of one host that is filled request by request, with some leaving."""
    host = model.Host(shape.host)
    dice = Dice(rng, shape)
    yield {"sequence": name, "shape": shape.name, "host": shape.host}
    running, leave = {}, rng.choice([0.1, 0.3, 0.42])
    for number in range(requests):
        while running and rng.random() < leave:
            gone = rng.choice(sorted(running))
            host.claim(*running.pop(gone), free=True)
            yield {"release": gone}
        record, taken = search.admit(host, dice.request())
        yield dict(record, id=number)
        if taken is not None:
            running[number] = taken


def strategies():
    """The two orders of nodes, with the shapes under each."""
    for pack, word in ((False, "spread"), (True, "pack")):
        for shape in shapes.all_shapes(pack):
            yield word, shape
