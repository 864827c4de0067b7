package plan_test

import "testing"

// Where no type alone has enough machines, a mix of both has: a pod of 5 CPUs takes a machine of 8, 15 pods
// and a spare machine take 16, of which there are 10 of the cheaper type (and so says pack: 10 a + 6 b).
func TestMixFromStock(t *testing.T) {
	const text = `
platform: {type: kubernetes, release: "1.33"}
hardware: {nodeTypes: [{name: b, cpus: 8, memory: 32Gi, price: 1.1, available: 10},
  {name: a, cpus: 8, memory: 32Gi, price: 1, available: 10}]}
policy: {spareNodes: 1, controlPlaneNodes: 0}
`
	p := planOf(t, text+"workload: {podTypes: [{name: web, replicas: 15, cpu: 5, memory: 1Gi}]}\n")
	count := map[string]int{}
	for _, d := range p.Decisions.Pools {
		count[d.Type] = d.Count
	}
	if !p.Verdict.Good() || count["a"] != 10 || count["b"] != 6 {
		t.Errorf("%v, %+v; want 10 of a and 6 of b", count, p.Verdict)
	}
	// 20 machines are all that there are: 20 pods leave none to spare, and 9 fit on one type.
	p = planOf(t, text+"workload: {podTypes: [{name: web, replicas: 20, cpu: 5, memory: 1Gi}]}\n")
	if p.Verdict.Good() {
		t.Errorf("20 pods on 20 machines of which one may fail: %+v", p.Verdict)
	}
	p = planOf(t, text+"workload: {podTypes: [{name: web, replicas: 9, cpu: 5, memory: 1Gi}]}\n")
	if len(p.Options) != 2 {
		t.Errorf("a mix where one type does: %+v", p.Options)
	}
}

// Infrastructure and control plane take three machines each of types that workers are not of: fewer in
// stock build no cluster, whatever the workers have.
func TestStockOfOtherMachines(t *testing.T) {
	for _, role := range []string{"infra", "controlPlane"} {
		for have, good := range map[string]bool{"2": false, "3": true} {
			p := planOf(t, `
platform: {release: "4.14"}
hardware: {nodeTypes: [{name: w, cpus: 16, memory: 64Gi},
  {name: other, role: `+role+`, cpus: 8, memory: 32Gi, available: `+have+`}]}
workload: {podTypes: [{name: web, replicas: 20, cpu: 1, memory: 1Gi}]}
`)
			g := gauge(t, p, "stock[other]")
			if p.Verdict.Good() != good || g.Value.Number != 3 {
				t.Errorf("%s of %s: %+v, gauge %+v", have, role, p.Verdict, g)
			}
		}
	}
}
