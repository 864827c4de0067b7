// Package model chooses the deployment model of a Helion cloud by the rules of HCG 2
// and HCG 3: what rules each of the four models out, what only advises against it,
// and which one is left.
//
// It sizes nothing and places nothing: what the cloud needs, and whether all VMs fit
// on one host, is told to it.
//
//	d := model.Decide(needs, model.LimitsOf(facts.Load()))
//	d.Chosen              // "controller-storage"
//	d.Of("cpe").Reasons   // "101 VMs: up to 20 VMs are tested"
package model

import (
	"slices"

	"plimsoll.dev/derive"
	"plimsoll.dev/plan/helion/controller"
)

// Names lists the models from the smallest to the largest, as policy.model names
// them. The smallest that nothing speaks against is chosen.
func Names() []string {
	return []string{controller.CPE, controller.Controller, controller.Dedicated, controller.Regions}
}

// Title is a model's name for people.
func Title(name string) string {
	switch name {
	case controller.CPE:
		return "CPE"
	case controller.Controller:
		return "controller storage"
	case controller.Dedicated:
		return "dedicated storage"
	case controller.Regions:
		return "multi-region"
	}
	return name
}

// Needs are what the decision depends on. A value that does not apply is the zero
// value; amounts are those of the whole cloud, growth included.
type Needs struct {
	// VMs of the cloud; Computes that they need beside the controllers, spares included.
	VMs, Computes derive.Value
	// Sites that need a cloud of their own.
	Sites derive.Value
	// Least is the fewest regions of which each keeps the limits with spare hosts of its
	// own; the zero value where that is not looked at.
	Least derive.Value
	// Stated are the compute hosts that the scenario counts, Controllers and Storage
	// the hosts of those roles; the zero value where it leaves them open.
	Stated, Controllers, Storage derive.Value
	// Alone says that all VMs fit on one host beside the controller; AloneWhy why not.
	// Neither is known of more VMs than a CPE may have.
	Alone    bool
	AloneWhy string
	// Objects of Swift, and VMs whose local disks have to be remote.
	Objects, Remote derive.Value
	// IOPS in operations/s and Throughput in bytes/s of all VMs.
	IOPS, Throughput derive.Value
	// LVM is what the Cinder volumes need of one disk in bytes. Disk is the largest
	// lvm disk of a controller, DiskCPE of a compute; the zero value where none is given.
	LVM, Disk, DiskCPE derive.Value
	// Solid says that Disk is an SSD, SolidCPE that DiskCPE is one.
	Solid, SolidCPE bool
	// Most is what no disk like Disk is sold for more of, MostCPE none like DiskCPE; the zero value
	// where none is given.
	Most, MostCPE Rates
	// Creates is how many volumes with VMs are created at once.
	Creates derive.Value
	// StackServers are the VMs of the largest Heat stack that boot from volumes.
	StackServers derive.Value
	// Lacks says, by model, what its hosts as given lack, in sentences.
	Lacks map[string][]string
	// Missing are, by model, machines that it needs and that are not given.
	Missing map[string][]Machines
	// Pair says that the machines given are those of a CPE: two hosts and nothing else.
	Pair bool
}

// Rates of a disk: IOPS in operations/s, Throughput in bytes/s.
type Rates struct{ IOPS, Throughput derive.Value }

// Machines of a role that are not given, in words.
type Machines struct{ Role, Text string }

// Weight of a reason.
type Weight int

// The weights, the heaviest first.
const (
	// Rules the model out.
	Rules Weight = iota
	// Absent are machines that it needs and that are not given.
	Absent
	// Advises against the model.
	Advises
	// Excess says that the model is more than is needed.
	Excess
)

// Reason is what speaks against a model.
type Reason struct {
	Weight Weight
	// ID is stable: "vms", "computes", "objects".
	ID string
	// Text is the reason in words.
	Text string
	// Value that the reason is about, and the Limit that it passes; both may be the
	// zero value.
	Value, Limit derive.Value
}

// Verdict is what speaks against one model.
type Verdict struct {
	Model   string
	Reasons []Reason
}

// Ruled says that the model is ruled out, or that machines for it are not given.
func (v Verdict) Ruled() bool { return v.has(Rules) || v.has(Absent) }

// Advised says that something advises against the model, or rules it out.
func (v Verdict) Advised() bool { return v.Ruled() || v.has(Advises) }

