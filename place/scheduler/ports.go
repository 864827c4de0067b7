package scheduler

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// clash reports whether two host ports exclude each other: the same port and
// protocol, on the same address or with one of them on all addresses.
func clash(a, b v1alpha1.HostPort) bool {
	return a.Port == b.Port && a.Port > 0 && protocol(a) == protocol(b) &&
		(address(a) == address(b) || address(a) == anyAddress || address(b) == anyAddress)
}

const anyAddress = "0.0.0.0"

func address(p v1alpha1.HostPort) string {
	if p.HostIP == "" {
		return anyAddress
	}
	return p.HostIP
}

func protocol(p v1alpha1.HostPort) string {
	if p.Protocol == "" {
		return "TCP"
	}
	return p.Protocol
}

// hostPort is a port that pods take, and the nodes on which it is taken.
type hostPort struct {
	v1alpha1.HostPort
	taken []uint64 // a bit for each node
}

// usePorts gives the class's host ports numbers, and says which exclude which.
func (s *Scheduler) usePorts(c *class) {
	for _, p := range c.spec.HostPorts {
		if p.Port <= 0 {
			continue
		}
		i := slices.IndexFunc(s.ports, func(q hostPort) bool {
			return p.Port == q.Port && protocol(p) == protocol(q.HostPort) && address(p) == address(q.HostPort)
		})
		if i < 0 {
			i = len(s.ports)
			s.ports = append(s.ports, hostPort{HostPort: p, taken: make([]uint64, (len(s.nodes)+63)/64)})
			for _, other := range s.classes {
				other.findClash(s.ports[i].HostPort, i)
			}
		}
		c.hostPorts = append(c.hostPorts, int32(i))
	}
	for i := range s.ports {
		c.findClash(s.ports[i].HostPort, i)
	}
}

// findClash notes that the port excludes the class's pods, if it does.
func (c *class) findClash(p v1alpha1.HostPort, number int) {
	if slices.ContainsFunc(c.spec.HostPorts, func(q v1alpha1.HostPort) bool { return clash(p, q) }) {
		c.portConflicts = append(c.portConflicts, int32(number))
		c.filters = true
	}
}

// notePorts marks the class's ports on a node, or frees those that no other pod
// of the node has.
func (s *Scheduler) notePorts(c *class, node int32, sign int64) {
	for _, p := range c.hostPorts {
		s.ports[p].taken[node>>6] |= 1 << (node & 63)
	}
	if sign > 0 {
		return
	}
	for _, p := range c.hostPorts {
		s.ports[p].taken[node>>6] &^= 1 << (node & 63)
	}
	s.podsOf(node, func(r *running) {
		for _, p := range s.classes[r.class].hostPorts {
			s.ports[p].taken[node>>6] |= 1 << (node & 63)
		}
	})
}

// portsTaken reports whether a port that excludes the class is taken on the node.
func (s *Scheduler) portsTaken(c *class, node int32) bool {
	for _, p := range c.portConflicts {
		if s.ports[p].taken[node>>6]>>(node&63)&1 != 0 {
			return true
		}
	}
	return false
}
