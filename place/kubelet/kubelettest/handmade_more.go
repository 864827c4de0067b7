package kubelettest

import (
	"maps"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// paged is twoBy8 with 8 GiB of small huge pages on node 0 and 2 GiB on node 1.
func paged() topo.Machine {
	return pages(twoBy8(), map[string][]unit.Bytes{"2Mi": {8 * unit.GiB, 2 * unit.GiB}})
}

// memorySessions are about the Static memory manager.
func memorySessions() []Session {
	m := twoBy8()
	restricted, single := withMemory(static("restricted", "container")),
		withMemory(static("single-numa-node", "container"))
	effort, none := withMemory(static("best-effort", "container")), withMemory(static("none", "container"))
	gib := int(unit.GiB)
	return []Session{
		session("memory on two nodes, CPUs on one: never preferred, 128669", m, restricted, one(1, 70)),
		session("the same under best-effort", m, effort, one(1, 70), one(1, 30), one(1, 70)),
		session("impossible memory has no opinion", m, single, one(1, 200), one(1, 60)),
		session("a group of nodes serves no single one", m, none, one(20, 80), one(1, 10), one(1, 30)).then("p0", one(1, 10),
			one(1, 63), one(1, 50)),
		session("a node with single allocations joins no group", m, none, one(1, 10), one(1, 80), one(1, 60), one(1, 50),
			one(1, 1)),
		session("huge pages count apart", paged(), single, one(1, 1, huge, 4*gib), one(1, 1, huge, 4*gib),
			one(1, 1, huge, gib), one(1, 1, huge, 2*gib)),
		session("huge pages over both nodes", paged(), effort, one(1, 1, huge, 9*gib), one(1, 1, huge, gib)),
		session("an init container's memory is free once the pod runs", m, none, after(one(1, 10), whole("i0", 1, 50)),
			one(1, 50), one(1, 60)),
		session("a sidecar's memory is not", m, none, after(one(1, 10), sidecar(whole("i0", 1, 40))), one(1, 50), one(1, 12)),
		session("a fraction of a CPU pins memory, too", m, single,
			pod(kubelet.Container{Name: "c0", Limits: map[string]int64{"cpu": 500, "memory": 40 << 30}}), one(4, 40),
			one(4, 40)),
		session("pod scope: memory of the whole pod", m, withMemory(static("single-numa-node", "pod")),
			pod(whole("c0", 2, 40), whole("c1", 2, 40)), pod(whole("c0", 2, 30), whole("c1", 2, 30)),
			after(one(2, 20), whole("i0", 2, 60))),
		session("Burstable pods take no memory", m, restricted,
			pod(kubelet.Container{Name: "c0", Requests: map[string]int64{"memory": 100 << 30}}), one(1, 20)),
	}
}

// deviceSessions are about devices.
func deviceSessions() []Session {
	m := with(grid{2, 1, 8, 2}.build(4), bank(gpu, 3, 0), bank(gpu, 2, 1), bank("intel.com/nic", 2, 1))
	burst := kubelet.Container{Name: "c0", Requests: map[string]int64{"cpu": 100}, Limits: map[string]int64{gpu: 2}}
	effort := kubelet.Container{Name: "c0", Limits: map[string]int64{gpu: 4}}
	missing := kubelet.Container{Name: "c0", Limits: map[string]int64{"example.com/absent": 1}}
	sick := unhealthy(with(grid{2, 1, 8, 2}.build(4), bank(gpu, 2, 0), bank(gpu, 1, 1)), 0, 1)
	single, best := static("single-numa-node", "container"), static("best-effort", "container")
	return []Session{
		session("a Burstable pod with devices is aligned, too", m, single, pod(burst), pod(burst), pod(burst)),
		session("a BestEffort pod is, too", m, static("restricted", "container"), pod(effort), pod(effort)),
		session("too few free devices", m, best, one(1, 1, gpu, 4), one(1, 1, gpu, 2), one(1, 1, gpu, 1)).then("p0",
			one(1, 1, gpu, 4)),
		session("two resources that share one node only", m, static("restricted", "container"),
			one(2, 1, gpu, 2, "intel.com/nic", 1), one(2, 1, gpu, 1, "intel.com/nic", 1)),
		session("a resource that the node does not have", m, single, pod(missing), one(1, 1)),
		session("unhealthy devices count for the least size only", sick, static("restricted", "container"), one(1, 1, gpu, 1),
			one(1, 1, gpu, 1)),
		session("no affinity: the lowest ids", m, static("none", "container"), one(1, 1, gpu, 2), one(1, 1, gpu, 2),
			one(1, 1, "intel.com/nic", 2)),
		session("an init container hands its devices on", m, best, after(one(1, 1, gpu, 2), whole("i0", 1, 1, gpu, 2)),
			one(1, 1, gpu, 3)),
		session("a sidecar keeps its device", m, best, after(one(1, 1, gpu, 2), sidecar(whole("i0", 1, 1, gpu, 1))),
			one(1, 1, gpu, 2)),
		session("pod scope adds the devices up", m, static("restricted", "pod"), pod(whole("c0", 1, 1, gpu, 1),
			whole("c1", 1, 1, gpu, 2)), pod(whole("c0", 1, 1, gpu, 1), whole("c1", 1, 1, gpu, 1))),
	}
}

// mergeSessions are about the topology manager.
func mergeSessions() []Session {
	lopsided := distances(grid{4, 1, 4, 2}.build(4), [][]int{
		{10, 16, 32, 16}, {16, 10, 20, 32}, {32, 20, 10, 11}, {16, 32, 11, 10}})
	closest := static("best-effort", "container")
	closest.TopologyManagerPolicyOptions = map[string]string{"prefer-closest-numa-nodes": "true"}
	eight := EightPaged().Machine
	nine := static("best-effort", "container")
	nine.TopologyManagerPolicyOptions = map[string]string{"max-allowable-numa-nodes": "9"}
	gib := int(unit.GiB)
	return []Session{
		session("a whole NUMA node is never the one with the reservation", twoBy8(), static("restricted", "container"),
			one(16, 1), one(16, 1), one(15, 1)),
		session("both nodes part used: refused, 84597", twoBy8(), static("restricted", "container"), one(10, 1), one(10, 1),
			one(8, 1), one(6, 1)),
		session("both nodes part used: single-numa-node", twoBy8(), static("single-numa-node", "container"), one(10, 1),
			one(10, 1), one(8, 1), one(17, 1)),
		session("both nodes part used: best-effort crosses", twoBy8(), static("best-effort", "container"), one(10, 1),
			one(10, 1), one(8, 1)),
		session("needs two nodes by size: restricted takes it", twoBy8(), static("restricted", "container"), one(20, 1),
			one(8, 1)),
		session("the closest nodes", lopsided, closest, one(6, 1), one(12, 1), one(12, 1)),
		session("the narrowest nodes", lopsided, static("best-effort", "container"), one(6, 1), one(12, 1), one(12, 1)),
		session("8 NUMA nodes and three resources", eight, withMemory(static("single-numa-node", "container")),
			one(2, 1, "hugepages-1Gi", gib), one(8, 1, "hugepages-1Gi", 2*gib), one(9, 1)),
		session("8 NUMA nodes, restricted: slow", eight, withMemory(static("restricted", "container")),
			one(2, 1, "hugepages-1Gi", 4*gib)),
		session("9 NUMA nodes when told", grid{9, 1, 2, 2}.build(4), nine, one(3, 1), one(6, 1), one(4, 1)),
		session("9 NUMA nodes", grid{9, 1, 2, 2}.build(4), static("best-effort", "container"), one(3, 1)),
		session("9 NUMA nodes, policy none", grid{9, 1, 2, 2}.build(4), static("none", "container"), one(3, 1)),
	}
}

// fitSessions are about the predicates after the managers.
func fitSessions() []Session {
	few, perCore := static("none", "container"), static("none", "container")
	few.MaxPods, perCore.PodsPerCore = 2, 1
	over := one(2, 1)
	over.Overhead = map[string]int64{"cpu": 250, "memory": 120 << 30}
	asks := func(cpu, gib int64) kubelet.Pod {
		return pod(kubelet.Container{Name: "c0", Requests: map[string]int64{"cpu": cpu, "memory": gib << 30}})
	}
	giant := "hugepages-1Gi"
	leveled, needy := asks(250, 4), asks(350, 1)
	leveled.Containers[0].Limits = map[string]int64{giant: 5 << 30}
	leveled.Requests = map[string]int64{"cpu": 1000}
	needy.Containers[0].Limits, needy.Critical = map[string]int64{giant: 4 << 30}, true
	critical, pinned, idle := asks(9000, 60), one(14, 1), pod(kubelet.Container{Name: "c0"})
	critical.Critical, pinned.Critical = true, true
	return []Session{
		session("too many pods", twoBy8(), few, one(1, 1), one(1, 1), one(1, 1)).then("p0", one(1, 1)),
		session("pods per core", grid{1, 1, 4, 1}.build(4), perCore, pod(whole("c0", 1, 1)),
			pod(kubelet.Container{Name: "c0"}), pod(kubelet.Container{Name: "c0"}), pod(kubelet.Container{Name: "c0"}),
			pod(kubelet.Container{Name: "c0"})),
		session("overhead counts for the fit only", twoBy8(), static("none", "container"), over, one(1, 1), one(1, 10)),
		session("CPUs are there, the reservation is not: OutOfcpu", twoBy8(), static("none", "container"),
			pod(kubelet.Container{Name: "c0", Requests: map[string]int64{"cpu": 30000}}), one(2, 1), one(1, 1)),
		session("a critical pod kills others", twoBy8(), static("none", "container"), idle, one(16, 10), asks(4000, 20),
			asks(6000, 40), critical, one(2, 1), critical),
		session("a critical pod kills Guaranteed ones last", twoBy8(), static("none", "container"), one(4, 10), one(8, 10),
			one(12, 30), asks(500, 5), critical, one(8, 1)),
		session("one kill for two resources", twoBy8(), static("none", "container"), asks(8000, 10), asks(2000, 60),
			asks(9000, 50), asks(10000, 2), critical),
		session("a critical pod that can't be helped", twoBy8(), static("none", "container"), critical, critical, critical,
			critical),
		session("huge pages of containers count under resources of the pod",
			pages(twoBy8(), map[string][]unit.Bytes{"1Gi": {0, 16 * unit.GiB}}),
			static("none", "container"), leveled, one(4, 1, giant, 3<<30), one(2, 1, giant, 6<<30), needy),
		session("no CPUs of its own: killing is not even tried", twoBy8(), static("none", "container"), one(20, 1),
			asks(4000, 10), pinned),
		session("huge pages that no node has", twoBy8(), static("none", "container"), one(1, 1, huge, int(2*unit.MiB))),
	}
}

// qosSessions are about the classes, with their effect on exclusive CPUs.
func qosSessions() []Session {
	box := func(requests, limits map[string]int64) kubelet.Container {
		return kubelet.Container{Name: "c0", Requests: requests, Limits: limits}
	}
	type m = map[string]int64
	level := one(2, 1)
	level.Limits, level.Requests = m{"cpu": 4000, "memory": 4 << 30}, m{"cpu": 4000, "memory": 4 << 30}
	limitsOnly := pod(box(m{"cpu": 1000}, nil))
	limitsOnly.Limits = m{"cpu": 4000, "memory": 4 << 30}
	bare := pod(box(nil, nil))
	bare.Limits = m{"cpu": 2000, "memory": 1 << 30}
	hugeLevel := pod(box(nil, nil))
	hugeLevel.Limits = m{"cpu": 2000, "memory": 1 << 30, huge: 1 << 30}
	initLess := after(one(1, 1), kubelet.Container{Name: "i0", Requests: m{"cpu": 100}})
	deviced := pod(box(nil, m{gpu: 1}))
	return []Session{
		session("classes", twoBy8(), static("none", "container"),
			pod(box(nil, nil)), pod(box(nil, m{"cpu": 1000})), pod(box(nil, m{"cpu": 1000, "memory": 1 << 30})),
			pod(box(m{"cpu": 1000, "memory": 1 << 30}, nil)), pod(box(m{"cpu": 500}, m{"cpu": 1000, "memory": 1 << 30})),
			pod(box(m{"cpu": 0, "memory": 0}, nil)), pod(box(nil, m{"cpu": 0, "memory": 1 << 30})),
			initLess, deviced, pod(whole("c0", 1, 1), kubelet.Container{Name: "c1"})),
		session("resources of the pod", twoBy8(), withMemory(static("restricted", "container")), level, limitsOnly, bare,
			one(1, 1)),
		session("huge pages of the pod", paged(), withMemory(static("restricted", "pod")), hugeLevel, level, one(1, 1)),
		session("policy none: nobody owns a CPU", twoBy8(), kubelet.Config{}, one(2, 1), level, one(40, 1)),
	}
}

// refusedConfigs are kubelets that do not start, each for one reason, and some that
// do although they look odd.
func refusedConfigs() []Session {
	var all []Session
	try := func(name string, change func(*kubelet.Config)) {
		c := withMemory(static("restricted", "container"))
		c.FeatureGates = maps.Clone(c.FeatureGates)
		change(&c)
		all = append(all, session("config: "+name, twoBy8(), c, one(1, 1)))
	}
	option := func(names ...string) func(*kubelet.Config) {
		return func(c *kubelet.Config) {
			c.CPUManagerPolicyOptions = map[string]string{}
			for _, n := range names {
				c.CPUManagerPolicyOptions[n] = "true"
			}
		}
	}
	full, cores, numa, cache := "full-pcpus-only", "distribute-cpus-across-cores", "distribute-cpus-across-numa",
		"prefer-align-cpus-by-uncorecache"
	try("unchanged", func(*kubelet.Config) {})
	try("unknown CPU policy", func(c *kubelet.Config) { c.CPUManagerPolicy = "dynamic" })
	try("unknown memory policy", func(c *kubelet.Config) { c.MemoryManagerPolicy = "static" })
	try("unknown topology policy", func(c *kubelet.Config) { c.TopologyManagerPolicy = "strict" })
	try("unknown scope", func(c *kubelet.Config) { c.TopologyManagerScope = "node" })
	try("unknown CPU option", option("full-cpus"))
	try("full cores and across cores", option(full, cores))
	try("across NUMA and across cores", option(numa, cores))
	try("caches and across cores", option(cache, cores))
	try("caches and across NUMA", option(cache, numa))
	try("full cores and caches", option(full, cache))
	try("an option that is no boolean",
		func(c *kubelet.Config) { c.CPUManagerPolicyOptions = map[string]string{full: "yes"} })
	try("an option that is false",
		func(c *kubelet.Config) { c.CPUManagerPolicyOptions = map[string]string{full: "false", cores: "0"} })
	try("alpha option without its gate", func(c *kubelet.Config) { option(cores)(c); c.FeatureGates = nil })
	try("beta option with the gate off", func(c *kubelet.Config) {
		option(numa)(c)
		c.FeatureGates = map[string]bool{"CPUManagerPolicyBetaOptions": false}
	})
	try("unknown feature gate", func(c *kubelet.Config) { c.FeatureGates = map[string]bool{"NoSuchGate": true} })
	try("align-by-socket and single-numa-node", func(c *kubelet.Config) {
		option("align-by-socket")(c)
		c.TopologyManagerPolicy = "single-numa-node"
	})
	try("options of policy none", func(c *kubelet.Config) { c.CPUManagerPolicy = "none"; option(full)(c) })
	return append(all, refusedReservations()...)
}

// refusedReservations are reservations that do not add up.
func refusedReservations() []Session {
	var all []Session
	try := func(name string, change func(*kubelet.Config)) {
		c := withMemory(static("restricted", "container"))
		change(&c)
		all = append(all, session("reservation: "+name, twoBy8(), c, one(1, 1)))
	}
	on := func(node int, limits map[string]unit.Bytes) kubelet.ReservedMemory {
		return kubelet.ReservedMemory{Node: node, Limits: limits}
	}
	type m = map[string]unit.Bytes
	try("no CPU", func(c *kubelet.Config) { c.SystemReserved.CPU = 0 })
	try("more CPUs than there are", func(c *kubelet.Config) { c.SystemReserved.CPU = 33000 })
	try("all CPUs", func(c *kubelet.Config) { c.SystemReserved.CPU = 32000 })
	try("a CPU that does not exist", func(c *kubelet.Config) { c.ReservedSystemCPUs = unit.CPUSetOf(0, 40) })
	try("more memory than there is", func(c *kubelet.Config) { c.SystemReserved.Memory = 200 * unit.GiB })
	try("memory does not add up", func(c *kubelet.Config) { c.ReservedMemory[0].Limits = m{"memory": unit.GiB + 1} })
	try("no reserved memory", func(c *kubelet.Config) { c.ReservedMemory = nil })
	try("nothing to reserve", func(c *kubelet.Config) {
		c.ReservedMemory, c.EvictionHard, c.SystemReserved.Memory = nil, 0, 0
	})
	try("reserved memory with policy None", func(c *kubelet.Config) { c.MemoryManagerPolicy = "None" })
	try("a NUMA node that does not exist", func(c *kubelet.Config) { c.ReservedMemory[0].Node = 2 })
	try("the same NUMA node twice", func(c *kubelet.Config) {
		c.ReservedMemory = []kubelet.ReservedMemory{on(0, m{"memory": 512 * unit.MiB}), on(0, m{"memory": 512 * unit.MiB})}
	})
	try("a resource that is no memory", func(c *kubelet.Config) {
		c.ReservedMemory = append(c.ReservedMemory, on(1, m{"cpu": 1}))
	})
	try("huge pages, which nothing else reserves", func(c *kubelet.Config) {
		c.ReservedMemory = append(c.ReservedMemory, on(1, m{huge: 2 * unit.MiB}))
	})
	try("an empty share", func(c *kubelet.Config) { c.ReservedMemory = append(c.ReservedMemory, on(1, m{"memory": 0})) })
	try("split over both nodes", func(c *kubelet.Config) {
		c.ReservedMemory = []kubelet.ReservedMemory{on(0, m{"memory": 1000 * unit.MiB}), on(1, m{"memory": 24 * unit.MiB})}
	})
	try("300 pods, which is fine", func(c *kubelet.Config) { c.MaxPods = 300 })
	return all
}
