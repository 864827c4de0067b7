package cli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/release"
	"plimsoll.dev/source/scenario"
)

// usualNode is the machine of a plan of manifests where no other is named.
const usualNode = "8x32"

var nodeSize = regexp.MustCompile(`^([1-9][0-9]{0,5})x([1-9][0-9]{0,8})$`)

// unwritten makes the scenario of a workload that is given by flags alone. What every
// scenario says and nobody has said is assumed.
func (in *input) unwritten(a *app, options []scenario.Option) (*scenario.Document, error) {
	if in.snapshot == "" && len(in.manifests) == 0 {
		return nil, errors.New("nothing to plan: give a scenario, --snapshot or --manifests " +
			"(\"plimsoll init\" writes a scenario)")
	}
	of, assumed, err := in.unsaidRelease(a)
	if err != nil {
		return nil, err
	}
	nodes := in.nodes
	if len(nodes) == 0 && in.snapshot == "" {
		nodes = []string{usualNode}
		assumed = append(assumed, v1alpha1.Assumption{Field: "hardware.nodeTypes", Value: usualNode,
			Why: "cores x GiB (--node names others)"})
	}
	types := make([]string, len(nodes))
	for i, n := range nodes {
		size := nodeSize.FindStringSubmatch(n)
		if size == nil {
			return nil, fmt.Errorf("--node %q is not cores x GiB of memory, such as %s", n, usualNode)
		}
		types[i] = fmt.Sprintf("{name: %q, cpus: %s, memory: %sGi}", n, size[1], size[2])
	}
	text := fmt.Sprintf("apiVersion: %s\nkind: %s\nplatform: {type: %q, release: %q}\nhardware: {nodeTypes: [%s]}\n",
		v1alpha1.APIVersion, v1alpha1.KindScenario, cmp.Or(in.platform, "openshift"), of, strings.Join(types, ", "))
	doc, err := scenario.Read("command line", []byte(text), options...)
	if err == nil {
		doc.Assumptions = append(doc.Assumptions, assumed...)
	}
	return doc, err
}

// unsaidRelease is the release that is planned for: as asked, else that of the snapshot,
// else the newest.
func (in *input) unsaidRelease(a *app) (string, []v1alpha1.Assumption, error) {
	if in.release != "" {
		return in.release, nil, nil
	}
	platform := cmp.Or(in.platform, "openshift")
	newest := v1alpha1.Platform{Type: "openshift", Release: release.Newest.String()}
	kubernetes := cluster.Release(&v1alpha1.Scenario{Platform: newest})
	why := "the newest that is known (--release names another)"
	if in.snapshot != "" {
		found, err := in.fromSnapshot(a)
		if err != nil {
			return "", nil, err
		}
		kubernetes, why = found.Kubernetes, "of the snapshot's oldest kubelet, Kubernetes "+found.Kubernetes
	}
	of := cluster.PlatformRelease(platform, kubernetes)
	if of == "" {
		return "", nil, errors.New("--release is missing, and the nodes of the snapshot state none: " +
			"the limits differ by release (such as --release 4.14)")
	}
	return of, []v1alpha1.Assumption{{Field: "platform.release", Value: of, Why: why}}, nil
}
