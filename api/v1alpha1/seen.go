package v1alpha1

// KindSeen is the kind of what a snapshot of a cluster says of itself.
const KindSeen = "Seen"

// Seen is the last object of what was read from a cluster that runs: what could be seen of it, and what could not.
type Seen struct {
	// APIVersion is APIVersion, Kind is KindSeen.
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Taken is when it was read (RFC 3339), by which ages are judged; empty where nobody has written it down.
	Taken string `json:"taken,omitempty"`
	// Counts of objects whose content is not read, by kind, such as Secret.
	Counts map[string]int64 `json:"counts,omitempty"`
	// Read are the resources that were read, also where there was no object; Absent those that the cluster does not have.
	Read   []string `json:"read,omitempty"`
	Absent []string `json:"absent,omitempty"`
	// NotSeen is what could not be read: nobody can say that it is not there.
	NotSeen []NotSeen `json:"notSeen,omitempty"`
	// Later are the resources whose last part is of a later moment than the first: it took longer to read them than
	// the server remembers.
	Later []string `json:"later,omitempty"`
}

// NotSeen is a resource that could not be read.
type NotSeen struct {
	// What is the resource, such as pods or routes.route.openshift.io.
	What string `json:"what"`
	// Why is what the server said.
	Why string `json:"why"`
	// Audit says that no more than an audit makes use of it.
	Audit bool `json:"audit,omitempty"`
}
