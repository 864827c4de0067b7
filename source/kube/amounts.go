package kube

import (
	"math"
	"slices"
	"strings"

	"plimsoll.dev/unit"
)

// Names of resources that Kubernetes knows.
const (
	resCPU      = "cpu"
	resMemory   = "memory"
	resDisk     = "ephemeral-storage"
	resStorage  = "storage"
	resPods     = "pods"
	resHugePage = "hugepages-"
)

// amount is so much of a resource: CPU in millicores, the others in bytes or
// pieces.
type amount struct {
	name string
	n    int64
}

// amounts are what a container asks for; each name stands once. They are few,
// so a list is searched faster than a map.
type amounts []amount

func (a amounts) get(name string) (int64, bool) {
	for i := range a {
		if a[i].name == name {
			return a[i].n, true
		}
	}
	return 0, false
}

// of is the amount of a resource, 0 when there is none.
func (a amounts) of(name string) int64 {
	n, _ := a.get(name)
	return n
}

func (a amounts) set(name string, n int64) amounts {
	for i := range a {
		if a[i].name == name {
			a[i].n = n
			return a
		}
	}
	return append(a, amount{name, n})
}

// plus adds b to a in place. Sums stop at the largest number.
func (a amounts) plus(b amounts) amounts {
	for _, x := range b {
		n := min(a.of(x.name), math.MaxInt64-x.n)
		a = a.set(x.name, n+x.n)
	}
	return a
}

// atLeast raises a to b in place where b is larger or alone.
func (a amounts) atLeast(b amounts) amounts {
	for _, x := range b {
		if n, ok := a.get(x.name); !ok || n < x.n {
			a = a.set(x.name, x.n)
		}
	}
	return a
}

// sort orders by name, so that equal amounts have equal keys.
func (a amounts) sort() {
	slices.SortFunc(a, func(x, y amount) int { return strings.Compare(x.name, y.name) })
}

// isDevice says whether a resource is an extended one, such as a GPU.
func isDevice(name string) bool {
	domain, _, found := strings.Cut(name, "/")
	return found && domain != "kubernetes.io" && !strings.HasSuffix(domain, ".kubernetes.io")
}

// hugePages are the amounts of huge pages by page size, nil when there are none.
func (a amounts) hugePages() map[string]unit.Bytes {
	var out map[string]unit.Bytes
	for _, x := range a {
		if size, ok := strings.CutPrefix(x.name, resHugePage); ok && x.n > 0 {
			if out == nil {
				out = map[string]unit.Bytes{}
			}
			out[size] = unit.Bytes(x.n)
		}
	}
	return out
}

// devices are the amounts of extended resources, nil when there are none.
func (a amounts) devices() map[string]int64 {
	var out map[string]int64
	for _, x := range a {
		if isDevice(x.name) && x.n > 0 {
			if out == nil {
				out = map[string]int64{}
			}
			out[x.name] = x.n
		}
	}
	return out
}
