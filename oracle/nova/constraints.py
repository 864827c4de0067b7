"""What Nova makes of flavors and images: cells, or the class of the error.

    ./run.sh constraints [--seed N] [--requests M]      prints fresh ones
"""

import argparse
import json
import random
import sys

from nova import objects
from nova.pci import request as pci_request
from nova.virt import hardware

import model

# The aliases that the cloud of these records knows, with their policies.
ALIASES = {"nic": None, "gpu": "required", "fpga": "preferred"}

D, S, M = "dedicated", "shared", "mixed"
MASK = "hw:cpu_dedicated_mask"


def hw(**specs):
    """Extra specs; cpu_policy becomes hw:cpu_policy, numa_cpus_0 hw:numa_cpus.0."""
    return {"hw:" + dotted(k): str(v) for k, v in specs.items()}


def image(**properties):
    """Image properties; cpu_policy becomes hw_cpu_policy."""
    return {"hw_" + dotted(k): str(v) for k, v in properties.items()}


def dotted(key):
    """The last part is the number of a cell."""
    head, _, last = key.rpartition("_")
    return f"{head}.{last}" if last.isdigit() else key


def ask(vcpus, ram, specs, properties):
    """The record of one flavor (ram in MiB) and image."""
    record = {"vcpus": vcpus, "ram": ram, "specs": specs, "image": properties}
    try:
        flavor = objects.Flavor(name="f", vcpus=vcpus, memory_mb=ram, extra_specs=specs)
        meta = objects.ImageMeta.from_dict({"properties": properties})
        topology = hardware.numa_get_constraints(flavor, meta)
        policy = hardware.get_pci_numa_policy_constraint(flavor, meta)
        wanted = pci_request.get_pci_requests_from_flavor(flavor, affinity_policy=policy)
    except Exception as problem:  # some are Python's own
        return dict(record, error=type(problem).__name__)
    devices = [{"Kind": r.alias_name, "Count": r.count, "Policy": r.numa_policy or "legacy"}
               for r in wanted.requests]
    made = model.plain_request(flavor, topology, devices)
    return dict(record, request=model.slim(made))


def by_hand():
    """Flavors and images that people get wrong; vCPUs, MiB, extra specs, properties."""
    yield 4, 4096, {}, {}
    yield from policies()
    yield from cells()
    yield from page_sizes()
    yield from masks()
    yield from resources()
    yield from aliases()


def policies():
    """Policies of flavor and image against each other."""
    every = (None, S, D, M, "isolated")
    for a in every:
        for b in every:
            specs = hw(cpu_policy=a) if a else {}
            yield 4, 4096, specs | ({MASK: "2-3"} if M in (a, b) else {}), image(cpu_policy=b) if b else {}
    threads = (None, "prefer", "require", "isolate", "never")
    for a in threads:
        for b in threads:
            for policy in (None, S, D):
                specs = (hw(cpu_thread_policy=a) if a else {}) | (hw(cpu_policy=policy) if policy else {})
                yield 2, 2048, specs, image(cpu_thread_policy=b) if b else {}
    for emulator in ("share", "isolate", "none", ""):
        for policy in (None, S, D):
            yield 2, 2048, hw(emulator_threads_policy=emulator) | (hw(cpu_policy=policy) if policy else {}), {}


def cells():
    """Numbers of cells and what is in them."""
    for nodes in ("1", "2", "3", "4", "0", "-1", "two", "2.0", " 2", ""):
        yield 4, 4096, hw(numa_nodes=nodes), {}
        yield 4, 4096, {}, image(numa_nodes=nodes)
    yield 4, 4097, hw(numa_nodes=2), {}
    yield 3, 4096, hw(numa_nodes=2), {}
    yield 4, 4096, hw(numa_nodes=2), image(numa_nodes=2)
    full = hw(numa_nodes=2, numa_cpus_0="0", numa_cpus_1="1-3", numa_mem_0=1024, numa_mem_1=3072)
    yield 4, 4096, full, {}
    yield 4, 4096, full | hw(cpu_policy=D), {}
    for key in sorted(full):
        yield 4, 4096, {k: v for k, v in full.items() if k != key}, {}
    wrong = ("1,2", "1-4", "1-9", "3-1", "x", "1,1,2,3", "1-3,^2", "^1", "", "1-", "0-3,^0", " 1 - 3 ", "1,,2,3")
    for text in wrong:
        yield 4, 4096, full | hw(numa_cpus_1=text), {}
    for text in ("1024", "-1", "x", "", "3072.0", " 3072", "4096"):
        yield 4, 4096, full | hw(numa_mem_1=text), {}
    yield 4, 4096, full | hw(numa_cpus_0="0,^0", numa_cpus_1="0-3"), {}
    yield 4, 4096, full | hw(numa_cpus_2="3"), {}
    yield 4, 4096, full | hw(numa_cpus_3="3", numa_mem_3=1), {}
    yield 4, 4096, full, image(numa_cpus_0="0-1")
    yield 4, 4096, full, image(numa_mem_0="1024")
    held = image(numa_cpus_0="0", numa_cpus_1="1-3", numa_mem_0=1024, numa_mem_1=3072)
    yield 4, 4096, hw(numa_nodes=2), held
    yield 4, 4096, {}, held | image(numa_nodes=2)
    yield 4, 4096, hw(cpu_policy=D), held
    yield 4, 4096, hw(numa_cpus_0="0-3"), {}


