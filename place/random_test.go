package place_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/plan"
	"plimsoll.dev/report"
	"plimsoll.dev/source/scenario"
)

// below draws a number from 0 to n-1, about evenly, where rapid's own ranges
// prefer the small ones.
func below(t *rapid.T, label string, n int) int {
	v := 0
	for range 6 {
		v *= 2
		if bit.Draw(t, label) {
			v++
		}
	}
	return v % n
}

var bit = rapid.Bool()

// oneOf draws one of a few texts.
func oneOf(t *rapid.T, label string, list ...string) string { return list[below(t, label, len(list))] }

// rarely is true in one of n cases.
func rarely(t *rapid.T, label string, n int) bool { return below(t, label, n) == n-1 }

// drawn is a random scenario: its text, and how many nodes there are of each type.
type drawn struct {
	text   string
	counts []int
	order  string
	pinned bool
	// guaranteed is how much oftener than else pods get what they ask for as a limit.
	guaranteed int
	// tangled says that pods mind other pods: affinity or spread that refuses.
	tangled bool
}

// drawScenario writes a scenario of 1 to 12 nodes and a few kinds of pod.
func drawScenario(t *rapid.T, platforms ...string) drawn {
	var d drawn
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: %s\n",
		oneOf(t, "platform", platforms...))
	b.WriteString("hardware:\n  nodeTypes:\n")
	pins := !rarely(t, "pins", 3)
	for i := range 1 + below(t, "node types", 3) {
		b.WriteString("    - " + d.nodeType(t, i, pins) + "\n")
		d.counts = append(d.counts, 1+below(t, "count", 4))
	}
	b.WriteString("  options:\n    - name: mix\n      nodes:\n")
	for i, n := range d.counts {
		fmt.Fprintf(&b, "        - {type: n%d, count: %d}\n", i, n)
	}
	b.WriteString("workload:\n  podTypes:\n")
	for i := range 1 + below(t, "pod types", 6) {
		b.WriteString("    - " + d.podType(t, i) + "\n")
	}
	fmt.Fprintf(&b, "policy: {spareNodes: 0, systemPodsPerNode: %s, growth: %s, zones: %s, maxUnavailable: "+
		"%s, overcommit: {cpu: %s, memory: %s}}\n",
		oneOf(t, "system pods", "0", "0", "1"), oneOf(t, "growth", "0", "0", "0.3"), oneOf(t, "zones", "1", "2", "3"),
		oneOf(t, "max unavailable", `"1"`, `"1"`, `"2"`, `"50%"`),
		oneOf(t, "overcommit", "1", "1", "1", "1.5"), oneOf(t, "overcommit of memory", "1", "1", "1", "1.25"))
	d.order = oneOf(t, "order", cluster.Runs, cluster.Runs, cluster.Shuffled, cluster.LargestFirst)
	fmt.Fprintf(&b, "scheduling: {order: %s, seed: %s, scoringStrategy: %s}\n", d.order, oneOf(t, "seed", "0", "1", "7"),
		oneOf(t, "strategy", "LeastAllocated", "LeastAllocated", "MostAllocated",
			"RequestedToCapacityRatio, shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]"))
	d.text = b.String()
	return d
}

