package kubelet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/podres"
	"plimsoll.dev/unit"
)

// mostRemedies that an explanation gives: the first of each kind.
const mostRemedies = 6

// remedies are the smallest changes of the pod, of the policy and of the machine
// that admit the pod; each was tried on a copy of the node.
func (n *Node) remedies(p *Pod, v Verdict) []string {
	t := trial{Node: n, pod: p, verdict: v}
	var out []string
	for _, kind := range []func() string{
		t.lessOfOne, t.roundCPUs, t.shareCPUs, t.split,
		t.otherScope, t.otherPolicy, t.memoryPolicy, t.withoutOption, t.morePods,
		t.moveReservation, t.moveDevices, t.growMachine, t.withoutPod,
	} {
		if text := kind(); text != "" && len(out) < mostRemedies {
			out = append(out, text)
		}
	}
	return out
}

// trial tries changes for one refused pod.
type trial struct {
	*Node
	pod     *Pod
	verdict Verdict
}

// admits reports whether a changed pod is admitted by the node as it is.
func (t *trial) admits(pods ...*Pod) bool { return t.hung == "" && admitsAll(t.Clone(), pods) }

// admitsAll admits pods one after the other.
func admitsAll(n *Node, pods []*Pod) bool {
	for i, p := range pods {
		q := *p
		q.UID = fmt.Sprintf("trial %d", i)
		if !n.Admit(&q).Admitted {
			return false
		}
	}
	return true
}

// clonePod is a deep copy.
func clonePod(p *Pod) *Pod {
	q := *p
	for _, list := range []*[]Container{&q.Init, &q.Containers} {
		*list = slices.Clone(*list)
		for i := range *list {
			c := &(*list)[i]
			c.Requests, c.Limits = maps.Clone(c.Requests), maps.Clone(c.Limits)
		}
	}
	return &q
}

// container of a pod by its place, init containers first.
func container(p *Pod, i int) *Container {
	if i < len(p.Init) {
		return &p.Init[i]
	}
	return &p.Containers[i-len(p.Init)]
}

// requests of a container, with the limits of what it does not request.
func requests(c *Container) map[string]int64 {
	all := maps.Clone(c.Limits)
	if all == nil {
		return c.Requests
	}
	maps.Copy(all, c.Requests)
	return all
}

// set changes an amount that a container asks for.
func set(c *Container, resource string, amount int64) {
	if _, limited := c.Limits[resource]; limited {
		c.Limits[resource] = amount
	}
	if _, requested := c.Requests[resource]; requested {
		c.Requests[resource] = amount
	}
}

// with is the pod with one amount changed.
func (t *trial) with(i int, resource string, amount int64) *Pod {
	q := clonePod(t.pod)
	set(container(q, i), resource, amount)
	return q
}

// lessOfOne asks for less of one resource in one container: the change that
// gives up the smallest share.
func (t *trial) lessOfOne() string {
	text, lost := "", 1.0
	for i := range len(t.pod.Init) + len(t.pod.Containers) {
		c := container(t.pod, i)
		for _, name := range slices.Sorted(maps.Keys(requests(c))) {
			asked, _ := c.Request(name)
			step := grain(name, asked)
			fits := t.most(i, name, asked, step)
			if share := 1 - float64(fits)/float64(asked); fits > 0 && share < lost {
				lost = share
				text = fmt.Sprintf("ask for %s in place of %s in container %s", quantity(name, fits), quantity(name, asked), c.Name)
			}
		}
	}
	return text
}

