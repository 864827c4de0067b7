package pool

import (
	"fmt"

	"pgregory.net/rapid"

	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// drawOptions draws a cluster of up to seven nodes in three pools, in all kinds of
// trouble, and up to four events.
func drawOptions(t *rapid.T) Options {
	o := Options{Release: rapid.SampledFrom(release.Documented()).Draw(t, "release"),
		Pools: poolsOf("master", "worker", "infra"), Until: 60}
	for i := range o.Pools {
		o.Pools[i].Spec.MaxUnavailable = rapid.SampledFrom([]any{nil, int64(0), int64(1), int64(2), int64(3), "40%", "60%",
			"3", "x%"}).Draw(t, "maxUnavailable")
		o.Pools[i].Spec.Paused = rapid.IntRange(0, 9).Draw(t, "paused") == 0
	}
	names := []string{}
	for i := range rapid.IntRange(1, 7).Draw(t, "nodes") {
		n := Node{Name: fmt.Sprintf("n%d", i), Current: "a", Desired: "a", State: Done}
		n.Labels = roles(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"master", "worker", "infra"}), 0, 3,
			rapid.ID[string]).Draw(t, "roles")...)
		if z := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "zone"); z != "" {
			n.Labels[zoneLabel] = z
		}
		n.Created = rapid.SampledFrom([]string{"2021", "2022"}).Draw(t, "created")
		chance := func(name string) bool { return rapid.IntRange(0, 11).Draw(t, name) == 0 }
		n.Cordoned, n.NotReady, n.DiskPressure, n.NetworkUnavailable = chance("cordoned"), chance("down"), chance("disk"),
			chance("network")
		d, b := unit.Duration(rapid.IntRange(0, 3).Draw(t, "drain")), unit.Duration(rapid.IntRange(0, 4).Draw(t, "boot"))
		n.Drain, n.Reboot = Range{d, d}, Range{b, b}
		if rapid.IntRange(0, 4).Draw(t, "fails") == 0 {
			n.Fails = rapid.SampledFrom(Failures()).Draw(t, "failure")
		}
		switch rapid.IntRange(0, 11).Draw(t, "state") {
		case 0:
			n.Desired, n.State = "bad", Degraded
		case 1:
			n.Desired, n.State = "b", Working
		case 2:
			n.Current, n.Desired, n.State = "", "", ""
		case 3:
			n.State = rapid.SampledFrom([]string{Degraded, Working}).Draw(t, "own")
		}
		o.Nodes, names = append(o.Nodes, n), append(names, n.Name)
	}
	for range rapid.IntRange(0, 4).Draw(t, "events") {
		o.Events = append(o.Events, drawEvent(t, names))
	}
	o.OperatorNode = rapid.SampledFrom(append(names, "")).Draw(t, "operator")
	return o
}

func drawEvent(t *rapid.T, names []string) Event {
	e := Event{At: unit.Duration(rapid.IntRange(0, 20).Draw(t, "at")), What: rapid.SampledFrom(happenings).Draw(t, "what")}
	e.Name = rapid.SampledFrom(names).Draw(t, "node")
	if e.What.ofPools() {
		e.Name = rapid.SampledFrom([]string{"master", "worker", "infra"}).Draw(t, "pool")
	}
	switch e.What {
	case Label:
		e.Value = "node-role.kubernetes.io/" + rapid.SampledFrom([]string{"infra=", "infra-", "worker=", "worker-"}).Draw(t,
			"label")
	case MaxUnavailable:
		e.Value = int64(rapid.IntRange(0, 3).Draw(t, "value"))
	}
	return e
}
