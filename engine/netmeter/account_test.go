//go:build linux

package netmeter

import (
	"testing"
	"time"

	"plimsoll.dev/bench/measure"
)

func TestAccounts(t *testing.T) {
	snmp := "Ip: Forwarding\nIp: 1\nTcp: RtoMin RetransSegs InErrs\nTcp: 200 17 3\n"
	if got := retransmits([]byte(snmp)); got != 17 {
		t.Errorf("%v retransmits", got)
	}
	dev := "Inter-| Receive\n face |bytes\n  lo: 1 2 0 3 0 0 0 0 5 6 0 4 0 0 0 0\n" +
		"eth0: 1 2 0 10 0 0 0 0 5 6 0 20 0 0 0 0\n"
	if got := drops([]byte(dev)); got != 37 {
		t.Errorf("%v drops", got)
	}
	for _, text := range []string{"", "cpu", "Tcp:\nTcp:", ": 1"} {
		retransmits([]byte(text))
		drops([]byte(text))
	}
}

// What packets took is not laid at others' door where nobody can say how the kernel counts it, as in a container.
func TestSoftInterrupts(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		apart               *bool
		boot                string
		system, foreign, of float64
	}{
		"apart":                 {&yes, "a", 0.5, 0, 0.4},
		"not apart":             {&no, "a", 0.9, 0, 0},
		"not known, apart":      {nil, "a", 0.5, 0, 0.4},
		"not known, not apart":  {nil, "a", 0.9, 0, 0},
		"not known, and others": {nil, "a", 0.2, 0.6, 0.4},
		"two machines":          {nil, "b", 1.0, 0, 0.8},
		"two, not apart":        {nil, "b", 1.8, 0, 0},
	} {
		end := &client{here: hello{Boot: "a", Apart: c.apart}, there: hello{Boot: c.boot, Apart: c.apart}}
		m := &meter{sample: sample{Cell: parse(t, "rr-1x1-1")[0], Duration: time.Second}, workers: []*worker{{}}}
		u := used{Seconds: 1, CPU: measure.CPU{System: c.system}, Machine: measure.CPU{System: 1, SoftIRQ: 0.8}}
		r := end.repetition(m, u, u, measure.Spin{}, measure.Spin{})
		if d := r.Foreign() - c.foreign; max(d, -d) > 1e-9 || r.Client.SoftIRQ != c.of || r.Server.SoftIRQ != c.of {
			t.Errorf("%s: others used %v; %+v, %+v", name, r.Foreign(), r.Client, r.Server)
		}
	}
}
