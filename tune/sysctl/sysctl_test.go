package sysctl

import (
	"testing"

	"plimsoll.dev/release"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		key, value string
		release    release.Release
		want       Fault
		fix        string
	}{
		{"vm.swappiness", "10", release.Current, None, ""},
		{"vm.swapiness", "10", release.Current, Misspelt, "write vm.swappiness"},
		{"vm.max_map_cuont", "262144", release.Current, Misspelt, "write vm.max_map_count"},
		{"net.ipv4.conf.eth0.rp_fliter", "1", release.Current, Misspelt, "write net.ipv4.conf.eth0.rp_filter"},
		{"net.netfilter.nf_conntrack_dccp_loose", "1", release.Current, None, ""},
		{"vm.of_a_module", "10", release.Current, None, ""},
		{"net.ipv4.vs.conntrack", "1", release.Current, None, ""},
		{"vm.swappiness", "900", release.Current, OutOfRange, "write 0 to 200"},
		{"kernel.sysctl_writes_strict", "-1", release.Current, None, ""},
		{"vm.swappiness", "${x}", release.Current, None, ""},
		{"net.ipv4.ip_local_port_range", "1024 65535", release.Current, None, ""},
		{"net.ipv4.tcp_tw_recycle", "1", release.V43, Gone, "remove it"},
		{"kernel.sched_latency_ns", "1", 12, None, ""},
		{"kernel.sched_latency_ns", "1", 13, Gone, "remove it"},
		{"net.ipv4.conf.eth0.100.rp_filter", "1", release.Current, Dotted, ""},
		{"net.ipv4.conf.all.rp_filter", "1", release.Current, None, ""},
		{"net.ipv4.conf", "1", release.Current, None, ""},
		{"", "", release.Current, None, ""},
	} {
		f, what, fix := Judge(c.key, c.value, c.release)
		if f != c.want || fix != c.fix || (what == "") != (f == None) {
			t.Errorf("%s=%s: %v, %q (%q)", c.key, c.value, f, what, fix)
		}
	}
}

// Each parameter that has bounds is known, and none that is known is gone or a slip of another.
func TestTables(t *testing.T) {
	for key, b := range table().bounds {
		if !table().known[key] || b[0] > b[1] {
			t.Errorf("%s: %v", key, b)
		}
	}
	for key := range table().known {
		if f, what, _ := Judge(key, "", release.Current); f != None {
			t.Errorf("%s: %s", key, what)
		}
	}
	if len(table().known) < 500 || len(table().gone) < 15 {
		t.Errorf("%d names, %d that are gone", len(table().known), len(table().gone))
	}
}
