package cloud

import (
	"encoding/binary"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/whatif"
)

// Trials place the same VMs on different numbers of equal hosts, to find how many
// are enough.
type Trials struct {
	c      *Cloud
	states *hostStates
}

// Trial is a placement without the telling: no places on hosts, no reasons.
type Trial struct {
	r *run
	// keep says that the loads after a loss are kept.
	keep bool
	took map[string]Load
}

// Load is a number of hosts with the same VMs.
type Load struct {
	// Host is the first of them, Hosts their number.
	Host  string
	Hosts int
	// VMs on each by the index of their server in the scenario.
	VMs map[int]int
	// On are the same VMs by NUMA node: one of several virtual NUMA nodes in equal parts,
	// one without any over all nodes.
	On map[int][]float64
}

// Count is the number of VMs on each host of the load.
func (l Load) Count() int {
	n := 0
	for _, k := range l.VMs {
		n += k
	}
	return n
}

// NewTrials reads the scenario for placements on up to most hosts of the pool, whose
// own count is ignored.
func NewTrials(s *v1alpha1.Scenario, p Pool, most int) (*Trials, []Problem) {
	p.Count = most
	c, problems := New(s, []Pool{p})
	if len(problems) > 0 {
		return nil, problems
	}
	return &Trials{c: c, states: newHostStates(c)}, nil
}

// On places all VMs on the first n hosts, in the order of arrival.
func (t *Trials) On(n int) *Trial {
	c := *t.c
	c.hosts, c.hostTypes = c.hosts[:n], slices.Clone(c.hostTypes)
	c.hostTypes[0].pool.Count = n
	if len(t.states.list) > mostStates {
		t.states = newHostStates(t.c)
	}
	r := newRun(&c, Options{})
	r.states, r.s = t.states, newSim(&c, t.states, n)
	r.all()
	return &Trial{r: r, took: map[string]Load{}}
}

// Refused is the number of VMs that find no host.
func (t *Trial) Refused() int {
	n := 0
	for _, k := range t.r.refused {
		n += k
	}
	return n
}

// Loads are the hosts with VMs; those with the same in the same places are told once.
func (t *Trial) Loads() []Load {
	var out []Load
	vms := t.r.s.vms
	for _, hosts := range t.r.alike() {
		if first := hosts[0]; len(vms[first]) > 0 {
			l := t.load(int32(first))
			l.Hosts = len(hosts)
			out = append(out, l)
		}
	}
	return out
}

// load is what runs on a host.
func (t *Trial) load(host int32) Load {
	l := Load{Host: t.r.c.hostName(host), VMs: map[int]int{}, On: map[int][]float64{}}
	nodes := t.r.c.typeOf(int(host)).empty.Cells
	t.r.replayOne(host, func(_ int, k int32, at *vmPlace) {
		server := int(k)
		l.VMs[server]++
		if l.On[server] == nil {
			l.On[server] = make([]float64, len(nodes))
		}
		cells := at.fit.Cells
		for i := range nodes {
			switch here := func(c nova.CellFit) bool { return c.Node == nodes[i].ID }; {
			case len(cells) == 0:
				l.On[server][i] += 1 / float64(len(nodes))
			case slices.ContainsFunc(cells, here):
				l.On[server][i] += 1 / float64(len(cells))
			}
		}
	})
	return l
}

// loadKey is equal for equal numbers of VMs of each server type.
func loadKey(vms []int32) string {
	sorted := slices.Sorted(slices.Values(vms))
	var key []byte
	for _, k := range sorted {
		key = binary.AppendUvarint(key, uint64(k))
	}
	return string(key)
}

