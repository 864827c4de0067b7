package helion

import (
	"fmt"
	"slices"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/derive/derivetest"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan/helion/model"
	"plimsoll.dev/unit"
)

// builder makes scenarios with the defaults that a reader fills in.
type builder struct{ *v1alpha1.Scenario }

// cloudOf is a cloud with three sorts of host on offer: controllers with large disks,
// computes of 2 sockets with 8 cores, and storage hosts.
func cloudOf() builder {
	spare := 1
	s := &v1alpha1.Scenario{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindScenario,
		Metadata: v1alpha1.Metadata{Name: "test"},
		Platform: v1alpha1.Platform{Type: "helion", Release: "4.0"}}
	s.Hardware.NodeTypes = []v1alpha1.NodeType{
		{Name: "controller", Role: "controller", CPUs: 32, Memory: 128 * unit.GiB,
			Topology: "2 sockets x 8 cores x 2 threads", CPUGHz: 2.6,
			Disks: []v1alpha1.Disk{{Use: "system", Count: 1, Size: 960 * unit.GB, Media: "ssd"},
				{Use: "lvm", Count: 1, Size: 2000 * unit.GB, Media: "ssd"}}},
		{Name: "compute", Role: "compute", CPUs: 32, Memory: 128 * unit.GiB, Topology: "2 sockets x 8 cores x 2 threads",
			CPUGHz: 2.6,
			Disks: []v1alpha1.Disk{{Use: "system", Count: 1, Size: 960 * unit.GB, Media: "ssd"}, {Use: "local", Count: 1,
				Size: 960 * unit.GB, Media: "ssd"}, {Use: "lvm", Count: 1, Size: 2000 * unit.GB, Media: "ssd"}}},
		{Name: "storage", Role: "storage", CPUs: 32, Memory: 128 * unit.GiB, Topology: "2 sockets x 8 cores x 2 threads",
			Disks: []v1alpha1.Disk{{Use: "system", Count: 1, Size: 240 * unit.GB, Media: "ssd"}, {Use: "osd", Count: 8,
				Size: 4000 * unit.GB, Media: "ssd"}}},
	}
	s.Workload.Images = []v1alpha1.Image{{Name: "guest", Count: 10, Size: 2 * unit.GB, DiskSize: 8 * unit.GB}}
	s.Network.Neutron = v1alpha1.Neutron{CyclesPerPacket: 814, Utilisation: 0.8}
	s.Storage.Ceph = v1alpha1.Ceph{Replicas: 2, NearFull: 0.85}
	s.Storage.DRBD = v1alpha1.DRBD{Parallel: 2, Utilisation: 0.4, Link: 10e9}
	s.Storage.Creation = v1alpha1.Creation{Parallel: 5, Thin: true}
	s.Policy = v1alpha1.Policy{SpareNodes: &spare, Margin: 0.25, VMsPerCompute: 10, Sites: 1, Doubtful: "careful",
		RemoteLogging: true}
	s.Scheduling = v1alpha1.Scheduling{Rules: "hcg-4.0", HostStrategy: "spread", NUMAStrategy: "spread", Order: "runs"}
	return builder{s}
}

// add adds VMs of a flavor of their own.
func (b builder) add(count, vcpus int, gib int64, properties map[string]string,
	change ...func(*v1alpha1.Server)) builder {
	name := fmt.Sprintf("vm%d", len(b.Workload.Servers))
	b.Workload.Flavors = append(b.Workload.Flavors,
		v1alpha1.Flavor{Name: name, VCPUs: vcpus, RAM: unit.Bytes(gib) * unit.GiB, Properties: properties})
	sv := v1alpha1.Server{Name: name, Count: count, Flavor: name, Image: "guest", BootFrom: "volume",
		Volumes: []unit.Bytes{12 * unit.GB}}
	for _, c := range change {
		c(&sv)
	}
	b.Workload.Servers = append(b.Workload.Servers, sv)
	return b
}

var dedicated = map[string]string{"hw:cpu_policy": "dedicated"}

// plan makes the plan and holds it against what every plan must keep.
func (b builder) plan(t interface {
	Helper()
	Errorf(string, ...any)
}) *v1alpha1.Plan {
	t.Helper()
	p := Make(b.Scenario, nil, facts.Load(), nil)
	book := derive.Book{}
	for _, f := range p.Figures {
		book.Record(f)
	}
	for _, err := range book.Verify() {
		t.Errorf("%v", err)
	}
	derivetest.Compare(t, p.Figures, twins)
	known := map[string]bool{}
	for _, f := range p.Figures {
		known[f.ID] = true
	}
	cited := func(where, id string) {
		if id != "" && !known[id] {
			t.Errorf("%s cites the figure %q, which is not there", where, id)
		}
	}
	for _, s := range p.Sections {
		for _, id := range slices.Concat(s.Figures, s.Details) {
			cited("section "+s.ID, id)
		}
		for _, table := range s.Tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Columns) {
					t.Errorf("table %s: a row of %d cells under %d columns", table.ID, len(row), len(table.Columns))
				}
				for _, c := range row {
					cited("table "+table.ID, c.Figure)
				}
			}
		}
	}
	for _, f := range p.Findings {
		cited("finding "+f.ID, f.Figure)
	}
	for _, f := range p.Figures {
		for _, in := range f.Inputs {
			if in.Value.From != nil && in.Value.From.Kind == derive.FromFigure {
				cited("figure "+f.ID, in.Value.From.ID)
			}
		}
	}
	return p
}

func number(t *testing.T, p *v1alpha1.Plan, id string) float64 {
	t.Helper()
	for _, f := range p.Figures {
		if f.ID == id {
			return f.Value.Number
		}
	}
	t.Errorf("there is no figure %s", id)
	return 0
}

func found(p *v1alpha1.Plan, severity v1alpha1.Severity, id string) bool {
	return slices.ContainsFunc(p.Findings, func(f v1alpha1.Finding) bool { return f.Severity == severity && f.ID == id })
}

// figured says whether the plan has a figure.
func figured(p *v1alpha1.Plan, id string) bool {
	return slices.ContainsFunc(p.Figures, func(f derive.Figure) bool { return f.ID == id })
}

// modelOf is the model that was chosen.
func modelOf(p *v1alpha1.Plan) string { return p.Decisions.Helion.Model }

func hostsOf(p *v1alpha1.Plan, role string) v1alpha1.HelionHosts {
	for _, h := range p.Decisions.Helion.Hosts {
		if h.Role == role {
			return h
		}
	}
	return v1alpha1.HelionHosts{}
}

var names = model.Names()

// finding is the first of the id; nil without one.
func finding(p *v1alpha1.Plan, id string) *v1alpha1.Finding {
	for i := range p.Findings {
		if p.Findings[i].ID == id {
			return &p.Findings[i]
		}
	}
	return nil
}
