package cloud

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// recorded are the clouds that are compared; fresh ones come from "oracle/nova/run.sh choose".
var recorded = flag.String("recorded", "testdata/oracle/choices.jsonl.gz", "clouds with the hosts that Nova chose")

// choices are what Nova's scheduler made of a cloud: for each VM in the order of
// arrival the host (-1 is none), how many hosts passed the filters, and for the
// first of each run that was refused how many hosts fail each test by itself.
type choices struct {
	Cloud    string
	Scenario v1alpha1.Scenario
	verdicts
	// Lost are hosts that fail at the end, one after the other, with the verdicts on their VMs.
	Lost []struct {
		Host int32
		verdicts
	}
}

type verdicts struct {
	Hosts   []int32
	Passed  []int
	Refused []refused
	// Own are VMs for which Nova's own search leads to another host, by its fault.
	Own []json.RawMessage
}

// refused is a VM, and how many hosts fail each test.
type refused struct {
	vm    int
	fails map[string]int
}

func (r *refused) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&r.vm, &r.fails})
}

// TestOracle fills the recorded clouds and demands of each VM the host that Nova
// 34.0's scheduler chose, with as many hosts that passed; of VMs without one, that
// as many hosts fail for each reason; and the same of VMs that are evacuated.
func TestOracle(t *testing.T) {
	vms, moved, refusals, clouds := 0, 0, 0, 0
	for c, err := range readChoices(*recorded) {
		if err != nil {
			t.Fatal(err)
		}
		clouds++
		vms += len(c.Hosts)
		refusals += len(c.Refused)
		for _, l := range c.Lost {
			moved += len(l.Hosts)
		}
		t.Run(c.Cloud, func(t *testing.T) { c.compare(t) })
	}
	t.Logf("%d clouds, %d VMs placed, %d reasons of refusals, %d VMs evacuated", clouds, vms, refusals, moved)
	if vms < 3000 && !flagged("recorded") {
		t.Error("too few choices are recorded to tell anything")
	}
}

// byHand are clouds made by hand and the hosts of their VMs, as they follow from
// Nova's rules: how handmade.py says.
var byHand = map[string][]int32{
	"weigher-sees-shared-cpus": {2, 2, 2, 2, 0, 1}, "floating-vcpus-of-all": {0, 0, -1, 0},
	"memory-of-all-pages": {0, 0, -1},
	"swap-in-whole-gib":   {0, -1}, "weigher-of-swap": {0, 0, 1}, "page-size-of-the-first-node": {0},
	"networks-of-floating-vms": {0},
	"soft-affinity-and-a-loss": {0, 0, 0, 0, 1}, "two-on-each-host": {0, 1, 2, 0, 1, 2, -1},
}

// TestOracleByHand looks at what is recorded of the clouds made by hand, so that
// nobody can record a trap away; and at Nova's own refusal where its search keeps the
// page size of the first node.
func TestOracleByHand(t *testing.T) {
	found := 0
	for c, err := range readChoices("testdata/oracle/choices.jsonl.gz") {
		if err != nil {
			t.Fatal(err)
		}
		want, ok := byHand[c.Cloud]
		if !ok {
			continue
		}
		found++
		if !slices.Equal(c.Hosts, want) {
			t.Errorf("%s: recorded are %v, by hand it is %v", c.Cloud, c.Hosts, want)
		}
		if c.Cloud != "page-size-of-the-first-node" {
			continue
		}
		p := made(t, &c.Scenario, Options{})
		if len(c.Own) != 1 || p.ServerTypes[0].NovaRefuses != 1 ||
			!strings.Contains(p.Servers[0].NovaRefuses, "the page size large") {
			t.Errorf("Nova's own answers %s; told is %q", c.Own, p.Servers[0].NovaRefuses)
		}
	}
	if found != len(byHand) {
		t.Errorf("%d of %d clouds made by hand are recorded", found, len(byHand))
	}
}

