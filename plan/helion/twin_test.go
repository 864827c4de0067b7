package helion_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/plan/helion"
	"plimsoll.dev/source/scenario"
)

// GB is 10^9 bytes in the document's formulas, GiB what memory and DRBD's times count in.
const (
	kb  = 1e3
	mb  = 1e6
	gb  = 1e9
	mib = 1 << 20
	gib = 1 << 30
)

// twin is the naive twin of one plan: the scenario, what only a placement can
// tell (the model and the number of hosts), and the figures that follow by the
// document's arithmetic. Its numbers are typed from the document.
type twin struct {
	s       *v1alpha1.Scenario
	p       *v1alpha1.Plan
	model   string
	regions int
	// computes and storage are numbers of hosts; host is the compute type.
	computes, storage int
	host              *v1alpha1.NodeType
	margin            float64 // 1 and the margin
	careful           bool
	// subnets and segments on one compute, as given or shared evenly.
	subnets, segments float64
	want              map[string]float64
	got               map[string]float64
	findings          []string
	open              map[string]string // the differences that are known, by the name of the check
}

// differs lists what the program is known to answer otherwise than the twin, by
// the name of the check that is left out for it. An empty list is the aim.
var differs = map[string]string{
	"rules as printed": "32,512 security rules count as the hard limit of the printed figures, " +
		"though the text prints 16,384",
}

func newTwin(s *v1alpha1.Scenario, p *v1alpha1.Plan) *twin {
	w := &twin{s: s, p: p, want: map[string]float64{}, got: map[string]float64{}, open: differs}
	h := p.Decisions.Helion
	w.model, w.regions = h.Model, h.Regions
	w.margin, w.careful = 1+float64(s.Policy.Margin), s.Policy.Doubtful == "careful"
	for _, hosts := range h.Hosts {
		switch hosts.Role {
		case "compute":
			w.computes = hosts.Count
		case "storage":
			w.storage = hosts.Count
		}
	}
	w.host = w.typeOf("compute")
	for _, f := range p.Figures {
		w.got[f.ID] = f.Value.Number
	}
	for _, f := range p.Findings {
		w.findings = append(w.findings, f.ID)
	}
	return w
}

func (w *twin) typeOf(role string) *v1alpha1.NodeType {
	i := slices.IndexFunc(w.s.Hardware.NodeTypes, func(t v1alpha1.NodeType) bool { return t.Role == role })
	if i < 0 {
		return nil
	}
	return &w.s.Hardware.NodeTypes[i]
}

// controller is the machine that is a controller; a CPE's compute is one.
func (w *twin) controller() *v1alpha1.NodeType {
	if w.model == "cpe" {
		return w.host
	}
	return w.typeOf("controller")
}

// lvm says whether Cinder's volumes are on the controllers' disks.
func (w *twin) lvm() bool { return w.model == "cpe" || w.model == "controller-storage" }

// each is a number of things in one region, with growth; both round up.
func (w *twin) each(n int, perRegion bool) float64 {
	grown := n * (100 + percent(float64(w.s.Policy.Growth)))
	by := 100
	if perRegion {
		by *= w.regions
	}
	return float64((grown + by - 1) / by)
}

func (w *twin) vms() (n float64) {
	for _, s := range w.s.Workload.Servers {
		n += w.vmsOf(s.Name)
	}
	return n
}

// vmsOf is the number of VMs of a server in the planned region: dealt out evenly, and
// of what is left over the largest VMs, no two of a kind, until the region has as
// many as the fullest has to have.
func (w *twin) vmsOf(name string) float64 {
	dealt, left, missing := map[string]float64{}, map[string]bool{}, 0.0
	for _, s := range w.s.Workload.Servers {
		all := w.each(s.Count, false)
		dealt[s.Name] = math.Floor(all / float64(w.regions))
		left[s.Name] = dealt[s.Name]*float64(w.regions) < all
		missing += all / float64(w.regions)
		missing -= dealt[s.Name]
	}
	for ; missing > 1e-6; missing-- {
		largest := ""
		for _, s := range w.s.Workload.Servers {
			if !left[s.Name] {
				continue
			}
			if f := w.flavor(s.Flavor); largest == "" {
				largest = s.Name
			} else if o := w.flavorOf(largest); f.VCPUs > o.VCPUs || f.VCPUs == o.VCPUs && f.RAM > o.RAM {
				largest = s.Name
			}
		}
		dealt[largest]++
		left[largest] = false
	}
	return dealt[name]
}

// flavorOf is the flavor of the server of a name.
func (w *twin) flavorOf(server string) *v1alpha1.Flavor {
	i := slices.IndexFunc(w.s.Workload.Servers, func(s v1alpha1.Server) bool { return s.Name == server })
	return w.flavor(w.s.Workload.Servers[i].Flavor)
}

func percent(v float64) int { return int(math.Round(100 * v)) }

// has tells whether the plan has a figure.
func (w *twin) has(id string) bool {
	_, ok := w.got[id]
	return ok
}

// unplaced says that VMs find no host, so that nobody can say what is on the fullest one.
func (w *twin) unplaced() bool {
	at := "[" + w.host.Name + "]"
	return w.computes == 0 || w.got["compute.base"+at] > float64(w.computes) ||
		slices.ContainsFunc(w.p.Findings, func(f v1alpha1.Finding) bool {
			return f.ID == "compute.option"+at && f.Severity == v1alpha1.Error
		})
}

// notOurs are figures that neither document nor notes give a formula for, or
// that only a placement can tell; those have tests of their own.
var notOurs = []string{
	"workload.", "model.regions", "launch.", "controller.diskBinary", "compute.floor", "compute.pages",
	"compute.vmsOnFullest", "compute.vmsAfterLoss", "compute.beyond", "ceph.now.", "ceph.fillAfter",
	"ceph.osdsOfSmallest", "ceph.coresOfMachine", "ceph.starlingxPGsPerOSD", "neutron.cyclesLeft",
}

// disagreements compares the twin's figures with the plan's, both ways.
func (w *twin) disagreements() (out []string) {
	for id, want := range w.want {
		got, ok := w.got[id]
		if !ok {
			out = append(out, id+": the plan has no such figure")
		} else if math.IsNaN(want) || math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
			out = append(out, text("%s: plan %v, twin %v", id, got, want))
		}
	}
	for id := range w.got {
		known := slices.ContainsFunc(notOurs, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
		if _, ok := w.want[id]; !ok && !known {
			out = append(out, id+": the twin has no such figure")
		}
	}
	slices.Sort(out)
	return out
}

// planned fills in the defaults and plans.
func planned(s *v1alpha1.Scenario) *v1alpha1.Plan {
	assumed := scenario.Defaults(s)
	return helion.Make(s, assumed, facts.Load(), nil)
}

// Every figure of a random cloud is what the document's formulas make of it.
func TestTwinOfFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawCloud(t)
		w := newTwin(s, planned(s))
		if w.unplaced() {
			t.Skip("the VMs don't fit")
		}
		w.controllers()
		w.drbd()
		w.logging()
		w.compute()
		w.localDisks()
		w.network()
		if !w.lvm() {
			w.ceph()
		}
		for _, d := range w.disagreements() {
			t.Error(d)
		}
		for _, d := range w.limits() {
			t.Error(d)
		}
		if t.Failed() {
			t.Log(w.model, w.regions, "regions", w.computes, "computes", w.storage, "storage hosts")
		}
	})
}
