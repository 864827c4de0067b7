package pool

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/release"
)

// Each behaviour that differs by release, seen in what comes out of it.
func TestBehavioursAreSeen(t *testing.T) {
	budget := func(name string, written any, nodes int, of release.Release) string {
		p := poolOf(name)
		p.Spec.MaxUnavailable = written
		n, err := Budget(&p, nodes, of)
		return fmt.Sprint(n, err != nil)
	}
	// drains are the nodes in the order in which they are drained.
	drains := func(o Options) (out []string) {
		r, err := Simulate(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Moments {
			if m.What == "draining" {
				out = append(out, m.Subject)
			}
		}
		return out
	}
	minute := Range{60, 60}
	seen := map[string]func(of release.Release) bool{
		"pool.masterBeatsCustom": func(of release.Release) bool {
			return Of(roles("master", "infra"), poolsOf("master", "infra"), of).Primary == Master
		},
		"pool.windowsUnmanaged": func(of release.Release) bool {
			labels := roles("worker")
			labels["kubernetes.io/os"] = "windows"
			return Of(labels, poolsOf("worker"), of).Primary == ""
		},
		"pool.nameLabel": func(of release.Release) bool {
			_, ok := Standard(of)[1].Metadata.Labels["pools.operator.machineconfiguration.openshift.io/worker"]
			return ok
		},
		"pool.masterQuorum":  func(of release.Release) bool { return budget("master", int64(3), 3, of) == "1 false" },
		"pool.textIsPercent": func(of release.Release) bool { return budget("worker", "3", 100, of) == "3 false" },
		"pool.arbiterAlone":  func(of release.Release) bool { return budget("arbiter", int64(3), 3, of) == "1 false" },
		"pool.readyOnly": func(of release.Release) bool {
			o := Options{Release: of, Nodes: Workers(3, minute, minute), Pools: poolsOf("worker")}
			o.Pools[0].Spec.MaxUnavailable = int64(2)
			o.Nodes[0].Cordoned = true
			return !slices.Contains(drains(o), "worker-1")
		},
		"pool.zoneOrder": func(of release.Release) bool {
			o := Options{Release: of, Nodes: Workers(2, minute, minute)}
			o.Nodes[0].Labels[zoneLabel], o.Nodes[1].Labels[zoneLabel] = "b", "a"
			return drains(o)[0] == "worker-2"
		},
		"pool.operatorLast": func(of release.Release) bool {
			o := Options{Release: of, Nodes: Nodes(Master, 3, minute, minute), OperatorNode: "master-1"}
			return slices.Equal(drains(o), []string{"master-2", "master-3", "master-1"})
		},
		"pool.certificatesApart": func(of release.Release) bool {
			found := Check(objectsOf(t, manifest("infra", "paused: true")), of)
			return strings.HasSuffix(found[0].Message, "its nodes get no configuration, but renewed certificates")
		},
		"pool.backAtOnce": func(of release.Release) bool {
			o := Options{Release: of, Nodes: Workers(1, minute, minute), Pools: poolsOf("worker"), Continue: true}
			o.Nodes[0].Desired, o.Nodes[0].State = "rendered-bad", Degraded
			o.Pools[0].Spec.Configuration.Name = old
			return len(drains(o)) == 0
		},
	}
	for _, row := range Behaviours() {
		see, ok := seen[row.ID]
		if !ok {
			t.Errorf("%s has no test", row.ID)
			continue
		}
		for _, of := range release.Documented() {
			if got := fmt.Sprint(see(of)); got != row.In(of) {
				t.Errorf("%s in %v: %s, the table says %s", row.ID, of, got, row.In(of))
			}
		}
	}
}

// Where only cordoned nodes are left, more at once is no help: they are to be
// uncordoned.
func TestCordonedIsToBeUncordoned(t *testing.T) {
	o := Options{Release: release.Current, Nodes: Workers(4, Range{60, 60}, Range{60, 60}), Pools: poolsOf("worker")}
	o.Pools[0].Spec.MaxUnavailable = int64(3)
	o.Nodes[3].Cordoned = true
	for _, c := range []struct {
		down         bool
		reason, help string
	}{{false, "worker-4 is cordoned and passed over: nothing else is left to update", "uncordon it"},
		{true, "worker-3, worker-4 are not ready and passed over: nothing else is left to update",
			"mend the nodes that are named"}} {
		o.Nodes[2].NotReady = c.down
		r, err := Simulate(o)
		if err != nil || len(r.Stalls) != 1 || r.Stalls[0].Reason != c.reason ||
			!strings.HasPrefix(r.Stalls[0].Remedy, c.help) {
			t.Errorf("%+v %v", r.Stalls, err)
		}
	}
}
