package v1alpha1

// Inventory is what was found in manifests or in a snapshot of a cluster, in
// the scenario's own terms.
type Inventory struct {
	// PodTypes are groups of equal pods; Origin says where each was read.
	PodTypes []PodType `json:"podTypes,omitempty"`
	// NodeTypes are groups of equal nodes, with their counts.
	NodeTypes []NodeType `json:"nodeTypes,omitempty"`
	// Objects are the numbers of objects, the largest namespace's included.
	Objects Objects `json:"objects,omitzero"`
	// Skipped is what could not be understood or does not count.
	Skipped []Skipped `json:"skipped,omitempty"`
}