func (v Verdict) has(w Weight) bool {
	return slices.ContainsFunc(v.Reasons, func(r Reason) bool { return r.Weight == w })
}

// lacks says that nothing but its hosts as they are given rules the model out.
func (v Verdict) lacks() bool {
	return v.has(Rules) && !v.has(Absent) &&
		!slices.ContainsFunc(v.Reasons, func(r Reason) bool { return r.Weight == Rules && r.ID != host })
}

// Decision is the model with what speaks against each.
type Decision struct {
	// Chosen model.
	Chosen string
	// Regions of the multi-region model; 1 for the others.
	Regions int
	// Verdicts of all models, the smallest first.
	Verdicts []Verdict
}

// Of is the verdict on a model.
func (d Decision) Of(name string) Verdict {
	for _, v := range d.Verdicts {
		if v.Model == name {
			return v
		}
	}
	return Verdict{Model: name}
}

// Decide chooses the smallest model that nothing speaks against, of those whose
// machines are given; where something advises against all, the smallest that is not
// ruled out. Where that leaves none, the model is the one that the machines are for, and
// what speaks against it is told: first one that better hosts would make possible, then
// the largest whose machines are given. Without machines for any, the needs alone
// decide. Multi-region is chosen where one region can't hold the cloud, and only there.
func Decide(n Needs, l Limits) Decision {
	d := Decision{Regions: Regions(n, l)}
	d.Verdicts = []Verdict{
		{controller.CPE, n.cpe(l)},
		{controller.Controller, n.controller(l)},
		{controller.Dedicated, n.dedicated(l)},
		{controller.Regions, n.absent(controller.Regions)},
	}
	for _, acceptable := range []func(Verdict) bool{
		func(v Verdict) bool { return !v.Advised() },
		func(v Verdict) bool { return !v.Ruled() },
		func(v Verdict) bool { return n.meant(v) && v.lacks() && !v.has(Advises) },
		func(v Verdict) bool { return n.meant(v) && v.lacks() },
	} {
		d.choose(d.Verdicts, func(v Verdict) bool {
			return acceptable(v) && (v.Model == controller.Regions) == (d.Regions > 1)
		})
	}
	largest := slices.Clone(d.Verdicts)
	slices.Reverse(largest)
	d.choose(largest, func(v Verdict) bool { return n.meant(v) && !v.has(Absent) && v.Model != controller.Regions })
	if d.Chosen == "" {
		n.Missing = nil
		return n.unmet(d, l)
	}
	d.excess()
	return d
}

// choose takes the first acceptable verdict, unless one is taken.
func (d *Decision) choose(from []Verdict, acceptable func(Verdict) bool) {
	if i := slices.IndexFunc(from, acceptable); i >= 0 && d.Chosen == "" {
		d.Chosen = from[i].Model
	}
}

// meant says that the machines given may be meant for a model: those of a CPE are a
// pair and nothing else.
func (n Needs) meant(v Verdict) bool { return v.Model != controller.CPE || n.Pair }

// unmet chooses by the needs alone.
func (n Needs) unmet(d Decision, l Limits) Decision {
	d.Chosen = Decide(n, l).Chosen
	d.excess()
	return d
}

// excess says of each model that is larger than the chosen one that it is more than
// is needed, unless something else speaks against it, or machines for it would mend what
// speaks against the chosen one.
func (d *Decision) excess() {
	beyond, chosen := false, d.Of(d.Chosen)
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		if beyond && (len(v.Reasons) == 0 || !chosen.Ruled() && !v.has(Rules) && !v.has(Advises)) {
			v.Reasons = []Reason{{Weight: Excess, ID: "excess", Text: "more than is needed: " + Title(d.Chosen) + " carries it"}}
		}
		beyond = beyond || v.Model == d.Chosen
	}
}

// Regions is the fewest regions in which each keeps the limits of one region:
// max(ceil(computes / 100), ceil(VMs / 1000), sites), with the limits of HCG 8, or
// Needs.Least where that is more.
func Regions(n Needs, l Limits) int {
	computes := derive.Ceil(n.Computes.Number / l.Computes[controller.Dedicated].Number)
	vms := derive.Ceil(n.VMs.Number / l.VMs[controller.Dedicated].Number)
	return int(max(1, n.Sites.Number, n.Least.Number, computes, vms))
}
