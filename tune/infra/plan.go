package infra

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlout"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/infra/placement"
	"plimsoll.dev/tune/ingresscontroller"
	"plimsoll.dev/tune/monitoring"
)

// Options say which nodes become infrastructure nodes, and what moves there.
type Options struct {
	Release release.Release
	// Nodes to relabel; none when they are to be filled in.
	Nodes []string
	// Taints that keep other pods off; none leaves the nodes open.
	Taints []v1alpha1.Taint
	// KeepWorker keeps the label worker, so that other pods may use the nodes too.
	KeepWorker bool
	// MaxUnavailable nodes of the pool at once: a number or a percentage, nil for one.
	MaxUnavailable any
	// Monitoring and Router: their amounts; release, selector and tolerations are set here.
	Monitoring monitoring.Options
	Router     ingresscontroller.Options
}

// Move is the way to infrastructure nodes.
type Move struct {
	Release string `json:"release"`
	Files   []File `json:"files"`
	Steps   []Step `json:"steps"`
	// Findings are what comes with the move.
	Findings []v1alpha1.Finding `json:"-"`
}

// File is a manifest.
type File struct {
	// Name of the file, as the steps call it; it has no directory.
	Name string `json:"name"`
	YAML string `json:"yaml"`
}

// Step is one thing to do; the commands are for a shell.
type Step struct {
	Title    string   `json:"title"`
	Commands []string `json:"commands,omitempty"`
	// Why says why it stands here, or what to wait for.
	Why string `json:"why,omitempty"`
}

// hole is where a node's name is to be filled in.
const hole = "<NODE>"

// Names of the files.
const (
	poolFile       = "machineconfigpool-infra.yaml"
	monitoringFile = "cluster-monitoring-config.yaml"
	userFile       = "user-workload-monitoring-config.yaml"
	routerFile     = "ingresscontroller-default.yaml"
)

// Plan makes all manifests and steps.
func Plan(o Options) Move {
	selector := map[string]string{openshift.LabelInfra: ""}
	tolerations := placement.Tolerating(o.Taints)
	o.Monitoring.Release, o.Monitoring.NodeSelector, o.Monitoring.Tolerations = o.Release, selector, tolerations
	o.Router.Release, o.Router.NodeSelector, o.Router.Tolerations = o.Release, selector, tolerations
	m := Move{Release: o.Release.Rules()}
	m.add(poolFile, Pool(o.Release, Role, o.MaxUnavailable))
	m.add(monitoringFile, monitoring.Generate(o.Monitoring))
	if cm, ok := monitoring.GenerateUser(o.Monitoring); ok {
		m.add(userFile, cm)
	}
	router, _ := ingresscontroller.Generate(o.Router)
	m.add(routerFile, router)
	m.Steps = o.steps(len(m.Files) > 3)
	m.Findings = o.findings(o.Release, router)
	return m
}

func (m *Move) add(name string, object any) {
	text, err := yamlout.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("infra: %v", err)) // structs of plain values only
	}
	m.Files = append(m.Files, File{name, string(text)})
}

// nodes are the names for a command.
func (o Options) nodes() string {
	names := slices.DeleteFunc(slices.Clone(o.Nodes), func(name string) bool { return !namesNode(name) })
	if len(names) == 0 {
		return hole
	}
	return strings.Join(names, " ")
}

// steps are what to do, in an order in which no node is without a pool and no pod
// without a node.
func (o Options) steps(users bool) []Step {
	steps := []Step{
		{"Make the pool", []string{"oc apply -f " + poolFile},
			"Without it a node that loses the label worker is in no pool."},
		{"Label the nodes", []string{"oc label node " + o.nodes() + " " + openshift.LabelInfra + "="},
			"The custom pool goes before worker at once. A node that is replaced comes back as a worker: " +
				"write the label into the MachineSet as well (spec.template.spec.metadata.labels)."},
		{"Wait for the pool", []string{"oc wait machineconfigpool infra --for=condition=Updated --timeout=1h"},
			"A pool that has not noticed its nodes yet is Updated, too: oc get machineconfigpool infra must count all of them."},
		{"Move the monitoring", []string{"oc apply -f " + monitoringFile},
			"It replaces config.yaml as a whole: merge it with what is there."},
	}
	if users {
		steps = append(steps, Step{"Move the users' monitoring", []string{"oc apply -f " + userFile},
			"It replaces config.yaml as a whole."})
	}
	steps = append(steps, Step{"Move the router", []string{"oc apply -f " + routerFile},
		"nodeSelector replaces the default, which is Linux and worker."})
	steps = append(steps, Step{"See where the pods are", []string{"oc get pods -n openshift-monitoring -o wide",
		"oc get pods -n openshift-ingress -o wide"}, "All of them must run before the nodes are closed to others."})
	if len(o.Taints) > 0 {
		steps = append(steps, Step{"Taint the nodes", o.taint(),
			"Last: pods that don't tolerate the taint find no place there any more."})
	}
	if !o.KeepWorker {
		steps = append(steps, Step{"Take the label worker off",
			[]string{"oc label node " + o.nodes() + " " + openshift.LabelWorker + "-"}, "The nodes stay in pool infra."})
	}
	return append(steps, Step{"Further candidates: registry and logging", []string{
		`oc patch configs.imageregistry.operator.openshift.io cluster --type=merge \` + "\n" + `  -p '` + o.patch() + `'`},
		"Logging has a nodeSelector for each part in its ClusterLogging object."})
}

func (o Options) taint() []string {
	var out []string
	for _, t := range o.Taints {
		out = append(out, fmt.Sprintf("oc adm taint nodes %s %s=%s:%s", o.nodes(), t.Key, t.Value, t.Effect))
	}
	return out
}

// patch puts a component with nodeSelector and tolerations in its spec on the nodes.
func (o Options) patch() string {
	spec := map[string]any{"nodeSelector": map[string]string{openshift.LabelInfra: ""}}
	if t := placement.Tolerating(o.Taints); len(t) > 0 {
		spec["tolerations"] = t
	}
	var sorted any // by key, as in the files
	text, err := json.Marshal(map[string]any{"spec": spec})
	if err == nil {
		err = json.Unmarshal(text, &sorted)
	}
	if err == nil {
		text, err = json.Marshal(sorted)
	}
	if err != nil {
		panic(fmt.Sprintf("infra: %v", err)) // plain values only
	}
	return string(text)
}
