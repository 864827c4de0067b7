package report

import (
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// cloudPlan is a plan of a cloud with all that a report has words of its own for.
func cloudPlan() *v1alpha1.Plan {
	p := samplePlan()
	p.Platform = v1alpha1.Platform{Type: "helion", Release: "4.0"}
	p.Options[0].Given, p.Options[0].FitsAt = 3, 0
	for i := range p.Options {
		p.Options[i].Overcommit = nil
	}
	p.Decisions = v1alpha1.Decisions{Helion: &v1alpha1.HelionDecision{Model: "dedicated-storage", Regions: 1,
		Hosts: []v1alpha1.HelionHosts{
			{Role: "controller", Type: "controller", Count: 2, Primary: 500 * unit.GB},
			{Role: "compute", Type: "hp-2s16", Count: 12, Spares: 1, Compute: &v1alpha1.Compute{PlatformCores: []int{1, 0},
				VSwitchCores: []int{2, 0}, PlatformMemory: []unit.Bytes{8 * unit.GiB, 2 * unit.GiB}},
				Pages: map[string][]int64{"2Mi": {11776, 14848}}}}}}
	p.Skipped, p.Sections, p.Figures, p.Findings, p.Gauges, p.Assumptions = nil, nil, nil, nil, p.Gauges[:1], nil
	return p
}

// TestCloudWords: the report of a cloud speaks of hosts and VMs, and has nothing
// that only clusters have.
func TestCloudWords(t *testing.T) {
	p := cloudPlan()
	for _, format := range []string{Wide, Markdown, HTML} {
		text := readable(t, format, texts(t, p, format, Options{})["plan"])
		for _, want := range []string{"Helion OpenStack Carrier Grade 4.0", "Host options side by side",
			"What a host is used for", "worker, 57 hosts", "Needed, every VM placed",
			"Hosts by method", "what Nova's filters and weighers need", "What to buy", "500 GB for the system",
			"platform cores 1 + 0, vSwitch cores 2 + 0, platform memory 8 GiB + 2 GiB", "2Mi 11,776 + 14,848"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
		for _, not := range []string{"Node options", "a node is used", "kube-scheduler", "manifests are", "for the manifests",
			"policy.overcommit", "maxPods", "Holds at", "OSDs", "Network and monitoring"} {
			if strings.Contains(text, not) {
				t.Errorf("%s has %q", format, not)
			}
		}
	}
}

func TestFailing(t *testing.T) {
	for what, want := range map[string]string{"any 1 node": "any 1 node fails", "any 2 hosts": "any 2 hosts fail",
		"any 12 hosts": "any 12 hosts fail", "zone b": "zone b fails",
		"2 hosts": "2 hosts fail", "any rack": "any rack fails", "": " fails"} {
		if got := failing(what); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