// nodeType is one in flow style; some are pinned.
func (d *drawn) nodeType(t *rapid.T, i int, pins bool) string {
	f := []string{fmt.Sprintf("name: n%d, memory: %s, maxPods: %d", i, oneOf(t, "memory", "8Gi", "16Gi", "32Gi"),
		3+below(t, "max pods", 10))}
	add := func(of int, label string, values ...string) {
		if rarely(t, label, of) {
			f = append(f, oneOf(t, label, values...))
		}
	}
	if pins && !rarely(t, "pinned", 3) {
		d.pinned, d.guaranteed = true, 2
		f = append(f, "topology: "+oneOf(t, "topology", "1 socket x 6 cores", "2 sockets x 4 cores",
			"2 sockets x 3 cores x 2 threads", "1 socket x 2 numa x 4 cores", "2 sockets x 2 numa x 2 cores x 2 threads"),
			"kubelet: "+oneOf(t, "kubelet", kubelets...))
		add(3, "numa of devices", "devices: {example.com/nic: 2}, deviceNUMANodes: {example.com/nic: [0, 0]}")
	} else {
		f = append(f, "cpus: "+oneOf(t, "cpus", "2", "4", "8", "8"))
		add(4, "devices", "devices: {example.com/nic: 1}", "devices: {example.com/nic: 3}")
		add(4, "kubelet policy", "kubelet: {cpuManagerPolicy: none}")
	}
	f = append(f, "systemReserved: {cpu: "+oneOf(t, "reserved", "500m", "1", "1")+", memory: 0}",
		"evictionHard: "+oneOf(t, "eviction", "100Mi", "512Mi"))
	add(3, "labels", "labels: {disk: ssd}", "labels: {disk: hdd, gpu: yes}")
	add(5, "taints", "taints: [{key: own, value: x, effect: NoSchedule}]",
		"taints: [{key: own, value: x, effect: PreferNoSchedule}]", "taints: [{key: out, effect: NoExecute}]")
	add(3, "domains", "domains: {rack: 2}", "domains: {rack: 3}", "domains: {rack: 2, shelf: 3}")
	add(4, "pages", "hugePages: {2Mi: 1Gi}", "hugePages: {2Mi: 512Mi, 1Gi: 2Gi}")
	add(1, "disk", "disk: 20Gi", "disk: 60Gi")
	return "{" + strings.Join(f, ", ") + "}"
}

var kubelets = []string{
	"{cpuManagerPolicy: static}",
	"{cpuManagerPolicy: static, topologyManagerPolicy: single-numa-node}",
	"{cpuManagerPolicy: static, topologyManagerPolicy: single-numa-node, topologyManagerScope: pod}",
	"{cpuManagerPolicy: static, topologyManagerPolicy: restricted}",
	"{cpuManagerPolicy: static, topologyManagerPolicy: best-effort}",
	`{cpuManagerPolicy: static, cpuManagerPolicyOptions: {full-pcpus-only: "true"}}`,
	`{cpuManagerPolicy: static, cpuManagerPolicyOptions: {distribute-cpus-across-numa: "true"}, reservedSystemCPUs: "0"}`,
	"{cpuManagerPolicy: static, reservedSystemCPUs: \"0-1\", memoryManagerPolicy: " +
		"Static, topologyManagerPolicy: single-numa-node}",
	"{memoryManagerPolicy: Static, topologyManagerPolicy: restricted}",
}

// podType is one in flow style.
func (d *drawn) podType(t *rapid.T, i int) string {
	f := []string{fmt.Sprintf("name: p%d", i)}
	add := func(of int, label string, values ...string) bool {
		if !rarely(t, label, of) {
			return false
		}
		f = append(f, oneOf(t, label, values...))
		return true
	}
	daemon := add(8, "daemon", "daemonSet: true, cpu: 50m, memory: 64Mi")
	if !daemon {
		f = append(f, d.size(t)...)
		f = append(f, fmt.Sprintf("replicas: %d", below(t, "replicas", 7)))
	}
	f = append(f, "labels: {app: "+oneOf(t, "app", "a", "b")+"}")
	add(6, "selector", "nodeSelector: {disk: ssd}", "nodeSelector: {disk: hdd}", "nodeSelector: {kubernetes.io/os: linux}")
	add(4, "tolerations", "tolerations: [{operator: Exists}]", "tolerations: [{key: own, value: x, effect: NoSchedule}]",
		"tolerations: [{key: out, operator: Exists}]")
	d.tangled = add(5, "affinity", affinities...) || d.tangled
	if !daemon { // theirs is judged over all nodes here, by Kubernetes over their own alone
		d.tangled = add(6, "spread", spreads...) || d.tangled
	}
	add(8, "ports", "hostPorts: [{port: 80}]", "hostPorts: [{port: 80, protocol: UDP}, {port: 443}]")
	add(4, "priority", "priority: 1000", "priority: -5", "priority: 7, preemptionPolicy: Never")
	add(6, "per node", "maxPerNode: 1", "maxPerNode: 2")
	add(5, "overcommitted", "overcommit: forbidden", "overcommit: cpuOnly")
	return "{" + strings.Join(f, ", ") + "}"
}

