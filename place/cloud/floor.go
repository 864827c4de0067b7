package cloud

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"plimsoll.dev/pack"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// The floor is a relaxation of the placement: a problem of package pack in which
// every placement of VMs on a host is allowed that is allowed here, and more. Each
// dimension is a sum over the VMs of a host that no placement can push above its
// capacity:
//
//   - threads: a pinned vCPU takes a thread; with isolate it keeps a whole core, and
//     with the document's require the VM keeps whole cores.
//   - cores: VMs that isolate or require don't share cores with each other.
//   - memory by page size, and in all pools together.
//   - large NUMA nodes: a node of capacity C holds at most C/t (rounded down) cells
//     of size t or more, so a host holds no more than the sum over its nodes. It
//     is this that 13 free cores as 5 + 8 are worth only 3 VMs of 3 vCPUs.
//   - VMs of several cells of size t or more: the cells of one VM are on different
//     nodes, so n VMs of m cells need n*m places of which no node gives more than n.
//   - floating vCPUs by the allocation ratio, devices, local disk, and members of
//     anti-affinity groups.
//
// What is left out (thread siblings, distances, the order of arrival, affinity)
// only forbids more. So what package pack proves for it holds for every placement.

// dimension is a sum over the VMs of a host and its limit.
type dimension struct {
	name     string
	capacity int64
	need     []int64 // by item
}

// relaxation is the problem in the making.
type relaxation struct {
	pool *openPool
	h    *nova.Host
	w    *hostType
	// items are the different specs and groups, with their numbers.
	items []packItem
	dims  []dimension
}

type packItem struct {
	spec, group int
	count       int64
}

// floorEffort bounds the work on the floor.
const floorEffort = 150_000

// floor is a number of hosts that no placement can do with fewer of, and what
// proves it.
func (pool *openPool) floor() (int, string) {
	b := &relaxation{pool: pool, h: pool.c.hostTypes[0].empty, w: &pool.c.hostTypes[0]}
	b.collect()
	b.measures()
	b.floating()
	b.others()
	p := pack.Problem{Nodes: []pack.NodeType{{Name: pool.c.hostTypes[0].node.Name, Cost: 1, Stock: -1}}}
	for i, it := range b.items {
		item := pack.Item{Name: fmt.Sprint(i), Count: it.count}
		for _, dim := range b.dims {
			item.Need = append(item.Need, dim.need[i])
		}
		p.Items = append(p.Items, item)
	}
	for _, dim := range b.dims {
		p.Resources = append(p.Resources, dim.name)
		p.Nodes[0].Capacity = append(p.Nodes[0].Capacity, dim.capacity)
	}
	s, err := pack.Solve(p, pack.Options{Effort: floorEffort})
	if err != nil {
		return 1, "one host at least"
	}
	return max(1, int(s.Bound.Nodes)), boundWords[s.Bound.Method]
}

var boundWords = map[string]string{
	"volume":   "the sum of one resource over all VMs",
	"linear":   "no mix of VMs, even if they could be split, is worth more than a host (linear relaxation)",
	"patterns": "no set of whole VMs that a host could hold at best is worth more than a host (pattern relaxation)",
	"counts":   "each smaller number of hosts breaks an inequality that holds of all placements",
}

// collect makes an item of each spec in each group.
func (b *relaxation) collect() {
	at := map[[2]int]int{}
	for i := range b.pool.c.servers {
		st := &b.pool.c.servers[i]
		if st.server.Count == 0 {
			continue
		}
		key := [2]int{st.spec, st.group}
		k, known := at[key]
		if !known {
			k = len(b.items)
			at[key] = k
			b.items = append(b.items, packItem{spec: st.spec, group: st.group})
		}
		b.items[k].count += int64(st.server.Count)
	}
}

func (b *relaxation) request(i int) *nova.Request { return b.pool.c.specs[b.items[i].spec].request }

// add adds a dimension that binds something.
func (b *relaxation) add(name string, capacity int64, need func(i int) int64) {
	dim := dimension{name: name, capacity: capacity}
	asked := false
	for i := range b.items {
		n := need(i)
		dim.need = append(dim.need, n)
		asked = asked || n > 0
	}
	if asked {
		b.dims = append(b.dims, dim)
	}
}

