package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	two "github.com/coreos/ignition/config/v2_2"
	three "github.com/coreos/ignition/v2/config/v3_2"
	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/machineconfig"
	"plimsoll.dev/tune/pool"
)

// made are settings that use everything there is.
var made = []machineconfig.Settings{
	{RPS: &machineconfig.RPS{CPUs: []int{8}}},
	{RPS: &machineconfig.RPS{CPUs: []int{8}}, AsDocumented: true},
	{RPS: &machineconfig.RPS{CPUs: []int{130}, Only: []int{0, 1, 129}, Driver: "mlx5_core", Virtual: true}, Base64: true},
	{RPS: &machineconfig.RPS{CPUs: []int{2, 4}, NamePattern: "enc*"}},
	{
		Routes: []machineconfig.Routes{{Device: "enc9000", Routes: []machineconfig.Route{{To: "192.0.2.0/24"},
			{To: "2001:db8::/32", Via: "fe80::1", Metric: 7}, {To: "203.0.113.0/24", Via: "198.51.100.1", Metric: 100}}}},
	},
	{Routes: []machineconfig.Routes{{Device: "enc9000", Routes: []machineconfig.Route{{To: "192.0.2.0/24"}}}},
		AsDocumented: true},
	{HugePages: &machineconfig.HugePages{Pages: map[string]int64{"1Gi": 4, "2Mi": 512},
		PerNode: []machineconfig.NodePages{{Node: 1, Size: "64Ki", Count: 3}}}},
	{HugePages: &machineconfig.HugePages{Pages: map[string]int64{"2Mi": 1024}}},
}

// What is made for each release is taken without a warning and says what was meant.
func TestMade(t *testing.T) {
	for i, s := range made {
		s.Name, s.Role = "50-tuning", "worker"
		for _, e := range release.Documented() {
			if err := real(s, e); err != nil {
				t.Errorf("%d in %s: %v", i, e, err)
			}
		}
	}
}

func TestMadeOfRandom(t *testing.T) {
	made, empty := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		s := machineconfig.Settings{Name: "50-tuning", Role: "worker", Base64: c(2) == 0, AsDocumented: c(4) == 0}
		if c(3) > 0 {
			n := 1 + c(pick(c, 64, machineconfig.MaxCPUs))
			s.RPS = &machineconfig.RPS{CPUs: []int{n}, Virtual: c(2) == 0, NamePattern: pick(c, "", "e*", "ens?")}
			if c(2) == 0 {
				s.RPS.Only = []int{c(n), c(n)}
			}
		}
		for i := range c(3) {
			s.Routes = append(s.Routes, machineconfig.Routes{Device: fmt.Sprintf("enc%d", i),
				Routes: []machineconfig.Route{randomRoute(c), randomRoute(c)}})
		}
		if c(3) == 0 {
			s.HugePages = &machineconfig.HugePages{Pages: map[string]int64{pick(c, "2Mi", "1Gi"): int64(1 + c(5000))},
				PerNode: []machineconfig.NodePages{{Node: c(8), Size: pick(c, "1Gi", "2Mi"), Count: int64(1 + c(99))}}}
		}
		e := release.Release(c(len(release.Documented())))
		if mc, _ := machineconfig.Generate(s, e); mc.Spec.Config == nil {
			empty++
		} else {
			made++
		}
		if err := real(s, e); err != nil {
			t.Fatalf("%+v in %s: %v", s, e, err)
		}
	})
	if made < 2*empty {
		t.Errorf("%d with an Ignition configuration, %d without: too few are compared", made, empty)
	}
}

func randomRoute(c chooser) machineconfig.Route {
	r := machineconfig.Route{To: fmt.Sprintf("192.0.%d.0/24", c(256)), Metric: int64(c(3))}
	if c(2) == 0 {
		r.Via = "198.51.100.1"
	}
	if c(4) == 0 {
		r = machineconfig.Route{To: fmt.Sprintf("2001:db8:%x::/48", c(65536)), Via: pick(c, "", "fe80::1")}
	}
	return r
}

// real makes a MachineConfig and has the real parsers read it.
func real(s machineconfig.Settings, e release.Release) error {
	mc, _ := machineconfig.Generate(s, e)
	if mc.Spec.Config == nil {
		return nil
	}
	raw, err := json.Marshal(mc.Spec.Config)
	if err != nil {
		return err
	}
	var said string
	if e == release.Current {
		_, report, err := three.Parse(raw)
		said = fmt.Sprint(err, report.String())
	} else {
		_, report, err := two.Parse(raw)
		said = fmt.Sprint(err, report.String())
	}
	if said != "<nil>" {
		return fmt.Errorf("%s\n%s", said, raw)
	}
	a := askConfigs([]json.RawMessage{raw}, e == release.Current)
	if a.Refused != "" {
		return fmt.Errorf("%s", a.Refused)
	}
	return compare(mc, a, e)
}

// compare looks at what is made and what a node gets of it.
func compare(mc openshift.MachineConfig, a configAnswer, e release.Release) error {
	got := machineconfig.Render([]openshift.MachineConfig{mc}, pool.Standard(release.Current), e).Pools[1]
	if d := filesDiffer(got, a) + unitsDiffer(got, a); d != "" {
		return fmt.Errorf("%s", d)
	}
	for p, f := range a.Files {
		key := strings.HasSuffix(p, ".nmconnection")
		if f.Bad || len(f.Data) == 0 || !bytes.HasSuffix(f.Data, []byte("\n")) || key != (f.Mode == 0o600) ||
			!key && f.Mode != 0o644 {
			return fmt.Errorf("%s: mode %#o, %q", p, f.Mode, f.Data)
		}
	}
	for name, u := range a.Units {
		if u.State != "enabled" || !slices.Contains(strings.Split(u.Contents, "\n"), "[Install]") {
			return fmt.Errorf("unit %s: %+v", name, u)
		}
	}
	return nil
}
