package kubelettest

import (
	"fmt"
	"slices"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/unit"
)

// pod rolls a pod that the API server would accept.
func (d *dice) pod(uid string) *kubelet.Pod {
	p := &kubelet.Pod{UID: uid, Name: uid}
	kind := d.kind()
	if d.oneIn(4) {
		for i := range 1 + d.IntN(2) {
			c := d.container(fmt.Sprintf("i%d", i), kind)
			c.Restartable = d.oneIn(3)
			p.Init = append(p.Init, c)
		}
	}
	n := 1
	if d.oneIn(3) {
		n += 1 + d.IntN(2)
	}
	for i := range n {
		p.Containers = append(p.Containers, d.container(fmt.Sprintf("c%d", i), kind))
	}
	if d.oneIn(12) {
		p.Overhead = map[string]int64{"cpu": 250, "memory": int64(64 * unit.MiB)}
	}
	if d.oneIn(14) || d.level && d.oneIn(2) {
		d.podLevel(p)
	}
	p.Critical = d.oneIn(30)
	for _, resource := range d.resources {
		settle(p, resource)
	}
	return p
}

// settle takes devices from containers that would inherit some of more than they
// need from init containers before them: which ones is Go's map order.
func settle(p *kubelet.Pod, resource string) {
	left := int64(0)
	for i, c := range slices.Concat(p.Init, p.Containers) {
		switch n := c.Limits[resource]; {
		case n == 0:
		case n < left:
			delete(c.Limits, resource)
		case i < len(p.Init) && !c.Restartable:
			left = n
		default:
			left = 0
		}
	}
}

// The kinds of pods by what their containers ask for.
type kind int

const (
	guaranteed kind = iota // whole CPUs
	fractional             // Guaranteed, with part of a CPU
	mixed                  // Guaranteed, whole and part
	burstable
	bestEffort
)

func (d *dice) kind() kind {
	switch r := d.IntN(100); {
	case r < 62:
		return guaranteed
	case r < 70:
		return fractional
	case r < 80:
		return mixed
	case r < 94:
		return burstable
	}
	return bestEffort
}

// container rolls what one container of a pod of this kind asks for.
func (d *dice) container(name string, k kind) kubelet.Container {
	c := kubelet.Container{Name: name, Limits: map[string]int64{}}
	cpu := int64(d.wholeCPUs()) * 1000
	if k == fractional || k == burstable || k == mixed && d.oneIn(2) {
		cpu = int64(100 + 50*d.IntN(40))
	}
	memory := d.memorySize()
	switch k {
	case bestEffort:
	case burstable:
		d.burst(&c, cpu, memory)
	default:
		c.Limits["cpu"], c.Limits["memory"] = cpu, memory
	}
	extras := 2
	if d.slow {
		extras = 0
		if k == bestEffort || k == burstable {
			extras = 1
		}
	}
	if len(d.resources) > 0 && d.oneIn(3) && extras > 0 {
		c.Limits[pick(d.Rand, d.resources)] = pick(d.Rand, []int64{1, 1, 1, 2, 2, 2, 3, 3, 0})
		extras--
	}
	if len(d.pages) > 0 && k != bestEffort && d.oneIn(2) && extras > 0 {
		d.hugePages(&c)
	}
	if len(c.Limits) == 0 {
		c.Limits = nil
	}
	return c
}

// burst gives a request, a limit or both, not equal.
func (d *dice) burst(c *kubelet.Container, cpu, memory int64) {
	switch d.IntN(4) {
	case 0:
		c.Requests = map[string]int64{"cpu": cpu}
	case 1:
		c.Requests = map[string]int64{"memory": memory}
	case 2:
		c.Limits["cpu"] = cpu
	default:
		c.Requests = map[string]int64{"cpu": cpu, "memory": memory / 2}
		c.Limits["memory"] = memory
	}
}

// hugePages asks for pages of one size or two, up to more than a node has.
func (d *dice) hugePages(c *kubelet.Container) {
	for _, size := range d.pages {
		if len(d.pages) > 1 && d.oneIn(2) {
			continue
		}
		page := int64(2 * unit.MiB)
		if size == "hugepages-1Gi" {
			page = int64(unit.GiB)
		}
		c.Limits[size] = page * (1 + d.Int64N(max(1, 6*int64(unit.GiB)/page)))
	}
	if c.Limits["memory"] == 0 && c.Requests["memory"] == 0 {
		c.Limits["memory"] = int64(128 * unit.MiB)
	}
}

// wholeCPUs leans to small numbers, with some around a NUMA node's size and above.
func (d *dice) wholeCPUs() int {
	switch r := d.IntN(20); {
	case r < 8:
		return 1 + d.IntN(4)
	case r < 12:
		return d.threads * (1 + d.IntN(max(1, d.perNode/d.threads/2)))
	case r < 16:
		return 1 + d.IntN(d.perNode)
	case r < 17:
		return max(1, d.perNode-1+d.IntN(3))
	case r < 18:
		return d.perNode + d.threads*d.IntN(max(1, d.perNode/d.threads))
	case r < 19:
		return max(1, d.cpus/2)
	}
	return 1 + d.IntN(d.cpus)
}

// memorySize is small, or a good part of a NUMA node, or more than one has; in MiB.
func (d *dice) memorySize() int64 {
	node := int64(d.perNodeMemory / unit.MiB)
	mib := int64(0)
	switch r := d.IntN(20); {
	case r < 12:
		mib = 64 << d.IntN(6)
	case r < 15:
		mib = node / 8
	case r < 18:
		mib = 1 + d.Int64N(node)
	case r < 19:
		mib = node + node/8
	default:
		mib = 1 + d.Int64N(int64(d.memory/unit.MiB))
	}
	odd := int64(0)
	if d.oneIn(20) {
		odd = 1 + d.Int64N(1e6)
	}
	return max(1, mib)*int64(unit.MiB) + odd
}

// podLevel adds resources of the pod as a whole, never less than its containers
// ask for.
func (d *dice) podLevel(p *kubelet.Pod) {
	var cpu, memory int64
	for _, all := range [][]kubelet.Container{p.Init, p.Containers} {
		for _, c := range all {
			cpu += max(c.Limits["cpu"], c.Requests["cpu"])
			memory += max(c.Limits["memory"], c.Requests["memory"])
		}
	}
	cpu, memory = max(cpu, 1000), max(memory, int64(256*unit.MiB))
	p.Limits = map[string]int64{"cpu": cpu, "memory": memory}
	switch d.IntN(3) {
	case 0: // Guaranteed by the pod's own resources
	case 1:
		p.Requests = map[string]int64{"cpu": cpu, "memory": memory}
	default:
		p.Requests, p.Limits = map[string]int64{"cpu": cpu}, nil
	}
}
