package tuned

import (
	"strings"
	"testing"
)

// lscpuOf is what lscpu of util-linux 2.38 prints of a virtual machine, shortened.
const lscpuOf = `Architecture:            x86_64
  CPU op-mode(s):        32-bit, 64-bit
CPU(s):                  6
  On-line CPU(s) list:   0-3,5
  Off-line CPU(s) list:  4
Vendor ID:               GenuineIntel
  Model name:            Intel(R) Xeon(R) Processor
Virtualization features:
  Hypervisor vendor:     KVM
`

// TestWithLSCPU: what lscpu says is known, what was known before stays.
func TestWithLSCPU(t *testing.T) {
	m := Machine{}.WithLSCPU(lscpuOf)
	for text, want := range map[string]string{
		"${f:lscpu_check:Vendor ID\\:\\s*GenuineIntel:intel:other}": "intel",
		"${f:cpulist_invert:1}":        "0,2,3,5",
		"${f:cpulist_present:1-9}":     "1,2,3,4,5",
		"${f:check_net_queue_count:x}": "5\n",
		"${f:virt_check:vm:metal}":     "vm",
	} {
		e := expander{machine: m, values: map[string]string{}}
		if got, err := e.expand(text); got != want || err != nil || len(e.found) > 0 {
			t.Errorf("%s is %q (%v, %v), want %q", text, got, err, e.found, want)
		}
	}
	online, metal := "0-7", false
	if m := (Machine{Online: &online, Virtual: &metal}).WithLSCPU(lscpuOf); *m.Online != "0-7" || *m.Virtual ||
		m.Present != nil {
		t.Errorf("what was known is replaced: %+v", m)
	}
	if m := (Machine{}).WithLSCPU("garbage"); m.Online != nil || m.Virtual != nil || *m.LSCPU != "garbage" {
		t.Errorf("%+v", m)
	}
	if m := (Machine{}).WithLSCPU("On-line CPU(s) list: 0-1\n"); *m.Virtual || *m.Present != "0,1" && *m.Present != "0-1" {
		t.Errorf("%+v", m)
	}
}

// TestWithUname: profiles ask for fields of it, and compare all of them.
func TestWithUname(t *testing.T) {
	given := map[string]string{"date": "today\n"}
	m := Machine{
		Printed: given,
	}.WithUname("Linux worker-0 5.14.0-284.rt14.el9.x86_64 #1 SMP PREEMPT_RT Tue Nov 1 x86_64 x86_64 x86_64 GNU/Linux\n")
	for text, want := range map[string]string{
		"${f:regex_search_ternary:${f:exec:uname:-r}:\\.rt\\d+:rt:stock}": "rt",
		"${f:strip:${f:exec:uname:-m}}":                                   "x86_64",
		"${f:strip:${f:exec:date}}":                                       "today",
	} {
		e := expander{machine: m, values: map[string]string{}}
		if got, err := e.expand(text); got != want || err != nil || len(e.found) > 0 {
			t.Errorf("%s is %q (%v, %v), want %q", text, got, err, e.found, want)
		}
	}
	if len(given) != 1 || !strings.HasSuffix(*m.Uname, "x86_64 x86_64") {
		t.Errorf("%v, %q", given, *m.Uname)
	}
	set := oneDirectory("p", "[sysctl]\nuname_regex=rt14\nk=1\n[vm]\nuname_regex=el8\ntransparent_hugepages=never\n")
	f, found := set.Flatten("p", m)
	if len(f.Applied()) != 1 || len(found) > 0 {
		t.Errorf("%+v, %v", f.Applied(), found)
	}
	e := expander{machine: m, values: map[string]string{}}
	if _, err := e.expand("${f:exec:uname:-v}"); err != nil || len(e.found) != 1 || e.found[0].ID != NotRun.ID {
		t.Errorf("a program that is not told of: %v, %v", err, e.found)
	}
}

// TestArgumentsAreTold: what a function takes, and what for.
func TestArgumentsAreTold(t *testing.T) {
	e := expander{values: map[string]string{}}
	if _, err := e.expand("${f:virt_check:a}"); err != nil || len(e.found) != 1 ||
		e.found[0].Remedy != "it takes 2 (argument 1 in a virtual machine, else argument 2)" {
		t.Errorf("%v, %+v", err, e.found)
	}
}
