package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// numbers are nodes by type.
type numbers map[string]int

// TestOneNumber has every example and random scenarios: however it is asked, the answer has the
// same numbers of nodes for the same file.
func TestOneNumber(t *testing.T) {
	t.Parallel()
	files := exampleFiles(t)
	dir, r := t.TempDir(), rand.New(rand.NewPCG(16, 2026))
	for i := range 200 {
		text := clusterOfNumbers(r)
		if i%10 == 0 {
			text = smallCloud([4]string{fmt.Sprint(2 + r.IntN(4)), "vcpus: 2, ram: 2Gi", fmt.Sprintf("count: %d", 1+r.IntN(8)),
				"policy: {spareNodes: 0}"})
		}
		files = append(files, filepath.Join(dir, fmt.Sprintf("s%d.yaml", i)))
		if err := os.WriteFile(files[len(files)-1], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	packed, written := 0, 0
	for _, file := range files {
		dir := filepath.Join(t.TempDir(), "out")
		made := planIn(t, file, dir)
		if made.Decisions.Helion != nil {
			hostsAgree(t, file, made)
			continue
		}
		workers := nodesAgree(t, file, made)
		placedAgree(t, file, made, workers)
		if writtenAgree(t, file, dir, made) {
			written++
		}
		if packsAlike(t, file, made, workers) {
			packed++
		}
	}
	if packed < 40 || written < 100 {
		t.Errorf("only %d packings and the machine sets of %d plans were compared", packed, written)
	}
}

// planIn plans a file, and writes what can be written.
func planIn(t *testing.T, file, dir string) *v1alpha1.Plan {
	var made v1alpha1.Plan
	code, out, _ := run("plan", file, "--exit-zero", "-q", "-o", "json", "--write", dir)
	if code != 0 { // of clouds, and of what contradicts itself, nothing is written
		_, out, _ = run("plan", file, "--exit-zero", "-q", "-o", "json")
	}
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return &made
}

// nodesAgree compares what one plan says of its workers: pools, options, layers, summary.
func nodesAgree(t *testing.T, file string, made *v1alpha1.Plan) numbers {
	workers, chosen, layers := numbers{}, numbers{}, numbers{}
	for _, p := range made.Decisions.Pools {
		if p.Role == "worker" {
			workers[p.Type] += p.Count
		}
	}
	for _, o := range made.Options {
		for _, n := range o.Nodes {
			if o.Chosen && n.Count > 0 {
				chosen[n.Type] += n.Count
			}
		}
		if c := o.Comparison; c != nil && (c.Floor != o.Floor || c.Packed != o.Base) {
			t.Errorf("%s, %s: compared are %d and %d, the option has %d and %d", file, o.Name, c.Floor, c.Packed,
				o.Floor, o.Base)
		}
	}
	for _, n := range made.Nodes {
		if n.Role == "worker" || made.Snapshot != nil { // whose infrastructure is among the workers
			layers[n.Type] += n.Count
		}
	}
	for name, other := range map[string]numbers{"options": chosen, "layers": layers} {
		if !maps.Equal(workers, other) {
			t.Errorf("%s: pools have %v, %s %v", file, workers, name, other)
		}
	}
	for kind, n := range workers {
		said := regexp.MustCompile(fmt.Sprintf(`\b%s %s (workers?|infrastructure nodes?),`, unit.Format(float64(n), ""),
			regexp.QuoteMeta(kind)))
		if len(workers) <= 4 && !said.MatchString(made.Verdict.Summary) {
			t.Errorf("%s: %d x %s, and the summary is %q", file, n, kind, made.Verdict.Summary)
		}
	}
	return workers
}

// placedAgree compares with where "place --planned --compare" puts the pods.
func placedAgree(t *testing.T, file string, made *v1alpha1.Plan, workers numbers) {
	if len(workers) == 0 {
		return
	}
	var p v1alpha1.Placement
	_, out, errs := run("place", file, "--planned", "--compare", "--failures", "0", "--drain", "0", "--exit-zero", "-q",
		"-o", "json")
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Errorf("%s: %v %s", file, err, errs)
		return
	}
	on := numbers{}
	for _, n := range p.Nodes {
		if workers[n.Type] > 0 {
			on[n.Type] += n.Count
		}
	}
	for _, o := range made.Options {
		if c := p.Comparison; o.Chosen && c != nil && (c.Floor != o.Floor || c.Packed != o.Base) {
			t.Errorf("%s: place compares %d and %d, the plan has %d and %d", file, c.Floor, c.Packed, o.Floor, o.Base)
		}
	}
	if made.Snapshot == nil && !maps.Equal(workers, on) {
		t.Errorf("%s: planned are %v, placed on %v", file, workers, on)
	}
}

// scaled is a command that says how many machines a set has in the end.
var scaled = regexp.MustCompile(`(?m)^oc scale --replicas=(\d+) machineset "\$SET_(\w+)_Z(\d+)"`)

// writtenAgree compares with the machine sets that are written: their last replicas are the pool's nodes.
func writtenAgree(t *testing.T, file, dir string, made *v1alpha1.Plan) bool {
	sets, _ := filepath.Glob(filepath.Join(dir, "fill-in", "machineset-*.yaml"))
	if len(sets) == 0 {
		return false
	}
	last := numbers{}
	replicas := regexp.MustCompile(`(?m)^  replicas: (\d+)`)
	for _, set := range sets {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(set), "machineset-"), ".yaml")
		text, err := os.ReadFile(set)
		if err != nil {
			t.Fatal(err)
		}
		last[name], _ = strconv.Atoi(replicas.FindStringSubmatch(string(text))[1])
	}
	steps, _ := os.ReadFile(filepath.Join(dir, "growth.txt"))
	for _, s := range scaled.FindAllStringSubmatch(string(steps), -1) {
		last[strings.ToLower(s[2])+"-z"+s[3]], _ = strconv.Atoi(s[1])
	}
	written, planned := numbers{}, numbers{}
	for name, n := range last {
		written[name[:strings.LastIndex(name, "-z")]] += n
	}
	for _, p := range made.Decisions.Pools {
		planned[p.Name] += p.Count
	}
	if !maps.Equal(written, planned) {
		t.Errorf("%s: planned are %v, the machine sets come to %v", file, planned, written)
	}
	return true
}

