package sysctl

import (
	"strings"
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
		{"net.ipv4.ip_local_port_range", "65535\t1024", release.Current, OutOfRange, "write 1024 65535"},
		{"net.ipv4.ip_local_port_range", "0 65535", release.Current, OutOfRange, "write 1 to 65535"},
		{"net.ipv4.neigh.default.gc_thresh3", "abc", release.Current, OutOfRange, "write a number"},
		{"net.ipv4.neigh.default.gc_thresh3", "0x1000", release.Current, None, ""},
		{"kernel.shmmax", "1k", release.Current, OutOfRange, "write a number"},
		{"kernel.shmmax", "18446744073709551615", release.Current, None, ""},
		{"fs.file-max", "99999999999999999999", release.Current, OutOfRange, "write a number of at most 64 bits"},
		{"net.core.somaxconn", "-1", release.Current, OutOfRange, "write 0 to 2147483647"},
		{"net.ipv4.tcp_rmem", "4096 131072 16777216", release.Current, None, ""},
		{"net.ipv4.tcp_rmem", "4096,131072", release.Current, OutOfRange, "write a number"},
		{"net.ipv4.ip_local_reserved_ports", "8080,9148-9200", release.Current, None, ""},
		{"net.core.default_qdisc", "fq", release.Current, None, ""},
		{"kernel.core_pattern", "|/bin/x %p", release.Current, None, ""},
		{"vm.swappiness", "{{ .Swappiness }}", release.Current, None, ""},
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
	for key := range table().texts {
		if !table().known[key] {
			t.Errorf("%s takes texts and is not known", key)
		}
	}
	if len(table().known) < 500 || len(table().gone) < 15 {
		t.Errorf("%d names, %d that are gone", len(table().known), len(table().gone))
	}
}

// Of two settings that exclude each other the kernel keeps the later one.
func TestUndone(t *testing.T) {
	for _, c := range []struct {
		settings []string
		want     string
	}{
		{[]string{"vm.dirty_ratio=10", "vm.dirty_background_bytes=1"}, ""},
		{[]string{"vm.dirty_ratio=10", "vm.dirty_bytes=0"}, ""},
		{[]string{"vm.dirty_ratio=10", "vm.dirty_bytes=8192"}, "vm.dirty_bytes sets vm.dirty_ratio"},
		{[]string{"vm.overcommit_kbytes=1", "vm.overcommit_ratio=50"}, "vm.overcommit_ratio sets vm.overcommit_kbytes"},
	} {
		u, got := Undone{}, ""
		for _, s := range c.settings {
			key, value, _ := strings.Cut(s, "=")
			what, fix := u.Add(key, value)
			if (what == "") != (fix == "") {
				t.Errorf("%s: %q (%q)", s, what, fix)
			}
			got += what
		}
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v: %q", c.settings, got)
		}
	}
}