// most is the largest amount below the one asked for, in whole steps, that is
// admitted; 0 when none is.
func (t *trial) most(i int, resource string, asked, step int64) int64 {
	top := (asked - 1) / step
	if resource == podres.CPU || top <= 128 { // every one: fewer CPUs need not be easier
		for k := top; k > 0; k-- {
			if t.admits(t.with(i, resource, k*step)) {
				return k * step
			}
		}
		return 0
	}
	low, high := int64(0), top
	for low < high {
		if middle := (low + high + 1) / 2; t.admits(t.with(i, resource, middle*step)) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low * step
}

// grain is the step in which people change an amount: whole CPUs of whole
// CPUs, the size of a page, a 64th of a GiB, one device.
func grain(resource string, asked int64) int64 {
	pages, isPages := strings.CutPrefix(resource, podres.HugePages)
	size, err := unit.ParseBytes(pages)
	switch {
	case isPages && err == nil && size > 0:
		return int64(size)
	case resource == podres.Memory || resource == podres.EphemeralStorage:
		return int64(16 * unit.MiB)
	case resource == podres.CPU && asked%1000 == 0:
		return 1000
	case resource == podres.CPU:
		return 50
	}
	return 1
}

// quantity writes an amount as Kubernetes does, with the resource's name.
func quantity(resource string, amount int64) string {
	switch {
	case resource == podres.CPU && amount%1000 == 0:
		return words.Count(int(amount/1000), "CPU")
	case resource == podres.CPU:
		return unit.CPU(amount).String() + " of CPU"
	case isMemory(resource):
		return unit.Bytes(amount).String() + " of " + resource
	}
	return fmt.Sprintf("%d of %s", amount, resource)
}

// isMemory reports whether a resource is counted in bytes.
func isMemory(resource string) bool {
	return resource == podres.Memory || resource == podres.EphemeralStorage ||
		strings.HasPrefix(resource, podres.HugePages)
}

// roundCPUs asks for whole cores where full-pcpus-only wants them.
func (t *trial) roundCPUs() string {
	if t.verdict.Reason != SMTAlignmentError {
		return ""
	}
	q := clonePod(t.pod)
	var texts []string
	q.Each(func(c *Container) {
		asked, _ := c.Request(podres.CPU)
		threads := int64(t.s.threads()) * 1000
		if up := (asked + threads - 1) / threads * threads; asked%1000 == 0 && up != asked {
			set(c, podres.CPU, up)
			texts = append(texts, fmt.Sprintf("%s in container %s", quantity(podres.CPU, up), c.Name))
		}
	})
	if len(texts) == 0 || !t.admits(q) {
		return ""
	}
	return "ask for whole cores: " + strings.Join(texts, ", ")
}

// threads of a core, as the CPU manager counts them: on average.
func (s *setup) threads() int {
	cores := map[int]bool{}
	for _, c := range s.machine.CPUs {
		cores[c.Core] = true
	}
	return len(s.machine.CPUs) / len(cores)
}

// shareCPUs gives up CPUs of its own: a request below the limit runs in the
// shared pool, with memory and devices wherever they are.
func (t *trial) shareCPUs() string {
	if t.verdict.QOS != podres.Guaranteed || t.pod.PodLevel() {
		return ""
	}
	q := clonePod(t.pod)
	for i := range q.Containers {
		c := &q.Containers[i]
		asked, _ := c.Request(podres.CPU)
		c.Requests = requests(c)
		c.Limits = maps.Clone(c.Limits)
		c.Requests[podres.CPU] = asked - 1
	}
	if !t.admits(q) {
		return ""
	}
	return "give up CPUs and memory of its own: with requests below the limits (Burstable) it runs in the shared pool"
}

// split runs the containers as pods of their own, or one container as several pods.
func (t *trial) split() string {
	if t.pod.PodLevel() || len(t.pod.Init) > 0 {
		return ""
	}
	if len(t.pod.Containers) > 1 {
		var pods []*Pod
		for i := range t.pod.Containers {
			q := clonePod(t.pod)
			q.Containers = q.Containers[i : i+1]
			pods = append(pods, q)
		}
		if t.admits(pods...) {
			return fmt.Sprintf("run its %d containers as pods of their own", len(pods))
		}
		return ""
	}
	for parts := int64(2); parts <= 4; parts++ {
		q := clonePod(t.pod)
		if divide(&q.Containers[0], parts) && t.admits(slices.Repeat([]*Pod{q}, int(parts))...) {
			c := &q.Containers[0]
			var each []string
			for _, name := range slices.Sorted(maps.Keys(requests(c))) {
				amount, _ := c.Request(name)
				each = append(each, quantity(name, amount))
			}
			return fmt.Sprintf("run it as %d pods, each with %s", parts, strings.Join(each, ", "))
		}
	}
	return ""
}

// divide gives a container an equal part of everything; false when something
// does not divide.
func divide(c *Container, parts int64) bool {
	for _, amounts := range []map[string]int64{c.Requests, c.Limits} {
		for name, amount := range amounts {
			if amount%(parts*grain(name, amount)) != 0 {
				return false
			}
			amounts[name] = amount / parts
		}
	}
	return true
}
