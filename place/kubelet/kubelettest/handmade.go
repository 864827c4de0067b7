package kubelettest

import (
	"fmt"
	"slices"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// HandMade are sessions that each show one rule or trap. Their names say which;
// a number is the issue of kubernetes/kubernetes that tells of it.
func HandMade() []Session {
	return slices.Concat(documentSessions(), cpuSessions(), initSessions(), memorySessions(),
		deviceSessions(), mergeSessions(), fitSessions(), qosSessions(), refusedConfigs())
}

const (
	gpu  = "nvidia.com/gpu"
	huge = "hugepages-2Mi"
)

// session gives the pods the uids p0, p1 and so on.
func session(name string, m topo.Machine, c kubelet.Config, pods ...kubelet.Pod) Session {
	s := Session{Name: name, Machine: m, Config: c}
	for i, p := range pods {
		p.UID = fmt.Sprintf("p%d", i)
		p.Name = p.UID
		s.Events = append(s.Events, Event{Admit: &p})
	}
	return s
}

// then takes a pod away after the events so far, and brings more.
func (s Session) then(remove string, pods ...kubelet.Pod) Session {
	s.Events = append(s.Events, Event{Remove: remove})
	for i, p := range pods {
		p.UID = fmt.Sprintf("%s-next%d", remove, i)
		p.Name = p.UID
		s.Events = append(s.Events, Event{Admit: &p})
	}
	return s
}

// static is the static CPU manager with 1 CPU reserved under a topology policy and
// scope, with options of the CPU manager.
func static(policy, scope string, options ...string) kubelet.Config {
	c := kubelet.Config{
		CPUManagerPolicy:      "static",
		TopologyManagerPolicy: policy,
		TopologyManagerScope:  scope,
		SystemReserved:        kubelet.Amounts{CPU: 1000, Memory: 924 * unit.MiB},
		EvictionHard:          100 * unit.MiB,
		FeatureGates:          map[string]bool{"CPUManagerPolicyAlphaOptions": true},
	}
	for _, o := range options {
		if c.CPUManagerPolicyOptions == nil {
			c.CPUManagerPolicyOptions = map[string]string{}
		}
		c.CPUManagerPolicyOptions[o] = "true"
	}
	return c
}

// withMemory adds the Static memory manager; all that is reserved is on node 0.
func withMemory(c kubelet.Config) kubelet.Config {
	c.MemoryManagerPolicy = "Static"
	c.ReservedMemory = []kubelet.ReservedMemory{{Node: 0, Limits: map[string]unit.Bytes{
		"memory": c.SystemReserved.Memory + c.KubeReserved.Memory + c.EvictionHard}}}
	return c
}

// whole is a Guaranteed container; more are pairs of a resource and an amount.
func whole(name string, cpus, gib int64, more ...any) kubelet.Container {
	c := kubelet.Container{Name: name, Limits: map[string]int64{"cpu": cpus * 1000, "memory": gib << 30}}
	for i := 0; i < len(more); i += 2 {
		c.Limits[more[i].(string)] = int64(more[i+1].(int))
	}
	return c
}

// one is a pod of one Guaranteed container.
func one(cpus, gib int64, more ...any) kubelet.Pod { return pod(whole("c0", cpus, gib, more...)) }

func pod(containers ...kubelet.Container) kubelet.Pod { return kubelet.Pod{Containers: containers} }

// after puts init containers before a pod's containers.
func after(p kubelet.Pod, init ...kubelet.Container) kubelet.Pod {
	p.Init = init
	return p
}

func sidecar(c kubelet.Container) kubelet.Container {
	c.Restartable = true
	return c
}

// twoBy8 is 2 sockets of 8 cores with two threads, 64 GiB each, and a GPU on each.
func twoBy8() topo.Machine {
	m := with(grid{2, 1, 8, 2}.build(4), bank(gpu, 1, 0), bank(gpu, 1, 1))
	return memoryOf(m, 64*unit.GiB, 64*unit.GiB)
}

// documentSessions are the examples of the OpenShift 4 performance document:
// chapter 6 with its node, chapter 7's policies on a machine with a device.
func documentSessions() []Session {
	ocp6 := kubelet.Config{CPUManagerPolicy: "static", EvictionHard: 100 * unit.MiB,
		SystemReserved: kubelet.Amounts{CPU: 500, Memory: 500 * unit.MiB}}
	small := memoryOf(grid{1, 1, 2, 1}.build(4), 8162900<<10)
	all := []Session{
		session("OCP 6: pod on CPU 1, the second does not fit", small, ocp6, one(1, 1), one(1, 1)).then("p0", one(1, 1)),
	}
	gigabyte := whole("cpumanager", 1, 0)
	gigabyte.Limits["memory"] = 1e9
	all = append(all, session("OCP 6: 1G of memory", small, ocp6, pod(gigabyte)))
	for _, policy := range []string{"none", "best-effort", "restricted", "single-numa-node"} {
		for _, scope := range []string{"container", "pod"} {
			all = append(all, session("OCP 7: "+policy+" "+scope, twoBy8(), static(policy, scope),
				one(2, 1, gpu, 1), one(14, 1), one(2, 1, gpu, 1), one(2, 1, gpu, 1), one(10, 1), one(8, 1)))
		}
	}
	return all
}

// cpuSessions are about which CPUs.
func cpuSessions() []Session {
	numa, sockets := "distribute-cpus-across-numa", "align-by-socket"
	hang := static("none", "container", "full-pcpus-only", numa)
	hang.ReservedSystemCPUs = unit.CPUSetOf(0, 5, 10, 15)
	list := static("none", "container")
	list.ReservedSystemCPUs = unit.CPUSetOf(3, 19, 8)
	fifth := grid{2, 2, 5, 2}.build(4)
	caches := cached(grid{1, 1, 16, 2}.build(4), 4)
	return []Session{
		session("one reserved thread: its sibling goes first", twoBy8(), static("none", "container"), one(1, 1), one(1, 1),
			one(2, 1)),
		session("a listed reservation", twoBy8(), list, one(1, 1), one(16, 1), one(1, 1)),
		session("strict reservation", twoBy8(), static("none", "container", "strict-cpu-reservation"), one(1, 1), one(30, 1)),
		session("best fit: small pods go to the fuller node", twoBy8(), static("best-effort", "container"), one(4, 1),
			one(2, 1), one(16, 1), one(3, 1)).then("p0", one(5, 1)),
		session("full-pcpus-only: odd, then too many", twoBy8(), static("none", "container", "full-pcpus-only"), one(3, 1),
			one(28, 1), one(2, 1), one(2, 1)),
		session("hangs: full-pcpus-only and across NUMA with one thread reserved on each", fifth, hang, one(30, 1)),
		session("across NUMA: uneven shares", fifth, static("none", "container", numa), one(22, 1), one(7, 1), one(9, 1)),
		session("across NUMA: groups of threads", fifth, static("none", "container", numa, "full-pcpus-only"), one(14, 1),
			one(13, 1), one(12, 1)),
		session("across NUMA with align-by-socket crosses sockets, 114642", fifth,
			static("best-effort", "container", numa, sockets), one(12, 1), one(14, 1), one(6, 1)),
		session("align-by-socket: two nodes of one socket are preferred", fifth, static("restricted", "container", sockets),
			one(12, 1), one(4, 1), one(18, 1)),
		session("across cores", twoBy8(), static("none", "container", "distribute-cpus-across-cores"), one(10, 1), one(4, 1),
			one(12, 1)),
		session("uncore caches: whole ones first", caches, static("none", "container", "prefer-align-cpus-by-uncorecache"),
			one(8, 1), one(5, 1), one(3, 1), one(11, 1), one(4, 1)),
		session("uncore caches: full cores", caches, static("none", "container", "prefer-align-cpus-by-uncorecache",
			"full-pcpus-only"), one(6, 1), one(10, 1), one(4, 1), one(8, 1)),
		session("more than there is", twoBy8(), static("none", "container"), one(20, 1), one(12, 1), one(1, 1)),
		session("a fraction runs in the shared pool", twoBy8(), static("single-numa-node", "container"),
			pod(kubelet.Container{Name: "c0", Limits: map[string]int64{"cpu": 1500, "memory": 1 << 30}}), one(16, 1)),
	}
}

// initSessions are about what init containers leave.
func initSessions() []Session {
	single, pinned := static("single-numa-node", "container"), static("single-numa-node", "pod")
	m := twoBy8()
	split := pod(whole("c0", 12, 1), whole("c1", 12, 1))
	return []Session{
		session("init 6, app 2 holds 6, 131966", m, static("none", "container"), after(one(2, 1), whole("i0", 6, 1)),
			one(10, 1), one(16, 1), one(9, 1)),
		session("init containers take turns", m, static("none", "container"),
			after(one(3, 1), whole("i0", 2, 1), whole("i1", 5, 1)), one(4, 1)),
		session("a sidecar keeps what it has", m, static("none", "container"),
			after(one(3, 1), whole("i0", 4, 1), sidecar(whole("i1", 2, 1)), whole("i2", 6, 1)), one(4, 1)),
		session("the init container pins the pod, 123816", m, single, one(13, 1), after(one(3, 1), whole("i0", 2, 1)),
			after(one(16, 1), whole("i0", 1, 1))),
		session("container scope splits a pod", m, single, split, one(4, 1)),
		session("pod scope does not", m, pinned, split, one(4, 1)),
		session("pod scope: the largest init container counts", m, pinned, after(pod(whole("c0", 2, 1), whole("c1", 3, 1)),
			whole("i0", 9, 1)), after(one(2, 1), sidecar(whole("i0", 8, 1)), whole("i1", 8, 1))),
		session("a refused pod leaves nothing to the next", m, single,
			pod(whole("c0", 12, 1), whole("c1", 12, 1), whole("c2", 12, 1)), one(14, 1), one(14, 1)),
	}
}