// size is what a pod asks for.
func (d *drawn) size(t *rapid.T) []string {
	cpu, memory := oneOf(t, "cpu", "100m", "250m", "500m", "1", "2", "3"), oneOf(t, "memory", "0", "256Mi", "1Gi", "2Gi")
	extra := oneOf(t, "extra", "", "", "", "", ", devices: {example.com/nic: 1}", ", hugePages: {2Mi: 256Mi}",
		", hugePages: {1Gi: 1Gi}, devices: {example.com/nic: 2}", ", ephemeralStorage: 6Gi")
	if memory == "0" {
		return []string{"cpu: " + cpu + extra}
	}
	limits := fmt.Sprintf("cpu: %s, memory: %s, cpuLimit: %s, memoryLimit: %s", cpu, memory, cpu, memory)
	switch form := below(t, "form", 6); max(0, form-d.guaranteed) {
	case 0, 1:
		return []string{limits + extra}
	case 2:
		return []string{"containerSpecs: [{name: a, " + limits + extra +
			"}, {name: b, cpu: 100m, memory: 64Mi, cpuLimit: 1}]"}
	case 3:
		return []string{"containerSpecs: [{name: a, " + limits + extra + "}], initContainers: [{name: i, cpu: 2, memory: " +
			"128Mi, cpuLimit: 2, memoryLimit: 128Mi" + oneOf(t, "sidecar", "", ", restartPolicy: Always") + "}]"}
	}
	return []string{"cpu: " + cpu + ", memory: " + memory + extra}
}

const required, preferred = "requiredDuringSchedulingIgnoredDuringExecution",
	"preferredDuringSchedulingIgnoredDuringExecution"

var affinities = []string{
	"affinity: {podAntiAffinity: {" + required +
		": [{labelSelector: {matchLabels: {app: a}}, topologyKey: kubernetes.io/hostname}]}}",
	"affinity: {podAntiAffinity: {" + required + ": [{labelSelector: {matchLabels: {app: b}}, topologyKey: rack}]}}",
	"affinity: {podAffinity: {" + required +
		": [{labelSelector: {matchLabels: {app: a}}, topologyKey: topology.kubernetes.io/zone}]}}",
	"affinity: {podAffinity: {" + preferred +
		": [{weight: 50, podAffinityTerm: {labelSelector: {matchLabels: {app: a}}, topologyKey: kubernetes.io/hostname}}]}}",
	"affinity: {nodeAffinity: {" + required +
		": {nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: Exists}]}]}}}",
	"affinity: {nodeAffinity: {" + preferred +
		": [{weight: 10, preference: {matchExpressions: [{key: disk, operator: In, values: [ssd]}]}}]}}",
}

var spreads = []string{
	"topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, labelSelector: " +
		"{matchLabels: {app: a}}}]",
	"topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: " +
		"{app: b}}, nodeTaintsPolicy: Honor}]",
	"topologySpreadConstraints: [{maxSkew: 2, topologyKey: rack, labelSelector: {matchLabels: {app: " +
		"a}}, whenUnsatisfiable: ScheduleAnyway}]",
}

