package cloud

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/whatif"
	"plimsoll.dev/unit"
)

// mostTold is the most VMs that are told one by one.
const mostTold = 20_000

// Make places the VMs and tries what may happen.
func Make(c *Cloud, opt Options) *v1alpha1.ServerPlacement {
	r := newRun(c, opt)
	r.p = &v1alpha1.ServerPlacement{PlacementHead: v1alpha1.PlacementHead{
		APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindServerPlacement, Metadata: c.s.Metadata,
		Platform: c.s.Platform, Findings: slices.Clone(c.findings)},
		Assumptions: slices.Clone(c.assumptions), Skipped: slices.Clone(c.skipped)}
	r.all()
	r.p.Rules = r.rules()
	r.outcomes()
	r.servers()
	r.machineMaps()
	r.hostList()
	r.resources()
	r.strandings()
	r.refusals()
	r.losses()
	if opt.Compare {
		r.compare()
	}
	r.judge()
	return r.p
}

// rules are the rules that decided, in words.
func (r *run) rules() []string {
	c := r.c
	set := map[nova.Rules]string{
		nova.HCG40:     "hcg-4.0: the rules of the Helion OpenStack Carrier Grade 4.0 document",
		nova.StarlingX: "starlingx: the rules of StarlingX' public Nova fork of 2018",
		nova.Nova:      "nova: the rules of Nova 34.0",
	}[c.rules]
	strategy := "hosts: spread, by Nova's weighers of CPUs, disk, PCI devices and RAM with their default multipliers"
	if c.packs() {
		strategy = "hosts: pack, by Nova's weighers with the multipliers of CPUs and RAM negative"
	}
	order := "VMs arrive server by server, as they are listed"
	switch c.s.Scheduling.Order {
	case whatif.Shuffled:
		order = fmt.Sprintf("VMs arrive shuffled (seed %d)", c.s.Scheduling.Seed)
	case whatif.LargestFirst:
		order = "VMs arrive the largest first"
	}
	nodes := "NUMA nodes: those without devices first for VMs that ask for none, " +
		"then the lowest number (scheduling.numaStrategy has a say with the rules of nova only)"
	switch {
	case c.rules != nova.Nova:
	case c.s.Scheduling.NUMAStrategy == "pack":
		nodes = "NUMA nodes: the one with least room first"
	default:
		nodes = "NUMA nodes: the one with most room first"
	}
	rules := []string{set, strategy, nodes, order, "filters: availability zone, aggregates, server groups, local disks, " +
		"NUMA topology with devices and networks; the first host in order among equals"}
	for i := range c.hostTypes {
		rules = append(rules, c.ratios(&c.hostTypes[i]))
	}
	if c.sharesVCPUs() {
		rule := "shared cores: up to 16 shared vCPUs each"
		if c.rules == nova.HCG40 {
			rule += ", and VMs that float run there as on any core that is neither reserved nor dedicated (HCG 7)"
		}
		rules = append(rules, rule)
	}
	return append(slices.Compact(rules), c.notes...)
}

// sharesVCPUs reports whether some host has shared cores.
func (c *Cloud) sharesVCPUs() bool {
	return c.rules != nova.Nova && slices.ContainsFunc(c.hostTypes, func(w hostType) bool {
		return slices.ContainsFunc(w.empty.Cells, func(h nova.HostCell) bool { return !h.SharedVCPU.IsEmpty() })
	})
}

// ratios of a type of host, in words. The document's 16 are "to a single core": here
// a thread is one, as in the public fork, and the other reading is told beside it.
func (c *Cloud) ratios(ht *hostType) string {
	ratio := ht.empty.CPUAllocationRatio
	cpu := unit.Format(ratio, unit.None) + " floating vCPUs a CPU"
	threads := 1
	for _, cell := range ht.empty.Cells {
		for _, core := range cell.Siblings {
			threads = max(threads, core.Len())
		}
	}
	if c.rules == nova.HCG40 && threads > 1 && c.floats() {
		cpu += fmt.Sprintf(", a thread being one (%s if the document's core is a physical one)",
			unit.Format(ratio/float64(threads), unit.None))
	}
	return fmt.Sprintf("%s: %s, memory %s:1", ht.node.Name, cpu, unit.Format(ht.empty.RAMAllocationRatio, unit.None))
}

// outcomes say what became of each server type.
func (r *run) outcomes() {
	more := newRoom(r)
	for k := range r.c.servers {
		st := &r.c.servers[k]
		o := v1alpha1.ServerOutcome{Name: st.server.Name, Flavor: st.flavor.Name, VCPUs: st.flavor.VCPUs, RAM: st.flavor.RAM,
			Policy: r.c.specs[st.spec].policy, Wanted: st.server.Count,
			Bound: r.bound[k], Placed: r.placed[k], Refused: r.refused[k]}
		o.More, o.AtLeast = more.of(int32(k))
		r.p.ServerTypes = append(r.p.ServerTypes, o)
	}
}

// judge sums up.
func (r *run) judge() {
	r.boundFindings()
	r.lossFindings()
	p := r.p
	wanted, placed, worst := whatif.Worst(len(p.ServerTypes), func(i int) (int, int, int) {
		return p.ServerTypes[i].Wanted, p.ServerTypes[i].Placed, p.ServerTypes[i].Refused
	})
	for i := range p.ServerTypes {
		o := &p.ServerTypes[i]
		if o.NovaRefuses > 0 {
			what, remedy := r.c.faulty(r.c.request(int32(i)))
			p.Find(v1alpha1.Warning, "place.novaRefuses["+o.Name+"]", fmt.Sprintf(
				"%s: Nova's own search would refuse %s on the host that takes it here: its search goes wrong with %s",
				o.Name, words.Count(o.NovaRefuses, "VM"), what), remedy)
		}
	}
	for k, n := range r.refused {
		if n > 0 && r.c.servers[k].host < 0 {
			if text := r.elsewhere(int32(k)); text != "" {
				p.Verdict.Open = append(p.Verdict.Open, text)
			}
		}
	}
	p.Verdict.Fits = worst < 0 && placed >= wanted && !r.stopped
	p.Verdict.Summary = fmt.Sprintf("%s of %s VMs run on %s",
		words.Number(placed), words.Number(wanted), words.Count(len(r.c.hosts), "host"))
	if worst >= 0 {
		o := &p.ServerTypes[worst]
		p.Verdict.Problem = fmt.Sprintf("%s of %s: %s", words.Count(o.Refused, "VM"), o.Name, r.mainReason(worst))
	} else if r.stopped {
		p.Verdict.Problem = "stopped before all VMs were placed"
	}
	whatif.Judge(&p.PlacementHead)
	p.Verdict.Tightest = whatif.Tightest(p.Resources, "in use")
	v1alpha1.SortFindings(p.Findings)
}

// mainReason is the reason of most hosts, in a few words.
func (r *run) mainReason(k int) string {
	for i := range r.p.Refusals {
		if f := &r.p.Refusals[i]; f.ServerType == k && len(f.Reasons) > 0 {
			return f.Reasons[0].Reason
		}
	}
	return "there is no host"
}

// Skip tells what of the input a placement does not count. What is needed fails it.
func Skip(p *v1alpha1.ServerPlacement, skipped []v1alpha1.Skipped) {
	p.Skipped = append(p.Skipped, skipped...)
	if f, ok := v1alpha1.Lacking(skipped); ok {
		p.Findings = append(p.Findings, f)
		v1alpha1.SortFindings(p.Findings)
		p.Verdict.Fits, p.Verdict.Problem = false, cmp.Or(p.Verdict.Problem, f.Message)
	}
}
