"""Prints which hosts Nova's scheduler chooses: random clouds, each filled with VMs
one after the other, one JSON object a line.

    ./run.sh choose --seed N [--clouds M] > FILE
    go test ./place/cloud -run TestOracle -recorded FILE    (at the root)
"""

import argparse
import json
import random

import cloud
import clouds
import compute
import handmade
import model


def play(scenario, lose=()):
    """The record of a cloud: the hosts of its VMs, by place in the list of hosts, -1
    for none; and the hosts that passed the filters each time."""
    world = cloud.Cloud(scenario)
    places = {h.name: i for i, h in enumerate(world.hosts)}
    out = {"scenario": scenario, "hosts": [], "passed": [], "refused": [], "own": []}
    came, number = {h.name: [] for h in world.hosts}, 0
    for server in scenario["workload"]["servers"]:
        guest = cloud.Guest(scenario, server)
        for left in range(server["count"], 0, -1):
            if not admit(world, guest, number, places, out, came):
                # The others of the run ask the same of the same cloud.
                out["hosts"] += [-1] * (left - 1)
                out["passed"] += [0] * (left - 1)
                number += left
                break
            number += 1
    out["lost"] = []
    for at in lose:
        evacuate(world, world.hosts[at], places, out, came)
    return out


def admit(world, guest, number, places, out, came):
    """Places one VM, and says whether it could; tells of it in out and in came."""
    uuid = compute.identity("vm", number)
    host, passed, own = world.choose(guest, uuid)
    at, here = places[host.name] if host else -1, len(out["hosts"])
    if own is not host:
        out["own"].append([here, places[own.name] if own else -1])
    out["hosts"].append(at)
    out["passed"].append(passed)
    if host is None:
        out["refused"].append([here, world.refusals(guest, uuid)])
        return False
    world.run(guest, uuid, host)
    came[host.name].append((guest, number))
    return True


def evacuate(world, host, places, out, came):
    """Takes a host away and places its VMs anew, in the order in which they came."""
    world.lose(host)
    moved = {"host": places[host.name], "hosts": [], "passed": [], "refused": [], "own": []}
    for guest, number in came.pop(host.name):
        admit(world, guest, number, places, moved, came)
    out["lost"].append(moved)


def losses(rng, scenario, number):
    """The host that fails at the end, in one cloud of three. Groups with the policy
    affinity are not evacuated by Nova at all."""
    if number % 3 or any(g["policy"] == "affinity" for g in scenario["workload"]["serverGroups"]):
        return ()
    return (rng.randrange(sum(n["count"] for n in scenario["hardware"]["nodeTypes"])),)


def records(seed, count):
    """The clouds made by hand, then random ones."""
    for name, scenario, lose in handmade.clouds():
        yield dict(play(scenario, lose), cloud=name)
    for number in range(count):
        rng = random.Random(f"{seed}/cloud/{number}")
        scenario = clouds.Dice(rng, f"cloud-{number}").scenario()
        if clouds.hides(scenario):
            continue
        yield dict(play(scenario, losses(rng, scenario, number)), cloud=f"cloud-{number}")


def main():
    flags = argparse.ArgumentParser(description="print the choices of Nova's scheduler")
    flags.add_argument("--seed", default="2", help="of the random clouds")
    flags.add_argument("--clouds", type=int, default=20, help="random ones")
    opt = flags.parse_args()
    model.start()
    for made in records(opt.seed, opt.clouds):
        print(json.dumps(made, sort_keys=True, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
