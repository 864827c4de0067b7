package flavor

import (
	"strings"
	"testing"
)

// What chooses a place says what it asks for and which rules know it: the fork's keys are not
// Nova's, nor Nova's mask the fork's.
func TestExplain(t *testing.T) {
	for name, want := range map[string][]string{
		"hw:cpu_policy":         {"hcg-4.0, starlingx, nova", "dedicated"},
		"hw:wrs:shared_vcpu":    {"(hcg-4.0, starlingx)", "shared core", "hw:cpu_dedicated_mask"},
		"hw:cpu_dedicated_mask": {"(nova)", "mixed"},
		"hw:numa_node.1":        {"hw:numa_node.N (hcg-4.0, starlingx)"},
		"hw_mem_page_size":      {"2MB"},
		"hw:pmu":                {"chooses no place"},
		"hw:":                   {"hw:numa_nodes", "hw:mem_page_size", "hw:wrs:vswitch_numa_affinity"},
	} {
		got, ok := Explain(name)
		for _, part := range want {
			if !ok || !strings.Contains(got, part) {
				t.Errorf("%s: %q, want %q", name, got, part)
			}
		}
	}
	if got, ok := Explain("hw:cpu_polcy"); ok {
		t.Errorf("%q", got)
	}
	for name := range does {
		if _, ok := known[name]; !ok {
			t.Errorf("%s is no extra spec", name)
		}
	}
}
