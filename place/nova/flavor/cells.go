package flavor

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// mostNodes is how far Nova looks for numbered keys.
const mostNodes = 128

// topology makes the virtual NUMA nodes, where there are to be some.
func (r *reader) topology(req *nova.Request) {
	nodes, ok := r.nodes()
	size := r.pageSize()
	r.lockedMemory()
	asked := nodes > 0 || size != 0 || r.pins != nil
	pinned := r.cpu.policy == nova.Dedicated || r.cpu.policy == nova.Mixed
	if !asked && !pinned && strings.Trim(r.specs["hw:pmem"], " ,") == "" && r.rules != nova.HCG40 || !ok {
		return
	}
	if size == 0 && r.rules == nova.HCG40 {
		size = hugePages
	}
	nodes = max(nodes, 1)
	if r.pins != nil && len(r.pins) != nodes {
		r.bad(hostNodeKey(len(r.pins)), fmt.Sprintf("%d of %d virtual nodes are pinned to a node of the host", len(r.pins),
			nodes), "pin all of them, or none")
		return
	}
	// The fork reads the lists only where something else asks for nodes.
	lists := asked || r.rules != nova.StarlingX
	req.Cells = r.cells(nodes, lists)
	for i := range req.Cells {
		req.Cells[i].PageSize = size
		if r.pins != nil {
			req.Cells[i].HostNode = r.pins[i]
		}
	}
	r.memoryPolicy()
	r.onlyShared(req.Cells)
}

// nodes is the number of virtual nodes; 0 when none is given.
func (r *reader) nodes() (n int, ok bool) {
	spec, prop := r.both("numa_nodes")
	if n, ok := wholeNumber(prop); ok {
		prop = strconv.FormatInt(n, 10) // an image's is read as a number, however it is written
		if n == 0 && spec != "" {
			prop = "" // and 0 is none
		}
	}
	key, text := "hw:numa_nodes", spec
	switch {
	case spec != "" && prop != "":
		r.bad("hw_numa_nodes", "the flavor has hw:numa_nodes as well", "leave one of them out")
		return 0, false
	case spec == "" && prop == "":
		return 0, true
	case spec == "":
		key, text = "hw_numa_nodes", prop
	}
	big, ok := wholeNumber(text)
	if !ok || big < 1 || big != math.MaxInt64 && strconv.FormatInt(big, 10) != text {
		r.bad(key, fmt.Sprintf("%q is no number of virtual NUMA nodes", text), "a whole number from 1 on")
		return 0, false
	}
	return int(big), true
}

// cells share vCPUs and memory out over the virtual nodes: evenly, or as lists say.
func (r *reader) cells(nodes int, lists bool) []nova.GuestCell {
	var cpus, memory []numbered
	if lists {
		cpus, memory = r.list("numa_cpus"), r.list("numa_mem")
	}
	switch {
	case cpus == nil && memory == nil:
		return r.evenCells(nodes)
	case len(cpus) == nodes && len(memory) == nodes:
		return r.givenCells(cpus, memory)
	}
	r.bad("hw:numa_nodes", fmt.Sprintf("the VM has %d virtual nodes, vCPUs are given for %d and memory for %d", nodes,
		len(cpus), len(memory)),
		"give hw:numa_cpus.N and hw:numa_mem.N for each virtual node, or for none")
	return nil
}

func (r *reader) evenCells(nodes int) []nova.GuestCell {
	vcpus, memory := r.vcpus%nodes != 0, r.memory%int64(nodes) != 0
	if vcpus {
		r.bad("hw:numa_nodes", fmt.Sprintf("%d vCPUs can't be shared out evenly over %d virtual nodes", r.vcpus, nodes),
			"give hw:numa_cpus.N and hw:numa_mem.N for each")
	}
	if memory {
		r.bad("hw:numa_nodes", fmt.Sprintf("%d MiB can't be shared out evenly over %d virtual nodes", r.memory, nodes),
			"give hw:numa_cpus.N and hw:numa_mem.N for each")
	}
	if vcpus || memory {
		return nil
	}
	cells := make([]nova.GuestCell, nodes)
	each := r.vcpus / nodes
	for i := range cells {
		cells[i] = r.cell(i, cpuRange(i*each, each), r.memory/int64(nodes))
	}
	return cells
}

