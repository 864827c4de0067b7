package plan_test

import (
	"strconv"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// What placement finds decides which option is chosen, how many nodes it has, and
// whether the plan is good.
func TestPlacementDecides(t *testing.T) {
	const apart = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " +
		"[{labelSelector: {matchLabels: {group: apart}}, topologyKey: kubernetes.io/hostname}]}}, labels: {group: apart}"
	many := func(n int, with string) string {
		return strings.Repeat("{name: p%, replicas: 1, cpu: 100m, memory: 64Mi, "+with+"}, ", n)
	}
	fill := strings.Repeat("{name: p%, replicas: 20, cpu: 1234m, memory: 1Gi}, "+
		"{name: p%, replicas: 17, cpu: 567m, memory: 2Gi}, ", 20)
	for name, c := range map[string]struct {
		hardware, pods, policy string
		chosen                 string
		total                  int
		good                   bool
	}{
		"an open entry may need no node": {
			"nodeTypes: [{name: big, cpus: 16, memory: 64Gi}, {name: small, cpus: 8, memory: 32Gi}]\n" +
				"  options: [{name: mix, nodes: [{type: big, count: 4}, {type: small}]}]",
			"{name: a, replicas: 10, cpu: 1, memory: 1Gi}", "spareNodes: 1", "mix", 4, true},
		"a cheaper option that loses pods is not chosen": {
			"nodeTypes: [{name: big, cpus: 32, memory: 256Gi, price: 4}, {name: small, cpus: 8, memory: 64Gi, price: 1.1}]\n" +
				"  options: [{name: mix, nodes: [{type: big, count: 2}, {type: small, count: 3}]}, " +
				"{name: small, nodes: [{type: small}]}]",
			"{name: a, replicas: 80, cpu: 1, memory: 1Gi}", "spareNodes: 1", "small", 11, true},
		"nor one that takes more than the stock": {
			"nodeTypes: [{name: cheap, cpus: 8, memory: 64Gi, price: 1, available: 5}, " +
				"{name: dear, cpus: 8, memory: 64Gi, price: 2}]",
			"{name: a, replicas: 20, cpu: 1, memory: 1Gi}, {name: big, replicas: 3, cpu: 5, memory: 1Gi}", "spareNodes: 0",
			"dear", 6, true},
		"types that keep apart have a node each": {"nodeTypes: [{name: m, cpus: 16, memory: 64Gi}]", many(30, apart),
			"spareNodes: 0", "m", 30, true},
		"and types that take one port": {"nodeTypes: [{name: m, cpus: 16, memory: 64Gi}]",
			many(30, "hostPorts: [{port: 443}]"), "spareNodes: 0", "m", 30, true},
		"a large pod may come when every node has a small one": {"nodeTypes: [{name: m, cpus: 8, memory: 64Gi}]",
			"{name: a, replicas: 16, cpu: 1, memory: 1Gi}, {name: high, replicas: 1, cpu: 8, memory: 1Gi}", "spareNodes: 0",
			"m", 17, true},
		"an update empties the only node, too": {"nodeTypes: [{name: m, cpus: 16, memory: 64Gi}]",
			"{name: a, replicas: 4, cpu: 1, memory: 1Gi}", "spareNodes: 0, maxUnavailable: 1", "m", 2, true},
		"all nodes of a type may be the ones that fail": {
			"nodeTypes: [{name: l, cpus: 16, memory: 64Gi, labels: {k: v}}, {name: m, cpus: 16, memory: 64Gi}]\n" +
				"  options: [{name: o, nodes: [{type: l, count: 3}, {type: m}]}]",
			fill + "{name: x, replicas: 1, cpu: 50m, memory: 64Mi, nodeSelector: {k: v}}", "spareNodes: 3", "o", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, "platform: {type: kubernetes, release: '1.36'}\n"+
				"hardware:\n  "+c.hardware+"\nworkload: {podTypes: ["+numbered(c.pods)+"]}\npolicy: {controlPlaneNodes: 0, "+
				c.policy+"}\n")
			var chosen *v1alpha1.Option
			for i := range p.Options {
				if p.Options[i].Chosen {
					chosen = &p.Options[i]
				}
			}
			if chosen == nil || chosen.Name != c.chosen || c.good && chosen.Total != c.total {
				t.Fatalf("chosen is %+v; want %d nodes of %s", chosen, c.total, c.chosen)
			}
			if p.Verdict.Good() != c.good {
				t.Errorf("good is %v: %+v", p.Verdict.Good(), chosen.Verified)
			}
		})
	}
}

// Pods that select the infrastructure nodes are planned there, with the spare node, and
// placement confirms it.
func TestPodsOnInfrastructure(t *testing.T) {
	p := planOf(t, `
platform: {type: openshift, release: "4.14", provider: aws}
hardware:
  nodeTypes:
    - {name: m, cpus: 8, memory: 64Gi}
    - {name: i, role: infra, cpus: 16, memory: 64Gi, labels: {node-role.kubernetes.io/infra: ""}}
workload:
  podTypes:
    - {name: a, replicas: 20, cpu: 1, memory: 1Gi}
    - {name: log, replicas: 3, cpu: 8, memory: 16Gi, nodeSelector: {node-role.kubernetes.io/infra: ""}}
policy: {spareNodes: 1}
`)
	if n := figure(t, p, "infra.nodes").Value.Number; n != 4 || !p.Verdict.Good() {
		t.Errorf("%v infrastructure nodes, verdict %+v; want a node for each of 3 pods and a spare one", n, p.Verdict)
	}
}

