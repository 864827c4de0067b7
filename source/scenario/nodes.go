package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/unit"
)

func (v *validator) nodeType(at string, t *v1alpha1.NodeType) {
	v.role(at, t)
	v.bytes(at+".memory", t.Memory, leastMachineMemory, "Gi")
	v.bytes(at+".disk", t.Disk, leastMachineMemory, "Gi")
	v.rate(at+".network", t.Network)
	v.podLimits(at, t)
	v.hugePages(at+".hugePages", t.HugePages)
	v.keptBack(at, t)
	if t.Count != nil && t.Available != nil && *t.Count > *t.Available && v.good(at+".count", at+".available") {
		v.bad(at+".count", fmt.Sprintf("%d machines are counted, %d are available", *t.Count, *t.Available),
			"lower count, or raise available")
	}
	if v.good(at+".numaNodes", at+".cpus") && t.CPUs > 0 && t.NUMANodes > t.CPUs {
		v.bad(at+".numaNodes", fmt.Sprintf("%d NUMA nodes on %d CPUs", t.NUMANodes, t.CPUs),
			"each NUMA node has at least one CPU")
	}
	v.labels(at, t)
	v.topology(at, t)
	v.domains(at, t)
	v.kubelet(at, t)
	if m, ok := v.machineOf(at, t); ok {
		v.onMachine(at, t, m)
	}
}

// labels are refused where Kubernetes would refuse them, long after the plan.
func (v *validator) labels(at string, t *v1alpha1.NodeType) {
	form := func(path, text string, wrong []string) {
		if len(wrong) > 0 && v.good(path) {
			v.bad(path, "Kubernetes refuses "+yamlpos.Quote(text), "write letters, digits, - _ and ., at most 63, "+
				"with a letter or digit at both ends; before a key may stand a name such as example.com/")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.Labels)) {
		form(at+".labels."+key, key, validation.IsQualifiedName(key))
		form(at+".labels."+key, t.Labels[key], validation.IsValidLabelValue(t.Labels[key]))
	}
	for i, taint := range t.Taints {
		path := fmt.Sprintf("%s.taints[%d]", at, i)
		if taint.Key != "" { // which is missing then
			form(path+".key", taint.Key, validation.IsQualifiedName(taint.Key))
		}
		form(path+".value", taint.Value, validation.IsValidLabelValue(taint.Value))
	}
}

// prices demands that all prices are whole numbers in some unit, so that sums of
// them are exact: otherwise no mix of nodes is proven to be the cheapest.
func (v *validator) prices() {
	most, finest := -1, -1
	types := v.s.Hardware.NodeTypes
	var prices []float64
	for i := range types {
		x := types[i].Price
		if x <= 0 {
			continue
		}
		prices = append(prices, x)
		if most < 0 || x > types[most].Price {
			most = i
		}
		if finest < 0 || decimals(x) > decimals(types[finest].Price) {
			finest = i
		}
	}
	at := fmt.Sprintf("hardware.nodeTypes[%d].price", most)
	if _, _, ok := unit.WholePrices(prices); ok || most < 0 || !v.good(at) {
		return
	}
	text := func(i int) string { return strconv.FormatFloat(types[i].Price, 'g', -1, 64) }
	what := text(most) + " can't be counted exactly"
	if finest != most {
		what = fmt.Sprintf("%s and the %s of %s can't be added up exactly", text(most), text(finest), types[finest].Name)
	}
	v.bad(at, what, "prices have at most 15 digits from the first of the largest to the last of the smallest; "+
		"round them, or leave a type out that is not to be bought")
}

// decimals is how many digits a number has behind the point.
func decimals(x float64) int {
	_, behind, _ := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	return len(behind)
}

// podLimits demands that podsPerCore does not exceed maxPods (OCP 2.1).
func (v *validator) podLimits(at string, t *v1alpha1.NodeType) {
	if t.PodsPerCore == nil || *t.PodsPerCore <= t.MaxPods || !v.good(at+".podsPerCore", at+".maxPods") {
		return
	}
	limit := "maxPods " + strconv.Itoa(t.MaxPods)
	if !v.given(at + ".maxPods") {
		limit += ", the default"
	}
	v.bad(at+".podsPerCore", fmt.Sprintf("%d exceeds %s", *t.PodsPerCore, limit),
		fmt.Sprintf("OCP 2.1 allows at most maxPods; write at most %d, or raise maxPods", t.MaxPods))
}