func flagged(name string) bool {
	found := false
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// readChoices yields the clouds of a file.
func readChoices(name string) func(func(*choices, error) bool) {
	return func(yield func(*choices, error) bool) {
		file, err := os.Open(name)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		r := bufio.NewReader(file)
		var plain io.Reader = r
		if strings.HasSuffix(name, ".gz") {
			if plain, err = gzip.NewReader(r); err != nil {
				yield(nil, err)
				return
			}
		}
		for lines := json.NewDecoder(plain); ; {
			c := &choices{}
			if err := lines.Decode(c); errors.Is(err, io.EOF) || !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// compare fills the cloud VM by VM, up to the first difference, and then as Make
// does, which stops asking after a refusal.
func (c *choices) compare(t *testing.T) {
	cl, problems := New(&c.Scenario, poolsOf(&c.Scenario))
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	r := newRun(cl, Options{})
	arrivals := cl.arrivals("")
	if len(arrivals) != len(c.Hosts) {
		t.Fatalf("%d VMs come, %d are recorded", len(arrivals), len(c.Hosts))
	}
	if !r.follow(t, arrivals, &c.verdicts, r.start) {
		return
	}
	whole := newRun(cl, Options{})
	whole.all()
	for h := range cl.hosts {
		if !slices.Equal(r.s.vms[h], whole.s.vms[h]) {
			t.Errorf("%s: VM by VM %v, in one go %v", cl.hosts[h].name, r.s.vms[h], whole.s.vms[h])
		}
	}
	r.s.try(func() {
		for i := range c.Lost {
			moved := slices.Clone(r.s.fail(c.Lost[i].Host))
			if !r.follow(t, moved, &c.Lost[i].verdicts, func(k, host int32) { r.s.put(k, host) }) {
				return
			}
		}
	})
}

// follow chooses hosts for VMs as long as the choices are Nova's.
func (r *run) follow(t *testing.T, vms []int32, want *verdicts, put func(k, host int32)) bool {
	if len(vms) != len(want.Hosts) {
		t.Errorf("%d VMs, %d are recorded", len(vms), len(want.Hosts))
		return false
	}
	nth := 0
	for i, k := range vms {
		host, passed := r.s.choose(k), r.passing(k)
		if host != want.Hosts[i] || passed != want.Passed[i] {
			t.Errorf("VM %d of %s: host %d of %d, Nova's is %d of %d\n%s", i, r.c.servers[k].server.Name, host, passed,
				want.Hosts[i], want.Passed[i], r.tell(k))
			return false
		}
		if host >= 0 {
			put(k, host)
		}
		if nth < len(want.Refused) && want.Refused[nth].vm == i {
			if fails := r.fails(k); !equalCounts(fails, want.Refused[nth].fails) {
				t.Errorf("VM %d of %s: hosts fail %v, Nova's %v\n%s", i, r.c.servers[k].server.Name, fails, want.Refused[nth].fails,
					r.tell(k))
			}
			nth++
		}
	}
	return true
}

// passing is the number of hosts that pass all filters.
func (r *run) passing(k int32) int {
	n := 0
	for h := range r.c.hosts {
		if r.s.of[h] >= 0 && r.states.takes(r.s.of[h], r.c.servers[k].spec) && !r.apart(k, int32(h)) {
			n++
		}
	}
	return n
}

// apart reports whether the VM's group keeps it off a host.
func (r *run) apart(k, host int32) bool {
	st := &r.c.servers[k]
	return st.group >= 0 && r.groupWhy(st, host) != ""
}

// fails is how many hosts fail each test by itself.
func (r *run) fails(k int32) map[string]int {
	st := &r.c.servers[k]
	rs, n := &r.c.specs[st.spec], map[string]int{}
	for h := range r.c.hosts {
		id := r.s.of[h]
		if id < 0 {
			continue
		}
		class, ht := &r.states.list[id], r.c.typeOf(h)
		for what, failed := range map[string]bool{
			"zone":  rs.zone != "" && rs.zone != r.c.typesInZones[class.typeInZone].zone,
			"group": r.apart(k, int32(h)),
			"disk":  r.states.noDisk(class, rs) != "",
			"room":  !r.c.fits(class.host, rs.request),
		} {
			if failed {
				n[what]++
			}
		}
		for key, want := range rs.constraints.Aggregate {
			if !matchesLabel(ht.node.Labels, key, want) {
				n["aggregate"]++
				break
			}
		}
	}
	return n
}

func equalCounts(a, b map[string]int) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// tell is why each host takes a VM or not, with what the weighers see of it.
func (r *run) tell(k int32) string {
	var out strings.Builder
	for h := range r.c.hosts {
		if id := r.s.of[h]; id >= 0 {
			fmt.Fprintf(&out, "  %s %+v: %s\n", r.c.hosts[h].name, r.states.list[id].free, r.whyNot(k, int32(h)).detail())
		}
	}
	return out.String()
}
