package machineconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/bootargs"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/profile"
	"plimsoll.dev/unit"
)

// HugePages are pages that a node allocates when it starts.
type HugePages struct {
	// Pages is the number of pages by size ("2Mi", "1Gi"), by kernel arguments. The
	// kernel spreads them evenly over the NUMA nodes.
	Pages map[string]int64
	// PerNode are allocations on single NUMA nodes, by a systemd unit before the
	// kubelet starts.
	PerNode []NodePages
	// Usual is the size of pages that the kernel takes without being told, 2 MiB on
	// x86-64; 0 stands for that.
	Usual unit.Bytes
}

// NodePages are pages of one size on one NUMA node.
type NodePages struct {
	Node  int
	Size  string
	Count int64
}

// usualSize is the default of x86-64.
const usualSize = 2 * unit.MiB

func (m *maker) hugePages(h HugePages) piece {
	var p piece
	counts := map[unit.Bytes]int64{}
	for _, name := range sortedKeys(h.Pages) {
		at := "--huge-pages " + cut(name)
		if size, ok := m.pageSize(name, at); ok && m.pageCount(h.Pages[name], at) {
			counts[size] += h.Pages[name]
		}
	}
	sizes := map[string]bool{}
	for size := range counts {
		sizes[pageName(size)] = true
	}
	p.arguments = bootargs.HugePages(counts, cmp.Or(h.Usual, usualSize))
	seen := map[string]bool{}
	for _, n := range h.PerNode {
		at := fmt.Sprintf("huge pages of NUMA node %d", n.Node)
		size, ok := m.pageSize(n.Size, at)
		if !ok || !m.pageCount(n.Count, at) {
			continue
		}
		u, name := n.unit(size), pageName(size)
		switch {
		case n.Node < 0 || n.Node > 1023:
			m.add(impossibleRule, at, fmt.Sprintf("%d is no number of a NUMA node", n.Node), "write a number from 0")
		case seen[u.name]:
			m.add(impossibleRule, at, fmt.Sprintf("pages of %s on NUMA node %d stand twice", name, n.Node), "add them up")
		default:
			m.perNode(n, size, counts[size], at)
			seen[u.name], sizes[name] = true, true
			p.units = append(p.units, u)
		}
	}
	m.severalSizes(sizes)
	return p
}

func (m *maker) pageSize(name, at string) (unit.Bytes, bool) {
	size, err := unit.ParseBytes(name)
	if err != nil || !slices.Contains(pageSizes, size) {
		m.add(impossibleRule, at, short(name)+" is no size of huge pages",
			"write 2Mi or 1Gi, or another size of the processor")
		return 0, false
	}
	return size, true
}

// maxPages is the largest number of pages of one size that is written.
const maxPages = 1 << 32

func (m *maker) pageCount(n int64, at string) bool {
	fix := fmt.Sprintf("write a number from 1 to %d", int64(maxPages))
	switch {
	case n == 0:
		m.add(impossibleRule, at, "no number of pages was given", fix)
	case n < 0:
		m.add(impossibleRule, at, fmt.Sprintf("%d is no number of pages", n), fix)
	case n > maxPages:
		m.add(impossibleRule, at, fmt.Sprintf("%d pages are more than any node holds", n), fix)
	default:
		return true
	}
	return false
}

// pageSizes are those of the processors that OpenShift runs on.
var pageSizes = []unit.Bytes{64 * unit.KiB, unit.MiB, 2 * unit.MiB, 16 * unit.MiB, 32 * unit.MiB, 512 * unit.MiB,
	unit.GiB, 2 * unit.GiB, 16 * unit.GiB}

// pageName is a size as Kubernetes writes it.
func pageName(size unit.Bytes) string { return bootargs.Size(size) + "i" }

// perNode tells what is to be known of pages on one NUMA node.
func (m *maker) perNode(n NodePages, size unit.Bytes, atBoot int64, at string) {
	if atBoot > 0 {
		m.add(hugePagesRule, at, fmt.Sprintf("pages of %s are also allocated by kernel arguments, evenly over all NUMA "+
			"nodes: the unit changes the number on node %d to %d", pageName(size), n.Node, n.Count),
			"allocate one size in one way")
	}
	if size >= unit.GiB {
		m.note(hugePagesRule, v1alpha1.Info, at, fmt.Sprintf("pages of %s are allocated after the kernel has started, "+
			"for which memory in one piece may be missing: then the unit fails", pageName(size)),
			"check the unit on a node; kernel arguments are sure, but spread evenly")
	}
}

func (m *maker) severalSizes(sizes map[string]bool) {
	var names []string
	for _, name := range sortedKeys(sizes) {
		if sizes[name] {
			names = append(names, name)
		}
	}
	if len(names) > 1 && !severalSizes.In(m.release) {
		m.add(hugePagesRule, "--huge-pages", "huge pages of "+strings.Join(names, " and ")+" on one node: "+
			m.release.OpenShift()+" offers pods one size a node", "keep one size in each pool")
	}
}