// measures add what cells take of NUMA nodes.
func (b *relaxation) measures() {
	threads, most := b.threads()
	b.measure("threads", func(c *nova.HostCell) int64 { return int64(c.Dedicated.Len()) },
		func(q *nova.Request, i int) int64 { return b.pinned(q, i, threads) })
	b.measure("cores", func(c *nova.HostCell) int64 { return coresIn(c) },
		func(q *nova.Request, i int) int64 { return ownCores(q, i, most) })
	sizes := map[int64]bool{}
	for i := range b.h.Cells {
		for _, p := range b.h.Cells[i].Pages {
			sizes[p.Size] = true
		}
	}
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		b.measure(resourceOf(size), func(c *nova.HostCell) int64 { return poolMemory(c, size) },
			func(q *nova.Request, i int) int64 { return b.pages(q, i, size) })
	}
	b.measure("pages", func(c *nova.HostCell) int64 {
		all := int64(0)
		for size := range sizes {
			all += poolMemory(c, size)
		}
		return all
	}, func(q *nova.Request, i int) int64 { return b.pages(q, i, 0) })
}

// threads are the numbers of threads of the smallest and the largest core for VMs.
func (b *relaxation) threads() (least, most int64) {
	for i := range b.h.Cells {
		for _, core := range b.h.Cells[i].Siblings {
			if n := int64(core.Intersect(b.h.Cells[i].Dedicated).Len()); n > 0 {
				if least == 0 || n < least {
					least = n
				}
				most = max(most, n)
			}
		}
	}
	return max(1, least), max(1, most)
}

// coresIn counts the cores of which VMs can have threads.
func coresIn(c *nova.HostCell) int64 {
	n := int64(0)
	for _, core := range c.Siblings {
		if !core.Intersect(c.Dedicated).IsEmpty() {
			n++
		}
	}
	return n
}

// pinned is the number of threads that a cell keeps others from.
func (b *relaxation) pinned(q *nova.Request, i int, threads int64) int64 {
	n := int64(q.Cells[i].PCPUs.Len())
	if q.CPUPolicy != nova.Dedicated && q.CPUPolicy != nova.Mixed || n == 0 {
		return 0
	}
	if i == 0 && q.EmulatorThreads == nova.EmulatorIsolate {
		n++
	}
	switch {
	case q.ThreadPolicy == nova.Isolate:
		return n * threads
	case q.ThreadPolicy == nova.Require && threads == 2 && b.pool.c.rules == nova.HCG40:
		return n + n%2
	}
	return n
}

// ownCores is the number of cores that a cell shares with no other VM that
// isolates or requires. On cores of more than two threads VMs that require may share
// one.
func ownCores(q *nova.Request, i int, most int64) int64 {
	n := int64(q.Cells[i].PCPUs.Len())
	switch {
	case q.CPUPolicy != nova.Dedicated && q.CPUPolicy != nova.Mixed:
		return 0
	case q.ThreadPolicy == nova.Isolate:
		return n
	case q.ThreadPolicy == nova.Require && most == 2:
		return (n + 1) / 2
	}
	return 0
}

// poolMemory is the memory in pages of a size on a node, in KiB.
func poolMemory(c *nova.HostCell, size int64) int64 {
	for _, p := range c.Pages {
		if p.Size == size {
			return (p.Total - p.Reserved) * p.Size
		}
	}
	return 0
}

// pages is the memory in KiB that a cell is certain to take of pages of a size; of
// any size when that is 0. Nova lets unpinned cells without a page size overcommit.
func (b *relaxation) pages(q *nova.Request, i int, size int64) int64 {
	const small = int64(smallPage / unit.KiB)
	c := &q.Cells[i]
	if c.PageSize == 0 && cpuPolicy(q) == nova.Shared {
		return 0
	}
	named := int64(c.PageSize)
	if c.PageSize == 0 || c.PageSize == nova.SmallPages {
		named = small // every node has such a pool, and it is the smallest
	}
	if size != 0 && named != size {
		return 0
	}
	return c.Memory * 1024
}

// measure adds what follows from a size of cells and a capacity of nodes: the sum,
// and for each size of a cell how many such cells and VMs a host holds.
func (b *relaxation) measure(name string, capacity func(*nova.HostCell) int64,
	size func(q *nova.Request, i int) int64) {
	total := int64(0)
	var nodes []int64
	for i := range b.h.Cells {
		nodes = append(nodes, capacity(&b.h.Cells[i]))
		total += nodes[i]
	}
	b.add(name, total, func(i int) int64 {
		sum := int64(0)
		for j := range b.request(i).Cells {
			sum += size(b.request(i), j)
		}
		return sum
	})
	atLeast := func(i int, t int64) int64 {
		n := int64(0)
		for j := range b.request(i).Cells {
			if size(b.request(i), j) >= t {
				n++
			}
		}
		return n
	}
	for _, t := range b.thresholds(size) {
		b.add(fmt.Sprintf("%s: cells of %d or more", name, t), places(nodes, t, math.MaxInt64),
			func(i int) int64 { return atLeast(i, t) })
		for m := int64(2); m <= int64(len(nodes)); m++ {
			b.add(fmt.Sprintf("%s: VMs of %d cells of %d or more", name, m, t), mostVMs(nodes, t, m), func(i int) int64 {
				if atLeast(i, t) >= m {
					return 1
				}
				return 0
			})
		}
	}
}

