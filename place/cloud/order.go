package cloud

import "plimsoll.dev/place/whatif"

// arrivals is the server type of each VM to be placed, in the order of arrival. VMs
// that run already are not among them.
func (c *Cloud) arrivals(order string) []int32 {
	types := make([]int32, 0, len(c.servers))
	for i := range c.servers {
		if c.servers[i].host < 0 {
			types = append(types, int32(i))
		}
	}
	count := func(k int32) int { return c.servers[k].server.Count }
	return whatif.Arrive(order, uint64(c.s.Scheduling.Seed), types, count, c.sizes)
}

// sizes is the largest share of a mean host that a VM of each server type takes.
func (c *Cloud) sizes() []float64 {
	var cpus, memory float64
	devices := map[string]float64{}
	hosts := max(1, len(c.hosts))
	for i := range c.hostTypes {
		ht, n := &c.hostTypes[i], float64(c.hostTypes[i].pool.Count)/float64(hosts)
		for j := range ht.empty.Cells {
			cell := &ht.empty.Cells[j]
			cpus += n * float64(cell.Shared.Union(cell.Dedicated).Len())
			memory += n * float64(cell.Memory)
		}
		for _, p := range ht.empty.Pools {
			devices[p.Kind] += n * float64(p.Total)
		}
	}
	out := make([]float64, len(c.servers))
	for i := range c.servers {
		r := c.request(int32(i))
		out[i] = max(share(float64(r.VCPUs), cpus), share(float64(r.Memory), memory))
		for _, d := range r.Devices {
			out[i] = max(out[i], share(float64(d.Count), devices[d.Kind]))
		}
	}
	return out
}

// share is a part of a whole; of nothing it is a whole.
func share(part, whole float64) float64 {
	if whole == 0 {
		return min(part, 1)
	}
	return part / whole
}