var everyPlatform = []string{
	`{type: kubernetes, release: "1.30"}`, `{type: kubernetes, release: "1.33"}`, `{type: kubernetes, release: "1.34"}`,
	`{type: kubernetes, release: "1.35"}`,
	`{type: kubernetes, release: "1.36"}`, `{type: openshift, release: "4.4"}`, `{type: openshift, release: "4.10"}`,
	`{type: openshift, release: "4.17"}`, `{type: openshift, release: "4.20"}`,
}

// wholeWay takes a scenario's text through plan, cluster, placement and all
// reports. It says false when the text is no scenario, or no cluster can be made
// of it; both are told with an error, never with a panic.
func wholeWay(t interface{ Fatalf(string, ...any) }, text string,
	may func(*v1alpha1.Scenario, *cluster.Cluster) bool) ([]byte, bool) {
	doc, err := scenario.Read("random.yaml", []byte(text))
	if err != nil {
		return nil, false
	}
	s := doc.Scenario
	if !may(s, nil) {
		return nil, false
	}
	made := plan.Make(s, doc.Assumptions, facts.Load())
	pools, err := cluster.Pools(s, made, "", false)
	if err != nil {
		t.Fatalf("the chosen option has no pools: %v", err)
	}
	c := cluster.Build(cluster.Input{Scenario: s, Pools: pools, Platform: made.Decisions.WorkerPods,
		Assumptions: doc.Assumptions, Facts: facts.Load()})
	if !may(s, c) {
		return nil, false
	}
	p, err := place.Make(c, s, place.Options{Order: s.Scheduling.Order, Seed: uint64(s.Scheduling.Seed), Failures: 1,
		MaxUnavailable: s.Policy.MaxUnavailable, PerNode: s.Policy.RolloutPerNode})
	if err != nil {
		return nil, false
	}
	var out bytes.Buffer
	for _, format := range report.WholeFormats() {
		if err := report.WritePlacement(&out, p, format, report.Options{}); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
	}
	return out.Bytes(), true
}

func all(*v1alpha1.Scenario, *cluster.Cluster) bool { return true }

// TestWholeWay has random scenarios, each of which is told twice in the same
// words, in every format.
func TestWholeWay(t *testing.T) {
	tried, told := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := drawScenario(t, everyPlatform...)
		once, ok := wholeWay(t, d.text, all)
		again, _ := wholeWay(t, d.text, all)
		if !bytes.Equal(once, again) {
			t.Fatalf("not the same twice: %s\n%s", cmp.Diff(string(once), string(again)), d.text)
		}
		if tried++; ok {
			told++
		}
	})
	if told*2 < tried {
		t.Errorf("only %d of %d random scenarios were placed", told, tried)
	}
}

// exact are platforms whose scheduler draws no lots.
var exact = []string{`{type: kubernetes, release: "1.35"}`, `{type: kubernetes, release: "1.36"}`,
	`{type: openshift, release: "4.22"}`, `{type: openshift, release: "4.23"}`}

// drawCluster builds a random scenario's cluster, sometimes as a snapshot would:
// with a cordoned node.
func drawCluster(t *rapid.T, platforms ...string) (drawn, *cluster.Cluster, *v1alpha1.Scenario) {
	d := drawScenario(t, platforms...)
	doc, err := scenario.Read("random.yaml", []byte(d.text))
	if err != nil {
		t.Fatalf("%v\n%s", err, d.text)
	}
	var pools []v1alpha1.PoolDecision
	for i, n := range d.counts {
		pools = append(pools, v1alpha1.PoolDecision{Type: fmt.Sprintf("n%d", i), Count: n})
	}
	c := cluster.Build(cluster.Input{Scenario: doc.Scenario, Pools: pools, Assumptions: doc.Assumptions,
		Facts: facts.Load()})
	if rarely(t, "cordons", 8) {
		n := &c.Nodes[below(t, "cordoned", len(c.Nodes))]
		n.Unschedulable = true
		n.Taints = append(slices.Clip(n.Taints),
			v1alpha1.Taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"})
		d.text += "# cordoned: " + n.Name + "\n"
	}
	return d, c, doc.Scenario
}

// versus is a placement and its twin.
type versus struct {
	t    *rapid.T
	d    drawn
	c    *cluster.Cluster
	p    *v1alpha1.Placement
	w    *world
	rows [][]int // the nodes of each of the placement's
}

// differ tells a difference, with the scenario.
func (v *versus) differ(format string, args ...any) {
	v.t.Helper()
	v.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), v.d.text)
}

