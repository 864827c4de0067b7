package cpu

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/topo"
)

// What a kubelet would not start with, all of it at once.
func TestRefusedConfigs(t *testing.T) {
	m := parse(t, "2 sockets x 1 numa x 2 cores x 1 thread", "")
	narrow := m
	narrow.CPUs = slices.Clone(m.CPUs)
	for i := range narrow.CPUs {
		narrow.CPUs[i].Node = 0
	}
	on := func(names ...string) map[string]string {
		o := map[string]string{}
		for _, n := range names {
			o[n] = "true"
		}
		return o
	}
	alpha := map[string]bool{gateAlpha: true}
	for name, c := range map[string]struct {
		m    topo.Machine
		c    Config
		want []string
	}{
		"policy":       {m, Config{Policy: "dynamic"}, []string{`policy is "dynamic" (none or static)`}},
		"none":         {m, Config{Options: on(fullPCPUsOnly)}, []string{"policy is none"}},
		"no reserve":   {m, Config{Policy: Static}, []string{"no CPU is reserved"}},
		"much reserve": {m, Config{Policy: Static, Reserved: 4001}, []string{"CPUs are reserved (at most the machine's 4)"}},
		"other reserve": {m, Config{Policy: Static, ReservedCPUs: cpus(t, "3-4")},
			[]string{"reserved CPUs 3-4 are not all online (0-3 are)"}},
		"unknown": {m, Config{Policy: Static, Options: on("full-cpus")},
			[]string{`no option "full-cpus"`, "no CPU is reserved"}},
		"value": {m, Config{Policy: Static, Reserved: 1, Options: map[string]string{fullPCPUsOnly: "on"}},
			[]string{`full-pcpus-only is "on" (true or false)`}},
		"alpha": {m, Config{Policy: Static, Reserved: 1, Options: on(alignBySocket)},
			[]string{"is alpha (switch the feature gate CPUManagerPolicyAlphaOptions on)"}},
		"beta": {m, Config{Policy: Static, Reserved: 1, Options: on(distributeAcrossNUMA),
			Gates: map[string]bool{gateAllBetas: false}}, []string{"is beta"}},
		"pairs": {m, Config{Policy: Static, Reserved: 1,
			Options: on(fullPCPUsOnly, distributeAcrossCores, distributeAcrossNUMA, preferAlignByCache), Gates: alpha},
			[]string{
				"full-pcpus-only and distribute-cpus-across-cores are both on",
				"distribute-cpus-across-numa and distribute-cpus-across-cores are",
				"prefer-align-cpus-by-uncorecache and distribute-cpus-across-cores are",
				"prefer-align-cpus-by-uncorecache and distribute-cpus-across-numa are",
			}},
		"sockets": {narrow, Config{Policy: Static, Reserved: 1, Options: on(alignBySocket), Gates: alpha,
			TopologyPolicy: "single-numa-node"},
			[]string{"does not go with the topology manager's policy single-numa-node",
				"at least as many NUMA nodes as sockets (there are 1 and 2)"}},
		"machine": {topo.Machine{}, Config{}, []string{"no CPU (at least 1)", "no NUMA node"}},
	} {
		_, err := New(&c.m, c.c)
		if err == nil {
			t.Errorf("%s: no error (want %q)", name, c.want)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v (want %q)", name, err, w)
			}
		}
		if n := len(strings.Split(err.Error(), "\n")); n != len(c.want) {
			t.Errorf("%s: %d problems (want %d): %v", name, n, len(c.want), err)
		}
	}
}

// Options that are off exclude nothing, and AllAlpha opens alpha ones.
func TestAcceptedConfigs(t *testing.T) {
	m := parse(t, "2 sockets x 1 numa x 2 cores x 1 thread", "")
	off := map[string]string{}
	for name := range maps.Keys(gateOf) {
		off[name] = "false"
	}
	n, err := New(&m, Config{Policy: Static, Reserved: 1, Options: off, Gates: map[string]bool{gateAllAlphas: true}})
	if err != nil || !n.podLevel {
		t.Errorf("%v", err)
	}
}
