package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/release"
	"plimsoll.dev/source/scenario"
)

// usualNode is the machine of a plan of manifests where no other is named.
const usualNode = "8x32"

var nodeSize = regexp.MustCompile(`^([1-9][0-9]{0,5})x([1-9][0-9]{0,8})(?:x([1-9][0-9]{0,8}))?$`)

// unwritten makes the scenario of a workload that is given by flags alone. What every
// scenario says and nobody has said is assumed.
func (in *input) unwritten(a *app, options []scenario.Option) (*scenario.Document, error) {
	if !in.runs() && len(in.manifests) == 0 {
		return nil, errors.New("nothing to plan: give a scenario, --snapshot, --context or --manifests " +
			"(\"plimsoll init\" writes a scenario)")
	}
	platform, assumed, err := in.unsaidPlatform(a)
	if err != nil {
		return nil, err
	}
	of, why, err := in.unsaidRelease(a, platform)
	if err != nil {
		return nil, err
	}
	assumed = append(assumed, why...)
	nodes := in.nodes
	if len(nodes) == 0 && !in.runs() {
		nodes = []string{usualNode}
		assumed = append(assumed, v1alpha1.Assumption{Field: "hardware.nodeTypes", Value: usualNode,
			Why: "cores x GiB (--node names others)"})
	}
	types := make([]string, len(nodes))
	for i, n := range nodes {
		size := nodeSize.FindStringSubmatch(n)
		if size == nil {
			return nil, fmt.Errorf("--node %q is not cores x GiB of memory, such as %s, or x GiB of disk beside, "+
				"such as %[2]sx120", n, usualNode)
		}
		types[i] = fmt.Sprintf("{name: %q, cpus: %s, memory: %sGi", n, size[1], size[2])
		if size[3] != "" {
			types[i] += fmt.Sprintf(", disk: %sGi", size[3])
		}
		types[i] += "}"
	}
	text := fmt.Sprintf("apiVersion: %s\nkind: %s\nplatform: {type: %q, release: %q}\nhardware: {nodeTypes: [%s]}\n",
		v1alpha1.APIVersion, v1alpha1.KindScenario, platform, of, strings.Join(types, ", "))
	doc, err := scenario.Read("command line", []byte(text), options...)
	if err == nil {
		doc.Assumptions = append(doc.Assumptions, assumed...)
	}
	return doc, err
}

// unsaidPlatform is the platform that is planned for: as asked, be it by the release, else that of the snapshot,
// else OpenShift.
func (in *input) unsaidPlatform(a *app) (string, []v1alpha1.Assumption, error) {
	switch {
	case in.platform != "" || !in.runs():
		return cmp.Or(in.platform, "openshift"), nil, nil
	case in.release != "" && !strings.HasPrefix(in.release, "1."):
		return "openshift", nil, nil
	}
	found, err := in.snapshotOf(a, nil, "")
	switch {
	case err != nil:
		return "", nil, err
	case ofOpenShift(found):
		return "openshift", nil, nil
	}
	return "kubernetes", []v1alpha1.Assumption{{Field: "platform.type", Value: "kubernetes",
		Why: v1alpha1.NotOpenShift}}, nil
}

// ofOpenShift says whether a cluster that runs is OpenShift: by its own objects, else by what its nodes or
// namespaces are called.
func ofOpenShift(found *v1alpha1.Inventory) bool {
	ours := func(name string) bool { return strings.Contains(name, "openshift.io/") }
	return found.OpenShift != "" || len(found.Pools) > 0 || found.Network != nil ||
		slices.ContainsFunc(slices.Collect(maps.Keys(found.Namespaces)),
			func(name string) bool { return strings.HasPrefix(name, "openshift-") }) ||
		slices.ContainsFunc(found.Nodes, func(n v1alpha1.Node) bool {
			return slices.ContainsFunc(slices.Collect(maps.Keys(n.Labels)), ours)
		}) ||
		slices.ContainsFunc(found.PodTypes,
			func(t v1alpha1.PodType) bool { return strings.HasPrefix(t.Namespace, "openshift-") })
}

// unsaidRelease is the release that is planned for: as asked, else that of the snapshot,
// else the newest.
func (in *input) unsaidRelease(a *app, platform string) (string, []v1alpha1.Assumption, error) {
	if in.release != "" {
		return in.release, nil, nil
	}
	if in.runs() {
		found, err := in.snapshotOf(a, nil, "")
		if err != nil {
			return "", nil, err
		}
		of, why := releaseOf(found, platform)
		if of == "" {
			return "", nil, errors.New("--release is missing, and no node was read that states one: " +
				"the limits differ by release (such as --release 4.14)" + andLacking(found.Skipped))
		}
		return of, []v1alpha1.Assumption{why}, nil
	}
	newest := v1alpha1.Platform{Type: "openshift", Release: release.Newest.String()}
	of := cluster.PlatformRelease(platform, cluster.Release(&v1alpha1.Scenario{Platform: newest}))
	return of, []v1alpha1.Assumption{{Field: fieldRelease, Value: of,
		Why: "the newest that is known (--release names another)"}}, nil
}

const fieldRelease = "platform.release"

// andLacking goes behind what is missing: what could not be seen may be the reason.
func andLacking(skipped []v1alpha1.Skipped) string {
	if f, ok := v1alpha1.Lacking(skipped); ok {
		return "; " + strings.TrimSuffix(f.Message, " (--section skipped)") // which answers have
	}
	return ""
}

// releaseOf is the release of a cluster that runs, and why; empty where nothing tells it.
func releaseOf(found *v1alpha1.Inventory, platform string) (string, v1alpha1.Assumption) {
	var major, minor int
	if n, _ := fmt.Sscanf(found.OpenShift, "%d.%d", &major, &minor); n == 2 && platform == "openshift" {
		of := fmt.Sprintf("%d.%d", major, minor)
		return of, v1alpha1.Assumption{Field: fieldRelease, Value: of,
			Why: "of the snapshot's ClusterVersion, " + found.OpenShift}
	}
	of := cluster.PlatformRelease(platform, found.Kubernetes)
	return of, v1alpha1.Assumption{Field: fieldRelease, Value: of,
		Why: "of the snapshot's oldest kubelet, Kubernetes " + found.Kubernetes}
}

// releaseBeside finds the release of a scenario that states none in its snapshot. What is wrong
// with that is told when it is read for all else.
func (in *input) releaseBeside(a *app) func(*scenario.Document) (string, *v1alpha1.Assumption) {
	return func(doc *scenario.Document) (string, *v1alpha1.Assumption) {
		s := doc.Scenario
		named := cmp.Or(in.snapshot, in.running.name(), s.Workload.Snapshot)
		platform := cmp.Or(s.Platform.Type, "openshift")
		if named == "" || platform == platformHelion {
			return "", nil
		}
		found, err := in.snapshotOf(a, doc, named)
		if err != nil {
			return "", nil
		}
		of, why := releaseOf(found, platform)
		return of, &why
	}
}
