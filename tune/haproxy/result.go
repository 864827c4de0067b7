package haproxy

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
)

// Advice is what a set of routers should be set to.
type Advice struct {
	// Release of OpenShift that it is for.
	Release string `json:"release"`
	// Pods of each shard, with the spare ones, and Shards of the ingress.
	Pods   int `json:"pods"`
	Shards int `json:"shards"`
	// Limiting is the resource that decides the pods: requests, connections, network
	// or memory.
	Limiting string `json:"limiting"`
	// Settings in the order in which they are explained.
	Settings []Advised `json:"settings"`
	// CPUMap pins HAProxy's threads, and Interrupts are the CPUs left for the network
	// interface; both are empty where the machine is not known.
	CPUMap     string `json:"cpuMap,omitempty"`
	Interrupts string `json:"interrupts,omitempty"`
	// Processes of HAProxy in a router at worst, old ones included.
	Processes int `json:"processes"`
	// Resources are what decides the pods.
	Resources []Resource `json:"resources"`
	// Figures are the derivations.
	Figures []derive.Figure `json:"figures"`
	// Patch is the IngressController's merge patch of 4.x, Environment the command of
	// 3.x; one of them is empty.
	Patch       string `json:"patch,omitempty"`
	Environment string `json:"environment,omitempty"`

	// Controllers are the IngressControllers of 4.x, those of new shards first.
	Controllers []File `json:"controllers,omitempty"`
	// Configuration is what HAProxy reads: its configuration with some routes of each
	// kind, and the maps.
	Configuration []File `json:"configuration"`

	findings []v1alpha1.Finding
	input    Input
	// published is how the input says that routers are published; empty is not said.
	published string
}

// Advised is a setting with its value.
type Advised struct {
	// Name as in tuningOptions, Title for people.
	Name  string `json:"name"`
	Title string `json:"title"`
	// Value as it is written, and the release's default; empty for none.
	Value   string `json:"value"`
	Default string `json:"default,omitempty"`
	// Variable of 3.x, directive of haproxy.cfg, and where this release is told; empty
	// where it can't be.
	Variable  string `json:"variable"`
	Directive string `json:"directive,omitempty"`
	Where     string `json:"where,omitempty"`
	// Set says that the patch or the command has it: it differs and can be set.
	Set bool `json:"set"`
	// Why the value is right; Lacks why it can't be set.
	Why   string `json:"why,omitempty"`
	Lacks string `json:"lacks,omitempty"`
}

// Resource is one thing that the routers must have enough of.
type Resource struct {
	// Name is requests, connections, network or memory.
	Name string `json:"name"`
	// Load of a shard, what one router takes, and the routers that makes.
	Load    derive.Value `json:"load"`
	Has     derive.Value `json:"has"`
	Routers derive.Value `json:"routers"`
}

// Value is the advised value of a setting; empty when it has none.
func (a Advice) Value(name string) string { return a.setting(name).Value }

// Figure is a derivation by its id; false when there is none.
func (a Advice) Figure(id string) (derive.Figure, bool) {
	for _, f := range a.Figures {
		if f.ID == id {
			return f, true
		}
	}
	return derive.Figure{}, false
}

// Findings are what an administrator should know, the worst first.
func (a Advice) Findings() []v1alpha1.Finding { return a.findings }
