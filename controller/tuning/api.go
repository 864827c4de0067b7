package tuning

import (
	"context"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/tune/profile"
)

// Ref names an object as it was read.
type Ref = cluster.Ref

// World is what there is at one instant.
type World struct {
	// Skew is how far this machine's clock is ahead of the API server's.
	Skew time.Duration
	// Tuneds are the Tuned CRs of the namespace.
	Tuneds []Tuned
	// Nodes of the cluster, with the names of their providers.
	Nodes     []profile.Node
	Providers map[string]string
	// Pods are read only where a CR asks for them, see [profile.UsesPods].
	Pods []profile.Pod
	// Pools are the machine config pools; none where the cluster has no such kind.
	Pools []openshift.MachineConfigPool
	// Profiles are the Profile objects of the namespace.
	Profiles []Profile
	// Leads says that this process holds the lease of its leader election, as the server has it.
	Leads bool
	// Other is what shows that the operator is alive, empty where nothing does.
	Other string
}

// Tuned is a CR as the server has it, in JSON.
type Tuned struct {
	Ref  Ref
	Text []byte
}

// Profile is a Profile object.
type Profile struct {
	Ref         Ref
	Annotations map[string]string
	Spec        Spec
}

// Spec of a Profile object.
type Spec struct {
	Config Config `json:"config"`
	// Profile are all profiles of the CRs, from 4.14 on.
	Profile []Text `json:"profile,omitempty"`
}

// Config is what is asked of a node.
type Config struct {
	TunedProfile string                      `json:"tunedProfile"`
	Debug        bool                        `json:"debug,omitempty"`
	Verbosity    int64                       `json:"verbosity,omitempty"`
	TunedConfig  openshift.TunedDaemonConfig `json:"tunedConfig,omitzero"`
	ProviderName string                      `json:"providerName,omitempty"`
}

// Text is a profile in TuneD's language.
type Text struct {
	Name string `json:"name"`
	Data string `json:"data"`
}

// Kind of an object that is written.
type Kind string

// The kinds.
const (
	KindProfile Kind = "Profile"
	KindTuned   Kind = "Tuned"
)

// Do is what is done to an object.
type Do string

// What is done. Judge writes a CR's condition Valid.
const (
	Create Do = "create"
	Update Do = "update"
	Delete Do = "delete"
	Judge  Do = "judge"
)

// Change is one thing to write.
type Change struct {
	Do   Do
	Kind Kind
	// Ref has name and namespace alone where the object is made.
	Ref Ref
	// Spec is the whole spec, and Annotations all annotations, of what is made or updated.
	Spec        any
	Annotations map[string]string
	// Owner is the CR that a Profile goes with; its zero value is none.
	Owner Ref
	// Valid is the condition.
	Valid openshift.Condition
	// Note says what the change is about.
	Note string
}

// API is a cluster as the keeper needs it.
type API interface {
	// Cached is the world as it was watched, which may be old; it has not who leads.
	Cached(ctx context.Context) (World, error)
	// Live asks the server for all of it.
	Live(ctx context.Context) (World, error)
	// Write does a change, if the object is the one that was read; else it returns [cluster.ErrChanged].
	Write(ctx context.Context, c Change) error
	// Event is told of an object.
	Event(of Kind, ref Ref, warning bool, reason, note string)
}