// mostThresholds bounds the dimensions that a measure adds.
const mostThresholds = 8

// thresholds are the different sizes of cells, the largest if there are many.
func (b *relaxation) thresholds(size func(q *nova.Request, i int) int64) []int64 {
	seen := map[int64]bool{}
	for i := range b.items {
		for j := range b.request(i).Cells {
			if n := size(b.request(i), j); n > 0 {
				seen[n] = true
			}
		}
	}
	list := slices.Sorted(maps.Keys(seen))
	return list[max(0, len(list)-mostThresholds):]
}

// places is how many cells of size t nodes hold, none more than so many.
func places(nodes []int64, t, most int64) int64 {
	n := int64(0)
	for _, c := range nodes {
		n += min(c/t, most)
	}
	return n
}

// mostVMs is how many VMs with m cells of size t each, on different nodes, a host
// holds at most.
func mostVMs(nodes []int64, t, m int64) int64 {
	n := places(nodes, t, math.MaxInt64) / m
	for n > 0 && n*m > places(nodes, t, n) {
		n--
	}
	return n
}

// floating adds what limits vCPUs and memory that float. With the rules of the
// document and the fork they share CPUs with pinned ones.
func (b *relaxation) floating() {
	dedicated, shared, small, both := int64(0), int64(0), int64(0), int64(0)
	for i := range b.h.Cells {
		c := &b.h.Cells[i]
		dedicated, shared = dedicated+int64(c.Dedicated.Len()), shared+int64(c.Shared.Len())
		small += poolMemory(c, int64(smallPage/unit.KiB))
		both += int64(floatsOnShared(b.pool.c.rules, c))
	}
	threads, _ := b.threads()
	cells := func(i int) int64 {
		q, n := b.request(i), int64(0)
		for j := range q.Cells {
			if q.CPUPolicy != nova.Dedicated {
				n += int64(q.Cells[j].VCPUs.Len())
			}
		}
		return n
	}
	alone := func(i int) int64 {
		if q := b.request(i); len(q.Cells) == 0 {
			return int64(q.VCPUs)
		}
		return 0
	}
	if b.pool.c.rules == nova.Nova {
		limit := int64(math.Floor(float64(shared) * b.h.CPUAllocationRatio))
		b.add("floating vCPUs", limit, func(i int) int64 { return cells(i) + alone(i) })
	} else {
		ratio := int64(b.h.CPUAllocationRatio)
		b.add("floating vCPUs", ratio*(dedicated+both), func(i int) int64 {
			n := cells(i) + alone(i)
			for j := range b.request(i).Cells {
				n += ratio * b.pinned(b.request(i), j, threads)
			}
			return n
		})
	}
	b.add("floating memory", int64(float64(small)*b.h.RAMAllocationRatio), func(i int) int64 {
		if q := b.request(i); len(q.Cells) == 0 {
			return q.Memory * 1024
		}
		return 0
	})
}

// others add devices, local disk and groups.
func (b *relaxation) others() {
	kinds := map[string]int64{}
	for _, p := range b.h.Pools {
		kinds[p.Kind] += int64(p.Total)
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		b.add(kind, kinds[kind], func(i int) int64 {
			n := int64(0)
			for _, d := range b.request(i).Devices {
				if d.Kind == kind {
					n += int64(d.Count)
				}
			}
			return n
		})
	}
	if !b.w.diskUnstated {
		b.add(localDisk, b.w.disk, func(i int) int64 { return b.w.takes(b.pool.c.specs[b.items[i].spec].disk) })
	}
	for g := range b.pool.c.groups {
		group := &b.pool.c.groups[g]
		if group.Policy != antiAffinity {
			continue
		}
		b.add("group "+group.Name, int64(max(1, group.MaxServerPerHost)), func(i int) int64 {
			if b.items[i].group == g {
				return 1
			}
			return 0
		})
	}
}