// mostPages is the number below which an amount of bytes may have been meant as
// a number of pages.
const mostPages = 1 << 20

// hugePages checks that the memory is whole pages.
func (v *validator) hugePages(at string, pages map[string]unit.Bytes) {
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		v.wholePages(at+"."+name, name, pages[name])
	}
}

// wholePages checks that an amount of memory is whole pages of a size.
func (v *validator) wholePages(path, name string, amount unit.Bytes) {
	if !v.good(path) || !v.given(path) {
		return
	}
	size, err := unit.ParseBytes(name)
	if err != nil || size <= 0 || amount%size == 0 {
		return
	}
	more := (amount/size + 1) * size
	fix := "write " + more.String()
	if less := amount - amount%size; less > 0 {
		fix = "write " + less.String() + " or " + more.String()
	} else if amount < mostPages {
		fix = fmt.Sprintf("the amount is memory; %d pages are %s", amount, amount*size)
	}
	v.bad(path, fmt.Sprintf("%s is not a multiple of the page size %s", v.written(path), name), fix)
}

// keptBack demands that what a machine keeps back leaves something for pods.
func (v *validator) keptBack(at string, t *v1alpha1.NodeType) {
	v.reserved(at+".systemReserved", t, t.SystemReserved)
	v.reserved(at+".kubeReserved", t, t.KubeReserved)
	if t.EvictionHard != nil {
		v.bytes(at+".evictionHard", *t.EvictionHard, leastBytes, "Mi")
		v.leaves(at+".evictionHard", *t.EvictionHard, t)
	}
	var pages unit.Bytes
	for _, amount := range t.HugePages {
		pages += min(amount, mostBytes)
	}
	if pages >= t.Memory && pages > 0 && v.good(at+".hugePages", at+".memory") {
		v.bad(at+".hugePages", fmt.Sprintf("%s of huge pages leave nothing of the machine's %s", pages, t.Memory),
			"lower them, or raise memory")
	}
}

func (v *validator) reserved(at string, t *v1alpha1.NodeType, r *v1alpha1.Reserved) {
	if r == nil {
		return
	}
	v.bytes(at+".memory", r.Memory, leastBytes, "Mi")
	v.leaves(at+".memory", r.Memory, t)
	if v.given(at+".cpu") && v.good(at+".cpu") && t.CPUs > 0 && r.CPU.Cores() >= float64(t.CPUs) {
		v.bad(at+".cpu", fmt.Sprintf("%s leaves nothing of the machine's %d CPUs", r.CPU, t.CPUs), "leave CPUs for the pods")
	}
}

// leaves demands that an amount of memory that is kept back is not all of it.
func (v *validator) leaves(path string, amount unit.Bytes, t *v1alpha1.NodeType) {
	if v.given(path) && v.good(path) && t.Memory > leastMachineMemory && amount >= t.Memory {
		v.bad(path, fmt.Sprintf("%s leaves nothing of the machine's %s", amount, t.Memory), "leave memory for the pods")
	}
}

// option checks the node types of a fixed mix.
func (v *validator) option(at string, o *v1alpha1.HardwareOption) {
	seen := map[string]bool{}
	for i, n := range o.Nodes {
		path := fmt.Sprintf("%s.nodes[%d]", at, i)
		if n.Type == "" || !v.good(path) {
			continue
		}
		switch {
		case !v.nodeTypeExists(path+".type", n.Type):
		case seen[n.Type]:
			v.bad(path+".type", strconv.Quote(n.Type)+" stands twice in this option", "add the counts up in one entry")
		case n.Count == 0 && i < len(o.Nodes)-1:
			v.bad(path+".count", "only the last entry may take as many as are needed", "write a count of at least 1")
		}
		seen[n.Type] = true
	}
}