func (v *versus) equal(what string, want, got any) {
	v.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		v.differ("%s: the twin differs (-twin +place)\n%s", what, diff)
	}
}

// TestTwin compares all answers with those of the twin, where both are the same
// cluster: from release 1.35 on, in which ties are not drawn.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, c, s := drawCluster(t, exact...)
		opt := place.Options{Order: s.Scheduling.Order, Seed: uint64(s.Scheduling.Seed),
			Failures: 1 + below(t, "failures", 4)/3, MaxUnavailable: s.Policy.MaxUnavailable}
		p, err := place.Make(c, s, opt)
		if err != nil {
			t.Skip(err)
		}
		v := &versus{t: t, d: d, c: c, p: p, w: simulate(c, cluster.Arrivals(c, opt.Order, opt.Seed))}
		v.nodes()
		v.podTypes(cluster.Arrivals(c, opt.Order, opt.Seed))
		v.resources()
		v.machines()
		v.losses(opt.Failures)
		v.drains(opt.MaxUnavailable)
	})
}

// nodes compares what runs on each node; equal nodes are told as one, unless
// their machines may differ.
func (v *versus) nodes() {
	type row struct {
		Name  string
		Count int
		Pods  []v1alpha1.PodsCount
	}
	var want, got []row
	at := map[string]int{}
	for i, n := range v.c.Nodes {
		key := v.w.place(i)
		k, ok := at[key]
		if !ok || v.c.Types[v.c.Of[i]].Pinned {
			k = len(want)
			at[key] = k
			want = append(want, row{Name: n.Name, Pods: v.w.on(i)})
			v.rows = append(v.rows, nil)
		}
		want[k].Count++
		v.rows[k] = append(v.rows[k], i)
	}
	for _, n := range v.p.Nodes {
		got = append(got, row{n.Name, n.Count, n.Pods})
	}
	v.equal("nodes", want, got)
}

// podTypes compares what became of each kind.
func (v *versus) podTypes(order []int32) {
	type outcome struct {
		Wanted, Placed, Pending, Refused, More, Mixed, Aware int
		Runaway                                              bool
		Message                                              string
	}
	var want, got []outcome
	aware := newWorld(v.c)
	mixed, tie := v.w.mixed()
	aware.aware = true
	// The other scheduler takes pods in runs, and cordons the nodes that it passes over.
	compared := v.d.pinned
	if compared {
		for _, kind := range order {
			aware.one(int(kind))
		}
	}
	for i, k := range v.c.Kinds {
		w := outcome{k.Count, v.w.placed[i], v.w.pending[i], v.w.refused[i], v.w.more(i), mixed[i], -1, v.w.stuck[i] > 0,
			v.w.message[i]}
		for _, b := range v.c.Bound {
			if b.Kind == i {
				w.Wanted += b.Count
			}
		}
		if w.Refused > 0 && compared {
			w.Aware = aware.placed[i]
		}
		want = append(want, w)
		o := v.p.PodTypes[i]
		g := outcome{o.Wanted, o.Placed, o.Pending, o.Refused, o.More, o.MoreMixed, -1, o.Runaway, o.Message}
		if tie {
			g.Mixed = w.Mixed
		}
		if o.NUMAAware != nil && compared {
			g.Aware = *o.NUMAAware
		}
		got = append(got, g)
	}
	v.equal("pod types", want, got)
}
