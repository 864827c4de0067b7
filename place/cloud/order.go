package cloud

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Orders in which VMs arrive.
const (
	orderShuffled     = "shuffled"
	orderLargestFirst = "largestFirst"
)

// arrivals is the server type of each VM to be placed, in the order of arrival: server by
// server as they are listed, shuffled with a seed, or the largest first. VMs that
// run already are not among them.
func (c *Cloud) arrivals(order string) []int32 {
	types := make([]int32, 0, len(c.servers))
	for i := range c.servers {
		if c.servers[i].host < 0 {
			types = append(types, int32(i))
		}
	}
	if order == orderLargestFirst {
		size := c.sizes()
		slices.SortStableFunc(types, func(a, b int32) int { return cmp.Compare(size[b], size[a]) })
	}
	list := make([]int32, 0, c.Wanted())
	for _, k := range types {
		for range c.servers[k].server.Count {
			list = append(list, k)
		}
	}
	if order == orderShuffled {
		rand.New(rand.NewPCG(uint64(c.s.Scheduling.Seed), 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return list
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