// unit allocates the pages before the kubelet counts them, and fails when the
// kernel gives fewer.
func (n NodePages) unit(size unit.Bytes) newUnit {
	kib := int64(size / unit.KiB)
	file := fmt.Sprintf("/sys/devices/system/node/node%d/hugepages/hugepages-%dkB/nr_hugepages", n.Node, kib)
	return newUnit{
		name: fmt.Sprintf("hugepages-%dkb-node%d.service", kib, n.Node),
		text: fmt.Sprintf(`[Unit]
Description=%[1]d huge pages of %[2]s on NUMA node %[3]d
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=true
ExecStart=/bin/sh -c 'echo %[1]d > %[4]s; read n < %[4]s; [ "$$n" = %[1]d ]'

[Install]
WantedBy=multi-user.target
`, n.Count, pageName(size), n.Node, file),
	}
}

// HugePagesProfile is the Tuned object of "Scalability and performance" 13.3.
type HugePagesProfile struct {
	// Name of the object; its profile is node-NAME.
	Name string
	// Label of the nodes, whose key alone is asked for: "hugepages".
	Label string
	// Count of pages of the default size.
	Count int64
	// Priority of the profile; 0 stands for 20 or the next lower one that ties with no
	// default profile of the release.
	Priority int64
}

// usualPriority goes before the default profiles of most releases.
const usualPriority = 20

// Tuned makes the object. The document's own values are hugepages, hugepages,
// 1024 and 30.
func (h HugePagesProfile) Tuned(r release.Release) (openshift.Tuned, []v1alpha1.Finding) {
	m := &maker{release: r}
	m.pageCount(h.Count, "--count")
	if !objectName.MatchString(h.Name) {
		m.add(impossibleRule, "--name", "the name "+short(h.Name)+" is no name of an object",
			"write letters, digits and hyphens, such as hugepages")
	}
	switch {
	case h.Label == "":
		m.add(impossibleRule, "--label", "no label says which nodes are meant", "write the key of a label, such as hugepages")
	case len(validation.IsQualifiedName(h.Label)) > 0:
		m.add(impossibleRule, "--label", short(h.Label)+" is not the key of a label: no node has it",
			"write the key alone, such as hugepages")
	}
	defaults := profile.Default(r).Value.Spec.Recommend
	priority := cmp.Or(h.Priority, freePriority(defaults))
	m.priority(priority, defaults)
	if len(m.findings) == 0 {
		m.add(lateHugeRule, "", "the pages are allocated when a node gets the label: "+
			"where its memory is fragmented by then, the kernel gives fewer and says nothing",
			"label nodes soon after they started, with oc label node NODE "+h.Label+
				"=, and compare HugePages_Total in /proc/meminfo")
	}
	name := "node-" + h.Name
	data := fmt.Sprintf("[main]\nsummary=Configuration for hugepages\ninclude=openshift-node\n\n[vm]\n"+
		"transparent_hugepages=never\n\n[sysctl]\nvm.nr_hugepages=%d\n", h.Count)
	object.Sort(m.findings)
	return openshift.Tuned{APIVersion: "tuned.openshift.io/v1", Kind: "Tuned",
		Metadata: openshift.ObjectMeta{Name: h.Name, Namespace: openshift.NamespaceTuned},
		Spec: openshift.TunedSpec{Profile: []openshift.TunedProfile{{Name: &name, Data: &data}},
			Recommend: []openshift.TunedRecommend{
				{Profile: &name, Priority: &priority, Match: []openshift.TunedMatch{{Label: &h.Label}}},
			}}}, m.findings
}

// freePriority is the greatest up to usualPriority that no default profile has.
func freePriority(defaults []openshift.TunedRecommend) int64 {
	n := int64(usualPriority)
	for slices.ContainsFunc(defaults, func(r openshift.TunedRecommend) bool { return value(r.Priority) == n }) {
		n--
	}
	return n
}

// priority tells of a priority that ties with a default profile or comes too late: the
// last default one, without a condition, is for every node.
func (m *maker) priority(n int64, defaults []openshift.TunedRecommend) {
	if n < 0 {
		m.add(impossibleRule, "--priority", fmt.Sprintf("%d is no priority", n), "write a number from 0")
		return
	}
	fix := fmt.Sprintf("write %d", freePriority(defaults))
	for _, r := range defaults {
		switch name, its := value(r.Profile), value(r.Priority); {
		case len(r.Match) == 0 && len(r.MachineConfigLabels) == 0 && n >= its:
			m.add(priorityTieRule, "--priority",
				fmt.Sprintf("priority %d comes no earlier than the default profile %s, %d, which every node matches", n, name, its),
				fix)
		case n == its:
			m.add(priorityTieRule, "--priority",
				fmt.Sprintf("priority %d ties with the default profile %s: on a node that matches both, either may win", n, name),
				fix)
		}
	}
}
