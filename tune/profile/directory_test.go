package profile

import (
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/tuned"
)

// TestDirectoryOf: the profiles of a CR and of the CR default flatten together, and
// each value knows the line of the CR.
func TestDirectoryOf(t *testing.T) {
	objects, problems := object.Split("hugepages.yaml", []byte(`apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: hugepages, namespace: openshift-cluster-node-tuning-operator}
spec:
  profile:
  - name: node-hugepages
    data: |
      [main]
      include=openshift-node
      [sysctl]
      vm.nr_hugepages=1024
  recommend: []
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	tuneds, _ := object.All[openshift.Tuned](objects, "Tuned")
	bare := false
	vendor := tuned.Directory{Path: "/usr/lib/tuned", Profiles: []tuned.Profile{
		{Name: "throughput-performance", Source: tuned.Source{Body: "[sysctl]\nvm.swappiness=10\n", File: "t"}},
	}}
	flat, found := tuned.NewSet(vendor, DirectoryOf(&Input{Tuneds: tuneds, Release: release.V44})).
		Flatten("node-hugepages", tuned.Machine{Virtual: &bare})
	if flat == nil {
		t.Fatal(found)
	}
	var chain []string
	for _, l := range flat.Layers {
		chain = append(chain, l.Profile)
	}
	if got := strings.Join(chain, " "); got != "throughput-performance openshift openshift-node node-hugepages" {
		t.Errorf("chain: %s", got)
	}
	pages := flat.Section("sysctl").Option("vm.nr_hugepages")
	if pages == nil || pages.Value != "1024" || pages.From.Place.File != "hugepages.yaml" || pages.From.Place.Line != 11 {
		t.Errorf("vm.nr_hugepages: %+v", pages)
	}
}