// numbered names pod types that differ in nothing else.
func numbered(pods string) string {
	for n := 0; strings.Contains(pods, "p%"); n++ {
		pods = strings.Replace(pods, "p%", "p"+strconv.Itoa(n), 1)
	}
	return pods
}

// What a failure takes beside the node is named: pods that nothing makes again, and
// volumes that stay in a zone that is lost.
func TestWhatFailuresTake(t *testing.T) {
	p := planOf(t, `
platform: {type: kubernetes, release: "1.36"}
hardware: {nodeTypes: [{name: m, cpus: 8, memory: 32Gi}]}
workload: {podTypes: [{name: db, replicas: 6, cpu: 2, memory: 8Gi, storage: 100Gi}]}
policy: {spareNodes: 1, zones: 3, surviveZoneLoss: true}
`)
	expectFinding(t, p, v1alpha1.Warning, "workload.volumes", true)
	three := 3
	p = merged(t, openshift417, &v1alpha1.Inventory{
		PodTypes:  []v1alpha1.PodType{{Name: "lonely", Replicas: 1, CPU: 1000, Memory: 1 << 30, Bare: true}},
		NodeTypes: []v1alpha1.NodeType{{Name: "m", CPUs: 8, Memory: 32 << 30, Count: &three}},
	})
	expectFinding(t, p, v1alpha1.Warning, "workload.bare", true)
}

// Fewer nodes may hold where one fewer does not, as an update of a quarter of them takes more or fewer
// at a time: of the numbers just below the planned one none does, each placed by itself.
func TestFewerNodesThanOneFewer(t *testing.T) {
	doc, err := scenario.Read("test.yaml", []byte(`
apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {type: openshift, release: "4.18"}
hardware: {nodeTypes: [{name: w, cpus: 4, memory: 32Gi, disk: 100Gi}]}
workload:
  podTypes:
    - {name: p0, replicas: 100, cpu: 3, memory: 4Gi, maxPerNode: 1}
    - {name: p1, replicas: 1, cpu: 100m, memory: 512Mi, maxPerNode: 1}
    - {name: p2, replicas: 9, cpu: 3, memory: 256Mi}
    - {name: p3, replicas: 20, cpu: 1800m, memory: 2Gi}
    - {name: p4, replicas: 6, cpu: 1500m, memory: 4Gi, hostPorts: [{port: 9004}]}
    - {name: p5, replicas: 9, cpu: 100m, memory: 4Gi}
policy: {spareNodes: 1, zones: 3, maxUnavailable: 25%, arrival: any}
`))
	if err != nil {
		t.Fatal(err)
	}
	p := check(t, plan.Make(doc.Scenario, doc.Assumptions, facts.Load()))
	pools, err := cluster.Pools(doc.Scenario, p, "", true)
	if err != nil {
		t.Fatal(err)
	}
	planned := pools[0].Count
	for n := planned - 8; n <= planned; n++ {
		pools[0].Count = n
		c := cluster.Build(cluster.Input{Scenario: doc.Scenario, Pools: pools, Platform: p.Decisions.WorkerPods,
			Assumptions: doc.Assumptions, Facts: facts.Load()})
		h, err := place.Hold(c, place.Demand{Order: place.Any, Failures: 1, MaxUnavailable: "25%"},
			&place.Budget{Pods: place.MostTrials})
		if err != nil || h.Holds() != (n == planned) {
			t.Errorf("%d nodes are planned, and %d hold all: %v (%v)", planned, n, h.Holds(), err)
		}
	}
}

// Of more pods than the options are counted to the end for, one that is cheaper at its floor is left when
// placement has refuted all numbers at which it would be; it is not shown as the cheaper one.
func TestDearOptionsAreLeft(t *testing.T) {
	doc, err := scenario.Read("test.yaml", []byte("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n"+
		"platform: {type: kubernetes, release: \"1.33\"}\n"+
		"hardware: {nodeTypes: [{name: small, cpus: 8, memory: 64Gi, price: 1}, "+
		"{name: large, cpus: 64, memory: 512Gi, price: 7.8}]}\nworkload: {podTypes: [{name: a, replicas: 2100, cpu: 950m, "+
		"memory: 64Mi}, {name: whole, replicas: 1, cpu: 7, memory: 1Gi}]}\npolicy: {spareNodes: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	options := plan.Make(doc.Scenario, doc.Assumptions, facts.Load()).Options
	small, large := options[0], options[1]
	if !large.Chosen || large.Verified.Status != v1alpha1.Verified || small.Floor+1 >= int(large.Price) {
		t.Fatalf("the large nodes hold all, the small ones would at their floor: %+v\n%+v", small, large)
	}
	if v := small.Verified; v.Status != v1alpha1.Estimated || !strings.Contains(v.Problem, "costs no more") ||
		small.Price <= large.Price {
		t.Errorf("%v nodes for %v beside %v: %+v", small.Total, small.Price, large.Price, v)
	}
}