// packsAlike compares with what "pack" buys of one type, without zones: a packing that the scheduler
// finds has the plan's number, and no packing has more. What it says of the plan is so.
func packsAlike(t *testing.T, file string, made *v1alpha1.Plan, workers numbers) bool {
	code, out, _ := run("pack", file, "-q", "--effort", "0.05")
	if code != 0 || made.Snapshot != nil {
		return false
	}
	needs := regexp.MustCompile(`It needs ([^(]+) \(plimsoll plan\)`)
	if said := needs.FindStringSubmatch(strings.Join(strings.Fields(out), " ")); said != nil {
		for kind, n := range workers {
			if want := fmt.Sprintf("%d x %s", n, kind); !strings.Contains(said[1], want) {
				t.Errorf("%s: pack says that it needs %s, the plan has %s", file, said[1], want)
			}
		}
	}
	bought := regexp.MustCompile(`^Packing: (\d+) x (\S+)\n`).FindStringSubmatch(out)
	o := made.Options[0]
	if bought == nil || len(made.Options) != 1 || workers[bought[2]] == 0 || o.Verified == nil || o.Given > 0 ||
		o.Verified.Status != v1alpha1.Verified || made.Scenario.Policy.Zones > 1 {
		return false
	}
	n, _ := strconv.Atoi(bought[1])
	finds := strings.Contains(out, "The scheduler finds a place")
	if n > workers[bought[2]] || finds && n != workers[bought[2]] {
		t.Errorf("%s: pack buys %d, which the scheduler finds: %v; the plan has %d", file, n, finds, workers[bought[2]])
	}
	return true
}

// hostsAgree compares the computes of a cloud with those that VMs are placed on.
func hostsAgree(t *testing.T, file string, made *v1alpha1.Plan) {
	planned, on := numbers{}, numbers{}
	for _, h := range made.Decisions.Helion.Hosts {
		if h.Role == "compute" {
			planned[h.Type] += h.Count
		}
	}
	var p v1alpha1.ServerPlacement
	_, out, errs := run("place", file, "--planned", "--failures", "0", "--exit-zero", "-q", "-o", "json")
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Errorf("%s: %v %s", file, err, errs)
		return
	}
	for _, h := range p.Hosts {
		on[h.Type] += h.Count
	}
	if !maps.Equal(planned, on) {
		t.Errorf("%s: planned are %v, VMs are placed on %v", file, planned, on)
	}
}

// clusterOfNumbers is a small random cluster on AWS, some with several types, zones and spares.
func clusterOfNumbers(r *rand.Rand) string {
	nodes := "{name: a, cpus: 8, memory: 32Gi, price: 1}"
	if r.IntN(3) == 0 {
		nodes += fmt.Sprintf(", {name: b, cpus: 16, memory: %dGi, price: 1.8}", 32<<r.IntN(3))
	}
	if r.IntN(4) == 0 {
		nodes += ", {name: i, role: infra, cpus: 16, memory: 64Gi}"
	}
	var pods []string
	for i := range 1 + r.IntN(3) {
		pods = append(pods, fmt.Sprintf("{name: p%d, replicas: %d, cpu: %dm, memory: %dMi}", i, 1+r.IntN(12),
			100*(1+r.IntN(40)), 256*(1+r.IntN(20))))
	}
	zones := 1 + 2*r.IntN(2)
	return fmt.Sprintf("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {release: \"4.17\", provider: aws}\n"+
		"hardware: {nodeTypes: [%s]}\nworkload: {podTypes: [%s]}\npolicy: {zones: %d, surviveZoneLoss: %v, spareNodes: %d, "+
		"infraNodes: %d, batchSize: %d}\n", nodes, strings.Join(pods, ", "), zones, zones > 1 && r.IntN(2) == 0, r.IntN(3),
		3*r.IntN(2), 5+r.IntN(30))
}