// cell is a virtual node with its vCPUs parted into floating and pinned ones.
func (r *reader) cell(id int, cpus unit.CPUSet, memory int64) nova.GuestCell {
	pinned := r.pinned()
	return nova.GuestCell{ID: id, VCPUs: cpus.Minus(pinned), PCPUs: cpus.Intersect(pinned), Memory: memory, HostNode: -1}
}

// givenCells takes the lists: each vCPU once, and all of the memory.
func (r *reader) givenCells(cpus, memory []numbered) []nova.GuestCell {
	var cells []nova.GuestCell
	left, sum, whole := firstCPUs(r.vcpus), int64(0), true
	for i := range cpus {
		set, ok := r.cellCPUs(cpus[i], &left)
		mib, read := wholeNumber(memory[i].text)
		if !read || mib < 1 || mib > math.MaxInt64/mostNodes {
			r.bad(memory[i].key, fmt.Sprintf("%q is no amount of memory", memory[i].text), "MiB, from 1 on")
			read = false
		}
		whole = whole && ok && read
		if whole {
			sum += mib
			cells = append(cells, r.cell(i, set, mib))
		}
	}
	if !whole {
		return nil
	}
	if !left.IsEmpty() {
		r.bad(cpus[0].key, fmt.Sprintf("vCPU %s is on no virtual node", left), "give each vCPU to one node")
	}
	if sum != r.memory {
		r.bad(memory[0].key, fmt.Sprintf("the virtual nodes have %d MiB together, the VM has %d", sum, r.memory),
			fmt.Sprintf("amounts that are %d together", r.memory))
	}
	return cells
}

// cellCPUs reads the vCPUs of a virtual node and takes them from those that are left.
func (r *reader) cellCPUs(n numbered, left *unit.CPUSet) (cpus unit.CPUSet, ok bool) {
	list, err := parseCPUs(n.text)
	if err != nil {
		r.bad(n.key, err.Error(), "a list such as 0-3,8")
		return cpus, false
	}
	cpus, beyond := list.below(r.vcpus)
	if beyond >= 0 {
		r.bad(n.key, fmt.Sprintf("vCPU %d is beyond the VM's last, %d", beyond, r.vcpus-1), "name vCPUs from 0 on")
		return cpus, false
	}
	if twice := cpus.Minus(*left); !twice.IsEmpty() {
		r.bad(n.key, fmt.Sprintf("vCPU %s is on another virtual node as well", twice), "give each vCPU to one node")
		return cpus, false
	}
	*left = left.Minus(cpus)
	return cpus, true
}

// numbered is the value of a key that ends in a virtual node's number.
type numbered struct{ key, text string }

// list reads the numbered keys from 0 on until one is missing, of the flavor or
// of the image; nil when there is none.
func (r *reader) list(name string) []numbered {
	spec, prop := numberedKeys(r.specs, "hw:"+name), numberedKeys(r.props, "hw_"+name)
	if spec != nil && prop != nil {
		r.bad(prop[0].key, "the flavor has "+spec[0].key+" as well", "leave one of them out")
	}
	if spec == nil {
		spec = prop
	}
	for _, n := range spec {
		r.used[n.key] = true
	}
	return spec
}

func numberedKeys(from map[string]string, name string) []numbered {
	var out []numbered
	for i := range mostNodes {
		key := name + "." + strconv.Itoa(i)
		text, ok := from[key]
		if !ok {
			break
		}
		out = append(out, numbered{key, text})
	}
	return out
}

// lockedMemory needs pages of a given size; it has no other effect here.
func (r *reader) lockedMemory() {
	spec, prop := r.both("locked_memory")
	locked, _ := truth(spec)
	inImage, _ := truth(prop)
	size, sizeInImage := r.both("mem_page_size")
	switch {
	case spec != "" && prop != "" && locked != inImage:
		r.bad("hw_locked_memory", "contradicts hw:locked_memory of the flavor", "leave one of them out")
	case (locked || spec == "" && inImage) && size == "" && sizeInImage == "":
		r.bad("hw:locked_memory", "needs pages of a given size", "set hw:mem_page_size")
	}
}