// Survives reports whether after the loss of any k hosts all VMs run again, by the cases
// that Make tries. It ends at the first in which they don't; one host of each that are
// alike comes before the others.
func (t *Trial) Survives(k int) bool {
	if k < 1 || len(t.r.running) == 0 {
		return true
	}
	if k >= len(t.r.c.hosts) {
		return false
	}
	for _, hosts := range t.cases(k) {
		lost := 0
		t.r.s.try(func() {
			mark := len(t.r.s.journal)
			lost = sum(t.r.evacuate(hosts))
			if t.keep {
				t.note(t.r.s.journal[mark:])
			}
		})
		if lost > 0 {
			return false
		}
	}
	return true
}

// Every reports whether each loss of k hosts is a case of its own, and not one for all that are
// alike or one of a sample.
func (t *Trial) Every(k int) bool {
	_, how := t.r.cases(k)
	return how == everyCase
}

// ZoneLoss is the loss of the first zone without which not all VMs run again; ok is true
// when there is none such.
func (t *Trial) ZoneLoss() (loss v1alpha1.ServerLoss, ok bool) {
	zones := t.r.zones(true)
	for _, name := range slices.Sorted(maps.Keys(zones)) {
		if loss = t.r.loseZone(name, zones[name]); loss.Survived < loss.Of {
			return loss, false
		}
	}
	return loss, len(zones) > 0
}

// cases are the sets of k hosts to lose.
func (t *Trial) cases(k int) [][]int {
	var out [][]int
	if k == 1 {
		for _, alike := range t.r.fullestFirst(t.r.alike()) {
			out = append(out, alike[:1])
		}
	}
	cases, _ := t.r.cases(k)
	for _, c := range cases {
		out = append(out, c.Nodes)
	}
	return out
}

// mostTook bounds the loads after a loss that are kept.
const mostTook = 20_000

// note keeps what hosts run that have taken VMs of lost ones.
func (t *Trial) note(steps []step) {
	for _, st := range steps {
		if st.server < 0 || len(t.took) >= mostTook {
			continue
		}
		key := loadKey(t.r.s.vms[st.host])
		if _, known := t.took[key]; !known {
			l := t.load(st.host)
			l.Hosts = 1
			t.took[key] = l
		}
	}
}

// Keep has Survives keep what Took tells.
func (t *Trial) Keep() { t.keep = true }

// Took are the different loads of hosts that took VMs of lost ones, over all cases
// that Survives tried after Keep.
func (t *Trial) Took() []Load {
	var out []Load
	for _, key := range slices.Sorted(maps.Keys(t.took)) {
		out = append(out, t.took[key])
	}
	return out
}

// Loss tells what the loss of any k hosts does, the worst case with its reasons.
func (t *Trial) Loss(k int) v1alpha1.ServerLoss {
	return t.r.lose(k)
}

// Resources are what all hosts have and what is in use, with so many empty ones more.
func (t *Trial) Resources(empty int) []v1alpha1.ClusterResource {
	if len(t.r.states.empty) == 0 { // no host is built
		return nil
	}
	total := whatif.NewTotals()
	for name, v := range t.r.amountsOf(t.r.states.empty[0]) {
		total.Add(name, v.has, 0, empty)
	}
	hosts := map[int32]int{}
	for _, id := range t.r.s.of {
		hosts[id]++
	}
	for id, n := range hosts {
		for name, v := range t.r.amountsOf(id) {
			total.Add(name, v.has, v.used, n)
		}
	}
	return stated(total)
}

// HostsFloor is a number of hosts of the pool that no placement can do with fewer of,
// and what proves it; 0 when VMs fit on no such host, those of the servers nowhere.
func HostsFloor(s *v1alpha1.Scenario, p Pool) (floor int, method string, nowhere []int, problems []Problem) {
	pool, problems := newOpenPool(s, p)
	if len(problems) > 0 {
		return 0, "", nil, problems
	}
	for k := range pool.c.servers {
		if pool.fitsNowhere(k) {
			nowhere = append(nowhere, k)
		}
	}
	switch {
	case len(nowhere) > 0:
		return 0, "", nowhere, nil
	case pool.c.Wanted() == 0:
		return 0, "there is no VM", nil, nil
	}
	floor, method = pool.floor()
	return floor, method, nil, nil
}
