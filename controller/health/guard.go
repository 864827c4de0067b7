package health

import (
	"fmt"
	"slices"
	"time"

	"plimsoll.dev/controller/cluster"
)

// Why nothing is done though machines are due, as a condition's reason has it.
const (
	NotLeading = "NotLeading"
	TwoKeepers = "TwoKeepers"
	ClockSkew  = "ClockSkew"
	NoLeases   = "LeasesUnknown"
	Silence    = "KubeletsSilent"
	Storm      = "MassUnknown"
	Refused    = "RemediationRefused"
	Failed     = "RemediationFailed"
	Template   = "TemplateUnavailable"
	DryRun     = "DryRun"
)

const (
	// leaseFresh is how old a lease may be: a kubelet renews it each 10 s, and Kubernetes takes it for lost after 40.
	leaseFresh = 40 * time.Second
	// stormWindow is the time in which nodes that become Unknown did so together.
	stormWindow = time.Minute
	// fewUnknown are no storm, however few nodes there are.
	fewUnknown = 3
)

// hold says why nothing may be remediated in such a world; empty where it may. storm is the share of the nodes that may
// become Unknown together.
func hold(w *World, storm float64) (reason, why string) {
	switch {
	case w.Skew.Abs() > cluster.MostSkew:
		return ClockSkew, fmt.Sprintf("this machine's clock is %s from the API server's", w.Skew.Round(time.Second))
	case !w.Leads:
		return NotLeading, "another process holds the lease of the leader"
	case w.Other != "":
		return TwoKeepers, "the operator's own controller is alive (" + w.Other + ")"
	}
	if reason, why = silent(w); reason != "" {
		return reason, why
	}
	if w.TemplateErr != nil {
		return Template, "what remediationTemplate makes can't be seen: " + w.TemplateErr.Error()
	}
	lost := gone(w)
	n, all := together(w)+lost, len(w.Nodes)+lost
	if n >= fewUnknown && float64(n) > storm*float64(all) {
		return Storm, fmt.Sprintf("%d of %d nodes became Unknown within %s, or are gone: the network, the control plane, "+
			"or who looks after nodes is more likely at fault than they", n, all, stormWindow)
	}
	return "", ""
}

// gone are the machines that have lost their node object and are not being deleted.
func gone(w *World) (n int) {
	for i := range w.Machines {
		m := &w.Machines[i]
		if m.NodeName != "" && w.Nodes[m.NodeName] == nil && !m.Deleting {
			n++
		}
	}
	return n
}

// silent says whether most kubelets renew their leases no more, or nobody knows.
func silent(w *World) (reason, why string) {
	if len(w.Leases) == 0 {
		return NoLeases, "no node has a lease: whether kubelets reach the API server is not known"
	}
	fresh := 0
	for name := range w.Nodes {
		if at, ok := w.Leases[name]; ok && w.Now.Sub(at) <= leaseFresh {
			fresh++
		}
	}
	if 2*fresh <= len(w.Nodes) {
		return Silence, fmt.Sprintf("%d of %d kubelets have renewed their leases in the last %s", fresh, len(w.Nodes),
			leaseFresh)
	}
	return "", ""
}

// together is the most nodes that became Unknown within the window and still are.
func together(w *World) int {
	var since []time.Time
	for _, n := range w.Nodes {
		for _, c := range n.Conditions {
			if c.Type == "Ready" && c.Status == "Unknown" {
				since = append(since, c.Since)
			}
		}
	}
	slices.SortFunc(since, time.Time.Compare)
	most, first := 0, 0
	for i, at := range since {
		for at.Sub(since[first]) > stormWindow {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