def page_sizes():
    """Page sizes in words and numbers, in flavor and image."""
    sizes = ("small", "large", "any", "4", "2048", "1048576", "2MB", "1GB", "2M", "1G", "2MiB", "2Mib", "4KB", "1.5MB",
             "0", "-1", "", "LARGE", "huge", "2 MB", "1TB", "16384", "512B", "3000B", "2mb", "+4", "8Mb", "1g")
    for text in sizes:
        yield 2, 2048, hw(mem_page_size=text), {}
        yield 2, 2048, hw(mem_page_size="any"), image(mem_page_size=text)
        yield 2, 2048, hw(mem_page_size=text), image(mem_page_size="2048")
    yield 2, 2048, {}, image(mem_page_size="2048")
    for a in (None, "true", "false", "no", "maybe"):
        for b in (None, "true", "false"):
            specs, held = hw(locked_memory=a) if a else {}, image(locked_memory=b) if b else {}
            yield 2, 2048, specs, held
            yield 2, 2048, specs | hw(mem_page_size="small"), held
    yield 2, 2048, hw(pmem="6GB, 16GB"), {}
    yield 2, 2048, hw(pmem=" , "), {}


def masks():
    """Masks of dedicated and of real-time vCPUs."""
    texts = ("0", "1-3", "0-3", "^0", "^0-1", "^0-3", "^0-1,2", "4", "3-5", "x", " ^0", "1,^1", "0-1,^0", ",", "")
    for text in texts:
        for policy in (M, D, S, None):
            yield 4, 4096, {MASK: text} | (hw(cpu_policy=policy) if policy else {}), {}
        real = hw(cpu_realtime="yes", cpu_realtime_mask=text)
        yield 4, 4096, hw(cpu_policy=D) | real, {}
        yield 4, 4096, hw(cpu_policy=M) | real, {}
        yield 4, 4096, hw(cpu_policy=D, cpu_realtime="yes", cpu_realtime_mask="^0"), image(cpu_realtime_mask=text)
        yield 4, 4096, hw(cpu_policy=M, emulator_threads_policy="isolate") | {MASK: text}, {}
    yield 4, 4096, hw(cpu_policy=M, cpu_realtime="1", cpu_realtime_mask="^0") | {MASK: "1"}, {}
    for emulator in ("share", "isolate"):
        yield 4, 4096, hw(cpu_policy=D, cpu_realtime="true", emulator_threads_policy=emulator), {}
    yield 4, 4096, hw(cpu_realtime="true", cpu_realtime_mask="^0"), {}
    yield 4, 4096, hw(cpu_policy=M, numa_nodes=2) | {MASK: "0-1"}, {}
    yield 1, 1024, hw(cpu_policy=M) | {MASK: "0"}, {}


def resources():
    """Resources and traits instead of policies."""
    for key in ("resources:PCPU", "resources:VCPU", "resources1:PCPU", "resources0:PCPU", "resources_A:PCPU"):
        for count in ("4", "5", "2", "x", "0"):
            yield 4, 4096, {key: count}, {}
            yield 4, 4096, {key: count} | hw(emulator_threads_policy="isolate"), {}
        yield 4, 4096, {key: "4"} | hw(cpu_policy=D), {}
        yield 4, 4096, {key: "4"}, image(cpu_policy=D)
    yield 4, 4096, {"resources:PCPU": "4", "resources:VCPU": "4"}, {}
    yield 4, 4096, {"resources1:PCPU": "2", "resources2:PCPU": "2"}, {}
    trait = "trait:HW_CPU_HYPERTHREADING"
    for value in ("required", "forbidden", "x"):
        for specs in ({}, hw(cpu_policy=D), {"resources:PCPU": "4"}, hw(cpu_policy=D, cpu_thread_policy="prefer")):
            yield 4, 4096, {trait: value} | specs, {}
            yield 4, 4096, specs, {trait: value}


