package schedulertest

// FileAnswer is what kube-scheduler decides about a pod of a snapshot that waits.
type FileAnswer struct {
	// Pod is its namespace and name.
	Pod string `json:"pod"`
	// Node is where it goes; empty when it fits nowhere, and Message says why.
	Node    string `json:"node,omitempty"`
	Message string `json:"message,omitempty"`
}
