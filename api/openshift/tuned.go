package openshift

// Tuned is a custom resource of the Node Tuning Operator, tuned.openshift.io/v1.
type Tuned struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Metadata   ObjectMeta `json:"metadata"`
	Spec       TunedSpec  `json:"spec"`
}

// TunedSpec holds profiles and the rules by which nodes get them.
type TunedSpec struct {
	// ManagementState of the operator, on the CR "default" from 4.6 on.
	ManagementState string           `json:"managementState,omitempty"`
	Profile         []TunedProfile   `json:"profile,omitempty"`
	Recommend       []TunedRecommend `json:"recommend,omitempty"`
}

// TunedProfile is a profile of TuneD in TuneD's own language.
type TunedProfile struct {
	// Name and Data; nil when the field is absent.
	Name *string `json:"name,omitempty"`
	Data *string `json:"data,omitempty"`
}

// TunedRecommend recommends a profile for the nodes that match.
type TunedRecommend struct {
	// Profile is the name of the profile; nil when absent.
	Profile *string `json:"profile,omitempty"`
	// Priority, 0 the first; nil, which sorts last, when absent.
	Priority *int64 `json:"priority,omitempty"`
	// Match items of which one must match. Nil (absent) is not the same as empty.
	Match []TunedMatch `json:"match,omitempty"`
	// MachineConfigLabels select nodes by their pool, from 4.5 on.
	MachineConfigLabels map[string]string `json:"machineConfigLabels,omitempty"`
	// Operand sets up the daemon of the nodes that get the profile, from 4.7 on.
	Operand *TunedOperand `json:"operand,omitempty"`
}

// TunedOperand sets up the daemon itself.
type TunedOperand struct {
	// Debug has TuneD log in detail, Verbosity the operator's part on the node.
	Debug       bool              `json:"debug,omitempty"`
	Verbosity   int64             `json:"verbosity,omitempty"`
	TunedConfig TunedDaemonConfig `json:"tunedConfig,omitzero"`
}

// TunedDaemonConfig are settings of tuned-main.conf.
type TunedDaemonConfig struct {
	// ReapplySysctl has the host's own sysctl files applied after the profile's; nil is true.
	ReapplySysctl *bool `json:"reapply_sysctl,omitempty"`
}

// TunedMatch matches a label of the node or of a pod on it, and all of that with
// one of the nested items.
type TunedMatch struct {
	// Label is the key; nil when absent.
	Label *string `json:"label,omitempty"`
	// Value that the label must have; nil asks for the key alone, "" for an empty value.
	Value *string `json:"value,omitempty"`
	// Type is "node" (nil is the same) or "pod".
	Type  *string      `json:"type,omitempty"`
	Match []TunedMatch `json:"match,omitempty"`
}

// ProfileSpec is what the operator asks of a node, in the Profile that has the node's name.
type ProfileSpec struct {
	Config ProfileConfig `json:"config"`
}

// ProfileConfig names the profile.
type ProfileConfig struct {
	TunedProfile string `json:"tunedProfile,omitempty"`
}

// ProfileStatus is what the node says of it.
type ProfileStatus struct {
	// TunedProfile that the node has.
	TunedProfile string `json:"tunedProfile,omitempty"`
	// Conditions Applied and Degraded, from 4.7 on.
	Conditions []Condition `json:"conditions,omitempty"`
}

// Profile is a custom resource of the Node Tuning Operator, tuned.openshift.io/v1: one for each node, of its name.
type Profile struct {
	Kind     string        `json:"kind"`
	Metadata ObjectMeta    `json:"metadata"`
	Spec     ProfileSpec   `json:"spec"`
	Status   ProfileStatus `json:"status"`
}
