package health

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/health"
)

// replayed has keepers decide what the operator does in a scenario, one for each check.
func replayed(t *testing.T, s *health.Script, r release.Release) (*health.Simulation, []string) {
	t.Helper()
	var events []string
	keepers := map[*health.Policy]*Keeper{}
	sim := s.PlayWith(r, func(p *health.Policy, out *health.Pass, targets []health.Target, now time.Time) {
		k := keepers[p]
		if k == nil {
			k = &Keeper{Release: r, Act: true, Storm: 1, policy: func(*openshift.MachineHealthCheck) *health.Policy { return p }}
			keepers[p] = k
		}
		f := &fake{World: World{Now: now, Check: &openshift.MachineHealthCheck{}, Leads: true,
			Nodes: map[string]*health.Node{}, Leases: map[string]time.Time{"any": now}}}
		for _, target := range targets {
			f.Machines = append(f.Machines, Machine{Ref{Name: target.Machine.Name}, *target.Machine})
			if target.Node != nil {
				f.Nodes[target.Node.Name], f.Leases[target.Node.Name] = target.Node, now
			}
		}
		k.API = f
		got, err := k.Reconcile(context.Background(), Ref{Name: p.Name})
		if err != nil || got.Held != "" {
			t.Errorf("%s: %v %s", s.Name, err, got.Held)
		}
		for _, e := range f.events {
			events = append(events, fmt.Sprint(now.Unix(), " ", p.Name, " ", e.machine, " ", e.name))
		}
		*out = *p.Reconcile(targets, now)
		out.Remedies = slices.DeleteFunc(out.Remedies, func(r health.Remedy) bool {
			return changes(r.Act) && !slices.Contains(got.Done, targets[r.Target].Machine.Name)
		})
	})
	return sim, events
}

// The keeper does what the simulation says, in its order, in all scenarios of the documents and all releases that they
// name: the same machines at the same time, and the same events.
func TestScenarios(t *testing.T) {
	files, _ := filepath.Glob("../../examples/tune/health/*.yaml")
	more, _ := filepath.Glob("../../tune/health/testdata/*.yaml")
	played := 0
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "kind: HealthScenario") {
			continue
		}
		s, bad := health.Read(file, text, func(path string) ([]byte, error) {
			return os.ReadFile(filepath.Join(filepath.Dir(file), path))
		})
		if len(bad) > 0 {
			continue // which are there to be refused
		}
		for _, r := range s.Releases {
			want := s.Play(r)
			got, events := replayed(t, s, r)
			if told := told(want); !slices.Equal(told, events) {
				t.Errorf("%s, %s: events\n%s\nwant\n%s", file, r, strings.Join(events, "\n"), strings.Join(told, "\n"))
			}
			if a, b := fmt.Sprint(got.Log), fmt.Sprint(want.Log); a != b {
				t.Errorf("%s, %s:\n%s\nwant\n%s", file, r, a, b)
			}
			played++
		}
	}
	if played < 10 {
		t.Errorf("%d scenarios were played", played)
	}
}

// told are the operator's events of a simulation.
func told(s *health.Simulation) (out []string) {
	for _, e := range s.Log {
		if e.Event && e.Check != "" {
			out = append(out, fmt.Sprint(int64(e.At), " ", e.Check, " ", cmp.Or(e.Machine, ""), " ", e.Name))
		}
	}
	return out
}