def aliases():
    """Devices by alias, and the policy of flavor and image."""
    key = "pci_passthrough:alias"
    for text in ("nic:1", "nic:2,gpu:1", "nic:1,nic:2", "gpu:1, fpga:3", "none:1", "nic", "nic:x", "nic:0", "nic:-1",
                 "nic:1:2", "", " nic :1", "nic: 2"):
        yield 2, 2048, {key: text}, {}
    every = (None, "required", "preferred", "legacy", "socket", "strict")
    for a in every:
        for b in every:
            specs = {key: "nic:1,gpu:1"} | (hw(pci_numa_affinity_policy=a) if a else {})
            yield 2, 2048, specs, image(pci_numa_affinity_policy=b) if b else {}


def drawn(rng):
    """A random flavor and image, mostly sensible."""
    nodes = rng.choice([1, 2, 2, 3, 4])
    vcpus = rng.choice([1, 3, 5, 7] + [nodes * n for n in range(1, 5)] * 4)
    ram = rng.choice([512, 1024, 4097, 3072, 6144, 12288, 12288, 24576])
    specs, held = {}, {}

    def put(key, values, often=0.4, alone=False):
        if rng.random() < often:
            specs["hw:" + key] = str(rng.choice(values))
        if not alone and rng.random() < often / 8:
            held["hw_" + key] = str(rng.choice(values))

    put("cpu_policy", [D, D, D, S, M, M], 0.75)
    put("cpu_thread_policy", ["prefer", "require", "isolate"], 0.3)
    put("emulator_threads_policy", ["share", "isolate"], 0.2, alone=True)
    put("numa_nodes", [nodes, nodes, nodes, 0, vcpus], 0.6)
    put("mem_page_size", ["small", "large", "any", "2048", "2MB", "1GB", "1048576", "4"], 0.35)
    put("pci_numa_affinity_policy", ["required", "preferred", "legacy", "socket"], 0.15)
    put("locked_memory", ["true", "false"], 0.08)
    if specs.get("hw:cpu_policy") == M and rng.random() < 0.9 or rng.random() < 0.04:
        specs[MASK] = mask(rng, vcpus)
    if rng.random() < 0.1:
        specs.update(hw(cpu_realtime=rng.choice(["yes", "no", "1"]), cpu_realtime_mask=mask(rng, vcpus)))
    if rng.random() < 0.3:
        into, prefix = (specs, "hw:") if rng.random() < 0.85 else (held, "hw_")
        into.update({prefix + k: v for k, v in spread(rng, vcpus, ram, nodes)})
    if rng.random() < 0.08:
        specs[rng.choice(["resources:PCPU", "resources:VCPU"])] = str(rng.choice([vcpus, vcpus, vcpus + 1]))
    if rng.random() < 0.06:
        specs["trait:HW_CPU_HYPERTHREADING"] = rng.choice(["required", "forbidden"])
    if rng.random() < 0.15:
        specs["pci_passthrough:alias"] = ",".join(
            f"{name}:{rng.randint(1, 3)}" for name in rng.sample(sorted(ALIASES), rng.randint(1, 3)))
    return vcpus, ram, specs, held


def mask(rng, vcpus):
    """A mask, by what it has or by what it has not; now and then too high."""
    some = rng.sample(range(vcpus + (rng.random() < 0.1)), rng.randint(1, vcpus))
    text = model.cpus(some)
    return ",".join("^" + part for part in text.split(",")) if rng.random() < 0.5 else text


def spread(rng, vcpus, ram, nodes):
    """vCPUs and memory of each cell; now and then it does not add up."""
    order = list(range(vcpus))
    rng.shuffle(order)
    for n in range(nodes):
        mine = order[n::nodes]
        if rng.random() < 0.05:
            mine = mine + [rng.randint(0, vcpus)]
        if mine and rng.random() < 0.98:
            yield f"numa_cpus.{n}", model.cpus(mine)
        if rng.random() < 0.97:
            yield f"numa_mem.{n}", str(ram // nodes if n else ram - (nodes - 1) * (ram // nodes))


def records(rng, count):
    """The cases made by hand, and so many random ones."""
    model.CONF.set_override("alias", [json.dumps(
        {"name": n, "vendor_id": "8086", "product_id": f"000{i}", "device_type": "type-PCI"}
        | ({"numa_policy": p} if p else {})) for i, (n, p) in enumerate(ALIASES.items())], group="pci")
    for case in by_hand():
        yield ask(*case)
    for _ in range(count):
        yield ask(*drawn(rng))


def main():
    flags = argparse.ArgumentParser(description="print what Nova makes of random flavors")
    flags.add_argument("--seed", default="2", help="of the random flavors")
    flags.add_argument("--requests", type=int, default=1000, help="random flavors")
    opt = flags.parse_args()
    model.start()
    for r in records(random.Random(f"{opt.seed}/constraints"), opt.requests):
        sys.stdout.write(json.dumps(r, sort_keys=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
