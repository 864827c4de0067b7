package scheduler

// domains are the values that nodes have for one label. A domain is the number
// of a value, in order of appearance.
type domains struct {
	label string
	// anyway gives nodes without the label the domain of the empty value.
	anyway bool
	of     []int32 // by node; -1 without the label. Not changed in place.
	values map[string]int32
	single bool // no domain has more than one node
}

// domainsOf are the domains of a label; each is worked out once.
func (s *Scheduler) domainsOf(label string, anyway bool) *domains {
	for _, d := range s.domains {
		if d.label == label && d.anyway == anyway {
			return d
		}
	}
	d := &domains{label: label, anyway: anyway, values: map[string]int32{}, of: make([]int32, len(s.nodes))}
	labelled := 0
	for i := range s.nodes {
		if d.of[i] = d.value(&s.nodes[i]); d.of[i] >= 0 {
			labelled++
		}
	}
	d.single = labelled == len(d.values)
	s.domains = append(s.domains, d)
	return d
}

func (d *domains) value(n *Node) int32 {
	value, ok := n.Labels[d.label]
	if !ok && !d.anyway {
		return -1
	}
	id, known := d.values[value]
	if !known {
		id = int32(len(d.values))
		d.values[value] = id
	}
	return id
}

// counter counts pods, or adds up weights, by domain.
type counter struct {
	label   string
	of      []int32  // domain in which a node counts, by node; -1 for none. Not changed in place.
	count   []int32  // by domain
	live    int64    // pods that count now
	minimum *minimum // where the least count is needed
	single  bool     // counts on each node by itself
}

// minimum keeps the least count among the domains that have nodes.
type minimum struct {
	nodes   []int32 // by domain
	domains int     // that have nodes
	least   int32   // count of one of them
	having  []int32 // their number, by count
}

// keepMinimum is called before anything is counted.
func (c *counter) keepMinimum() {
	c.minimum = &minimum{nodes: make([]int32, len(c.count)), having: make([]int32, 8)}
	for _, d := range c.of {
		if d >= 0 {
			c.minimum.join(d, 0)
		}
	}
}

// join and leave tell of a node in a domain with the count.
func (m *minimum) join(domain, count int32) {
	if m.nodes[domain]++; m.nodes[domain] == 1 {
		m.domains++
		m.reach(count)
		m.having[count]++
		if m.domains == 1 || count < m.least {
			m.least = count
		}
	}
}

func (m *minimum) leave(domain, count int32) {
	if m.nodes[domain]--; m.nodes[domain] == 0 {
		m.domains--
		m.having[count]--
		m.rise()
	}
}

func (m *minimum) reach(count int32) {
	for int(count) >= len(m.having) {
		m.having = append(m.having, make([]int32, len(m.having))...)
	}
}

// rise finds the least count again, which is not below the one known.
func (m *minimum) rise() {
	for m.domains > 0 && m.having[m.least] == 0 {
		m.least++
	}
}

// add counts a pod on a node, times delta; sign is 1 for a pod that comes, -1 for
// one that goes.
func (c *counter) add(node int32, delta, sign int32) {
	d := c.of[node]
	if d < 0 {
		return
	}
	was := c.count[d]
	now := was + delta*sign
	c.count[d] = now
	c.live += int64(sign)
	if m := c.minimum; m != nil {
		m.reach(now)
		m.having[was]--
		m.having[now]++
		m.least = min(m.least, now)
		m.rise()
	}
}

// at is the count where a node is, 0 without the label.
func (c *counter) at(node int32) int32 {
	if d := c.of[node]; d >= 0 {
		return c.count[d]
	}
	return 0
}

// join and leave tell of a node that counts from now on, or no more, and of whose
// pods none is counted.
func (c *counter) join(node int32) {
	if d := c.of[node]; d >= 0 && c.minimum != nil {
		c.minimum.join(d, c.count[d])
	}
}

func (c *counter) leave(node int32) {
	if d := c.of[node]; d >= 0 && c.minimum != nil {
		c.minimum.leave(d, c.count[d])
	}
}

func (c *counter) clone() counter {
	out := *c
	out.count = append([]int32(nil), c.count...)
	if c.minimum != nil {
		m := *c.minimum
		m.nodes = append([]int32(nil), m.nodes...)
		m.having = append([]int32(nil), m.having...)
		out.minimum = &m
	}
	return out
}
